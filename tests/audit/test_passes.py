"""Shuffled passes: the pair's losses by a naive reimplementation and in exact cases, and never above what is proven."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import integrate, stats

from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.numerics import exact
from wassdp.accounting.reach import Reach
from wassdp.audit import noise_scale
from wassdp.audit.passes import Passes
from wassdp.audit.statistics import simulated

HERE = Reach(1.0, "a record that outweighs its batch", kept=0.5)
EVENT = MeasuredGradients(
    distances=np.zeros((9, 0)),
    noise_std=np.full(9, 1.2),
    clip_norm=np.ones(9),
    rate=0.3,
    adjacency="replace-one",
    sampling="shuffled",
    steps_per_pass=4,
)
CASES = {
    "odd": Passes(shift=1.5, share=0.3, count=2, kept=0.4),
    "even": Passes(shift=0.8, share=0.25, count=3),
    "one": Passes(shift=1.1, share=1.0, count=2, kept=0.7),
}
each = pytest.mark.parametrize("passes", CASES.values(), ids=CASES)


def epsilon(passes: Passes, *, runs: int, delta: float, confidence: float, seed: int) -> float:
    generator = np.random.default_rng(seed)
    losses = passes.losses(runs, generator=generator)
    return simulated.epsilon(losses, delta=delta, confidence=confidence, generator=generator)


def naive(passes: Passes, runs: int, generator: np.random.Generator) -> np.ndarray:
    """Every batch of every pass, by the sum that the module states."""
    shares = [passes.share] * (passes.batches - 1) + [passes.last]
    found = np.zeros(runs)
    for run in range(runs):
        for _ in range(passes.count):
            own = generator.choice(len(shares), p=shares)
            terms = 0.0
            for batch, share in enumerate(shares):
                seen = generator.standard_normal() + passes.shift * (batch == own)
                shown = generator.random() < passes.kept
                terms += share * math.exp(shown * (passes.shift * seen - passes.shift**2 / 2))
            found[run] += math.log(terms)
    return found


@each
def test_losses_have_the_law_of_a_naive_simulation(passes: Passes) -> None:
    """One case in a thousand fails by chance."""
    losses = passes.losses(40_000, generator=np.random.default_rng(1))
    assert stats.ks_2samp(losses, naive(passes, 4000, np.random.default_rng(2))).pvalue > 1e-3


@each
def test_losses_are_logarithms_of_two_worlds_densities_ratio(passes: Passes) -> None:
    """Then E exp(-L) = 1. Five standard errors: one case in two million fails by chance."""
    ratios = np.exp(-passes.losses(200_000, generator=np.random.default_rng(3)))
    assert abs(ratios.mean() - 1) < 5 * ratios.std() / math.sqrt(ratios.size)


def test_the_last_batch_has_what_is_left() -> None:
    assert [(case.batches, round(case.last, 9)) for case in CASES.values()] == [(4, 0.1), (4, 0.25), (1, 1.0)]
    assert Passes(shift=1, share=1024 / 60_000, count=1).batches == 59
    assert all(Passes(shift=1, share=1 / number, count=1).batches == number for number in range(1, 2000))


def test_of_one_batch_it_is_the_gaussian_mechanism_and_above_it_as_rarely_as_stated() -> None:
    """The limit fails with probability at most 0.2 each: of 300, more than 85 with probability below 1e-3."""
    truth = exact.epsilon(repeated(Gaussian(noise_multiplier=1 / 0.7, adjacency="replace-one"), 3), 0.01)
    passes = Passes(shift=0.7, share=1.0, count=3)
    found = np.array([epsilon(passes, runs=4000, delta=0.01, confidence=0.8, seed=seed) for seed in range(300)])
    above = int((found > truth.upper).sum())
    assert stats.binom.ppf(1e-3, 300, 0.1) <= above <= stats.binom.isf(1e-3, 300, 0.2)
    assert found.mean() == pytest.approx(truth.lower, rel=0.05)


def test_of_two_batches_it_is_what_an_integral_says() -> None:
    """δ(ε) of (φ(x - μ) φ(y) + φ(x) φ(y - μ)) / 2 against φ(x) φ(y), by quadrature."""
    shift, aim = 1.5, 1.0

    def inner(x: float) -> float:
        """Of the first world's excess over y, at one x, where both densities cross once."""
        least = 2 * math.exp(aim) - math.exp(shift * x - shift**2 / 2)
        cut = -np.inf if least <= 0 else (math.log(least) + shift**2 / 2) / shift
        first = stats.norm.pdf(x - shift) * stats.norm.sf(cut) + stats.norm.pdf(x) * stats.norm.sf(cut - shift)
        return float(first / 2 - math.exp(aim) * stats.norm.pdf(x) * stats.norm.sf(cut))

    delta = integrate.quad(inner, -8, 10, limit=400)[0]
    passes = Passes(shift=shift, share=0.5, count=1)
    assert 0.05 < delta < 0.4
    found = epsilon(passes, runs=400_000, delta=delta, confidence=0.999, seed=4)
    assert 0.97 * aim < found < aim


