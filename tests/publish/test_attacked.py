"""Older results take a lower bound by the event that their parameters and metrics give, where it is surely theirs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from wassdp.accounting import accountant
from wassdp.accounting.guarantee import ContradictionError, Guarantee
from wassdp.publish import attacked, sets
from wassdp.result import Result

SETS = Path(__file__).parents[2] / "docs" / "results"
SETTING = {
    "problem": "small",
    "dimension": 20,
    "projections": 10,
    "records": 1000,
    "batch": 100,
    "steps": 10,
    "sigma": 3.0,
    "delta": 1e-5,
}
SPEC = {"kind": "sliced_noise", "parameters": {"setting": SETTING}, "seed": 0}


@pytest.fixture
def older(tree: Any) -> Result:
    """A result as it was before attacks: its own proven budget, and no event."""
    _, parameters, _ = attacked.parse(SPEC)
    proven = accountant.load("pld").epsilon(parameters.released({}), 1e-5)
    row = tree.planned(2.0, 0)
    return tree.result(row).model_copy(update={"spec": SPEC, "guarantees": (proven,), "delta": 1e-5, "metrics": {}})


def test_the_bound_lies_below_what_is_proven_and_says_how_it_came(older: Result) -> None:
    bound = attacked.lower(older)
    assert bound is not None
    (proven,) = older.guarantees
    assert 0.8 * proven.value < bound.value <= proven.value
    assert bound.label == "lower/noise_scale_family"
    assert bound.assumptions[-1] == attacked.LATER
    assert any("today's code" in note for note in bound.assumptions)
    assert not any("the run's own code" in note for note in bound.assumptions)


def test_an_event_that_gives_another_budget_is_not_the_runs(older: Result) -> None:
    (proven,) = older.guarantees
    for changes in ({"epsilon": 1.01 * proven.value}, {"epsilon": None, "bounded": False}):
        other = older.model_copy(update={"guarantees": (proven.model_copy(update=changes),)})
        assert attacked.lower(other) is None


def test_a_proven_budget_below_the_attack_is_a_contradiction(older: Result) -> None:
    (proven,) = older.guarantees
    smaller = proven.model_copy(update={"accountant": "wrong", "epsilon": proven.value / 2})
    with pytest.raises(ContradictionError):
        attacked.lower(older.model_copy(update={"guarantees": (proven, smaller)}))


def test_what_no_kind_can_tell_stays_without(older: Result) -> None:
    gone = older.model_copy(update={"spec": SPEC | {"kind": "gone"}})
    assert attacked.lower(gone) is None


def test_bounds_are_kept_and_made_again_only_for_another_result(
    older: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, raw = older.run, {older.run: b"the result"}
    found = attacked.beside(tmp_path, raw, {run: older}, known={})
    kinds = [item.kind for item in found[run].guarantees]
    assert kinds == ["upper", "lower"]
    known = attacked.read(tmp_path)
    monkeypatch.setattr(attacked, "lower", lambda result: pytest.fail("attacked again"))
    assert attacked.beside(tmp_path, raw, {run: older}, known=known) == found
    monkeypatch.setattr(attacked, "lower", lambda result: None)
    assert attacked.beside(tmp_path, {run: b"another"}, {run: older}, known=known)[run] == older
    attacked_anew = found[run]
    assert attacked.beside(tmp_path, raw, {run: attacked_anew}, known={})[run] == attacked_anew


def test_a_run_whose_event_was_not_known_is_tried_again(
    older: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = {older.run: b"the result"}
    with monkeypatch.context() as yesterday:
        yesterday.setattr(attacked, "lower", lambda result: None)
        assert attacked.beside(tmp_path, raw, {older.run: older}, known={})[older.run] == older
    found = attacked.beside(tmp_path, raw, {older.run: older}, known=attacked.read(tmp_path))[older.run]
    assert [item.kind for item in found.guarantees] == ["upper", "lower"]


def test_published_bounds_are_those_of_the_published_results() -> None:
    """Where the set is large, of a few: the attack itself is repeated for the cheapest."""
    for folder in sorted(SETS.iterdir()):
        known = attacked.read(folder)
        if not known:
            continue
        found = sets.read(folder)
        for run, entry in known.items():
            assert entry["result"] == sets.stored.sha256(found.raw[run])
            if entry["bound"] is None:
                continue
            bound = Guarantee.model_validate(entry["bound"])
            upper = [item.value for item in found.results[run].guarantees if item.kind == "upper"]
            assert bound.kind == "lower"
            assert bound.value <= min(upper)
            assert math.isfinite(bound.value)
        rows = [
            run for run, entry in known.items() if found.results[run].spec["kind"] == "sliced_noise" and entry["bound"]
        ]
        for run in rows[:2]:
            again = attacked.lower(found.results[run])
            assert again is not None
            assert again.value == pytest.approx(known[run]["bound"]["epsilon"], rel=1e-6)
