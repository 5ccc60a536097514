"""Ratios of two groups' rates: seeds on both sides of 1 are as unfair in their mean as each is."""

import pandas as pd
import pytest

from wassdp.claims import Pick, Shown
from wassdp.report import picked, ratios
from wassdp.report.fair import arranged, summary
from wassdp.report.figures.fairness_trade_off import FairnessTradeOff
from wassdp.selection import Objective, evened

RUNS = pd.DataFrame(
    {
        "run": ["a", "b"],
        "seed": [0, 1],
        "label": "x",
        "parameters.alpha": 0.5,
        "parameters.privacy.epsilon": 1.0,
        "accuracy": [0.8, 0.9],
        "disparate_impact": [0.5, 2.0],
        "equality_0": [0.0, 1.0],
    }
)


@pytest.mark.parametrize("ratio", [1e-3, 0.5, 0.8, 1.0, 1.2, 40.0])
def test_a_ratio_and_its_inverse_are_one(ratio):
    assert evened(ratio) == pytest.approx(evened(1 / ratio))
    assert evened(ratio) <= 1
    lacking = Objective(metric="accuracy", ratio_at_least={"disparate_impact": 1.0})
    assert lacking.value({"accuracy": 1.0, "disparate_impact": ratio}) == pytest.approx(evened(ratio))


def test_a_mean_over_seeds_is_not_fair_because_they_differ():
    means = summary(arranged(ratios.of_runs(RUNS)), ["accuracy", *ratios.NAMES])
    assert means[["accuracy", "disparate_impact", "equality_0"]].to_numpy().tolist() == [
        [pytest.approx(0.85), 0.5, 0.5]
    ]
    pick = Pick(runs=Shown(set="s", experiment="e", setting="x"), column="disparate_impact")
    assert picked.value(pick, lambda shown: RUNS) == 0.5


def test_the_figure_of_the_trade_off_shows_it_so():
    table = FairnessTradeOff(measures=("disparate_impact",)).draw(RUNS, pd.DataFrame())[1]
    assert table["disparate_impact"].tolist() == [0.5]
    assert table["disparate_impact_most"].tolist() == [0.5]
