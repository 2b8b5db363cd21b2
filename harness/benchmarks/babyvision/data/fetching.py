"""Downloading the data from its authors' own places, or a mirror: checked before anything is installed."""

import tempfile
import time
from collections.abc import Callable
from typing import IO, Final

import httpx

from harness.benchmarks.babyvision.data.files import BYTES_MAX, Kind, identified
from harness.benchmarks.babyvision.data.importing import OFFICIAL, Expected, add_source
from harness.benchmarks.babyvision.data.installed import Installed, Place
from harness.errors import HarnessError, UsageError
from harness.store import atomic
from harness.store.space import check_space

# The commit of the authors' repository and the revision of their data set that the checks were made for.
URLS: Final[dict[Kind, str]] = {
    "zip": "https://github.com/UniPat-AI/BabyVision/raw/7f92fd4b1dc1c68b7b936a9bc09c68b4a944a55a"
    "/data/babyvision_data.zip",
    "parquet": "https://huggingface.co/datasets/UnipatAI/BabyVision/resolve/849cbeea2b1d00ad334e9e1e2b49a1960c9ff3f3"
    "/data/train-00000-of-00001.parquet",
}

SILENCE: Final = 30.0  # seconds without a byte, or without a connection
WHOLE: Final = 3600.0  # seconds for all of it: 50 MB at 14 kB/s
_STEP: Final = 10 << 20  # bytes between two lines of progress

Say = Callable[[str], None]


def fetch(place: Place, kind: Kind, url: str | None, say: Say, expected: Expected = OFFICIAL) -> Installed:
    """Download, check and install; ``url`` is a mirror of the same bytes.

    The download has no name on the disk: a kill leaves nothing, the next call begins anew. The environment's proxies
    are used. Raises HarnessError where it can't be had, UsageError where it isn't the data, NoSpaceError.
    """
    address = _address(url) if url else URLS[kind]
    with atomic.explained(place.folder):
        atomic.make_folder(place.folder)
    check_space(place.folder, 2 * BYTES_MAX)
    with tempfile.TemporaryFile(dir=place.folder) as file:
        say(f"downloading {address}")
        try:
            _download(address, file, place, say)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, ImportError) as error:
            raise HarnessError(_trouble(address, f"{error or type(error).__name__}")) from None
        source = identified(file, address)
        if source.kind != kind:
            raise UsageError(f"{address} is a {source.kind}, not a {kind}.")
        if kind == "parquet" and place.origin(kind) is None:
            say(f"note: no digest of the parquet is known; SHA-256 {source.sha256} is trusted from now on")
        return add_source(place, source, expected)


def _address(url: str) -> str:
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"--url: {error}.") from None
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise UsageError("--url: an address that begins with http:// or https:// and names a host is needed.")
    if parts.userinfo:
        raise UsageError("--url: must not hold a user or password.")
    return url


def _download(address: str, file: IO[bytes], place: Place, say: Say) -> None:
    began, size, told = time.monotonic(), 0, 0
    with (
        httpx.Client(follow_redirects=True, max_redirects=5, timeout=SILENCE) as client,
        client.stream("GET", address, headers={"Accept-Encoding": "identity"}) as response,
    ):
        if response.status_code != httpx.codes.OK:
            raise HarnessError(_trouble(address, f"the server answered {response.status_code}"))
        for piece in response.iter_raw(1 << 20):
            size += len(piece)
            if size > BYTES_MAX:
                raise HarnessError(_trouble(address, f"it has more than {BYTES_MAX:,} bytes"))
            if time.monotonic() - began > WHOLE:
                raise HarnessError(_trouble(address, f"it took more than {WHOLE:g} s"))
            with atomic.explained(place.folder):
                file.write(piece)
            if size - told >= _STEP:
                told = size
                say(f"{size / 2**20:.0f} MiB")
    with atomic.explained(place.folder):
        file.flush()


def _trouble(address: str, reason: str) -> str:
    return (
        f"Could not download {address}: {reason}. Nothing was changed. On a machine without a network, bring the file "
        "from elsewhere and run: harness data add FILE"
    )
