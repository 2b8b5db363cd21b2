"""The schemas themselves, and objects of commands that need no run; real runs are held against them by integration."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.cli import schemas
from harness.cli.main import run
from harness.errors import UnknownNameError
from tests.schemas import check, schema_of

NAMES = schemas.names()


@pytest.mark.parametrize("name", [*NAMES, schemas.SHARED])
def test_a_schema_is_one_of_the_draft(name: str) -> None:
    schema = schemas.read(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:hermetic-harness:schema:{name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_schema_refers_to_nothing_outside_of_it(name: str) -> None:
    printed = schemas.bundled(name)
    ids = {one["$id"] for one in (printed, *printed.get("$defs", {}).values())}
    assert {reference.partition("#")[0] for reference in _references(printed)} <= ids


@pytest.mark.parametrize("name", [*NAMES, schemas.SHARED])
def test_an_object_of_ours_is_closed_and_each_of_its_keys_is_described(name: str) -> None:
    for where, schema in _objects(schemas.read(name), name):
        described = {key for key, value in schema["properties"].items() if {"description", "$ref"} & set(value)}
        assert described == set(schema["properties"]), where
        closed = {"additionalProperties", "unevaluatedProperties"} & set(schema)
        # what is taken up by allOf is closed there
        assert closed or where in ("shared.$defs.figures", "shared.$defs.about"), where


def test_a_key_too_much_or_too_few_is_noticed(small_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(small_run), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    check("verify", found)
    with pytest.raises(AssertionError, match="surplus"):
        check("verify", found | {"surplus": 1})
    with pytest.raises(AssertionError, match="rollouts"):
        check("verify", {key: value for key, value in found.items() if key != "rollouts"})


def test_figures_are_closed_though_they_are_shared() -> None:
    with pytest.raises(AssertionError, match="surplus"):
        check("eval", {"surplus": 1})


@pytest.mark.parametrize("argv", [["benchmarks"], ["config"], ["schema"], ["data", "status"], ["gc"]])
def test_an_object_is_as_its_schema_says(
    argv: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HARNESS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    check(schema_of(argv, found), found)


def test_an_unknown_schema_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rescore'"):
        schemas.read("rescor")
    assert run(["schema", "rescor"]) == 2
    assert capsys.readouterr().out == ""


def test_the_list_names_each_schema_and_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all("harness " in line and "--json" in line for line in lines)


def _references(schema: Any) -> Iterator[str]:
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _references(value)
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        yield schema["$ref"]


def _objects(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every part that says which keys an object has, with its place."""
    if isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from _objects(value, f"{where}[{number}]")
    if not isinstance(schema, dict):
        return
    if "required" in schema and isinstance(schema.get("properties"), dict):
        yield where, schema
    for key, value in schema.items():
        yield from _objects(value, f"{where}.{key}")
