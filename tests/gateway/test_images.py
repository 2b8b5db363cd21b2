import hashlib

import pytest

from harness.gateway.fields import Refused
from harness.gateway.images import read_data_url
from tests.gateway.bodies import JPEG, PNG, data_url


@pytest.mark.parametrize(
    ("kind", "data"),
    [("png", PNG), ("jpeg", JPEG), ("gif", b"GIF89a12"), ("gif", b"GIF87a"), ("webp", b"RIFF\n\0\0\nWEBPVP8 ")],
)
def test_an_image_is_known_by_its_bytes(kind: str, data: bytes) -> None:
    assert read_data_url(data_url(data, kind)).sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x.png",
        "https://example.invalid/x.png",
        "file:///etc/passwd",
        "//example.invalid/x.png",
        "gs://bucket/x.png",
        "x.png",
        "",
        "data:image/png,abc",
        "data:image/png;base64,",
        "data:image/svg+xml;base64," + data_url(b"<svg/>").partition(",")[2],
        "data:text/html;base64,AAAA",
        "DATA:image/png;base64,AAAA",
        data_url(PNG) + "\n",
        " " + data_url(PNG),
        data_url(PNG).replace("base64,", "base64,%20"),
        data_url(PNG).replace(";base64", ";x=1;base64"),
        data_url(PNG)[:-1],
        data_url(PNG)[:-2] + "h=",  # spare bits that are not zero
        data_url(b"<svg xmlns='http://www.w3.org/2000/svg'/>"),  # another kind than it says
        data_url(JPEG, "png"),
        data_url(PNG, "jpeg"),
        data_url(b"push graphic-context\nimage over 0,0 0,0 'https://example.invalid/'"),
    ],
)
def test_whatever_else_would_have_to_be_fetched_or_guessed_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        read_data_url(url)
    assert refused.value.status == 400
