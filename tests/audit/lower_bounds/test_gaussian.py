"""The bounds for Gaussian noise, of full and of sampled releases: coverage, power, fit; and normality itself."""

import math

import numpy as np
import pytest
from scipy import stats

from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.numerics import exact
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import gaussian, sampled_gaussian
from wassdp.audit.statistics.normality import anderson_darling, anderson_darling_p_value, equal_variances

DELTA = 1e-5


def worlds(mean: float, trials: int, seed: int, *, rate: float = 1.0, scale: float = 1.0, shift: float = 0.0) -> Scores:
    generator = np.random.default_rng(seed)
    entered = generator.random(trials) < rate
    present, absent = generator.normal(mean * entered, 1), generator.normal(0, 1, trials)
    return Scores(shift + scale * present, shift + scale * absent)


def truth(mean: float, rate: float = 1.0) -> float:
    release = Gaussian(noise_multiplier=1 / mean, adjacency="add-remove")
    return exact.epsilon(PoissonSampled(event=release, rate=rate) if rate < 1 else release, DELTA).lower


@pytest.mark.parametrize("centre", [None, 0.0])
@pytest.mark.parametrize("trials", [2, 10, 300])
def test_the_mean_is_exceeded_as_often_as_stated_at_every_number_of_trials(centre: float | None, trials: int) -> None:
    """The bound is exact: of 400 at confidence 0.8, 80 are expected; fewer than 50 or more than 110 has 4e-4."""
    found = [gaussian.least_mean(worlds(1.0, trials, seed), 0.8, centre) for seed in range(400)]
    assert 50 <= sum(mean > 1.0 for mean in found) <= 110


@pytest.mark.parametrize("centre", [None, 0.0])
def test_the_bound_is_the_quantile_of_the_noncentral_t(centre: float | None) -> None:
    scores = worlds(1.5, 40, 3)
    mean = gaussian.least_mean(scores, 0.95, centre)
    if centre is None:
        t, freedom, width = stats.ttest_ind(scores.present, scores.absent).statistic, 78, math.sqrt(2 / 40)
    else:
        squares = scores.present.var() * 40 + np.square(scores.absent).sum()
        t, freedom, width = scores.present.mean() / math.sqrt(squares / 79 / 40), 79, math.sqrt(1 / 40)
    assert stats.nct.sf(t, freedom, mean / width) == pytest.approx(0.05, abs=1e-5)


@pytest.mark.parametrize("rate", [0.2, 0.5])
@pytest.mark.parametrize("centre", [None, 0.0])
def test_sampled_releases_are_covered(rate: float, centre: float | None) -> None:
    """Of 60 at confidence 0.8, 12 are expected above the truth; more than 23 has probability 5e-4."""
    found = [
        sampled_gaussian.bound(
            worlds(2.0, 1000, seed, rate=rate), rate=rate, delta=DELTA, confidence=0.8, centre=centre
        ).epsilon
        for seed in range(60)
    ]
    assert sum(value > truth(2.0, rate) for value in found) <= 23
    assert np.mean(found) > 0.85 * truth(2.0, rate)


@pytest.mark.parametrize(("mean", "rate", "centre"), [(4.0, 0.3, None), (8.0, 0.5, 0.0)])
def test_sampled_releases_are_covered_at_the_least_number_of_scores(
    mean: float, rate: float, centre: float | None
) -> None:
    """Of 60 at confidence 0.8, 12 are expected above the truth; more than 23 has probability 5e-4."""
    found = [
        sampled_gaussian.bound(
            worlds(mean, 100, seed, rate=rate), rate=rate, delta=DELTA, confidence=0.8, centre=centre
        ).epsilon
        for seed in range(60)
    ]
    assert sum(value > truth(mean, rate) for value in found) <= 23
    assert np.mean(found) > 0.8 * truth(mean, rate)


@pytest.mark.parametrize("seed", [2, 7, 25])
def test_the_profile_is_the_likelihood_at_its_highest(seed: int) -> None:
    """Far worlds: of each μ there are two best deviations, with entered scores and with none. Both are looked at."""
    scores = worlds(8.0, 100, seed, rate=0.5)
    found = sampled_gaussian.bound(scores, rate=0.5, delta=DELTA, confidence=1 - 1e-4, centre=0.0)
    assert 0.3 * truth(8.0, 0.5) < found.epsilon < truth(8.0, 0.5)


