"""Marked keys through the whole path: they are in the header of a request, and nowhere else that anybody can look."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pytest

from harness.store.runfolder import RunFolder
from tests.gateway.scripted import Endpoint
from tests.integration.conftest import command
from tests.integration.marked import KEYS, Echoing, Processes, found, holds, judging

pytestmark = pytest.mark.integration

FORMATS = {"gym": "gym.jsonl", "jsonl": "all.jsonl", "parquet": "all.parquet"}


@attrs.frozen
class Commands:
    """Runs command lines with the policy's key in their environment; ``said`` is all that they printed so far."""

    env: dict[str, str]
    said: list[bytes] = attrs.Factory(list)

    async def __call__(self, *arguments: str | Path) -> int:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command(*arguments), env=self.env, stdout=pipe, stderr=pipe)
        self.said.extend(await process.communicate())
        assert process.returncode is not None
        return process.returncode


@attrs.frozen
class Played:
    """What was run, and what came of it: the made files are below ``folder``."""

    folder: Path
    harness: Commands
    policy: Echoing
    processes: Processes
    judge: tuple[str, ...]

    def clean(self, state: Path) -> None:
        """Asserts that no key is in a sandbox, a list of processes or anything kept or printed."""
        assert self.policy.looked
        assert [text for text in self.policy.looked if "looked at True found 0" not in text] == []
        assert any(b"opencode" in line for line in self.processes.commands)
        assert [body for body in self.policy.asked if holds(body)] == []
        assert [line for line in self.processes.commands if holds(line)] == []
        # Those that were given it: the harness itself. What it starts gets an environment of its own.
        assert [line for line in self.processes.holders if b"\0-m\0harness." not in line] == []
        assert [text for text in self.harness.said if holds(text)] == []
        assert [*found(self.folder), *found(state)] == []


Play = Callable[..., AbstractAsyncContextManager[Played]]


@pytest.fixture
def play(environment: dict[str, str], short_folder: Path, tmp_path: Path) -> Play:
    """Runs tasks whose policy and judge say their keys; one came by the environment and one by a file."""
    (key := tmp_path / "judge").write_text(KEYS["judge"] + "\n")
    key.chmod(0o600)
    env = {**environment, "POLICY_API_KEY": KEYS["policy"], "HARNESS_STATE_DIR": str(short_folder)}

    @asynccontextmanager
    async def played(status: int, *arguments: str, split: bool) -> AsyncIterator[Played]:
        (folder := tmp_path / "made").mkdir()
        policy, harness = Echoing(split), Commands(env)
        async with Endpoint([policy.act]) as asked, Endpoint([judging]) as judge, Processes.watched() as processes:
            judged = ("--judge-base-url", judge.url, "--judge-api-key-file", str(key))
            given = ("--policy-base-url", asked.url, "--policy-model", "m", "--upstream-backoff", "0.1", *judged)
            all_of_it = ("--demo", "--no-preflight", "--run", folder / "R", *given, *arguments)
            assert await harness("eval", "babyvision", *all_of_it) == status, harness.said
            yield Played(folder, harness, policy, processes, judged)

    return played


async def test_keys_that_endpoints_say_are_nowhere_after_any_command(play: Play, short_folder: Path) -> None:
    async with play(0, "--limit", "2", split=False) as played:
        path, archive = played.folder / "R", played.folder / "R.tar"
        run = RunFolder.open(path)
        tasks = [done.task for done in run.dones()]
        for arguments in (
            ("show", path),
            ("show", path, "--json"),
            *(("show", path, task, "--full", "--all-calls") for task in tasks),
            ("verify", path, "--egress", "--json"),
            ("rescore", path, "--check", "--json"),
            ("rescore", path, "--judge", "live", "--judge-repeats", "2", *played.judge),
            ("diff", path, path, "--all"),
            ("archive", path, archive),
            ("import", archive, played.folder / "again"),
            *(("export", path, "--format", form, "--out", played.folder / name) for form, name in FORMATS.items()),
            ("gc", path, "--json"),
            ("doctor", "--json"),
        ):
            assert await played.harness(*arguments) == 0, (arguments, b"".join(played.harness.said[-2:]).decode())
        answers = [run.rollout(done).content.answer for done in run.dones()]
        assert len(answers) == 2
        assert all(answer is not None and "****" in answer for answer in answers), answers
        assert b"[key]" in b"".join(played.harness.said)
        played.clean(short_folder)


async def test_an_answer_that_holds_the_key_in_pieces_is_refused_and_nowhere(play: Play, short_folder: Path) -> None:
    few = ("--limit", "1", "--max-attempts", "1", "--upstream-attempts", "1")
    async with play(0, *few, split=True) as played:
        assert await played.harness("show", played.folder / "R", "1", "--all-calls") == 0
        assert b"the endpoint put the key into its answer" in b"".join(played.harness.said)
        played.clean(short_folder)


@pytest.fixture
def folder_of_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a file that holds a key and that others can read."""
    (file := tmp_path / "keys.toml").write_text(f"[policy]\napi_key = '{KEYS['judge']}'\n")
    file.chmod(0o644)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "given",
    [
        ("--policy-api-key-file", KEYS["judge"]),
        ("--policy-base-url", f"http://me:{KEYS['judge']}@127.0.0.1:9/v1"),
        ("--judge-base-url", f"http://{KEYS['judge']}@127.0.0.1:9/v1"),
        ("--judge-base-url", f"http://127.0.0.1:9/v1?key={KEYS['judge']}"),
        (f"++policy_api_key={KEYS['judge']}",),
        ("--config", "keys.toml"),
        ("--policy-api-key-file", "keys.toml"),
    ],
)
def test_a_key_given_in_the_wrong_place_is_not_said_again(
    environment: dict[str, str], folder_of_keys: Path, given: tuple[str, ...]
) -> None:
    harness = Commands(environment)
    assert asyncio.run(harness("eval", "babyvision", "--demo", "--limit", "1", "--run", "R", *given)) == 2
    assert b"".join(harness.said)
    assert not any(map(holds, harness.said)), harness.said
    assert [path.name for path in folder_of_keys.iterdir()] == ["keys.toml"]
