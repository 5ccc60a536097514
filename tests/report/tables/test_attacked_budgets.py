"""Budgets put to an attack: what a run says of a claim stands there, and nothing that it does not say."""

from __future__ import annotations

import math

import pandas as pd

from wassdp.audit import budget
from wassdp.report import table_files
from wassdp.report.tables.attacked_budgets import AttackedBudgetsTable


def test_a_claim_of_which_it_is_not_known_is_not_called_contradicted() -> None:
    usual = {"parameters.budget": budget.BUDGETS.names()[0], "parameters.confidence": 0.999, "claimed": 2.0}
    usual |= {"lower/measured": 1.0, "trials": 100}
    runs = pd.DataFrame([usual | {"contradicted": said} for said in (1.0, 0.0, math.nan)])
    table = AttackedBudgetsTable().build(runs, pd.DataFrame())
    assert table["claim"].fillna("unknown").tolist() == ["contradicted", "not contradicted", "unknown"]
    assert "| – |" in table_files.markdown(table).splitlines()[-1]
