"""Guesses about canaries of one run: the bound is the theorem's, holds at its rate, and uses no coin to choose."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from wassdp.audit.scores import Scores
from wassdp.audit.statistics import one_run


def randomised_response(epsilon: float, canaries: int, seed: int) -> Scores:
    """Each canary's coin, told rightly with probability e^ε / (1 + e^ε)."""
    draws = np.random.default_rng(seed)
    present = draws.random(canaries) < 0.5
    told = np.where(draws.random(canaries) < 1 / (1 + np.exp(-epsilon)), present, ~present)
    scores = np.where(told, epsilon, -epsilon).astype(float)
    return Scores(scores[present], scores[~present])


@pytest.mark.parametrize(("right", "guesses", "epsilon", "delta"), [(8, 10, 1.0, 0.0), (70, 90, 0.5, 1e-3)])
def test_the_p_value_is_that_of_the_theorem(right: int, guesses: int, epsilon: float, delta: float) -> None:
    law = stats.binom(guesses, np.exp(epsilon) / (1 + np.exp(epsilon)))
    slack = max(sum(law.pmf(right - j) for j in range(1, i + 1)) / i for i in range(1, 101))
    expected = law.sf(right - 1) + 2 * 100 * delta * slack
    found = one_run.p_value(right, guesses, epsilon, canaries=100, delta=delta)
    assert found == pytest.approx(min(1.0, expected), rel=1e-6)


def test_randomised_response_is_recovered_and_rarely_exceeded() -> None:
    found = [one_run.bound(randomised_response(2.0, 2000, seed), delta=0.0).epsilon for seed in range(60)]
    # At 95 %, eight of sixty or more lie above the truth once in a hundred.
    assert sum(epsilon > 2.0 for epsilon in found) <= 7
    assert np.mean(found) > 1.85


def test_coins_that_mean_nothing_give_zero_at_the_stated_rate() -> None:
    draws = np.random.default_rng(0)
    nulls = [Scores(draws.normal(size=500), draws.normal(size=500)) for _ in range(60)]
    assert sum(one_run.bound(null, delta=1e-5).epsilon > 0 for null in nulls) <= 7


def test_delta_and_confidence_cost_what_they_must() -> None:
    scores = randomised_response(3.0, 1000, 0)
    plain = one_run.bound(scores, delta=0.0)
    assert plain.epsilon > one_run.bound(scores, delta=1e-3).epsilon > 0
    assert plain.epsilon > one_run.bound(scores, delta=0.0, confidence=0.999).epsilon
    assert plain.basis == "distribution-free"
    assert plain.trials == 1000


def test_which_coins_are_guessed_does_not_depend_on_them() -> None:
    scores = np.random.default_rng(0).normal(size=400)
    there = np.random.default_rng(1).random(400) < 0.5
    numbers = {
        one_run.bound(Scores(scores[side], scores[~side]), delta=1e-5).statistic.split(" of ")[1].split(" guesses")[0]
        for side in (there, ~there)
    }
    assert len(numbers) == 1


def gaussian(mean: float, canaries: int, seed: int) -> Scores:
    """Canaries seen by themselves through a Gaussian release."""
    draws = np.random.default_rng(seed)
    present = draws.random(canaries) < 0.5
    scores = mean * (draws.normal(size=canaries) + np.where(present, mean / 2, -mean / 2))
    return Scores(scores[present], scores[~present])


def test_chance_moves_the_bound_little() -> None:
    """At a true ε of 4 (μ = .92): about 2.06, with a deviation of .13 between runs."""
    found = np.array([one_run.bound(gaussian(0.92, 10_000, seed), delta=1e-5).epsilon for seed in range(15)])
    assert 1.95 < found.mean() < 2.2
    assert found.min() > 1.7


def test_a_number_of_guesses_that_depends_on_what_was_seen_gains_nothing_from_delta() -> None:
    """A run that fails with its whole δ, and then has few guesses made, all of them right.

    With probability 2 m δ one coin is told; else randomised response at ε tells each. A guess at the told coin alone
    is then right, as is every run of few guesses: the bound is exceeded no more often than 1 - confidence permits.
    """
    epsilon, canaries, delta, above = 1.0, 50, 2e-3, 0
    for seed in range(150):
        scores = randomised_response(epsilon, canaries, seed)
        if np.random.default_rng([seed, 1]).random() < 2 * canaries * delta:
            told = np.zeros(scores.present.size)
            told[0] = 50.0
            scores = Scores(told, np.zeros(scores.absent.size))
        above += one_run.bound(scores, delta=delta).epsilon > epsilon
    # At 95 %: 15 of 150 or more once in a hundred.
    assert above <= 14


@pytest.mark.parametrize(("delta", "confidence", "message"), [(1.0, 0.95, "delta = 1.0"), (1e-5, 1.0, "confidence")])
def test_a_bad_argument_is_one_line(delta: float, confidence: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_run.bound(Scores(np.ones(3), np.zeros(3)), delta=delta, confidence=confidence)
