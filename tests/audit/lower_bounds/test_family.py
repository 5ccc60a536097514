"""The family-based bound: coverage, power, ranks alone, and the test of fit's level and power."""

import dataclasses

import numpy as np
import pytest
from scipy import special, stats

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep
from wassdp.accounting.numerics import exact
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family
from wassdp.audit.statistics.curve import curve

DELTA = 1e-5
CLAIMED = Gaussian(noise_multiplier=1.0, adjacency="add-remove")


def gaussians(mean: float, trials: int, seed: int) -> Scores:
    generator = np.random.default_rng(seed)
    return Scores(generator.normal(mean, 1, trials), generator.normal(0, 1, trials))


def epsilon(mean: float) -> float:
    return exact.epsilon(Gaussian(noise_multiplier=1 / mean, adjacency="add-remove"), DELTA).lower


def bounds(mean: float, trials: int, repetitions: int, confidence: float) -> np.ndarray:
    return np.array(
        [
            family.bound(gaussians(mean, trials, seed), event=CLAIMED, delta=DELTA, confidence=confidence).epsilon
            for seed in range(repetitions)
        ]
    )


@pytest.mark.parametrize(("mean", "trials"), [(1.0, 200), (2.0, 1000), (0.3, 2000)])
def test_the_truth_is_exceeded_no_more_often_than_stated(mean: float, trials: int) -> None:
    """Of 40 repetitions at confidence 0.8, 8 are expected above the truth; more than 16 has probability 9e-4."""
    found = bounds(mean, trials, 40, 0.8)
    assert int((found > epsilon(mean)).sum()) <= 16


def test_scores_that_tell_nothing_give_next_to_nothing() -> None:
    """Every ε of the family is above 0; more than 7 of 30 above that of 0.02 deviations at confidence 0.9, hardly."""
    found = bounds(0.0, 1000, 30, 0.9)
    assert int((found > epsilon(0.02)).sum()) <= 7


@pytest.mark.parametrize(("trials", "least"), [(100, 7.26), (1000, 9.05), (10_000, 9.69)])
def test_a_perfect_gaussian_attacker_at_epsilon_ten(trials: int, least: float) -> None:
    """The mean of one threshold fixed beforehand, through a fit of the Gaussian curve, is exceeded."""
    mean = 2.000463
    assert epsilon(mean) == pytest.approx(10, abs=1e-3)
    assert float(bounds(mean, trials, 8, 0.95).mean()) > least


def test_only_ranks_enter_and_the_claimed_noise_is_not_believed() -> None:
    scores = gaussians(1.0, 3000, 1)
    known = family.bound(scores, event=CLAIMED, delta=DELTA)
    bent = Scores(np.exp(3 * scores.present), np.exp(3 * scores.absent))
    assert family.bound(bent, event=CLAIMED, delta=DELTA) == known
    for noise in (0.01, 30.0):
        other = dataclasses.replace(CLAIMED, noise_multiplier=noise)
        assert family.bound(scores, event=other, delta=DELTA).epsilon == pytest.approx(known.epsilon, rel=5e-3)


def sampled(generator: np.random.Generator, noise: float, rate: float, trials: int) -> Scores:
    entered = generator.random(trials) < rate
    return Scores(entered + noise * generator.normal(size=trials), noise * generator.normal(size=trials))


def test_sampled_releases() -> None:
    """At confidence 0.95, 10 of 10 below a fifth above the truth and at least three fifths of it on average."""
    event = repeated(PoissonSampled(event=CLAIMED, rate=0.2), 1)
    truth = exact.epsilon(rescaled(event, 0.5), DELTA).lower
    generator = np.random.default_rng(4)
    found = [family.bound(sampled(generator, 0.5, 0.2, 3000), event=event, delta=DELTA) for _ in range(10)]
    assert max(bound.epsilon for bound in found) < 1.2 * truth
    assert np.mean([bound.epsilon for bound in found]) > 0.6 * truth


def test_laplace_noise_with_its_ties() -> None:
    generator = np.random.default_rng(6)
    event = Laplace(noise_multiplier=3.0, adjacency="add-remove")
    worlds = generator.laplace(0, 1.0, (2, 5000)) + np.array([[1.0], [0.0]])
    bound = family.bound(Scores(*np.clip(worlds, 0, 1)), event=event, delta=DELTA)
    assert 0.8 < bound.epsilon < 1.05


