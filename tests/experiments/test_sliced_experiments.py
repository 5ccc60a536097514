"""Experiments of the DP-SWD paper that train nothing."""

import pytest
from pydantic import ValidationError

from wassdp import experiment
from wassdp.accounting import accountant
from wassdp.experiments import sliced_noise, sliced_sensitivity, smoothed_distance


@pytest.fixture
def context(tmp_path):
    return experiment.Context(folder=tmp_path, code="test")


def values(findings, metric):
    return {point.position: point.value for point in findings.history if point.metric == metric}


def test_drawn_directions_follow_the_computed_law(context):
    settings = sliced_sensitivity.Parameters(projections=20, dimension=30, draws=2000, tails=(0.05, 1e-4))
    found = sliced_sensitivity.run(settings, seed=0, context=context)
    # The Kolmogorov distance of 2000 draws exceeds 2.23 / sqrt(2000) = 0.05 for 1 seed in 10,000; the seed is fixed.
    assert found.metrics["kolmogorov"] < 0.05
    assert found.metrics["mean_drawn"] == pytest.approx(20 / 30, rel=0.03)
    low, high = values(found, "quantile/lower"), values(found, "quantile/upper")
    assert all(low[tail] <= high[tail] < values(found, "bound/bernstein")[tail] for tail in (0.05, 1e-4))
    # The CLT bound is passed more often than it says, far out.
    assert values(found, "exceeded/clt/lower")[1e-4] > 1e-4


def test_dp_swd_follows_swd_and_lies_above_it_where_nothing_differs(context):
    few, many = (
        smoothed_distance.run(
            smoothed_distance.Parameters(sigma=3.0, points=points, projections=50, shifts=5), seed=0, context=context
        )
        for points in (100, 2000)
    )
    assert few.metrics["floor_dp_swd"] > few.metrics["floor_swd"]
    assert many.metrics["floor_dp_swd"] < few.metrics["floor_dp_swd"]
    assert many.metrics["rank_agreement"] == pytest.approx(1)
    assert values(many, "dp_swd")[1.0] == pytest.approx(values(many, "population")[1.0], rel=0.1)


def setting(**changes):
    row = {
        "problem": "M-U",
        "dimension": 784,
        "projections": 200,
        "records": 7438,
        "batch": 128,
        "steps": 5900,
        "sigma": 5.34,
        "delta": 1e-5,
    }
    return row | changes


def test_the_noise_found_keeps_the_budget_and_hardly_more(context):
    settings = sliced_noise.Parameters(setting=setting(), budgets=(10.0, 1.0))
    found = sliced_noise.run(settings, seed=0, context=context)
    for budget in (10.0, 1.0):
        noise = found.metrics[f"sigma/{budget:g}"]
        for scale, kept in ((1.0, True), (0.98, False)):
            event = sliced_noise._event(settings.setting, scale * noise)
            epsilon = accountant.load("pld").epsilon(event, 1e-5).epsilon
            assert epsilon is not None
            assert (epsilon <= budget) is kept
    # The printed noise costs 0.457, not 10.
    printed = accountant.load("pld").epsilon(found.event, found.delta).epsilon
    assert printed is not None
    assert printed == pytest.approx(0.457, rel=0.01)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch": 8000}, "batch 8000 is more than 7438 records"),
        ({"directions": "orthogonal", "projections": 1000}, "1000 orthogonal directions"),
    ],
)
def test_an_impossible_row_leaves_with_its_reason(changes, reason):
    assert reason in (sliced_noise.Parameters(setting=setting(**changes)).impossible() or "")


def test_impossible_directions_of_the_toy_leave_with_their_reason():
    settings = smoothed_distance.Parameters(sigma=1.0, directions="orthogonal", projections=7)
    assert "7 orthogonal directions" in (settings.impossible() or "")


@pytest.mark.parametrize("change", [{"sigma": 0.0}, {"sigam": 1.0}, {"delta": 1.0}, {"problem": ""}])
def test_a_bad_value_is_refused(change):
    with pytest.raises(ValidationError):
        sliced_noise.Parameters(setting=setting(**change))
