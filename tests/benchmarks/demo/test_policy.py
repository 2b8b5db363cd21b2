import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.benchmarks.babyvision.asking import INSTRUCTION, prompt
from harness.benchmarks.babyvision.rows import Row
from harness.benchmarks.demo import conversation, draw, look
from harness.benchmarks.demo.policy import CROP, Reply, reply
from harness.benchmarks.demo.puzzles import intended, rows


def ask(row: Row, folder: str = "/workspace") -> list[dict[str, Any]]:
    """The opening as OpenCode 1.17.11 sends it."""
    name = "image.jpg" if row.image.startswith(b"\xff\xd8") else "image.png"
    return [
        {"role": "system", "content": "You are an agent."},
        {
            "role": "user",
            "content": [
                {
                    "type": "text",
                    "text": f'Called the Read tool with the following input: {{"filePath":"{folder}/{name}"}}',
                },
                {"type": "text", "text": "Image read successfully"},
                picture(row.image),
                {"type": "text", "text": prompt(row, INSTRUCTION)},
            ],
        },
    ]


def picture(data: bytes) -> dict[str, Any]:
    url = "data:image/any;base64," + base64.b64encode(data).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def says(messages: list[dict[str, Any]]) -> Reply:
    return reply(conversation.read(messages))


def turn(messages: list[dict[str, Any]], result: str) -> list[dict[str, Any]]:
    """The talk after one more turn of the policy, whose tool gave ``result``."""
    said = says(messages)
    return [*messages, {"role": "assistant", "content": said.text}, {"role": "tool", "content": result}]


def measured(row: Row) -> str:
    return json.dumps(look.parts(draw.decode(row.image)))


def cut(messages: list[dict[str, Any]], row: Row) -> bytes:
    """The crop that the policy's command makes."""
    tool = says(messages).tool
    assert tool is not None
    where = tool[1]["command"].partition("picture[")[2].partition("]")[0]
    rows_, columns = ([int(n) for n in span.split(":")] for span in where.split(", "))
    return draw.encode(draw.decode(row.image)[slice(*rows_), slice(*columns)], ".png")


def looked(row: Row) -> list[dict[str, Any]]:
    """The talk up to the moment when the crop has come back."""
    talk = turn(ask(row), measured(row))
    crop = cut(talk, row)
    talk = turn(turn(talk, ""), "Image read successfully")
    return [*talk, {"role": "user", "content": [picture(crop)]}]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("task_id", range(1, 13))
def test_each_puzzle_is_answered_as_intended(seed: int, task_id: int) -> None:
    row = rows(seed, 12)[task_id - 1]
    said = says(looked(row))
    assert said.tool is None
    boxed = f"\\boxed{{{row.gold}}}" in said.text
    outcome = "right" if boxed else "wrong" if "\\boxed" in said.text else "silent"
    assert outcome == intended(task_id)


def test_the_tools_are_called_in_turn() -> None:
    row = rows(1, 1)[0]
    talk = ask(row)
    tools = []
    for result in (measured(row), "", "Image read successfully"):
        tool = says(talk).tool
        assert tool is not None
        tools.append(tool[0])
        talk = turn(talk, result)
    assert tools == ["bash", "bash", "read"]


def test_the_commands_work_in_a_shell(tmp_path: Path) -> None:
    row = rows(1, 1)[0]
    (tmp_path / "image.png").write_bytes(row.image)
    shell = shutil.which("sh") or "/bin/sh"
    (tmp_path / "python3").write_text(f'#!{shell}\nexec {sys.executable} "$@"\n')
    (tmp_path / "python3").chmod(0o755)
    talk = ask(row, str(tmp_path))
    for _ in range(2):
        tool = says(talk).tool
        assert tool is not None
        done = subprocess.run(
            [shell, "-c", tool[1]["command"]],
            cwd=tool[1]["workdir"],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            check=True,
            capture_output=True,
            text=True,
        )
        talk = turn(talk, done.stdout)
    talk = turn(talk, "Image read successfully")
    crop = (tmp_path / CROP).read_bytes()
    assert f"\\boxed{{{row.gold}}}" in says([*talk, {"role": "user", "content": [picture(crop)]}]).text


@pytest.mark.parametrize("output", ["", "bash: python3: command not found", "[]", "{}", "[[1]]", '[["black", "x"]]'])
def test_without_a_measurement_there_is_no_answer(output: str) -> None:
    said = says(turn(ask(rows(1, 1)[0]), output))
    assert said.tool is None
    assert "\\boxed" not in said.text


def test_a_false_measurement_gives_no_answer() -> None:
    row = rows(1, 1)[0]
    talk = looked(row)
    parts = json.loads(measured(row))
    odd = min(range(len(parts)), key=lambda index: parts[index][5])
    parts[odd][5] += 1
    talk[3] = {"role": "tool", "content": json.dumps(parts)}
    assert "\\boxed" not in says(talk).text


def test_a_measurement_of_another_place_gives_another_answer() -> None:
    row = rows(1, 1)[0]
    talk = looked(row)
    moved = [
        [ink, x, y + 48, *rest] if y > 29 else [ink, x, y, *rest] for ink, x, y, *rest in json.loads(measured(row))
    ]
    talk[3] = {"role": "tool", "content": json.dumps(moved)}
    text = says(talk).text
    assert "\\boxed" in text
    assert row.gold not in text


def test_without_the_crop_there_is_no_answer() -> None:
    assert "\\boxed" not in says(looked(rows(1, 1)[0])[:-1]).text


def test_with_another_picture_as_the_crop_there_is_no_answer() -> None:
    row, other = rows(1, 2)
    talk = looked(row)
    talk[-1] = {"role": "user", "content": [picture(other.image)]}
    assert "\\boxed" not in says(talk).text


def test_a_talk_about_something_else_gets_no_answer() -> None:
    said = says([{"role": "user", "content": "Hello"}])
    assert said.tool is None
    assert "\\boxed" not in said.text
