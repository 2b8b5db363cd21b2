from harness.gateway.accepting import Pace


def test_a_burst_passes_and_then_so_many_a_second() -> None:
    pace = Pace(rate=10, burst=3)
    assert [round(pace.wait(100.0), 3) for _ in range(5)] == [0, 0, 0, 0.1, 0.2]


def test_who_waits_has_its_burst_again() -> None:
    pace = Pace(rate=10, burst=3)
    for _ in range(3):
        pace.wait(100.0)
    assert [round(pace.wait(200.0), 3) for _ in range(4)] == [0, 0, 0, 0.1]
