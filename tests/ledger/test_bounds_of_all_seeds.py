"""A bound of a setting is one of each of its runs: what one lacks, or where an attack reached nothing, is none."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from wassdp.claims import Shown
from wassdp.ledger import claimed, judged, text
from wassdp.ledger.rows import COLUMNS
from wassdp.publish import comparison_rows, foremost, foremost_text
from wassdp.report import ranks
from wassdp.report.tables.deep_learning import _recomputed
from wassdp.report.tables.membership import _allowed, _budget

LOWER, UPPER = {"kind": "lower", "accountant": "one_run"}, {"kind": "upper", "accountant": "pld"}
LOOSER = {"kind": "upper", "accountant": "rdp"}
CLAIMED = {"kind": "published", "accountant": "gdp", "papers_claim": True}


def ledger(*rows: dict[str, Any]) -> pd.DataFrame:
    """Rows of one setting, each with what differs from the usual."""
    usual: dict[str, Any] = dict.fromkeys(COLUMNS, "") | {
        "paper": "p",
        "experiment": "e",
        "label": "a",
        "papers_claim": False,
        "delta": 1e-5,
        "records": 100,
        "delta_times_records": 1e-3,
        "adjacency": "add-remove",
        "sampling": "poisson",
        "headline": "accuracy",
        "headline_value": 0.5,
        "seeds_present": 3,
        "seeds_configured": 3,
    }
    return pd.DataFrame([usual | row | {"run": f"r{row['seed']}"} for row in rows], columns=list(COLUMNS))


def seeds(values: list[float | None], **what: Any) -> list[dict[str, Any]]:
    return [{"seed": seed, "epsilon_of_one_run": value} | what for seed, value in enumerate(values)]


def picture(frame: pd.DataFrame) -> dict[str, float]:
    table = claimed.table(frame)
    return dict(zip(table["kind"] + "/" + table["accountant"], table["epsilon"], strict=True))


@pytest.mark.parametrize("reached", [[2.5, 0.0, 0.0], [2.5, 3.0], [2.5, None, 2.6]])
def test_an_attack_that_reached_nothing_of_one_run_contradicts_nothing(reached: list[float | None]) -> None:
    frame = ledger(*seeds([9.0] * 3, **UPPER), *seeds([2.0] * 3, **CLAIMED), *seeds(reached, **LOWER))
    (row,) = judged.settings(frame).to_dict("records")
    assert math.isnan(row["attacked"])
    assert row["mark"] == judged.NOT_PROVEN
    if None not in reached:
        assert picture(frame)["lower/one_run"] == 0


def test_an_attack_that_every_run_has_counts_by_its_least() -> None:
    frame = ledger(*seeds([9.0] * 3, **UPPER), *seeds([2.0] * 3, **CLAIMED), *seeds([2.5, 2.2, 3.0], **LOWER))
    (row,) = judged.settings(frame).to_dict("records")
    assert (row["attacked"], row["mark"]) == (2.2, judged.CONTRADICTED)


@pytest.mark.parametrize(
    ("pld", "rdp", "proven", "by"),
    [
        ([1.0, 5.0], [1.2], 5.0, "pld"),
        ([None, 5.0], [6.0, 5.5], 6.0, "rdp"),
        ([None, 5.0], [5.5], math.inf, None),
        ([1.0], [2.0], math.inf, None),
    ],
)
def test_an_accountant_that_a_run_lacks_proves_nothing(
    pld: list[float | None], rdp: list[float | None], proven: float, by: str | None
) -> None:
    frame = ledger(*seeds(pld, **UPPER), *seeds(rdp, **LOOSER), *seeds([2.0, 2.0], **CLAIMED))
    (row,) = judged.settings(frame).to_dict("records")
    assert row["proven"] == proven
    assert by is None or row["proven_by"] == by
    assert min(picture(frame)[f"upper/{name}"] for name in ("pld", "rdp")) == proven


def runs(**columns: list[Any]) -> pd.DataFrame:
    count = len(next(iter(columns.values())))
    same = {"run": [f"r{seed}" for seed in range(count)], "seed": list(range(count)), "selection": ["none"] * count}
    facts = {"delta": 1e-5, "adjacency": "add-remove", "sampling": "poisson"}
    told = {f"{fact}/upper/{name}": [value] * count for name in ("pld", "rdp") for fact, value in facts.items()}
    return pd.DataFrame(same | told | {"delta": [1e-5] * count} | {k.replace("__", "/"): v for k, v in columns.items()})


def test_the_front_page_shows_what_is_proven_of_every_seed() -> None:
    shown = Shown(set="s", experiment="e", setting="t")
    frame = runs(epsilon__upper__pld=[1.0, 5.0], epsilon__upper__rdp=[1.2, math.nan])
    assert foremost._shown("", shown, frame)["epsilon"] == 5.0
    assert foremost._shown("", shown, frame.drop(columns="epsilon/upper/pld"))["epsilon"] == math.inf


def test_the_comparison_shows_what_is_proven_of_every_seed() -> None:
    each_lacks_one = runs(epsilon__upper__pld=[1.0, math.nan], epsilon__upper__rdp=[math.nan, 2.0])
    shown = comparison_rows.budget(each_lacks_one)
    assert (shown["epsilon"], shown["relation"]) == (math.inf, "add/remove one record")
    one = runs(epsilon__upper__pld=[1.0, math.nan], epsilon__upper__rdp=[3.0, 2.0])
    assert (comparison_rows.budget(one)["epsilon"], comparison_rows.budget(one)["accountant"]) == (3.0, "upper/rdp")
    # Nothing proven of a private run is no budget, and no privacy is something else.
    nothing = runs(epsilon__published__gdp=[1.0, 1.0])
    assert comparison_rows.budget(nothing)["epsilon"] == math.inf
    assert math.isnan(comparison_rows.budget(nothing.assign(delta=math.nan))["epsilon"])


@pytest.mark.parametrize(("fact", "other"), [("adjacency", "zero-out"), ("sampling", "full")])
def test_the_comparison_refuses_a_setting_whose_budgets_are_of_several_kinds(fact: str, other: str) -> None:
    frame = runs(epsilon__upper__pld=[1.0, 1.0], label=["a", "a"])
    frame.loc[1, f"{fact}/upper/pld"] = other
    with pytest.raises(ValueError, match=rf"those of a have {fact}/upper/pld .*, {other}; must have one"):
        comparison_rows.budget(frame)


def test_tables_show_what_is_proven_of_every_seed() -> None:
    assert _budget(pd.Series([1.0, math.nan])) == math.inf
    assert (_allowed(pd.Series([0.7, math.nan])), _allowed(pd.Series([0.7, 0.6]))) == (1.0, 0.7)
    assert math.isnan(_allowed(pd.Series([math.nan])))
    published = {f"{name}/published/{by}": 2 * [value] for by in ("w", "m", "b") for name, value in (("epsilon", 1.0),)}
    frame = runs(epsilon__upper__pld=[1.0, math.nan]).assign(
        **published | {f"delta/published/{by}": 1e-5 for by in ("w", "m", "b")},
        accuracy=0.5,
        **{"parameters.epochs": 1.0},
    )
    from wassdp.report.tables.deep_learning import FRAMEWORKS

    accountants = dict(zip(FRAMEWORKS, ("published/w", "published/m", "published/b"), strict=True))
    row = _recomputed(frame, frame, accountants, "upper/pld")
    assert [value for name, value in row.items() if "ε" in name and name.startswith("prove")] == [math.inf]


def test_an_attacked_budget_says_its_delta_where_another_stands_beside_it() -> None:
    proven = seeds([1.0], **UPPER | {"delta": 0.01})
    frame = ledger(*proven, *seeds([2.5], **LOWER))
    (line,) = (line for line in text.markdown(frame, preset="x").splitlines() if line.startswith("| a"))
    assert "2.5 at δ = 1e-05" in line
    beside = runs(epsilon__upper__pld=[1.0]).assign(
        **{"epsilon/lower/one_run": 2.5, "delta/lower/one_run": 1e-5, "delta/upper/pld": 0.01}
    )
    assert math.isnan(comparison_rows._attacked(beside, comparison_rows.budget(beside)["delta"]))
    assert comparison_rows._attacked(beside, 1e-6) == 2.5


def test_the_front_page_states_lower_bounds_at_a_delta_at_which_they_hold() -> None:
    row = pd.Series(
        {"attacked": 2.5, "attacked_delta": 1e-5, "attacked_family": 3.9, "attacked_family_delta": 3.3333e-8}
        | {"attacked_rests_on": ""}
    )
    assert foremost_text._attacked(row, {"attacked": "2.5; 3.9 by a family"}).endswith("at δ = 3.33e-08")


@pytest.mark.parametrize("what", ["delta", "adjacency", "sampling", "lacking"])
def test_runs_of_one_method_with_several_kinds_of_budget_are_not_ranked(what: str) -> None:
    same = {
        "compared.problem": "P",
        "compared.method": "M",
        "compared.epsilon": 1.0,
        "compared.score": 0.5,
        "compared.releases_nothing": False,
        "compared.public": "none",
        "selection": "none",
        "seconds": 1.0,
        "peak_memory_mib": 1.0,
        "delta": 1e-5,
        "epsilon/upper/pld": 0.9,
        "delta/upper/pld": 1e-5,
        "adjacency/upper/pld": "replace-one",
        "sampling/upper/pld": "poisson",
    }
    other: dict[str, dict[str, Any]] = {
        "delta": {"delta": 1e-2, "delta/upper/pld": 1e-2},
        "adjacency": {"adjacency/upper/pld": "zero-out"},
        "sampling": {"sampling/upper/pld": "none"},
        "lacking": {"delta": math.nan, "epsilon/upper/pld": math.nan, "adjacency/upper/pld": None},
    }
    frame = pd.DataFrame([same | {"seed": 0}, same | {"seed": 1} | other[what]])
    with pytest.raises(ValueError, match=r"of M at one budget have .*; must have one|run of M has no epsilon"):
        ranks.cells(frame, "upper/pld")
