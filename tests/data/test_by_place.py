from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp.data.by_place import parted, train_and_test


@given(st.text(max_size=8), st.integers(7, 200), st.integers(2, 7))
def test_parts_are_disjoint_complete_and_of_their_sizes(label: str, count: int, share: int) -> None:
    most, some = parted(label, count, share=share)
    assert sorted([*most, *some]) == list(range(count))
    assert len(some) == count // share
    assert most.dtype == some.dtype == np.int64
    assert sorted(some) == list(some)
    assert sorted(most) == list(most)


def test_no_period_of_a_file_is_taken_together() -> None:
    """Files of digits run through the ten classes in turn, of which every fifth row would test two."""
    _, test = train_and_test("digits", 1797)
    counts = np.bincount(test % 10)
    # Of places drawn by chance, which these are once and for all, one of ten counts is below 20 or above 52 with
    # probability .012 (hypergeometric, summed over the ten).
    assert 20 <= counts.min() <= counts.max() <= 52


@pytest.mark.parametrize(("count", "share", "said"), [(9, 1, "share = 1"), (3, 4, "count = 3")])
def test_an_empty_part_is_refused(count: int, share: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parted("any", count, share=share)
