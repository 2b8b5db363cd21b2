import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.fields import Refused
from harness.gateway.images import image_of, read_data_url
from harness.gateway.pictures import NONE, take_out
from harness.gateway.request import parse
from harness.gateway.rewrite import upstream_body
from tests.gateway.bodies import PNG, body, data_url, fields, image_part, opening, text_part
from tests.gateway.conftest import policy

LARGE = PNG + bytes(range(256)) * 40
WIDE = "\U0001f600"


def written(url: str) -> bytes:
    return json.dumps({"url": url}, separators=(",", ":")).encode()


def test_a_large_image_is_taken_out_and_put_back() -> None:
    sent = b"[" + written(data_url(LARGE)) + b"," + written(data_url(PNG)) + b"]"
    slim, pictures = take_out(sent)
    assert len(slim) < 400
    assert list(pictures.images.values()) == [image_of(LARGE)]
    assert json.loads(slim)[1] == {"url": data_url(PNG)}
    assert pictures.put_back(slim) == sent
    moved, others = pictures.move(slim)
    assert moved == sent
    assert others.put_back(slim) == sent
    assert {bytes(url) for url in others.urls.values()} == {data_url(LARGE).encode()}


@given(st.data())
def test_what_is_taken_out_is_what_would_be_read(data: Any) -> None:
    url = bytearray(data_url(LARGE + bytes(data.draw(st.integers(0, 3)))).encode())
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(15, len(url) - 1) | st.integers(len(url) - 5, len(url) - 1))
        url[at] = data.draw(st.sampled_from(list(b"=+/Az0 -_%")))
    try:
        expected = [read_data_url(url.decode())]
    except Refused:
        expected = []
    _, pictures = take_out(written(url.decode()))
    assert list(pictures.images.values()) == expected


@pytest.mark.parametrize("step", [4, 4096, 1 << 20])
def test_an_image_is_the_same_in_steps_of_any_size(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    monkeypatch.setattr("harness.gateway.pictures._STEP", step)
    monkeypatch.setattr("harness.gateway.pictures.is_kind", lambda kind, data: True)
    _, pictures = take_out(written(data_url(LARGE)))
    assert list(pictures.images.values()) == [image_of(LARGE)]


def test_a_body_without_large_images_is_left_alone() -> None:
    sent = body(opening())
    assert take_out(sent) == (sent, NONE)


def test_a_request_with_large_images_is_read_as_one_with_small_ones() -> None:
    messages = [opening()[0], {"role": "user", "content": [text_part(WIDE), image_part(LARGE), image_part(PNG)]}]
    request = parse(body(messages), "vlm", "Thu Jan 01 2026")
    assert request.messages[1].parts == (WIDE, image_of(LARGE), image_of(PNG))
    assert request.body == body(messages).replace(b"Sun Nov 29 2026", b"Thu Jan 01 2026")
    made = json.loads(upstream_body(request.value, policy("http://h/v1"), request.pictures))
    assert made["messages"][1] == messages[1]


def test_nobody_else_can_write_a_stand_in() -> None:
    _, pictures = take_out(written(data_url(LARGE)))
    (stand_in,) = pictures.images
    forged = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": stand_in}}]}]
    with pytest.raises(Refused, match="an image must be"):
        parse(body(forged), "vlm", "Thu Jan 01 2026")


def test_text_is_bounded_and_images_do_not_count() -> None:
    parse(body(opening(images=[LARGE])), "vlm", "Thu Jan 01 2026", max_text=4000)
    with pytest.raises(Refused, match="beside its images"):
        parse(json.dumps(fields([*opening(), {"role": "user", "content": "x" * 4000}])).encode(), "vlm", "d", 4000)
