"""Names of settings: one for each set of parameters, as short as can be."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from _collected import collected
from wassdp.report import settings

NONE = math.nan


def table(**columns: list[Any]) -> pd.DataFrame:
    """Runs on MNIST with the given columns."""
    frame = pd.DataFrame(columns)
    frame["parameters.dataset"] = "mnist"
    frame["delta"] = frame["epsilon/upper/pld"].map(lambda value: NONE if math.isnan(value) else 1e-5)
    return frame


def names(runs: pd.DataFrame, accountant: str = "upper/pld") -> list[str]:
    return settings.label(collected(runs), accountant=accountant)["setting"].tolist()


def test_a_parameter_that_follows_the_budget_is_not_named() -> None:
    runs = table(**{"epsilon/upper/pld": [0.45, 1.0, NONE], "parameters.privacy.learning_rate": [1.0, 2.0, NONE]})
    assert names(runs) == [r"$\varepsilon$ = 0.45", r"$\varepsilon$ = 1.00", "no privacy"]


def test_of_several_parameters_the_one_that_tells_most_apart_is_named() -> None:
    runs = table(
        **{
            "epsilon/upper/pld": [1.0, 1.0, 1.0],
            "parameters.momentum": [0.0, 0.0, 0.9],
            "parameters.optimiser.learning_rate": [1.0, 2.0, 3.0],
        }
    )
    assert names(runs) == [rf"$\varepsilon$ = 1.00, learning rate {rate}" for rate in (1, 2, 3)]


def test_runs_that_differ_in_more_than_their_seed_are_different_settings() -> None:
    runs = table(**{"epsilon/upper/pld": [1.0, 1.0], "parameters.privacy.clip_norm": [0.5, 1.5]})
    assert names(runs) == [rf"$\varepsilon$ = 1.00, clip norm {norm}" for norm in (0.5, 1.5)]


def test_a_parameter_that_only_some_have_tells_apart_too() -> None:
    runs = table(**{"epsilon/upper/pld": [1.0, 1.0], "parameters.privacy.learning_rate": [NONE, 0.5]})
    assert names(runs) == [r"$\varepsilon$ = 1.00", r"$\varepsilon$ = 1.00, learning rate 0.5"]


def test_budgets_that_look_alike_when_rounded_are_told_apart_by_what_set_them() -> None:
    runs = table(**{"epsilon/upper/pld": [0.451, 0.454], "parameters.privacy.noise_multiplier": [1.01, 1.0]})
    assert sorted(names(runs)) == [rf"$\varepsilon$ = 0.46, noise multiplier {noise}" for noise in ("1", "1.01")]


def test_seeds_whose_budgets_differ_are_one_setting_named_by_the_largest() -> None:
    runs = table(**{"epsilon/upper/pld": [0.5, 0.5], "epsilon/published/wasserstein": [7.1, 7.4], "seed": [0, 1]})
    labelled = settings.label(collected(runs), accountant="published/wasserstein")
    assert set(labelled["setting"]) == {r"$\varepsilon$ = 7.40"}
    assert set(labelled["level"]) == {7.4}
    assert labelled["budget"].tolist() == [7.1, 7.4]


def test_settings_stand_in_the_order_of_their_budgets() -> None:
    runs = table(**{"epsilon/upper/pld": [NONE, math.inf, 10.0, 2.0], "parameters.steps": [1, 2, 3, 4]})
    ends = [name.removeprefix(r"$\varepsilon$ = ") for name in names(runs)]
    assert ends == ["2.00", "10.00", r"no finite $\varepsilon$", "no privacy"]


def test_a_private_run_without_the_budget_is_refused() -> None:
    runs = table(**{"epsilon/upper/pld": [1.0, 2.0]})
    runs["epsilon/upper/rdp"] = [1.0, NONE]
    with pytest.raises(ValueError, match="a private run has no epsilon/upper/rdp"):
        names(runs, "upper/rdp")


def test_a_budget_is_never_rounded_below_itself() -> None:
    assert [settings.rounded(value) for value in (2.1801, 2.18, 2.999999, 0.004)] == [2.19, 2.18, 3.0, 0.01]


@pytest.mark.parametrize("budget", [0.0, 1.21e-7, 0.00121, 0.0996, 0.1, 0.67001, 2.1812, 9.9988, 99.999, 100, 19627.2])
def test_a_written_budget_is_at_least_the_budget_and_close_to_it(budget: float) -> None:
    written = float(settings.budget_text(budget).replace(",", ""))
    assert budget <= written <= 1.1 * budget
