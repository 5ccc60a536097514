from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp.data.systematic import systematic


@given(st.lists(st.integers(0, 4), max_size=60), st.integers(2, 7))
def test_parts_are_disjoint_complete_and_stratified(labels: list[int], every: int) -> None:
    values = np.array(labels, dtype=np.int64)
    train, test = systematic(values, every=every)
    assert sorted([*train, *test]) == list(range(len(labels)))
    for label in set(labels):
        assert (values[test] == label).sum() == labels.count(label) // every


def test_one_part_for_everything_is_refused() -> None:
    with pytest.raises(ValueError, match="every = 1"):
        systematic(np.zeros(3, dtype=np.int64), every=1)
