import json

from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.sse import comment, event, events

ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_characters="\r\n", codec="utf-8")), ENDS, st.booleans()), max_size=8
    )
)
def test_events_are_read_whatever_ends_their_lines(given: list[tuple[str, str, bool]]) -> None:
    data = "".join(
        f": c{end}id: 1{end}data: {text}{end}{end}" if noise else f"data: {text}{end}{end}"
        for text, end, noise in given
    )
    # A lone CR before a line feed is one line end, so only then the next line could be taken for a blank one.
    expected = [text for text, _, _ in given]
    assert list(events(data.encode())) == expected


def test_lines_of_one_event_are_joined() -> None:
    assert list(events(b"data: a\ndata:b\ndata\ndata:  c\n\n")) == ["a\nb\n\n c"]


def test_an_event_without_its_blank_line_is_not_there() -> None:
    assert list(events(b"data: a\n\ndata: b\n")) == ["a"]


def test_comments_and_other_fields_are_no_data() -> None:
    assert list(events(b": data: x\n\nevent: error\nretry: 5\ndatax: 1\n\n")) == []


def test_a_byte_order_mark_is_skipped() -> None:
    assert list(events(b"\xef\xbb\xbfdata: a\n\n")) == ["a"]


def test_line_separators_of_unicode_end_no_line() -> None:
    assert list(events("data: a\u2028b\u0085c\x0bd\n\n".encode())) == ["a\u2028b\u0085c\x0bd"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert list(events(b"data: a\xff\xe2\x82b\n\n")) == ["a\ufffd\ufffdb"]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert all(isinstance(text, str) for text in events(data))


@given(st.text(st.characters(exclude_characters="\r\n", codec="utf-8")))
def test_a_sign_of_life_is_no_event(text: str) -> None:
    assert list(events(comment(text) + event(json.dumps(text)) + comment(text))) == [json.dumps(text)]
