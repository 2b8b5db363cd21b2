"""The settings files in the documents are ones that the program reads."""

import tomllib
from pathlib import Path

import pytest

from harness.run.settings.file import read_file
from harness.run.settings.resolve import resolve
from harness.run.slurm import knobs
from tests.docs.documents import pages

FILES = {f"{page.name}:{line}": text for page in pages() for line, text in page.fences("toml")}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_a_settings_file_of_the_documents_is_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    assert resolve({}, {}, read_file(path))["policy_model"] == tomllib.loads(text)["policy"]["model"]
    assert (knobs.read(path) != knobs.Knobs()) is ("[slurm]" in text)
