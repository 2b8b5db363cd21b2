import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.agents.opencode import ERRORS, EVENTS, Settings, configuration, opening, stage
from harness.agents.opencode.stage import NOT_LAID_OUT, script
from harness.agents.task import Task, TaskImage

TASK = Task("7", 'Say "so" \\boxed{}\n\n  \u00e9nd\n', (TaskImage("image.png", b"\x89PNG"),), timeout=1800)
SETTINGS = Settings(context=32768, max_output=4096)

SHELL = shutil.which("sh") or "/bin/sh"

# Stands in for OpenCode: shows how it was called, in the very files that the script names.
FAKE = f"""\
#!{SHELL}
printf '%s\\n' "$PWD" "$@"
cat
echo trouble >&2
exit 3
"""


def test_the_command(snapshot: SnapshotAssertion) -> None:
    assert stage(TASK, SETTINGS, {}).command == snapshot


def test_the_sandbox_gets_prompt_images_and_configuration_and_nothing_else() -> None:
    files = dict(stage(TASK, SETTINGS, {}).files)
    assert json.loads(files.pop("opencode.json")) == configuration(SETTINGS)
    assert files == {"prompt.txt": TASK.prompt.encode(), "image.png": b"\x89PNG"}


def test_the_runtime_ends_a_sandbox_only_after_the_attempt_would_have() -> None:
    long = Task("7", "?", (), timeout=86_400)
    assert stage(long, SETTINGS, {}).limits.backstop > 86_400
    assert stage(TASK, SETTINGS, {}).limits == SETTINGS.limits


def test_the_first_request_must_hold_prompt_and_images_as_they_are() -> None:
    assert (opening(TASK).prompt, opening(TASK).images) == (TASK.prompt, (b"\x89PNG",))


def run(folder: Path, images: dict[str, bytes], missing: str | None = None) -> subprocess.CompletedProcess[str]:
    """The script in a real shell, with ``folder`` in the place of the sandbox's root."""
    for name in ("task/in", "task/out", "workspace", "bin"):
        (folder / name).mkdir(parents=True)
    for name, data in images.items():
        if name != missing:
            (folder / "task/in" / name).write_bytes(data)
            (folder / "task/in" / name).chmod(0o444)
    (folder / "task/in/prompt.txt").write_text(TASK.prompt)
    (folder / "bin/opencode").write_text(FAKE)
    (folder / "bin/opencode").chmod(0o755)
    text = script(list(images)).replace("/task/", f"{folder}/task/").replace("/workspace", f"{folder}/workspace")
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    return subprocess.run([SHELL, "-c", text], env=env, capture_output=True, text=True, check=False)


def test_the_script_keeps_the_exit_status_and_separates_the_outputs(tmp_path: Path) -> None:
    done = run(tmp_path, {"image.png": b"one"})
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert (tmp_path / "task/out" / ERRORS).read_text() == "trouble\n"
    call = "run --format json -m local/vlm --title task --file image.png".replace(" ", "\n")
    assert (tmp_path / "task/out" / EVENTS).read_text() == f"{tmp_path}/workspace\n{call}\n{TASK.prompt}"


def test_the_model_may_change_its_copy_of_an_image(tmp_path: Path) -> None:
    run(tmp_path, {"image-1.png": b"one", "image-2.jpg": b"two"})
    copies = {path.name: path.read_bytes() for path in (tmp_path / "workspace").iterdir()}
    assert copies == {"image-1.png": b"one", "image-2.jpg": b"two"}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "workspace").iterdir()} == {0o644}


@pytest.mark.parametrize("missing", ["image-1.png", "image-2.jpg"])
def test_without_its_image_the_agent_is_not_started(tmp_path: Path, missing: str) -> None:
    done = run(tmp_path, {"image-1.png": b"one", "image-2.jpg": b"two"}, missing)
    assert done.returncode == NOT_LAID_OUT
    assert not (tmp_path / "task/out" / EVENTS).exists()
