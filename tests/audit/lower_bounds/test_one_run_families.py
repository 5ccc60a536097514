"""Bounds from one run: printed figures, level, order of strength, and what each refuses."""

import math
from types import ModuleType

import numpy as np
import pytest
from scipy import special, stats

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.numerics import exact
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family, one_run, one_run_curve, one_run_ranks
from wassdp.audit.statistics.curve import curve
from wassdp.audit.statistics.guesses import Guesses, surest

DELTA = 1e-5
CLAIMED = Gaussian(noise_multiplier=1.0, adjacency="add-remove")


def gaussian(mean: float) -> Gaussian:
    return Gaussian(noise_multiplier=1 / mean, adjacency="add-remove")


def canaries(mean: float, size: int, seed: int) -> Scores:
    """Independent ones, scored by the logarithm of the likelihood ratio."""
    generator = np.random.default_rng(seed)
    included = generator.random(size) < 0.5
    scores = mean * (generator.normal(size=size) + mean * included) - mean**2 / 2
    return Scores(scores[included], scores[~included])


@pytest.mark.parametrize(
    ("guesses", "printed"),
    [
        (Guesses(1000, 100, 74), 0.6519),
        (Guesses(10_000, 5000, 3966), 1.2858),
        (Guesses(100_000, 10_000, 9949), 4.8674),
        (Guesses(10_000, 10_000, 5683), 0.2413),
    ],
    ids=str,
)
def test_without_assumptions_the_printed_figures(guesses: Guesses, printed: float) -> None:
    """Column "Steinke" of the comparison that comes with the code of Xiang et al. (2025).

    It sums P(v ≥ B > v - i), where the paper sums P(v > B ≥ v - i), as here, which is a little more.
    """

    def p_value(epsilon: float) -> float:
        return one_run.p_value(guesses.right, guesses.made, epsilon, canaries=guesses.canaries, delta=DELTA)

    assert p_value(printed * 0.997) < 0.05 < p_value(printed + 5e-5)


@pytest.mark.parametrize(
    ("event", "made", "wrong", "printed"),
    [
        (gaussian(1.0), 5000, 1034, 4.1789),
        (gaussian(2.0), 2500, 36, 9.4097),
        (repeated(PoissonSampled(event=gaussian(1.0), rate=0.5), 1), 5000, 1761, 3.1149),
        (repeated(PoissonSampled(event=gaussian(2.0), rate=0.2), 1), 1000, 216, 6.7008),
    ],
    ids=["1", "2", "1, half", "2, a fifth"],
)
def test_order_statistics_give_the_printed_figures(event: Event, made: int, wrong: int, printed: float) -> None:
    """Column "ours" of the same comparison, with 10,000 canaries."""
    noise = one_run_ranks.least_noise(Guesses(10_000, made, made - wrong), event, 0.95)
    assert noise is not None
    assert exact.epsilon(rescaled(event, noise), DELTA).lower == pytest.approx(printed, rel=4e-3)


def naive_recursion(mean: float, guesses: Guesses, confidence: float) -> bool:
    """Algorithm 3 as printed, on the curve in closed form."""
    r = [0.0] * (guesses.right + 1)
    h = [0.0] * (guesses.right + 1)
    r[-1] = (1 - confidence) * guesses.right / guesses.canaries
    h[-1] = (1 - confidence) * (guesses.made - guesses.right) / guesses.canaries
    for i in range(guesses.right - 1, -1, -1):
        h[i] = max(h[i + 1], float(stats.norm.cdf(stats.norm.ppf(min(r[i + 1], 1.0)) - mean)))
        r[i] = r[i + 1] + i / (guesses.made - i) * (h[i] - h[i + 1])
    return r[0] + h[0] > guesses.made / guesses.canaries


@pytest.mark.parametrize("guesses", [Guesses(1000, 200, 150), Guesses(1000, 1000, 700), Guesses(500, 50, 50)], ids=str)
def test_the_recursion_is_the_printed_one(guesses: Guesses) -> None:
    for confidence in (0.95, 0.5):
        for mean in np.linspace(0.05, 3.0, 40):
            found = one_run_curve.rejects(curve(gaussian(float(mean))), guesses, confidence)
            if found != naive_recursion(float(mean), guesses, confidence):
                near = [naive_recursion(float(mean) * (1 + shift), guesses, confidence) for shift in (-0.01, 0.01)]
                assert near[0] != near[1]


