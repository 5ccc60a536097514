"""Simpler neighbours of a case are simpler."""

from dataclasses import dataclass

from wassdp.claims import shrinking


@dataclass(frozen=True)
class Case:
    count: int = 9
    value: float = 1.234
    rows: tuple[tuple[float, ...], ...] = ((0.25, 1.0), (2.0,))


def test_numbers_are_rounded_one_at_a_time_coarsest_first():
    assert [case.value for case in shrinking.rounder(Case(), "value")] == [1.0, 1.2, 1.23]
    assert [case.rows for case in shrinking.rounder(Case(), "rows")] == [
        ((0.0, 1.0), (2.0,)),
        ((0.2, 1.0), (2.0,)),
    ]
    assert list(shrinking.rounder(Case(value=2.0), "value")) == []


def test_entries_leave_one_at_a_time_and_one_stays():
    assert [case.rows for case in shrinking.fewer(Case(), "rows")] == [((2.0,),), ((0.25, 1.0),)]
    assert list(shrinking.fewer(Case(rows=((1.0,),)), "rows")) == []


def test_whole_numbers_fall_to_the_least():
    assert [case.count for case in shrinking.smaller(Case(), "count")] == [1, 5, 8]
    assert list(shrinking.smaller(Case(count=1), "count")) == []
