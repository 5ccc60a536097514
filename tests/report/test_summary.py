"""The lowest budget that was enough for an accuracy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from wassdp.report.summary import lowest

ROWS = st.lists(
    st.tuples(st.floats(0.01, 10) | st.sampled_from([math.inf, math.nan]), st.integers(0, 100)), min_size=1, max_size=12
)


@given(rows=ROWS, accuracy=st.integers(0, 100))
def test_it_is_the_least_finite_budget_among_those_that_reached_it(
    rows: list[tuple[float, int]], accuracy: int
) -> None:
    table = pd.DataFrame(rows, columns=["epsilon", "accuracy"])
    found = lowest(table, accuracy)
    enough = [pair for pair in rows if math.isfinite(pair[0]) and pair[1] >= accuracy]
    if not enough:
        assert found is None
        return
    assert found is not None
    assert (found["epsilon"], -found["accuracy"]) == min((epsilon, -reached) for epsilon, reached in enough)


def test_a_mean_of_equal_accuracies_reaches_that_accuracy() -> None:
    mean = 100 * float(np.mean([0.96 - 0.001, 0.96, 0.96 + 0.001]))
    assert lowest(pd.DataFrame({"epsilon": [1.0], "accuracy": [mean]}), 96) is not None
