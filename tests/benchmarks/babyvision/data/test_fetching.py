"""Downloading, from a server on this machine only."""

import contextlib
import http.server
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from harness.benchmarks.babyvision.data import fetching
from harness.benchmarks.babyvision.data.fetching import URLS, fetch
from harness.benchmarks.babyvision.data.installed import Place
from harness.errors import HarnessError, UsageError
from harness.store.digests import file_digest
from tests.benchmarks.babyvision.data.conftest import Files

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing leaves this machine, whatever its environment says."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/data"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def sending(data: bytes, says: int | None = None, status: int = 200) -> Answer:
    def answer(request: http.server.BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(data) if says is None else says))
        request.end_headers()
        with contextlib.suppress(OSError):
            request.wfile.write(data)

    return answer


def said_of(place: Place, answer: Answer, files: Files, kind: fetching.Kind = "zip") -> str:
    with serving(answer) as url, pytest.raises(HarnessError) as caught:
        fetch(place, kind, url, lambda _: None, files.expected)
    assert place.open() is None
    left = [path.name for path in place.folder.iterdir()] if place.folder.exists() else []
    assert left == [] or left == ["blobs"]
    return str(caught.value)


@pytest.mark.parametrize("kind", ["zip", "parquet"])
def test_a_download_is_checked_and_installed(files: Files, place: Place, kind: fetching.Kind) -> None:
    path = {"zip": files.zip, "parquet": files.parquet}[kind]
    lines: list[str] = []
    with serving(sending(path.read_bytes())) as url:
        installed = fetch(place, kind, url, lines.append, files.expected)
    assert [(origin.kind, origin.sha256) for origin in installed.origins] == [(kind, file_digest(path))]
    trusted = f"note: no digest of the parquet is known; SHA-256 {file_digest(path)} is trusted from now on"
    assert lines == [f"downloading {url}"] + [trusted] * (kind == "parquet")
    assert sorted(path.name for path in place.folder.iterdir()) == ["blobs", f"{kind}.json"]


def test_a_redirection_is_followed(files: Files, place: Place) -> None:
    with serving(sending(files.zip.read_bytes())) as target:

        def moved(request: http.server.BaseHTTPRequestHandler) -> None:
            request.send_response(302)
            request.send_header("Location", target)
            request.send_header("Content-Length", "0")
            request.end_headers()

        with serving(moved) as url:
            assert fetch(place, "zip", url, lambda _: None, files.expected).data.puzzles


def test_a_mirror_with_other_bytes_is_refused_with_both_digests(files: Files, place: Place) -> None:
    message = said_of(place, sending(files.zip.read_bytes() + b"!"), files)
    assert "its SHA-256 is" in message
    assert files.expected.zip_sha256 in message


def test_a_page_in_place_of_the_file_is_refused(files: Files, place: Place) -> None:
    assert "is neither the authors' ZIP nor a parquet" in said_of(place, sending(b"<html>Log in</html>"), files)


def test_the_other_copy_is_refused(files: Files, place: Place) -> None:
    assert "is a parquet, not a zip" in said_of(place, sending(files.parquet.read_bytes()), files)


def test_an_answer_other_than_200_is_said(files: Files, place: Place) -> None:
    message = said_of(place, sending(b"gone", status=404), files)
    assert "the server answered 404" in message
    assert "harness data add FILE" in message


def test_a_download_that_breaks_off_leaves_nothing(files: Files, place: Place) -> None:
    data = files.zip.read_bytes()
    assert "Could not download" in said_of(place, sending(data[:-100], says=len(data)), files)


def test_a_download_without_end_is_ended(files: Files, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "BYTES_MAX", 1000)
    assert "it has more than 1,000 bytes" in said_of(place, sending(bytes(5000)), files)


def test_a_server_that_falls_silent_is_given_up(files: Files, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SILENCE", 0.2)
    given_up = threading.Event()

    def silent(request: http.server.BaseHTTPRequestHandler) -> None:
        sending(b"PK", says=100)(request)
        given_up.wait(30)

    with serving(silent) as url:
        with pytest.raises(HarnessError, match="timed out"):
            fetch(place, "zip", url, lambda _: None, files.expected)
        given_up.set()


def test_a_slow_download_is_given_up(files: Files, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "WHOLE", 0.0)
    assert "it took more than 0 s" in said_of(place, sending(files.zip.read_bytes()), files)


def test_without_a_server_it_is_said_what_to_do(files: Files, place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(HarnessError, match=r"Could not download .*refused.*harness data add FILE"):
        fetch(place, "zip", f"http://127.0.0.1:{port}/x", lambda _: None, files.expected)


def test_the_environments_proxy_is_used(files: Files, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(sending(files.zip.read_bytes())) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.removesuffix("/data"))
        assert fetch(place, "zip", "http://127.9.9.9:9/data", lambda _: None, files.expected).data.puzzles


@pytest.mark.parametrize(
    "url", ["ftp://host/x", "host/x", "file:///etc/passwd", "http://", "https://me:secret@host/x", "http://[::1"]
)
def test_an_address_that_is_none_is_refused(files: Files, place: Place, url: str) -> None:
    with pytest.raises(UsageError, match="--url: ") as caught:
        fetch(place, "zip", url, lambda _: None, files.expected)
    assert "secret" not in str(caught.value)


def test_the_authors_own_places_are_pinned() -> None:
    assert "/7f92fd4b1dc1c68b7b936a9bc09c68b4a944a55a/" in URLS["zip"]
    assert "/849cbeea2b1d00ad334e9e1e2b49a1960c9ff3f3/" in URLS["parquet"]