@pytest.mark.parametrize("shift", [0.3, 1.0, 4.0, 30.0])
def test_it_is_never_above_what_is_proven_of_full_batches(shift: float) -> None:
    proven = exact.epsilon(repeated(Gaussian(noise_multiplier=1 / shift, adjacency="replace-one"), 5), 1e-3).lower
    for seed in range(50):
        for share in (1.0, 0.5, 0.07):
            passes = Passes(shift=shift, share=share, count=5, kept=0.9)
            assert epsilon(passes, runs=2000, delta=1e-3, confidence=1 - 1e-6, seed=seed) < proven


def test_much_signal_hides_only_which_step_it_was() -> None:
    """Then a pass's loss is that of the step it enters, less the logarithm of their number."""
    passes = Passes(shift=40.0, share=0.1, count=4)
    losses = passes.losses(50_000, generator=np.random.default_rng(5))
    assert losses.mean() == pytest.approx(4 * (40**2 / 2 - math.log(10)), rel=1e-3)
    assert losses.std() == pytest.approx(40 * 2, rel=0.02)


def test_a_run_in_shuffled_passes_gets_a_bound_below_the_proven_one() -> None:
    found = noise_scale.bound(EVENT, 1e-3, HERE)
    assert not isinstance(found, str)
    assert (found.sampling, found.adjacency, found.pair) == ("shuffled", "replace-one", HERE.how)
    proven = PLDAccountant().epsilon(EVENT, 1e-3).value
    assert 0.3 * proven < found.estimate.epsilon < proven
    often = noise_scale.guarantee(EVENT, 1e-3, HERE._replace(kept=1.0)).value
    assert found.estimate.epsilon < often < proven
    assert noise_scale.guarantee(EVENT, 1e-3, HERE._replace(share=0.5)).value < found.estimate.epsilon


def test_a_pass_that_was_cut_short_counts_for_nothing() -> None:
    whole = noise_scale.guarantee(EVENT.first(8), 1e-3, HERE)
    assert whole.value == noise_scale.guarantee(EVENT, 1e-3, HERE).value
    found = noise_scale.guarantee(EVENT.first(3), 1e-3, HERE)
    assert (found.value, "no whole pass" in found.assumptions[0]) == (0, True)


def test_the_largest_noise_of_all_steps_is_every_steps() -> None:
    noise = np.full(9, 0.2)
    noise[3] = 1.2
    uneven = dataclasses.replace(EVENT, noise_std=noise)
    assert Passes.of(uneven, HERE) == Passes.of(EVENT, HERE)


def test_batches_that_do_not_fill_a_pass_have_no_bound() -> None:
    found = noise_scale.guarantee(dataclasses.replace(EVENT, steps_per_pass=5), 1e-3, HERE)
    assert (found.value, "5 batches of a pass" in found.assumptions[0]) == (0, True)


def test_elsewhere_nothing_is_said_of_releases_that_show_the_record_at_times() -> None:
    found = noise_scale.guarantee(repeated(Gaussian(noise_multiplier=1.0, adjacency="replace-one"), 3), 1e-3, HERE)
    assert found.value == 0


@pytest.mark.parametrize(("name", "value"), [("shift", 0.0), ("share", 0.0), ("share", 1.5), ("kept", 0), ("count", 0)])
def test_bad_arguments_are_one_line(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} = "):
        Passes(**({"shift": 1.0, "share": 0.5, "count": 1} | {name: value}))  # type: ignore[arg-type]


def test_losses_that_are_no_numbers_are_refused_and_infinite_ones_are_not() -> None:
    generator = np.random.default_rng(0)
    losses = np.full(100_000, 0.5)
    losses[:900] = np.inf
    certain = simulated.epsilon(losses, delta=1e-2, confidence=0.95, generator=generator)
    assert certain < 0.5
    losses[7] = np.nan
    with pytest.raises(ValueError, match="losses = nan at 7: must be a number"):
        simulated.epsilon(losses, delta=1e-2, confidence=0.95, generator=generator)


@pytest.mark.parametrize("size", [1, 50, 2000])
@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.3, 0.999])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 1 - 1e-9])
def test_the_order_statistic_is_the_least_rare_one(size: int, delta: float, confidence: float) -> None:
    """Losses 1 to m in rising order, of δ so large a share that E hardly moves them: the k-th largest is m + 1 - k."""
    tails = stats.binom.sf(np.arange(-1, size), size, delta)  # P(Bin >= k) of k = 0 to m
    rare = np.flatnonzero(tails <= 1 - confidence)
    losses = 1e6 * np.arange(1.0, size + 1)
    found = simulated.epsilon(losses, delta=delta, confidence=confidence, generator=np.random.default_rng(0))
    assert round(found / 1e6) == (size + 1 - rare[0] if rare.size else 0)