def test_a_bound_for_large_numbers_says_so_and_asks_for_them() -> None:
    assert "for large numbers of trials" in sampled_gaussian.bound(worlds(2.0, 100, 0), rate=0.5, delta=DELTA).statistic
    few, many = worlds(2.0, 99, 1), worlds(2.0, 100, 1)
    for scores, name in ((Scores(few.present, many.absent), "present"), (Scores(many.present, few.absent), "absent")):
        with pytest.raises(
            ValueError, match=f"{name}: 99 scores, must be at least 100: the bound is for large numbers"
        ):
            sampled_gaussian.bound(scores, rate=0.5, delta=DELTA, centre=0.0)
        assert (
            gaussian.bound(scores, delta=DELTA).epsilon == sampled_gaussian.bound(scores, rate=1, delta=DELTA).epsilon
        )


@pytest.mark.parametrize(("trials", "least"), [(100, 8.2), (1000, 9.4), (10_000, 9.8), (100_000, 9.93)])
def test_a_perfect_gaussian_attacker_at_epsilon_ten(trials: int, least: float) -> None:
    """One threshold fixed beforehand, through a fit of the curve, gives 7.26, 9.05, 9.69 and 9.94 on average."""
    found = [gaussian.bound(worlds(2.000463, trials, seed), delta=DELTA).epsilon for seed in range(20)]
    assert float(np.mean(found)) > least


def test_scores_that_tell_nothing_give_zero_at_the_stated_rate() -> None:
    """At confidence 0.9: more than 40 of 200 above 0 has probability 1e-5."""
    assert sum(gaussian.bound(worlds(0.0, 50, s), delta=DELTA, confidence=0.9).epsilon > 0 for s in range(200)) <= 40
    sampled = [
        sampled_gaussian.bound(worlds(0.0, 300, s), rate=0.3, delta=DELTA, confidence=0.9).epsilon for s in range(100)
    ]
    assert sum(value > 0 for value in sampled) <= 22


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_scale_and_place_of_scores_do_not_matter(rate: float) -> None:
    plain, moved = worlds(1.0, 500, 5, rate=rate), worlds(1.0, 500, 5, rate=rate, scale=1e4, shift=3e5)
    known, other = (
        sampled_gaussian.bound(scores, rate=rate, delta=DELTA, centre=centre)
        for scores, centre in ((plain, 0.0), (moved, 3e5))
    )
    assert other.epsilon == pytest.approx(known.epsilon, rel=1e-3)
    assert other.fit == pytest.approx(known.fit, rel=1e-2)


def fits(scores: Scores) -> float:
    found = gaussian.bound(scores, delta=DELTA, centre=0.0).fit
    assert found is not None
    return found


def test_fit_has_its_level_and_sees_what_is_not_gaussian() -> None:
    """Level: more than 24 of 200 below 0.05 has probability 4e-5. Power: below 0.001 each time."""
    assert sum(fits(worlds(1.0, 400, seed)) < 0.05 for seed in range(200)) <= 24
    generator = np.random.default_rng(1)
    normal = generator.normal(size=5000)
    for present, absent in (
        (generator.laplace(1, 1, 5000), generator.laplace(0, 1, 5000)),
        (generator.normal(1, 1.2, 5000), normal),
        (normal + 1, generator.normal(0.2, 1, 5000)),
        (worlds(3.0, 5000, 2, rate=0.3).present, normal),
    ):
        assert fits(Scores(present, absent)) < 1e-3


def sampled_fit(scores: Scores, rate: float) -> float:
    found: Estimate = sampled_gaussian.bound(scores, rate=rate, delta=DELTA, centre=0.0)
    assert found.fit is not None
    return found.fit


def test_fit_of_sampled_releases() -> None:
    """Level: more than 14 of 80 below 0.05 has probability 3e-5. Power: another rate is seen."""
    assert sum(sampled_fit(worlds(2.0, 1000, seed, rate=0.3), 0.3) < 0.05 for seed in range(80)) <= 14
    assert sampled_fit(worlds(3.0, 5000, 1, rate=0.6), 0.1) < 1e-3


