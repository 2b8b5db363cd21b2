"""The documents' commands that ``tests/integration/test_commands.py`` runs, in its order, all in one folder."""

import re
from collections.abc import Mapping
from typing import Final

import attrs


@attrs.frozen
class Played:
    """One command of the documents.

    ``words`` is what a reader puts in place of a placeholder, ``more`` what is added to save time. ``says`` are pieces
    of what it prints, on either stream; a ``silent`` one prints nothing. ``makes`` is a file that is there afterwards.
    """

    text: str
    words: Mapping[str, str] = attrs.field(factory=dict)
    more: str = ""
    says: tuple[str, ...] = ()
    silent: bool = False
    makes: str | None = None

    @property
    def typed(self) -> str:
        """What the reader types."""
        text = self.text
        for name, word in self.words.items():
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", word, text)
        return f"{text} {self.more}".rstrip()


# Of the demo's puzzles one that the scripted policy gets wrong, and the one to which it is silent.
TWO: Final = "--tasks 5,8"
R: Final = {"R": "twelve", "RUN": "twelve"}
HAND: Final = {"R": "hand"}
SILENT: Final = "outcome    no-answer: The model's last turn holds no text."

PLAYED: Final = (
    Played("harness eval babyvision --demo --limit 1 --run one --json", says=("mean/reward    1.0000", '"coverage"')),
    Played(
        "harness eval babyvision --demo --jobs 2 --run twelve",
        more=TWO,
        says=("mean/reward    0.0000", "outcomes       answered 1, no-answer 1", "2 of 2 rollouts proved"),
    ),
    Played("harness show twelve", says=("2 of 2 rollouts of twelve",)),
    Played("harness show twelve --wrong", says=("different  20         19", "no-answer")),
    Played("harness show twelve 8", says=("extracted  nothing", "gold       D", SILENT)),
    Played("harness report twelve", makes="twelve/report.html"),
    Played("harness report R", words=R, makes="twelve/report.html"),
    Played("harness report R --assets DIR", words=R | {"DIR": "pages"}, makes="pages/index.html"),
    Played("harness rescore twelve --check", says=("scores and summary are what they should be",)),
    Played("harness verify twelve --egress", says=("2 rollouts, and all that belongs to them is whole", "2 of 2")),
    Played("harness archive twelve twelve.oci", says=("2 rollouts archived; sha256:",), makes="twelve.oci"),
    Played("harness import twelve.oci copy", makes="copy/provenance.json"),
    Played(
        "harness reproduce twelve.oci --jobs 2",
        says=("2 of 2 run again from the record are identical", "reproduced "),
    ),
    Played(
        "harness eval babyvision --demo --jobs 2 --policy replay:twelve.oci --run again",
        says=("outcomes       answered 1, no-answer 1",),
    ),
    Played(
        "harness eval babyvision --demo --policy replay:twelve.oci --run again",
        says=("(0 of them now)",),  # the one before has played all of it
    ),
    Played("harness diff twelve again", says=("the same was asked and answered: the content digests are equal",)),
    Played("harness export twelve --format gym", makes="twelve_aggregate_metrics.json"),
    Played("harness --help", says=("harness eval babyvision --demo --limit 1 --run one",)),
    Played("harness completion bash", says=("complete",)),
    Played("harness schema", says=("harness eval --json",)),
    Played("harness schema eval", says=("2020-12", "reward_interval")),
    Played("harness config", says=("judge_concurrency", "default")),
    Played("harness config babyvision --demo --jobs 2 --changed", says=("--jobs",)),
    Played("harness config --section sampling --json", says=('"temperature"',)),
    Played("harness eval --help", says=("--policy-base-url",)),
    Played("harness show R", R),
    Played("harness show R 12", R | {"12": "8"}, says=(SILENT,)),
    Played("harness show R TASK", R | {"TASK": "8"}, says=("it adds up: the sandbox reached nothing but the gateway",)),
    Played("harness show R 12 --images D", R | {"12": "8"}, makes="D"),
    Played("harness show R --masked", R, says=("0 of 2 rollouts",)),
    Played("harness verify R --egress", R),
    Played("harness gc R", R, says=("nothing is left over",)),
    Played("harness gc RUN...", {"RUN...": "twelve"}, says=("nothing is left over",)),
    Played("harness rescore RUN", R),
    Played("harness rescore RUN --check", R),
    Played("harness rescore RUN --judge failed", R),
    Played("harness rescore R --judge failed", R),
    Played("harness diff A B", {"A": "twelve", "B": "again"}),
    Played("harness export R --format gym", R, makes="twelve.jsonl"),
    Played("harness export R --format parquet", R, makes="twelve/rollouts.parquet"),
    Played("harness export R --format jsonl", R, makes="twelve_chats.jsonl"),
    Played("harness archive R r.tar", R, makes="r.tar"),
    Played("harness archive R r/", R, makes="r/index.json"),
    Played("harness archive RUN FILE", R | {"FILE": "file.tar"}, makes="file.tar"),
    Played("harness import FILE DIR", {"FILE": "file.tar", "DIR": "folder"}, makes="folder/provenance.json"),
    Played("harness import r.tar R2", makes="R2/provenance.json"),
    Played("harness import r.tar S", makes="S/provenance.json"),
    Played("harness verify R2"),
    Played("harness eval babyvision --policy replay:R --run AGAIN", {"R": "one"}, says=("mean/reward    1.0000",)),
    Played("mkdir -p L R/blobs/sha256 && tar -C L -xf r.tar", HAND, makes="L/index.json"),
    Played("(cd L/blobs/sha256 && sha256sum * | awk '$1 != $2')", silent=True),
    Played("cp L/blobs/sha256/$(grep -o 'sha256:[0-9a-f]*' L/index.json | cut -d : -f 2) artifact", makes="artifact"),
    Played("""grep -o '"annotations":{[^}]*}' artifact | head -n 1""", says=('rollouts":"2"',)),
    Played(
        """grep -o 'title":"[^"]*"},"digest":"sha256:[0-9a-f]*' artifact | tr '":,}' ' ' | """
        "while read _ title _ _ hex; do\n"
        "case $title in *.tar) tar -C R -xf L/blobs/sha256/$hex ;; *) cp L/blobs/sha256/$hex R/$title ;; esac\n"
        "done",
        HAND,
        makes="hand/manifest.json",
    ),
    Played("harness verify R", HAND, says=("2 rollouts, and all that belongs to them is whole",)),
)
