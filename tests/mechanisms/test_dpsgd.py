"""DP-SGD's release against its formula, its sensitivity, its sampling rate and its noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wassdp import noise
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.mechanisms import dpsgd


def mechanism(**changes: float) -> dpsgd.DPSGD:
    return dpsgd.DPSGD(**({"clip_norm": 0.5, "noise_multiplier": 1.3, "rate": 0.1, "records": 200} | changes))


def test_clipped_sum_is_the_formula_row_by_row() -> None:
    gradients = torch.randn(40, 7, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    expected = sum(g / max(1.0, float(g.norm()) / 1.5) for g in gradients)
    torch.testing.assert_close(dpsgd.clipped_sum(gradients, clip_norm=1.5), expected)
    assert (gradients.norm(dim=1) > 1.5).any()


def test_an_unreachable_clip_norm_leaves_the_plain_sum() -> None:
    gradients = torch.randn(9, 4, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(dpsgd.clipped_sum(gradients, clip_norm=1e6), gradients.double().sum(dim=0))


def test_an_empty_batch_sums_to_zero() -> None:
    assert torch.equal(dpsgd.clipped_sum(torch.zeros(0, 3), clip_norm=1.0), torch.zeros(3))


@settings(max_examples=60)
@given(
    clip_norm=st.floats(1e-3, 1e3),
    scale=st.floats(1e-6, 1e6),
    rows=st.integers(0, 8),
    seed=st.integers(0, 2**31),
)
def test_adding_one_record_moves_the_sum_by_at_most_the_clip_norm(
    clip_norm: float, scale: float, rows: int, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    gradients = scale * torch.randn(rows, 5, generator=generator, dtype=torch.float64)
    added = scale * torch.randn(1, 5, generator=generator, dtype=torch.float64)
    without = dpsgd.clipped_sum(gradients, clip_norm=clip_norm)
    with_it = dpsgd.clipped_sum(torch.cat([gradients, added]), clip_norm=clip_norm)
    # 1e-12: rounding of sums of at most nine terms of norm C in double precision.
    assert float((with_it - without).norm()) <= clip_norm * (1 + 1e-12)


def test_a_long_gradient_reaches_the_bound() -> None:
    moved = dpsgd.clipped_sum(torch.tensor([[3e4, 4e4]]), clip_norm=0.25)
    assert float(moved.norm()) == pytest.approx(0.25, rel=1e-6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 3e38])
def test_a_gradient_that_is_not_finite_counts_as_zero(bad: float) -> None:
    # To stop because of it would be an output that no noise covers. The square of 3e38 is beyond single precision.
    rest = torch.tensor([[0.0, 1.0], [3.0, 4.0]])
    found = dpsgd.clipped_sum(torch.cat([rest, torch.tensor([[1.0, bad]])]), clip_norm=2.0)
    assert torch.equal(found, dpsgd.clipped_sum(torch.cat([rest, torch.zeros(1, 2)]), clip_norm=2.0))


@pytest.mark.parametrize("clip_norm", [0.0, -1.0, math.inf, math.nan])
def test_a_clip_norm_must_be_positive_and_finite(clip_norm: float) -> None:
    with pytest.raises(ValueError, match="clip_norm"):
        dpsgd.clipped_sum(torch.ones(1, 1), clip_norm=clip_norm)


@pytest.mark.parametrize(
    "bad", [{"noise_multiplier": -0.1}, {"rate": 0.0}, {"rate": 1.5}, {"records": 0}, {"clip_norm": math.nan}]
)
def test_arguments_outside_their_range_are_named(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        mechanism(**bad)


def test_every_record_enters_at_the_stated_rate() -> None:
    # Exact binomial tests of the total and of each record's share; failure rate 1e-6 in all, seed fixed.
    generator, draws = noise.seeded(3), 2000
    chosen = mechanism(rate=0.07)
    counts = np.zeros(200, dtype=int)
    sizes = []
    for _ in range(draws):
        batch = chosen.sample(generator=generator)
        counts[batch.numpy()] += 1
        sizes.append(len(batch))
    assert stats.binomtest(int(counts.sum()), draws * 200, 0.07).pvalue > 5e-7
    assert min(stats.binomtest(int(count), draws, 0.07).pvalue for count in counts) > 5e-7 / 200
    # Independent records: the size of a batch varies like a binomial (a fixed size would vary by nothing).
    assert np.var(sizes) == pytest.approx(200 * 0.07 * 0.93, rel=6 * math.sqrt(2 / draws))


def test_batches_are_sorted_without_repetition_and_may_be_empty_or_full() -> None:
    generator = noise.seeded(4)
    batch = mechanism(rate=0.5).sample(generator=generator)
    assert torch.equal(batch, torch.unique(batch))
    assert len(mechanism(rate=1.0).sample(generator=generator)) == 200
    sizes = {len(mechanism(rate=0.001, records=100).sample(generator=generator)) for _ in range(50)}
    assert 0 in sizes


def test_the_noise_has_the_stated_deviation() -> None:
    # Chi-square interval of the variance of 200,000 draws; failure rate 1e-6, seed fixed.
    count = 200_000
    drawn = mechanism().release(torch.zeros(count), generator=noise.seeded(5)).double() * 0.1 * 200
    share = float(drawn.square().sum()) / (1.3 * 0.5) ** 2
    assert stats.chi2.ppf(5e-7, count) < share < stats.chi2.ppf(1 - 5e-7, count)
    assert stats.kstest(drawn.numpy() / (1.3 * 0.5), "norm").pvalue > 1e-6


@given(clip_norm=st.floats(1e-3, 1e3), noise_multiplier=st.floats(1e-3, 1e3))
def test_the_noise_is_never_less_than_the_event_states(clip_norm: float, noise_multiplier: float) -> None:
    found = mechanism(clip_norm=clip_norm, noise_multiplier=noise_multiplier).noise_std
    exact = Fraction(clip_norm) * Fraction(noise_multiplier)
    assert exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**51))


def test_the_last_bits_of_a_release_tell_nothing_of_those_of_the_sum() -> None:
    """Sums that differ in their last bits alone release multiples of one grid, and with equal noise the same ones."""
    chosen = mechanism(rate=1 / 8, records=8)  # the expected batch is 1, so that the division is exact
    total = torch.full((1000,), 0.3, dtype=torch.float64)
    first, second = (chosen.release(each, generator=noise.seeded(7)) for each in (total, total * (1 + 2.0**-52)))
    assert bool((first % noise.grid(chosen.noise_std) == 0).all())
    # Moved by 7e-17 on a grid of 2^-17, one of the 1000 numbers is rounded differently with probability 1e-8.
    assert torch.equal(first, second)


def test_the_sum_is_divided_by_the_expected_batch_whatever_was_drawn() -> None:
    chosen = mechanism(noise_multiplier=0.0)
    released = chosen.release(torch.full((3,), 40.0), generator=noise.seeded(0))
    assert torch.equal(released, torch.full((3,), 40.0 / (0.1 * 200)))


def test_an_empty_batch_is_released_with_noise() -> None:
    released = mechanism().release(torch.zeros(3), generator=noise.seeded(6))
    assert bool((released != 0).all())


def test_the_event_says_what_the_mechanism_does() -> None:
    assert mechanism().event(12) == Composed(
        events=(PoissonSampled(event=Gaussian(noise_multiplier=1.3, adjacency="add-remove"), rate=0.1),), counts=(12,)
    )


def test_the_event_costs_what_dp_accounting_says_of_the_same_release() -> None:
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    from wassdp.accounting import accountant

    reference = pld_privacy_accountant.PLDAccountant()
    reference.compose(dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(1.3)), 12)
    found = accountant.load("pld").epsilon(mechanism().event(12), 1e-5)
    assert found.value == pytest.approx(reference.get_epsilon(1e-5), rel=1e-3)
    assert (found.kind, found.adjacency, found.sampling) == ("upper", "add-remove", "poisson")
