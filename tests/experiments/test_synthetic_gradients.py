"""Figures 2 and 4: the draws, the event, and the published final values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wassdp.accounting.accountant import load
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.data.sets import weibull_gradients as data
from wassdp.experiment import Context, Findings
from wassdp.experiments import synthetic_gradients as experiment

QUANTILES = (0.05, 0.50, 0.75, 0.99)
# ε at step 100, recomputed from the published formulas: quantile 0.05, 0.50, 0.75, 0.99.
FINAL = {
    ("moments", False): (8.43e4, 8.43e4, 8.43e4, 8.43e4),
    ("moments", True): (8.43e4, 8.43e4, 8.43e4, 8.43e4),
    ("bayesian", False): (9.3e4, 6.7e4, 5.7e4, 3.7e4),
    ("bayesian", True): (3.80e4, 3.80e4, 3.79e4, 3.57e4),
    ("wasserstein", False): (1.41e4, 1.66e4, 1.79e4, 2.20e4),
    ("wasserstein", True): (1.41e4, 1.66e4, 1.79e4, 2.20e4),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "moments": {"orders": (16,), "sensitivity": "threshold"},
    "bayesian": {"orders": (16,)},
}


def run(*, seed: int = 0, **parameters: Any) -> Findings:
    return experiment.run(
        experiment.Parameters(**parameters), seed=seed, context=Context(folder=Path("unused"), code="")
    )


def event(findings: Findings) -> MeasuredGradients:
    assert isinstance(findings.event, MeasuredGradients)
    return findings.event


SMALL = {"steps": 3, "gradients": 10, "coordinates": 20}


def test_the_draws_do_not_depend_on_quantile_or_clipping() -> None:
    low, high = (event(run(clip=False, clip_quantile=q, **SMALL)) for q in (0.05, 0.99))
    np.testing.assert_array_equal(low.distances, high.distances)
    assert (low.noise_std < high.noise_std).all()
    clipped = event(run(clip=True, clip_quantile=1.0, **SMALL))
    np.testing.assert_allclose(clipped.distances, low.distances, rtol=1e-12)  # at the largest norm nothing is clipped
    longer = event(run(clip=False, clip_quantile=0.05, **(SMALL | {"steps": 5})))
    np.testing.assert_array_equal(longer.first(3).distances, low.distances)
    assert not np.array_equal(event(run(clip=False, clip_quantile=0.05, seed=1, **SMALL)).distances, low.distances)


def test_the_event_is_what_was_drawn() -> None:
    found = run(clip=True, clip_quantile=0.5, **SMALL)
    released = event(found)
    for step in range(3):
        rows = data.draw(data.generator(0, step), gradients=10, coordinates=20)
        threshold = np.quantile(np.linalg.norm(rows, axis=1), 0.5)
        assert released.clip_norm[step] == pytest.approx(threshold)
        assert released.noise_std[step] == pytest.approx(0.2 * threshold)
        np.testing.assert_allclose(
            released.distances[step], data.pair_distances(data.clipped_rows(rows, float(threshold)))
        )
    assert released.distances.shape == (3, 45)
    assert (released.distances <= 2 * released.clip_norm[:, None]).all()
    assert (released.rate, released.adjacency, released.coordinates, found.delta) == (0.001, "replace-one", 20, 1e-5)
    assert found.accounted_at is not None
    assert found.accounted_at.positions == (1.0, 2.0, 3.0)
    assert found.accounted_at.steps == (1, 2, 3)


def test_a_threshold_taken_from_private_norms_leaves_no_finite_budget() -> None:
    for clip in (False, True):
        found = run(clip=clip, clip_quantile=0.5, **SMALL)
        assert event(found).worst_case() is None
        guarantee = load("pld").epsilon(event(found), 1e-5)
        assert guarantee.epsilon is None
        assert any("quantile of that step's private gradient norms" in note for note in guarantee.assumptions)


def test_one_record_moves_the_published_noise_and_not_the_public_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 51 rows, 25 or 26 long: one record doubles the median, so that 1000 noisy coordinates tell the two apart."""
    rows = np.ones((51, 20))
    rows[26:] = 2

    def noise(long: int, threshold: str) -> np.ndarray:
        rows[25] = 2.0 if long == 26 else 1.0
        monkeypatch.setattr(data, "draw", lambda *_, **__: rows.copy())
        return event(run(clip=True, clip_quantile=0.5, threshold=threshold, **(SMALL | {"gradients": 51}))).noise_std

    one, other = (noise(long, "batch") for long in (26, 25))
    np.testing.assert_allclose(one, 2 * other)
    np.testing.assert_array_equal(*(noise(long, "population") for long in (26, 25)))