def test_errors_of_the_surest_guesses_follow_their_law() -> None:
    """The mean of T in 3000 simulated runs of 200 canaries, by likelihood ratio, within five standard errors."""
    for event, sample in (
        (gaussian(1.0), lambda g, inside: 1.0 * (g.normal(size=inside.size) + inside) - 0.5),
        (
            Laplace(noise_multiplier=1.0, adjacency="add-remove"),
            lambda g, inside: (lambda x: np.abs(x) - np.abs(x - 1))(g.laplace(size=inside.size) + inside),
        ),
    ):
        generator = np.random.default_rng(3)
        wrong = []
        for _ in range(3000):
            included = generator.random(200) < 0.5
            scores = sample(generator, included) + 1e-9 * generator.normal(size=200)
            seen = surest(Scores(scores[included], scores[~included]), 0.25)
            wrong.append(seen.made - seen.right)
        tails = [one_run_ranks.p_value(curve(event), Guesses(200, 50, 50 - count)) for count in range(50)]
        assert sum(1 - tail for tail in tails) == pytest.approx(np.mean(wrong), abs=5 * np.std(wrong) / math.sqrt(3000))


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_the_truth_is_exceeded_no_more_often_than_stated(mean: float) -> None:
    """Of 30 at confidence 0.9, more than 9 has probability 1e-3."""
    exceeded = {"curve": 0, "ranks": 0}
    for seed in range(30):
        seen = canaries(1.0, 400, seed)
        if mean == 0:
            nothing = np.random.default_rng(seed).normal(size=400)
            seen = Scores(nothing[: seen.present.size], nothing[seen.present.size :])
        for name, module in (("curve", one_run_curve), ("ranks", one_run_ranks)):
            noise = module.least_noise(surest(seen, 0.3), CLAIMED, 0.9)
            exceeded[name] += noise is not None and 1 / noise > max(mean, 0.03)
    assert max(exceeded.values()) <= 9


def test_each_further_assumption_tells_more() -> None:
    seen = canaries(1.0, 5000, 1)
    free = one_run.bound(seen, delta=DELTA)
    curves = one_run_curve.bound(seen, event=CLAIMED, delta=DELTA)
    ranks = one_run_ranks.bound(seen, event=CLAIMED, delta=DELTA)
    all_thresholds = family.bound(seen, event=CLAIMED, delta=DELTA)
    assert 1.0 < free.epsilon < curves.epsilon < ranks.epsilon < 4.377
    assert curves.epsilon > 1.5
    assert min(ranks.epsilon, all_thresholds.epsilon) > 3.7
    assert (free.basis, curves.basis, ranks.basis) == ("distribution-free", "family-based", "family-based")


def test_extremes() -> None:
    assert one_run_ranks.p_value(curve(CLAIMED), Guesses(10, 5, 0)) == 1
    assert one_run_ranks.p_value(curve(CLAIMED), Guesses(10, 10, 10)) < 0.05
    certain = Scores(np.full(500, np.inf), np.full(500, -np.inf))
    few = one_run_ranks.bound(Scores(certain.present[:50], certain.absent[:50]), event=CLAIMED, delta=DELTA)
    assert 5 < few.epsilon < one_run_ranks.bound(certain, event=CLAIMED, delta=DELTA).epsilon < 100
    assert one_run_curve.bound(certain, event=CLAIMED, delta=DELTA).epsilon > 3
    equal = Scores(np.zeros(50), np.zeros(50))
    assert one_run_curve.bound(equal, event=CLAIMED, delta=DELTA).epsilon == 0


@pytest.mark.parametrize("module", [one_run_curve, one_run_ranks], ids=["curve", "ranks"])
def test_bad_input_is_one_line(module: ModuleType) -> None:
    seen = canaries(1.0, 50, 0)
    for change, line in (
        ({"confidence": 1.0}, r"confidence = 1\.0"),
        ({"delta": 0.0}, r"delta = 0\.0"),
        ({"guesses": 0.0}, "guesses = 0: must be above 0"),
        ({"guesses": 1.5}, r"guesses = 1\.5"),
        ({"event": Gaussian(noise_multiplier=0.0, adjacency="add-remove")}, "event: its budget is unbounded"),
    ):
        with pytest.raises(ValueError, match=line):
            module.bound(seen, **({"event": CLAIMED, "delta": DELTA} | change))
    with pytest.raises(ValueError, match="right = 3, made = 2"):
        Guesses(5, 2, 3)


@pytest.mark.parametrize("factor", [0.5, 1.5, math.nan])
def test_no_inverse_of_the_beta_law_is_believed(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed, seen, inverse = curve(gaussian(1.0)), Guesses(400, 200, 160), special.betaincinv
    known = one_run_ranks.p_value(claimed, seen)
    monkeypatch.setattr(special, "betaincinv", lambda *args: np.minimum(factor * inverse(*args), 1.0))
    assert one_run_ranks.p_value(claimed, seen) == pytest.approx(known, rel=1e-3)