def test_fit_has_the_level_and_the_power_that_it_states() -> None:
    """Of the family: more than 7 of 30 below 0.05 has probability 1e-4. Of another: all below 0.01."""
    own = [family.bound(gaussians(1.0, 2000, seed), event=CLAIMED, delta=DELTA).fit for seed in range(30)]
    assert sum(fit < 0.05 for fit in own if fit is not None) <= 7
    generator = np.random.default_rng(8)
    for _ in range(3):
        entered = generator.random(20_000) < 0.2
        scores = Scores(generator.normal(3 * entered, 1), generator.normal(0, 1, 20_000))
        other = family.bound(scores, event=CLAIMED, delta=DELTA)
        assert other.fit is not None
        assert other.fit < 0.01


@pytest.mark.parametrize(
    ("trials", "seed", "tested"), [(40, 0, False), (100, 3, False), (100, 1, True), (200, 1, True)]
)
def test_certainty_half_of_the_time_is_no_fit(trials: int, seed: int, tested: bool) -> None:
    """Half of the present scores are certain, the others alike: of no Gaussian. In two bins nothing is tested."""
    generator = np.random.default_rng(seed)
    present = generator.normal(0, 1, trials)
    present[generator.random(trials) < 0.5] = 100
    found = family.bound(Scores(present, generator.normal(0, 1, trials)), event=CLAIMED, delta=DELTA)
    assert (found.fit is not None) == tested
    assert found.fit is None or found.fit < 1e-3


@pytest.mark.parametrize(
    ("present", "absent"),
    [(np.zeros(100), np.zeros(100)), (np.full(100, np.inf), np.full(100, np.inf)), (np.ones(2), np.zeros(2))],
    ids=["equal", "infinite", "two trials"],
)
def test_what_tells_nothing_gives_zero(present: np.ndarray, absent: np.ndarray) -> None:
    assert family.bound(Scores(present, absent), event=CLAIMED, delta=DELTA).epsilon == 0


def test_certainty_is_bounded_by_the_trials() -> None:
    few, many = (
        family.bound(Scores(np.full(n, np.inf), np.zeros(n)), event=CLAIMED, delta=DELTA).epsilon for n in (100, 10_000)
    )
    assert 5 < few < many < 100


def test_rescaled_multiplies_all_noise() -> None:
    gradient = WassersteinGradientStep(noise_std=3.0, sensitivity=2.0)
    sliced = SlicedProjections(noise_std=2.0, projections=3, dimension=4)
    without = SampledWithoutReplacement(event=sliced, records=10, batch=2)
    event: Event = qualified(repeated(without, 5), notes=("a note",))
    doubled = rescaled(event, 2.0)
    assert [part.noise_std for part in doubled.within() if isinstance(part, SlicedProjections)] == [4.0]
    assert doubled.notes == ("a note",)
    assert rescaled(gradient, 0.5) == dataclasses.replace(gradient, noise_std=1.5)
    gibbs = Gibbs(inverse_temperature=6.0, risk_range=1.0, records=10)
    assert rescaled(gibbs, 2.0).pure_epsilon == pytest.approx(gibbs.pure_epsilon / 2)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"delta": 0.0}, "delta = 0.0"),
        ({"share": 1.0}, "share = 1.0"),
        ({"event": dataclasses.replace(CLAIMED, noise_multiplier=0.0)}, "event: its budget is unbounded"),
        ({"event": Event()}, "event: no privacy profile is known for Event"),
    ],
    ids=["confidence", "delta", "share", "no noise", "no profile"],
)
def test_bad_input_is_one_line(change: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        family.bound(gaussians(1.0, 100, 0), **({"event": CLAIMED, "delta": DELTA} | change))  # type: ignore[arg-type]


def test_the_curve_is_that_of_gaussians() -> None:
    """Shape against the closed form Φ(Φ^{-1}(1 - α) - μ): never above, and within 1e-4 below."""
    rates = np.concatenate(([0.0], np.geomspace(1e-12, 1, 200)))
    for mean in (0.1, 1.0, 4.0):
        claimed = curve(Gaussian(noise_multiplier=1 / mean, adjacency="add-remove"))
        ideal = stats.norm.cdf(stats.norm.isf(rates) - mean)
        found = claimed.false_negatives(rates)
        assert (found <= ideal + 1e-12).all()
        assert float((ideal - found).max()) < 1e-4
        slopes = -np.exp(mean * special.ndtri(1 - rates[1:-1]) - mean**2 / 2)
        np.testing.assert_allclose(claimed.slopes(rates[1:-1])[50:-20], slopes[50:-20], rtol=0.1)
