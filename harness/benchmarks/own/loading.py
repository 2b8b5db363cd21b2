"""Reading the file of one's own benchmark: its code is run."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Final

import attrs

from harness.benchmarks.own.definition import Benchmark
from harness.errors import UsageError, nearest
from harness.grading.own import Own, calling
from harness.store.foreign import plain

LARGEST: Final = 1 << 20  # bytes of the file; data stands in files of its own
COPIED: Final = (
    "As root nix/setup.sh has a copy of the clone's tracked files read: git add it there, or give its absolute path."
)
MODULE: Final = "own_benchmark"  # what the file is called as a module


@attrs.frozen
class Loaded:
    """A file's benchmark, and the file."""

    benchmark: Benchmark
    own: Own


def is_file(name: str) -> bool:
    """Whether a benchmark's name on the command line is a file's: it ends with ``.py``, or has a slash in it."""
    return name.endswith(".py") or "/" in name


def load(path: Path) -> Loaded:
    """Run the file and take its ``benchmark``.

    Raises UsageError where it can't be read, isn't Python, raises anything (told by its line) or has no benchmark.
    """
    source = _read(path)
    module = ModuleType(MODULE)
    module.__file__ = str(path.absolute())
    sys.modules[MODULE] = module  # dataclasses look their module up
    with calling(path):
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - what the user named is to be run
    found = getattr(module, "benchmark", None)
    if not isinstance(found, Benchmark):
        raise UsageError(
            f"{path} makes no `benchmark`. It must end with one: benchmark = Benchmark(name=..., tasks=...), with "
            "Benchmark from harness.api."
        )
    return Loaded(found, Own(path, source, found.grade))


def _read(path: Path) -> bytes:
    try:
        return plain.read(path, LARGEST, follow=True)
    except plain.NotPlainError as error:
        raise UsageError(f"The benchmark {path} can't be read: {error.strerror}.") from None
    except plain.TooLargeError:
        raise UsageError(f"The benchmark {path} is larger than {LARGEST >> 20} MiB: data belongs beside it.") from None
    except FileNotFoundError as error:
        hint = nearest(path.name, (beside.name for beside in path.parent.glob("*.py"))) or COPIED
        raise UsageError(f"The benchmark {path} can't be read: {error.strerror}. {hint}") from None
    except OSError as error:
        raise UsageError(
            f"The benchmark {path} can't be read: {error.strerror}. Where the harness runs as another user, that one "
            "must be able to read it."
        ) from None