def test_without_clipping_there_is_no_worst_case() -> None:
    assert event(run(clip=False, clip_quantile=0.5, threshold="population", **SMALL)).worst_case() is None
    worst = event(run(clip=True, clip_quantile=0.5, threshold="population", **SMALL)).worst_case()
    assert worst is not None
    assert worst.counts == (3,)


def test_a_public_threshold_has_the_budget_of_its_noise_multiplier() -> None:
    """157 at the figure's 100 steps, rate 1e-3 and multiplier 0.1 (20 coordinates: none of this depends on them)."""
    found = run(clip=True, clip_quantile=0.5, threshold="population", gradients=3, coordinates=20)
    assert load("pld").epsilon(event(found), 1e-5).value == pytest.approx(156.96, abs=0.1)
    threshold = data.norm_quantile(0.5, coordinates=20)
    np.testing.assert_array_equal(event(found).clip_norm, np.full(100, threshold))
    np.testing.assert_array_equal(event(found).noise_std, np.full(100, 0.2 * threshold))


def test_runs_as_published_keep_their_names() -> None:
    assert "threshold" not in experiment.Parameters(clip=True, clip_quantile=0.5).model_dump()
    assert "threshold" in experiment.Parameters(clip=True, clip_quantile=0.5, threshold="population").model_dump()


@pytest.mark.parametrize(("change", "reason"), [({"clip_quantile": 1}, "longest"), ({"shape": 0.1}, "too heavy")])
def test_a_population_without_a_quantile_leaves_the_run_table(change: dict[str, Any], reason: str) -> None:
    value = {"clip": True, "clip_quantile": 0.5} | change
    assert experiment.Parameters(**value).impossible() is None
    assert reason in (experiment.Parameters(**value, threshold="population").impossible() or "")


def finals(name: str, clip: bool, seed: int) -> list[float]:
    accountant = load(name, **OPTIONS.get(name, {}))
    return [
        accountant.epsilon(event(run(seed=seed, clip=clip, clip_quantile=quantile)), 1e-5).value
        for quantile in QUANTILES
    ]


@pytest.mark.parametrize("clip", [False, True])
def test_final_values_of_figures_2_and_4(clip: bool) -> None:
    """One seed, 100 steps, within 3 % in every cell."""
    events = [event(run(clip=clip, clip_quantile=quantile)) for quantile in QUANTILES]
    for name in ("moments", "bayesian", "wasserstein"):
        accountant = load(name, **OPTIONS.get(name, {}))
        found = [accountant.epsilon(item, 1e-5).value for item in events]
        np.testing.assert_allclose(found, FINAL[name, clip], rtol=0.03, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("clip", [False, True])
def test_final_values_on_three_seeds(clip: bool) -> None:
    for name in ("moments", "bayesian", "wasserstein"):
        found = np.array([finals(name, clip, seed) for seed in range(3)])
        np.testing.assert_allclose(found.mean(axis=0), FINAL[name, clip], rtol=0.03, err_msg=name)


def test_one_order_alone_inflates_the_comparison() -> None:
    """At order 1 the budgets of DP and BDP are 8,630 and about 3,170: both below WDP."""
    released = event(run(clip=True, clip_quantile=0.5))
    dp = load("moments", orders=(1,), sensitivity="threshold").epsilon(released, 1e-5).value
    bdp = load("bayesian", orders=(1,)).epsilon(released, 1e-5).value
    assert dp == pytest.approx(8629.96, abs=0.01)
    assert bdp == pytest.approx(3170, rel=0.01)
    assert max(dp, bdp) < load("wasserstein").epsilon(released, 1e-5).value


@pytest.mark.parametrize("change", [{"clip_quantile": 0.0}, {"gradients": 2}, {"rate": 0.0}, {"sigma": 1.0}])
def test_parameters_are_checked(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        experiment.Parameters(**({"clip": True, "clip_quantile": 0.5} | change))