def test_normality_has_the_printed_critical_values_and_its_level() -> None:
    """Stephens (1986), Table 4.7, of any mean and deviation; more than 40 of 500 below 0.05 has probability 2e-3."""
    for level, critical in ((0.1, 0.631), (0.05, 0.752), (0.025, 0.873), (0.01, 1.035), (0.005, 1.159)):
        assert anderson_darling_p_value(critical) == pytest.approx(level, rel=0.05)
    generator = np.random.default_rng(2)
    own = [anderson_darling(generator.normal(size=60)) for _ in range(500)]
    assert sum(fit < 0.05 for fit in own if fit is not None) <= 40
    assert anderson_darling(np.zeros(20)) == 0
    assert anderson_darling(np.array([1.0, np.inf] * 10)) == 0
    assert anderson_darling(np.full(2, 0.1)) == 0
    assert anderson_darling(np.arange(7.0)) is None
    assert equal_variances(np.zeros(1), np.arange(9.0)) is None
    assert equal_variances(np.arange(9.0), np.zeros(9)) == 0
    first, second = np.random.default_rng(0).normal(size=(2, 30))
    ratio = first.var(ddof=1) / second.var(ddof=1)
    both = stats.f.cdf(ratio, 29, 29), stats.f.sf(ratio, 29, 29)
    assert equal_variances(first, second) == pytest.approx(2 * min(both))


@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_extreme_scores_give_zero_and_do_not_fit(rate: float) -> None:
    for present in (np.full(150, np.inf), np.zeros(150)):
        found = sampled_gaussian.bound(Scores(present, np.zeros(150)), rate=rate, delta=DELTA)
        assert (found.epsilon, found.fit) == (0.0, 0.0)


@pytest.mark.parametrize("centre", [None, 0.0])
@pytest.mark.parametrize("value", [0.1, 0.7, 1e-3, 1 / 3, 1e6])
@pytest.mark.parametrize("sizes", [(3, 7), (10, 7), (1000, 300)], ids=str)
def test_scores_that_are_alike_but_for_rounding_give_zero(
    sizes: tuple[int, int], value: float, centre: float | None
) -> None:
    """A mean of equal numbers is not that number: x - mean x is rounding, and tells nothing of x - y over it."""
    plain = Scores(*(np.full(size, value) for size in sizes))
    generator = np.random.default_rng(0)
    rounded = Scores(
        *(each * (1 + 2e-16 * generator.integers(0, 9, each.size)) for each in (plain.present, plain.absent))
    )
    for scores in (plain, rounded, Scores(rounded.present * (1 + 1e-14), rounded.absent)):
        assert gaussian.bound(scores, delta=DELTA, centre=centre).epsilon == 0
        if min(sizes) >= 100:
            assert sampled_gaussian.bound(scores, rate=0.5, delta=DELTA, centre=centre).epsilon == 0


def test_rounding_of_large_numbers_is_no_difference_of_means() -> None:
    """Of scores a million deviations from 0: the mean of the same numbers nearer to 0 tells the same of them."""
    plain = worlds(0.05, 20_000, 4)
    moved = Scores(plain.present + 2.0**26, plain.absent + 2.0**26)
    exactly = Scores(moved.present - 2.0**26, moved.absent - 2.0**26)
    for centre in (None, 2.0**26):
        near = gaussian.least_mean(exactly, 0.95, None if centre is None else 0.0)
        assert gaussian.least_mean(moved, 0.95, centre) == pytest.approx(near, rel=1e-9)
        assert near > 0


def test_too_few_scores_are_no_test_of_fit() -> None:
    """Seven values of either world are of any law, as far as that test goes; eight of one may not be."""
    few = Scores(np.arange(7.0) + 3, np.arange(7.0))
    assert gaussian.bound(few, delta=DELTA).fit is None
    skewed = Scores(np.append(np.zeros(7), 1e6) + np.arange(8.0), few.absent)
    found = gaussian.bound(skewed, delta=DELTA).fit
    assert found is not None
    assert found < 1e-3


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rate": 0.0}, "rate = 0: must be above 0"),
        ({"rate": 1.5}, r"rate = 1.5: must lie in \[0, 1\]"),
        ({"delta": 0.0}, "delta = 0.0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"centre": math.inf, "rate": 1.0}, "centre = inf"),
        ({"scores": Scores(np.ones(1), np.zeros(1)), "rate": 1.0}, "scores: must be at least 3, not 2"),
    ],
    ids=["none", "above one", "delta", "confidence", "centre", "few"],
)
def test_bad_input_is_one_line(change: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        sampled_gaussian.bound(**({"scores": worlds(1.0, 100, 0), "rate": 0.5, "delta": DELTA} | change))  # type: ignore[arg-type]
