"""The bound by betting on a test in [0, 1]: its level, what it reaches, and what it refuses."""

import math

import numpy as np
import pytest

from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.numerics import exact
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import hockey_stick

EVENT = Gaussian(noise_multiplier=0.5, adjacency="add-remove")


def losses(trials: int, seed: int) -> Scores:
    """Of a Gaussian release whose worlds are two deviations apart."""
    generator = np.random.default_rng(seed)
    return Scores(2 * generator.normal(2, 1, trials) - 2, 2 * generator.normal(0, 1, trials) - 2)


def test_delta_is_exceeded_no_more_often_than_stated() -> None:
    """Of 200 at confidence 0.8, 40 are permitted; more than 60 has probability 4e-4."""
    truth = exact.delta(EVENT, 2.0).lower
    test = hockey_stick.of_losses(2.0)
    found = [hockey_stick.least_delta(losses(500, seed), test=test, epsilon=2.0, confidence=0.8) for seed in range(200)]
    assert sum(value > truth for value in found) <= 60
    assert np.mean(found) > 0.3 * truth


def test_epsilon_stays_below_the_truth_and_grows_with_the_trials() -> None:
    found = [
        hockey_stick.bound(losses(trials, 1), test=hockey_stick.of_losses(4.0), delta=1e-5).epsilon
        for trials in (1000, 30_000, 300_000)
    ]
    assert 2 < found[0] < found[1] < found[2] < exact.epsilon(EVENT, 1e-5).upper


def test_randomised_response_is_covered_where_the_bound_is_tight() -> None:
    """ε = 1 at δ = 0. Of 150 at confidence 0.8, more than 47 above has probability 5e-4."""
    found = []
    for seed in range(150):
        generator = np.random.default_rng(seed)
        truth = 1 / (1 + math.exp(-1.0))
        scores = Scores((generator.random(1000) < truth).astype(float), (generator.random(1000) > truth).astype(float))
        found.append(hockey_stick.bound(scores, test=lambda values: values, delta=0.0, confidence=0.8).epsilon)
    assert sum(value > 1 for value in found) <= 47
    assert np.mean(found) > 0.75


def test_a_stake_doubles_what_it_can() -> None:
    """All n tests won: K = (1 + λ(1 - δ))^n, at the largest ε that leaves λ e^ε below 1."""
    certain = Scores(np.full(200, np.inf), np.full(200, -np.inf))
    found = hockey_stick.bound(certain, test=hockey_stick.of_losses(1.0), delta=0.0).epsilon
    assert 3.2 < found <= -math.log(math.expm1(math.log(20) / 100)) + 1e-9


@pytest.mark.parametrize("value", [0.0, np.inf, -np.inf])
def test_what_tells_nothing_gives_zero(value: float) -> None:
    equal = Scores(np.full(9, value), np.full(7, value))
    assert hockey_stick.bound(equal, test=hockey_stick.of_losses(0.5), delta=0.0).epsilon == 0
    assert hockey_stick.least_delta(equal, test=hockey_stick.of_losses(0.5), epsilon=0.0) == 0


def test_bad_input_is_one_line() -> None:
    scores, test = losses(50, 0), hockey_stick.of_losses(1.0)
    with pytest.raises(ValueError, match=r"delta = 1\.0"):
        hockey_stick.bound(scores, test=test, delta=1.0)
    with pytest.raises(ValueError, match=r"confidence = 0\.0"):
        hockey_stick.bound(scores, test=test, delta=0.0, confidence=0.0)
    with pytest.raises(ValueError, match=r"epsilon = -1\.0"):
        hockey_stick.least_delta(scores, test=test, epsilon=-1.0)
    with pytest.raises(ValueError, match="test: must give one value in"):
        hockey_stick.bound(scores, test=lambda values: 2 * values, delta=0.0)
