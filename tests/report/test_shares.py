"""δ × records is that of the budget beside which it stands."""

from __future__ import annotations

import pandas as pd
import pytest

from wassdp.report import shares

RUNS = pd.DataFrame(
    {"delta": [1e-5, 1e-5, None], "records": [60_000.0, 1000.0, 1000.0], "delta/upper/pld": [1e-3, None, None]}
)


def test_an_accountant_keeps_the_delta_that_it_was_asked_at() -> None:
    assert shares.deltas(RUNS, "upper/pld").dropna().tolist() == [1e-3, 1e-5]
    assert shares.deltas(RUNS, "upper/rdp").dropna().tolist() == [1e-5, 1e-5]


@pytest.mark.parametrize("known", [RUNS, RUNS.drop(columns="records").assign(delta_times_records=[0.6, 0.01, None])])
def test_its_share_is_at_that_delta(known: pd.DataFrame) -> None:
    assert shares.delta_times_records(known).dropna().tolist() == pytest.approx([0.6, 0.01])
    assert shares.delta_times_records(known, "upper/pld").dropna().tolist() == pytest.approx([60.0, 0.01])
    assert shares.largest(known, "upper/pld") == pytest.approx(60.0)
