"""The manifest: its identity, and what two of them differ in."""

import json
from typing import Any

import attrs
import pytest

from harness.errors import CanonicalError
from harness.store.canonical import dumps
from harness.store.digests import digest
from harness.store.manifest import Manifest, differences


def test_a_manifest_comes_back(manifest: Manifest) -> None:
    assert Manifest.from_bytes(manifest.to_bytes()) == manifest


def test_the_identity_is_the_digest_of_the_file(manifest: Manifest) -> None:
    assert manifest.identity == digest(manifest.to_bytes())


def test_the_identity_does_not_depend_on_the_order_of_keys(manifest: Manifest) -> None:
    one = attrs.evolve(manifest, sampling={"top_p": 1, "temperature": 0})
    other = attrs.evolve(manifest, sampling={"temperature": 0, "top_p": 1.0})
    assert one.identity == other.identity


@pytest.mark.parametrize("field", [field.name for field in attrs.fields(Manifest)])
def test_each_field_decides_the_identity(manifest: Manifest, field: str) -> None:
    new: Any = {"changed": 1} if isinstance(getattr(manifest, field), dict) else digest(b"changed")
    assert attrs.evolve(manifest, **{field: new}).identity != manifest.identity


def test_differences_are_named_one_a_line(manifest: Manifest) -> None:
    manifest = attrs.evolve(manifest, plan={"tasks": ["1", "2"], "repeats": 1})
    now = attrs.evolve(
        manifest, model="gpt", sampling={"top_p": 1}, plan={"tasks": ["x" * 100], "repeats": 1}, agent={"steps": None}
    )
    assert differences(manifest, now) == [
        'model: "vlm" in the folder, "gpt" now',
        f'plan.tasks: ["1","2"] in the folder, ["{"x" * 58}... (104 characters) now',
        "sampling.temperature: 0.5 in the folder, not set now",
        "sampling.top_p: not set in the folder, 1 now",
    ]


def test_what_a_digest_stands_for_is_said(manifest: Manifest) -> None:
    there = attrs.evolve(manifest, prompts={"asked": digest(b"a"), "task": "How many?"})
    now = attrs.evolve(manifest, tasks=digest(b"x"), prompts={"asked": digest(b"b"), "task": "How many?"})
    asked, tasks = differences(there, now)
    assert asked == (
        "prompts.asked: ca978112ca1b... in the folder, 3e23e8160039... now "
        "(the words of the questions, or of the instruction around them, differ)"
    )
    assert tasks.endswith("(the task set differs: other questions, answers or images, or another --demo-seed)")


def test_equal_manifests_have_no_differences(manifest: Manifest) -> None:
    assert differences(manifest, Manifest.from_bytes(manifest.to_bytes())) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2}, "format is 2; this version of the harness reads 1"),
        ({"record_format": 9}, "record_format is 9"),
        ({"more": 1}, "not known: more"),
        ({"rootfs": "latest"}, "'rootfs' of the manifest must be a SHA-256"),
        ({"limits": []}, "'limits' of the manifest must be an object"),
    ],
)
def test_another_manifest_is_refused(manifest: Manifest, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(CanonicalError, match=reason):
        Manifest.from_bytes(dumps({**json.loads(manifest.to_bytes()), **change}))
