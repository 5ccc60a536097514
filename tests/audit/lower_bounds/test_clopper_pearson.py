"""The distribution-free bound: its level, its power, and what it says of extreme scores."""

import math

import numpy as np
import pytest
from scipy import special, stats

from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.numerics import exact
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import clopper_pearson

INFINITE = np.full(500, np.inf)


def gaussians(mean: float, trials: int, seed: int) -> Scores:
    generator = np.random.default_rng(seed)
    return Scores(generator.normal(mean, 1, trials), generator.normal(0, 1, trials))


def naive(scores: Scores, delta: float, threshold: float, way: float, *, above: bool) -> float:
    """The bound at one threshold and confidence 0.95, from scipy's own intervals."""
    _, count = scores.split(0.5)
    positives = count.present > threshold, count.absent > threshold
    least, most = positives if above else (~positives[1], ~positives[0])
    low, high = (
        stats.binomtest(int(world.sum()), world.size).proportion_ci(1 - 0.1 * part, "exact")
        for world, part in ((least, 1 - way), (most, way))
    )
    return max(0.0, math.log(max(low.low - delta, 1e-300) / high.high))


def test_it_is_what_a_naive_count_gives_at_its_threshold() -> None:
    for seed in range(20):
        scores = gaussians(1.5, 400, seed)
        bound = clopper_pearson.bound(scores, delta=1e-3)
        assert bound.threshold is not None
        above = bound.statistic.endswith("above it")
        found = [naive(scores, 1e-3, bound.threshold, way, above=above) for way in (0.5, 0.7, 0.85, 0.95)]
        assert min(abs(bound.epsilon - value) for value in found) < 1e-6
        assert bound.trials == 400


def test_scores_that_tell_nothing_give_zero() -> None:
    """Of 400 repetitions at confidence 0.9, at most 40 are expected above 0: more than 60 has probability 4e-4."""
    found = [clopper_pearson.bound(gaussians(0, 300, seed), delta=0.0, confidence=0.9) for seed in range(400)]
    assert sum(bound.epsilon > 0 for bound in found) <= 60


@pytest.mark.parametrize(("mean", "delta"), [(0.3, 0.0), (1.0, 1e-5), (2.0, 1e-2)])
def test_what_holds_at_the_threshold_is_exceeded_no_more_often_than_stated(mean: float, delta: float) -> None:
    """Of 300 repetitions at confidence 0.8, more than 83 has probability 4e-4; ε at δ is larger still."""
    exceeded = 0
    event = Gaussian(noise_multiplier=1 / mean, adjacency="add-remove")
    largest = exact.epsilon(event, delta).upper if delta else math.inf
    for seed in range(300):
        bound = clopper_pearson.bound(gaussians(mean, 2000, seed), delta=delta, confidence=0.8)
        assert bound.threshold is not None
        above = bound.statistic.endswith("above it")
        seen, mistaken = (
            (mean - bound.threshold, -bound.threshold) if above else (bound.threshold, bound.threshold - mean)
        )
        exceeded += bound.epsilon > max(0.0, math.log(special.ndtr(seen) - delta) - special.log_ndtr(mistaken))
        assert bound.epsilon < largest
    assert exceeded <= 83


def test_randomised_response_is_covered_with_ties() -> None:
    """Two values, ε = 1: here the bound is tight. More than 83 of 300 at confidence 0.8 has probability 4e-4."""
    found = []
    for seed in range(300):
        generator = np.random.default_rng(seed)
        truth = special.expit(1.0)
        scores = Scores((generator.random(4000) < truth).astype(float), (generator.random(4000) > truth).astype(float))
        found.append(clopper_pearson.bound(scores, delta=0.0, confidence=0.8).epsilon)
    assert sum(value > 1 for value in found) <= 83
    assert np.mean(found) > 0.92


@pytest.mark.parametrize(("trials", "least"), [(10**4, 1.5), (10**6, 3.1)])
def test_power_at_a_small_delta(trials: int, least: float) -> None:
    """True ε(1e-5) = 4.377."""
    assert clopper_pearson.bound(gaussians(1.0, trials, 7), delta=1e-5).epsilon > least


def test_either_direction_is_found() -> None:
    """Present scores that are sometimes lower than any absent one are seen only from below, and reversed."""
    generator = np.random.default_rng(0)
    rare = np.where(generator.random(20_000) < 0.1, -9.0, generator.normal(0, 1, 20_000))
    scores = Scores(rare, generator.normal(0, 1, 20_000))
    below = clopper_pearson.bound(Scores(-scores.present, -scores.absent), delta=1e-5)
    assert below.statistic.endswith("above it")
    exchanged = clopper_pearson.bound(Scores(scores.absent, scores.present), delta=1e-5)
    assert exchanged.statistic.endswith("below it")
    assert min(below.epsilon, exchanged.epsilon) > 4.5


def test_certainty_is_worth_what_the_trials_allow() -> None:
    """500 of 500 counted against 0 of 500, and the error divided as well as may be."""
    bound = clopper_pearson.bound(Scores(np.tile(INFINITE, 2), np.tile(-INFINITE, 2)), delta=0.0)
    best = max(math.log((0.05 * (1 - way)) ** (1 / 500) / (1 - (0.05 * way) ** (1 / 500))) for way in (0.85, 0.95))
    assert bound.epsilon == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("value", [0.0, np.inf, -np.inf, 1.7e308], ids=str)
def test_scores_that_are_all_equal_give_zero(value: float) -> None:
    assert clopper_pearson.bound(Scores(np.full(9, value), np.full(7, value)), delta=0.0).epsilon == 0


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"confidence": 1.0}, "confidence = 1.0: must lie strictly between 0 and 1"),
        ({"confidence": math.nan}, "confidence = nan: must be a finite number"),
        ({"delta": 1.0}, r"delta = 1.0: must be in \[0, 1\)"),
        ({"delta": -0.1}, "delta = -0.1"),
        ({"share": 0.0}, "share = 0.0"),
        ({"share": 0.001}, "present has shape"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(change: dict[str, float], line: str) -> None:
    with pytest.raises(ValueError, match=line) as error:
        clopper_pearson.bound(gaussians(0, 10, 0), **({"delta": 0.0} | change))
    assert "\n" not in str(error.value)
