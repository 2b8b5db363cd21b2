from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.bodies import Bodies


@given(st.lists(st.binary(max_size=30) | st.text("ab", max_size=12).map(str.encode), max_size=12))
def test_every_body_comes_back_as_it_was(given_bodies: list[bytes]) -> None:
    bodies = Bodies()
    kept = [bodies.add(data) for data in given_bodies]
    assert [body.data() for body in kept] == given_bodies


def test_what_repeats_the_body_before_takes_no_room() -> None:
    bodies = Bodies()
    for turn in range(50):
        bodies.add(b"x" * 100_000 + b"y" * turn)
    assert bodies.held == 100_000 + 49
