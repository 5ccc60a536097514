"""Figures that the page of the theory states of published runs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from wassdp.accounting.rounding import fixed

ROOT = Path(__file__).parents[2]
SET = ROOT / "docs" / "results" / "dp-wasserstein-gradients"


def test_what_is_proven_of_penalised_runs_at_a_published_limit_is_that_of_the_ledger() -> None:
    ledger = pd.read_csv(SET / "ledger.csv.xz", low_memory=False)
    penalised = ledger["label"].str.contains("ε = 10 by gdp, published bound") & ~ledger["label"].str.startswith(
        "α = 0,"
    )
    proven = ledger[penalised & (ledger["kind"] == "upper") & (ledger["accountant"] == "pld")]
    of_settings = proven.groupby(["experiment", "label"])["epsilon_of_one_run"].max()
    assert len(of_settings) == 6
    least, most = (fixed(float(value), "upper") for value in (of_settings.min(), of_settings.max()))
    page = " ".join((ROOT / "docs" / "theory.md").read_text().split())
    assert f"so that {least} to {most} is proven where 10 is stated" in page
