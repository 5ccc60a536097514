"""Figures of attacks on trainings: what is drawn is what the runs say, and the two kinds of bound stay apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from _collected import collected
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.accounting.profiles.gaussian import gaussian_delta
from wassdp.report.figures import attacked_over_trials, membership_success
from wassdp.report.figures.attacked_over_trials import AttackedOverTrials
from wassdp.report.figures.membership_success import MembershipSuccess


def attacked(**changes: Any) -> pd.DataFrame:
    rows = [
        {"audit.canaries": None, "lower/noise_scale_family": 3.9},
        {"audit.canaries": 1000, "lower/noise_scale_family": 3.9, "lower/one_run": 1.0, "lower/one_run_family": 3.0},
        {"audit.canaries": 9000, "lower/noise_scale_family": 3.9, "lower/one_run": 2.0, "lower/one_run_family": 3.8},
        {"audit.canaries": 9000, "audit.canary": "gradient", "lower/one_run": 2.2, "lower/one_run_family": 3.7},
    ]
    frame = pd.DataFrame(rows).rename(
        columns=lambda name: f"epsilon/{name}" if name.startswith("lower") else f"parameters.{name}"
    )
    frame = frame.assign(run=[f"r{place}" for place in range(4)], delta=1e-5)
    frame["epsilon/upper/pld"], frame["epsilon/upper/rdp"], frame["parameters.model.name"] = 4.0, 4.5, "linear"
    return collected(frame.assign(**changes))


def test_each_bound_is_drawn_over_the_number_of_canaries() -> None:
    figure, data = AttackedOverTrials().draw(attacked(), pd.DataFrame())
    assert set(data["attacked"]) == {"indicator canaries", "gradient canaries"}
    assert set(data["proven"]) == {4.0}
    free = data[~data["family"]].sort_values(["attacked", "number"])
    assert free["epsilon"].tolist() == [2.2, 1.0, 2.0]
    assert len(data) == 6  # the attack that stands beside every run is another
    (axis,) = figure.axes
    fills = {line.get_markerfacecolor() == "white" for line in axis.lines if line.get_marker() == "o"}
    assert fills == {True, False}
    assert axis.get_ylim()[1] > 4


def test_a_model_that_is_not_linear_has_gradient_canaries_where_none_is_asked_for() -> None:
    runs = attacked(**{"parameters.model.name": "cnn_small"})
    assert set(AttackedOverTrials().draw(runs, pd.DataFrame())[1]["attacked"]) == {"gradient canaries"}


def test_final_models_are_counted_as_models() -> None:
    runs = pd.DataFrame({"run": ["a", "b"], "parameters.models": [100, 1000], "delta": 1e-5})
    runs["epsilon/upper/pld"], runs["epsilon/lower/final_model_family"] = 10.0, [8.0, 9.5]
    figure, data = AttackedOverTrials().draw(collected(runs), pd.DataFrame())
    assert data["attacked"].unique().tolist() == ["a crafted record"]
    assert figure.axes[0].get_xlabel() == attacked_over_trials.NUMBERS["parameters.models"]


def test_runs_that_nobody_attacked_have_no_figure() -> None:
    runs = attacked().drop(columns=["epsilon/lower/one_run", "epsilon/lower/one_run_family"])
    with pytest.raises(ValueError, match="runs: none was attacked"):
        AttackedOverTrials().draw(runs, pd.DataFrame())


def members(**changes: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = pd.DataFrame(
        {
            "run": ["a", "b"],
            "privacy": ["ε = 1", "no privacy"],
            "epsilon": [1.0, None],
            "parameters.privacy.delta": [1e-5, None],
            "success_allowed": [attack_success(1.0, 1e-5), None],
            "success_lira": [0.51, 0.6],
            "success_loss": [0.5, 0.55],
        }
    ).assign(**changes)
    others = np.geomspace(1e-4, 1, 5)
    history = pd.concat(
        pd.DataFrame({"run": run, "metric": f"members/{name}", "axis": "others", "position": others, "value": others})
        for run in runs["run"]
        for name in ("lira", "loss")
    )
    return runs, history


def test_success_stands_beside_what_every_attacker_is_held_to() -> None:
    figure, data = MembershipSuccess().draw(*members())
    left, right = figure.axes
    assert [text.get_text() for text in left.get_xticklabels()] == ["ε = 1", "no privacy"]
    heights = [np.asarray(line.get_ydata()) for line in left.lines]
    assert any(np.allclose(height[0], attack_success(1.0, 1e-5)) for height in heights if len(height) == 2)
    # Two attackers for each of two settings, and the limit of the one that has a budget.
    assert len(right.lines) == 5
    assert (data["panel"].value_counts()["a"], data["panel"].value_counts()["b"]) == (2, 20)


@pytest.mark.parametrize("mean", [0.5, 1.5])
def test_the_limit_is_above_what_a_gaussian_attacker_reaches_and_met_at_its_corner(mean: float) -> None:
    epsilon = 0.8
    delta = float(gaussian_delta(np.array([epsilon]), mean**2)[0])
    others = np.geomspace(1e-6, 1, 400)
    reached = stats.norm.sf(stats.norm.isf(others) - mean)
    limit = membership_success.allowed(others, epsilon, delta)
    assert (reached <= limit + 1e-9).all()
    assert (limit - reached).min() < 1e-3
    assert math.isclose(membership_success.allowed(np.array([0.0]), epsilon, delta)[0], delta)


def test_two_runs_of_one_setting_are_refused() -> None:
    runs, history = members(privacy="ε = 1")
    with pytest.raises(ValueError, match="one for each privacy setting"):
        MembershipSuccess().draw(runs, history)
