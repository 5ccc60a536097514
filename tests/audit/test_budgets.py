"""Printed and reported budgets: contradicted where they are wrong, not where what they are claimed of is mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from wassdp.audit import budget, budget_attack
from wassdp.audit.budget import BUDGETS, AttackedBudget
from wassdp.audit.budget_attack import BudgetAttack, exactly, put
from wassdp.audit.table_two import TableTwo
from wassdp.audit.zoo.own_record_count import OwnRecordCount
from wassdp.cli import main
from wassdp.experiment import Context
from wassdp.experiments import attacked_budget as kind
from wassdp.report.tables.attacked_budgets import AttackedBudgetsTable
from wassdp.runs import validate_parameters

NAMES = BUDGETS.names()
LONG = {"small_data_shuffled"}
"""Contradicted by more trials than a test has: by the kind's own runs, and in `tests.audit.test_zoo`."""


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_is_what_its_formula_gives_and_says_where_it_stands(name: str) -> None:
    claim = budget.load(name)
    assert claim.source
    assert claim.done
    assert claim.delta == 1e-5
    assert claim.trials >= budget.LEAST
    if claim.printed is not None:
        assert 0.95 * claim.printed < claim.claimed() < 1.005 * claim.printed


@pytest.mark.parametrize("name", sorted(set(NAMES) - LONG))
def test_fewer_trials_than_asked_for_contradict_it(name: str) -> None:
    """By chance only once in a thousand: the bound's confidence is 99.9 %."""
    claim = budget.load(name)
    found = put(claim, trials=2000 if isinstance(claim, TableTwo) else 10_000)
    assert found.contradicted
    assert found.measured.basis == "distribution-free"
    assert found.proven is None or found.measured.epsilon < found.proven


def test_a_mended_release_does_not_contradict_its_budget() -> None:
    class Mended(AttackedBudget):
        source = done = "the same claim of the correct twin"

        def game(self) -> OwnRecordCount:
            return OwnRecordCount(wrong=False, attack="likelihood_ratio")

        def claimed(self) -> float:
            return exactly(self.game(), self.delta)

    found = put(Mended(), trials=20_000)
    assert not found.contradicted
    assert found.measured.epsilon > 0


def test_every_row_of_table_2_is_attacked_at_its_own_noise() -> None:
    rows = [claim for claim in map(budget.load, NAMES) if isinstance(claim, TableTwo)]
    assert {claim.row for claim in rows} == {"mnist", "cifar10", "svhn", "fashion_mnist"}
    assert len({claim.noise_multiplier for claim in rows}) == len(rows)


def run(name: str, **changes: Any) -> dict[str, float]:
    parameters = validate_parameters("attacked_budget", {"budget": name, "trials": 2000} | changes)
    assert isinstance(parameters, kind.Parameters)
    assert parameters.impossible() is None
    assert name.replace("_", " ") in parameters.describe().method
    found = kind.run(parameters, seed=0, context=Context(folder=Path(), code="a", device="cpu"))
    assert found.event is None
    return found.metrics


def test_a_run_sets_what_was_measured_beside_the_claim_and_the_table_says_which_holds() -> None:
    rows = [
        {"parameters.budget": name, "parameters.confidence": 0.999, **run(name)}
        for name in ("small_data_own_count", "small_data_shuffled", "dp_sliced_wasserstein_proposition_2")
    ]
    assert [row["contradicted"] for row in rows[:2]] == [1.0, 0.0]
    assert rows[0]["lower/measured"] > 2.5 > rows[0]["printed"] == 1.2
    assert run("small_data_own_count") == run("small_data_own_count")
    table = AttackedBudgetsTable().build(pd.DataFrame(rows), pd.DataFrame())
    assert table["claim"].tolist()[:2] == ["contradicted", "not contradicted"]
    assert "proven ε" not in table
    assert table["printed ε"].isna().tolist() == [False, False, True]
    with pytest.raises(ValueError, match="lower/measured"):
        AttackedBudgetsTable().build(pd.DataFrame(rows).drop(columns="lower/measured"), pd.DataFrame())


def test_the_command_tells_a_finding_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("small_data_own_count", "small_data_shuffled")
    assert main(["audit", "budgets", *names, "--trials", "1000"]) == 0
    written = capsys.readouterr()
    lines = written.out.splitlines()
    assert lines[1].split()[:3] == ["small_data_own_count", "1.2", "1.194"]
    assert lines[1].endswith(" contradicted")
    assert lines[2].endswith(" not contradicted")
    assert "ε at δ = 1e-05" in lines[-1]
    assert written.err.splitlines() == [f"{number} of 2: {name}" for number, name in enumerate(names, start=1)]
    assert main(["audit", "budgets", names[0], "--trials", "1000", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["budgets"]
    assert found["contradicted"] is True
    assert found["proven"] is None


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("tiger",), "budget = 'tiger': must be one of backpropagation_clipping"),
        (("--confidence", "1"), "confidence = 1.0: must lie strictly between 0 and 1"),
        (("--trials", "9"), "trials = 9: must be a whole number of at least 100"),
        (("--seed", "-1"), "seed = -1: must be a whole number of at least 0"),
    ],
    ids=str,
)
def test_bad_input_is_one_line_before_any_work(
    words: tuple[str, ...], line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(budget_attack, "put", None)
    assert main(["audit", "budgets", *words]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"wassdp audit: {line}")
    assert written.err.count("\n") == 1


def test_arguments_out_of_range_are_refused() -> None:
    claim = budget.load("small_data_own_count")
    for change, line in (({"trials": 99}, "trials = 99"), ({"confidence": 0.0}, "confidence"), ({"seed": -1}, "seed")):
        with pytest.raises(ValueError, match=line):
            put(claim, **change)  # type: ignore[arg-type]


def test_what_lies_above_the_claim_contradicts_it() -> None:
    found = put(budget.load("small_data_own_count"), trials=1000)
    assert found.contradicted
    assert not BudgetAttack(claimed=found.measured.epsilon, measured=found.measured, proven=None).contradicted
