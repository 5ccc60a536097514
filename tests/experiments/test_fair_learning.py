"""Fair learning and matching to a circle: what runs find, and what their figures show."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from wassdp import data, experiment
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.data.sets import biased
from wassdp.experiments import circle_matching, fair_learning
from wassdp.fairness import measures
from wassdp.report import style
from wassdp.report.figures.fair_losses import FairLosses
from wassdp.report.figures.fair_outputs import FairOutputs
from wassdp.report.figures.fairness_trade_off import FairnessTradeOff
from wassdp.report.figures.matched_points import MatchedPoints
from wassdp.runs import validate_parameters
from wassdp.training.wasserstein import budget
from wassdp.training.wasserstein.budget import Calibration

CLIPPING = {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1}
SMALL = {"clipping": CLIPPING, "alpha": 0.5, "steps": 8, "learning_rate": 0.5, "records": 400, "test_records": 300}
CIRCLE = {"records": 300, "batch": 60, "widths": (8,), "steps": 6, "pictures": 2, "projections": 5}


def learn(tmp_path, *, seed=0, **change) -> experiment.Findings:
    chosen = fair_learning.Parameters(**({"task": "classification", "privacy": None} | SMALL | change))
    assert chosen.impossible() is None
    return fair_learning.run(chosen, seed=seed, context=experiment.Context(folder=tmp_path, code="test"))


def test_rates_of_two_groups():
    chosen, sensitive = np.array([1, 0, 0, 0, 1, 1, 0, 0]) == 1, np.array([0] * 4 + [1] * 4)
    assert measures.rate_ratio(chosen, sensitive) == 0.5
    assert measures.rate_ratio(chosen[:4], sensitive[:4]) is None
    assert measures.rate_ratio(~np.ones(2, dtype=bool), np.array([0, 1])) is None


def test_equality_of_odds_is_measured_inside_a_class():
    labels, sensitive = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1] * 2)
    scores = np.array([0.9, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1])
    found = measures.of_decisions(scores, sensitive, labels)
    assert found["equality_0"] == 0.5
    assert found["equality_1"] == 2.0
    assert found["disparate_impact"] == pytest.approx((3 / 4) / (3 / 4))
    assert found["accuracy"] == 0.5


def test_perfect_scores_are_calibrated():
    generator = np.random.default_rng(0)
    scores = generator.random(20_000)
    labels = (generator.random(20_000) < scores).astype(np.int64)
    # Each of ten bins has about 2000 examples, deviation of its mean gap 0.011 or less.
    assert measures.calibration_error(scores, labels) < 0.03
    assert measures.calibration_error(np.ones(5), np.zeros(5, dtype=np.int64)) == 1.0


def test_points_above_the_falling_diagonal():
    points, sensitive = np.array([[0.2, 0.2], [-0.2, -0.2], [0.3, -0.1], [0.1, -0.3]]), np.array([0, 0, 1, 1])
    assert measures.above_diagonal(points, sensitive) == {"above_diagonal_0": 0.5, "above_diagonal_1": 0.5}


@pytest.mark.slow
def test_a_classification_says_what_it_found_and_what_it_cost(tmp_path):
    budget = {"epsilon": 2.0}
    found = learn(tmp_path, privacy=budget)
    assert {"accuracy", "disparate_impact", "objective", "loss", "distance", "noise_std"} <= set(found.metrics)
    assert found.metrics["objective"] == pytest.approx(
        0.5 * found.metrics["loss"] + 0.5 * found.metrics["distance"], rel=1e-6
    )
    assert found.metrics["noise_std"] == pytest.approx(found.metrics["noise_multiplier"] * found.metrics["sensitivity"])
    assert found.delta == pytest.approx(0.1 / 400)
    assert found.event is not None
    assert found.event.adjacency == "replace-one-inside-class"
    # Which class that is, its budget says: not the label.
    assert any("of the same attribute: the attribute of every record is public" in note for note in found.event.notes)
    assert found.event.steps == 8
    spent = accountant.load("pld").epsilon(found.event, found.delta).value
    assert 1.9 < spent <= 2.0
    assert found.accounted_at is not None
    assert found.accounted_at.steps[-1] == 8
    assert {point.metric for point in found.history if point.axis == "score"} == {"score/0", "score/1"}


def test_equal_seeds_find_equal_figures(tmp_path):
    first, second, other = (learn(tmp_path, seed=seed) for seed in (3, 3, 4))
    assert first.metrics == second.metrics
    assert first.metrics != other.metrics
    assert first.event is None


@pytest.mark.slow
def test_the_limit_asks_for_less_noise_than_the_proof_and_the_tight_bound_for_half(tmp_path):
    settings = [
        {"epsilon": 1.0, "accountant": "gdp", "bound": "published"},
        {"epsilon": 1.0, "accountant": "pld", "bound": "published"},
        {"epsilon": 1.0, "accountant": "pld", "bound": "tight"},
    ]
    limit, published, tight = (
        learn(tmp_path, alpha=1.0, steps=100, batch_share=0.2, privacy=each).metrics for each in settings
    )
    assert limit["noise_multiplier"] < published["noise_multiplier"]
    assert tight["noise_std"] == pytest.approx(published["noise_std"] / 2)


def test_a_budget_by_the_limit_is_met_by_the_limit(tmp_path):
    found = learn(tmp_path, privacy={"epsilon": 1.0, "accountant": "gdp_uniform", "bound": "published"})
    assert found.event is not None
    assert found.delta is not None
    limit = accountant.load("gdp_uniform")
    papers = found.event.under_published()
    assert papers is not None
    assert limit.epsilon(papers, found.delta).value == pytest.approx(1.0, rel=1e-3)
    # The event itself has the tight sensitivity, whichever scaled the noise.
    assert limit.epsilon(found.event, found.delta).value < 0.9


def test_regression_and_representation(tmp_path):
    plane = {"hidden": 8, "projections": 5, "learning_rate": 0.01}
    regression = learn(tmp_path, task="regression", **plane)
    assert {"accuracy", "above_diagonal_0", "above_diagonal_1"} <= set(regression.metrics)
    representation = learn(tmp_path, task="representation", **plane)
    assert {"core_loss", "accuracy", "disparate_impact"} <= set(representation.metrics)
    assert representation.metrics["core_loss"] < representation.metrics["loss"]
    assert {point.metric for point in representation.history if point.axis == "point"} == {
        f"output/{group}/{coordinate}" for group in (0, 1) for coordinate in (0, 1)
    }


def test_a_delta_has_to_be_small_beside_the_records():
    settings = SMALL | {"task": "classification", "privacy": None, "delta": 0.0024}
    chosen = fair_learning.Parameters(**settings)
    assert chosen.impossible() is None
    assert chosen.private_records() == (400, "biased")
    assert circle_matching.Parameters(privacy=None, records=10_000).private_records() == (10_000, "a side")


def test_what_cannot_be_learnt():
    base_ = SMALL | {"privacy": None}
    for change, message in (
        ({"task": "regression", "dataset": "adult", "sensitive": "sex"}, "continuous response"),
        ({"task": "representation", "penalty": "equality_of_odds", "hidden": 4}, "equality of odds"),
        ({"task": "classification", "dataset": "adult", "sensitive": "age"}, "sensitive age"),
        ({"task": "representation"}, "two layers"),
        ({"task": "regression", "penalty": "renyi"}, "decisions"),
        ({"task": "classification", "delta": 0.0025}, "delta 0.0025 is not below 1 in 400 records"),
        ({"task": "classification", "dataset": "german_credit", "sensitive": "sex", "delta": 0.9}, "delta 0.9"),
    ):
        assert message in str(fair_learning.Parameters(**(base_ | change)).impossible())
    for change in ({"alpha": 1.5}, {"alpha": -0.1}, {"clipping": CLIPPING | {"output_norm": 0}}):
        with pytest.raises(ValueError, match="Input should be"):
            fair_learning.Parameters(**({"task": "classification"} | base_ | change))


def test_datasets_and_attributes_are_those_that_datasets_declare():
    """A dataset that declares protected attributes can be learnt fairly; nothing here names it."""
    fair = {name: data.descriptor(name).sensitive for name in data.names() if data.descriptor(name).sensitive}
    assert set(fair) == {"adult", "biased", "german_credit"}
    for name, attributes in fair.items():
        for attribute in attributes:
            value = {"task": "classification", "privacy": None} | SMALL | {"dataset": name, "sensitive": attribute}
            assert validate_parameters("fair_learning", value).impossible() is None
        asked = validate_parameters(
            "fair_learning",
            {"task": "classification", "privacy": None} | SMALL | {"dataset": name, "sensitive": "height"},
        )
        assert asked.impossible() == f"sensitive height of {name}: must be {' or '.join(attributes)}"
    with pytest.raises(ValueError, match="dataset = 'mnist': must be one of adult, biased, german_credit"):
        validate_parameters("fair_learning", {"task": "classification", "privacy": None} | SMALL | {"dataset": "mnist"})


def match(tmp_path, **change) -> experiment.Findings:
    chosen = circle_matching.Parameters(**({"privacy": None} | CIRCLE | change))
    return circle_matching.run(chosen, seed=0, context=experiment.Context(folder=tmp_path, code="test"))


@pytest.mark.slow
def test_each_side_of_a_matching_has_its_own_budget(tmp_path):
    found = match(tmp_path, privacy={"epsilon": 3.0})
    assert found.event is not None
    assert 2.8 < found.metrics["epsilon_x/upper/pld"] <= 3.0
    # The circle's points enter without a Jacobian: half the sensitivity, a smaller budget.
    assert found.metrics["epsilon_z/upper/pld"] < 0.6 * found.metrics["epsilon_x/upper/pld"]
    assert found.metrics["distance_before"] > 0
    assert "more than the 300 points" in str(circle_matching.Parameters(privacy=None, records=300).impossible())


def test_matching_brings_the_points_to_the_circle(tmp_path):
    found = match(tmp_path, records=2000, batch=400, widths=(32, 32), steps=60, learning_rate=0.02, projections=20)
    assert found.metrics["distance"] < found.metrics["distance_before"] / 5


def frames(settings, tmp_path, run):
    runs, history = [], []
    for number, (columns, parameters) in enumerate(settings):
        for seed in (0, 1):
            name = f"{number:06x}{seed:06x}"
            found = run(tmp_path, **({"seed": seed} if run is learn else {}), **parameters)
            budget = {} if found.event is None else {"epsilon/upper/pld": 1.234, "epsilon/published/gdp": 1.0}
            runs.append({"run": name, "seed": seed} | columns | found.metrics | budget)
            history += [{"run": name} | point.model_dump() for point in found.history]
    return pd.DataFrame(runs), pd.DataFrame(history)


def grid(**change):
    budgets = {math.nan: None, 1.0: {"epsilon": 1.0, "accountant": "gdp", "bound": "published"}}
    return [
        (
            {"parameters.alpha": alpha, "parameters.privacy.epsilon": epsilon},
            {"alpha": alpha, "privacy": privacy} | change,
        )
        for alpha in (0.0, 0.75)
        for epsilon, privacy in budgets.items()
    ]


@pytest.mark.parametrize(
    "change", [{}, {"penalty": "equality_of_odds"}, {"task": "regression", "hidden": 4, "projections": 4}]
)
def test_outputs_and_losses_have_a_panel_for_each_weight_and_budget(tmp_path, change):
    runs, history = frames(grid(**change), tmp_path, learn)
    figure, data = FairOutputs().draw(runs, history)
    style.save(figure, data, tmp_path / "outputs")
    shown = "second output" if "projections" in change else "density"
    assert [axis.get_ylabel() for axis in figure.axes][::2] == [
        f"no noise\n{shown}",
        f"noise (a)\n{shown}",
    ]
    (below,) = (text.get_text() for text in figure.legends[0].get_texts() if text.get_text().startswith("noise (a): "))
    assert "proven $\\varepsilon$ = 1.24" in below
    assert "Poisson GDP limit $\\varepsilon$ = 1.00" in below
    assert set(data["alpha"]) == {0.0, 0.75}
    figure, data = FairLosses(alphas=(0.75,)).draw(runs, history)
    style.save(figure, data, tmp_path / "losses")
    assert (data["least"] <= data["most"]).all()
    assert set(data["seeds"]) == {2}
    for drawn in (FairOutputs, FairLosses):
        with pytest.raises(ValueError, match=r"no run has \[0\.3\]; there are \[0\.0, 0\.75\]"):
            drawn(alphas=(0.3,)).draw(runs, history)
    with pytest.raises(ValueError, match="measures"):
        FairOutputs(measures=("DI", "ROC"))
    with pytest.raises(ValueError, match="same weight and budget"):
        FairOutputs().draw(pd.concat([runs, runs]), history)


def test_the_trade_off_has_a_line_for_each_budget(tmp_path):
    runs, history = frames(grid(), tmp_path, learn)
    figure, data = FairnessTradeOff(measures=("disparate_impact", "calibration_error_0")).draw(runs, history)
    style.save(figure, data, tmp_path / "trade_off")
    assert len(data) == 4
    assert len(figure.axes) == 2
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["no noise", "proven $\\varepsilon$ = 1.24\nPoisson GDP limit $\\varepsilon$ = 1.00"]


def test_pictures_of_a_matching_name_step_and_budgets(tmp_path):
    runs, history = frames([({}, {}), ({}, {"privacy": {"epsilon": 3.0, "accountant": "gdp"}})], tmp_path, match)
    figure, data = MatchedPoints().draw(runs, history)
    style.save(figure, data, tmp_path / "matched")
    titles = [axis.get_title() for axis in figure.axes]
    assert len(titles) == 6
    assert titles[0].startswith("step 0")
    assert r"$\varepsilon_{Z}$" in titles[-1]
    # Before and after, the distance of all points as the run gives it; in between, that of the step's own batch.
    for place, (_, run) in enumerate(runs[runs["seed"] == 0].iterrows()):
        own = history[history["run"] == run["run"]]
        before, between, after = titles[3 * place : 3 * place + 3]
        assert f"\nall points {run['distance_before']:.3g}\n" in before
        assert f"\nall points {run['distance']:.3g}\n" in after
        step = int(between.splitlines()[0].removeprefix("step "))
        (batch,) = own.loc[(own["metric"] == "distance") & (own["position"] == step), "value"]
        assert f"\na batch {batch:.3g}\n" in between
    bare, _ = MatchedPoints().draw(runs.drop(columns=["distance", "distance_before"]), history)
    assert "all points" not in "".join(axis.get_title() for axis in bare.axes)
    assert bare.axes[0].get_title() == "step 0\nbefore"
    assert set(data["side"]) == {"x", "z"}


def test_a_budget_that_any_noise_keeps_is_no_calibration(monkeypatch):
    """By a published limit, too: the least noise that is searched is not the least that keeps the budget."""

    class Step:
        def __init__(self, objective, noise_multiplier):
            self.noise = noise_multiplier

        def event(self, steps):
            return repeated(WassersteinGradientStep(noise_std=self.noise, sensitivity=1.0), steps)

    monkeypatch.setattr(budget, "ClippedWassersteinGradient", Step)
    asked = {"objective": None, "steps": 50, "delta": 1e-5}
    assert Calibration(epsilon=1.0, accountant="gdp").noise_multiplier(**asked) > 1
    with pytest.raises(ValueError, match="even a noise of 1e-06 keeps it"):
        Calibration(epsilon=1e12, accountant="gdp").noise_multiplier(**asked | {"steps": 1})


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"hidden": 4},
        {"penalty": "renyi"},
        {"penalty": "equality_of_odds"},
        {"barycentre": {"bins": 10, "noise_multiplier": 20.0}},
        {"task": "regression"},
        {"task": "representation", "hidden": 4},
    ],
    ids=lambda change: next(iter(change), "as it is"),
)
@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e38])
def test_a_record_that_is_not_finite_stops_nothing(tmp_path, monkeypatch, change, bad):
    # That would be an output that no noise covers.
    drawn = biased.sample

    def learned(first_features: float) -> experiment.Findings:
        def sample(generator, *, size):
            found = drawn(generator, size=size)
            features = found.features.copy()
            features[0] = first_features
            return dataclasses.replace(found, features=features)

        monkeypatch.setattr(biased, "sample", sample)
        return learn(tmp_path / str(first_features), privacy={"epsilon": 5.0}, **change)

    found = learned(bad)
    assert found.event is not None, "it trained to its end"
    if bad != 1e38:
        # It is one whose features are 0; a long one keeps its length, and figures of it without noise can be infinite.
        assert all(map(math.isfinite, found.metrics.values()))
        assert found.metrics == learned(0.0).metrics
