"""What inexact draws cost: against a mechanism whose drawn law is known, and as a term that every accountant adds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from wassdp.accounting.accountant import load
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.qualified import Qualified
from wassdp.accounting.numerics import exact

PART = Gaussian(noise_multiplier=1.0, adjacency="add-remove")


def drawn(variation: float, steps: int = 1) -> Qualified:
    return Qualified(events=(PART,), counts=(steps,), total_variation=variation)


@pytest.mark.parametrize("name", ["pld", "rdp", "zcdp"])
def test_nothing_is_added_for_exact_draws_and_more_for_worse_ones(name):
    accountant = load(name)
    plain = accountant.epsilon(repeated(PART, 3), 1e-5).value
    assert accountant.epsilon(drawn(0.0, 3), 1e-5).value == plain
    found = [accountant.epsilon(drawn(variation, 3), 1e-5).value for variation in (1e-12, 1e-10, 1e-9)]
    assert plain <= found[0] < found[1] < found[2]
    assert accountant.epsilon(drawn(1e-3, 3), 1e-5).epsilon is None


@pytest.mark.parametrize("name", ["pld", "rdp", "zcdp"])
def test_the_delta_that_is_left_pays_for_the_budget(name):
    """ε(δ) of the drawn releases keeps δ - (1 + e^ε) τ under the ideal ones' own account."""
    accountant, variation, steps = load(name), 1e-12, 4
    found = accountant.epsilon(drawn(variation, steps), 1e-5)
    left = 1e-5 - (1 + math.exp(found.value)) * variation * steps
    assert accountant.epsilon(repeated(PART, steps), left).value <= found.value
    assert any("total variation" in note for note in found.assumptions)


def test_noise_in_single_precision_is_covered_where_the_plain_account_is_not():
    """A normal number cut at 5.768 deviations, as torch draws it in float32, at noise multiplier 1.

    Beyond the cut of a neighbour's mean a value proves membership: the drawn δ stays above a floor, at every ε.
    """
    cut = 5.768
    lost = 2 * stats.norm.sf(cut)
    grid = np.linspace(-cut - 1, cut + 2, 2_000_001)
    inside = [np.abs(grid - mean) <= cut for mean in (0, 1)]
    density = [stats.norm.pdf(grid, mean) * where / (1 - lost) for mean, where in zip((0, 1), inside, strict=True)]
    for epsilon in (0.5, 3.0, 8.0):
        truth = np.trapezoid(np.maximum(density[1] - math.exp(epsilon) * density[0], 0), grid)
        assert truth <= exact.delta(drawn(lost), epsilon).upper
    assert truth > exact.delta(PART, 8.0).upper * 1.001


def test_profiles_hold_the_term_too():
    points = [0.0, 1.0, 4.0]
    for plain, found, point in zip(
        exact.upper_deltas(PART, points), exact.upper_deltas(drawn(1e-6), points), points, strict=True
    ):
        assert found == pytest.approx(plain + (1 + math.exp(point)) * 1e-6, rel=1e-9)
    assert exact.upper_epsilon(drawn(1e-10), 1e-5) > exact.upper_epsilon(PART, 1e-5)


def test_the_term_follows_steps_and_is_kept_in_files():
    event = drawn(1e-9, 10)
    assert event.first(4).variation() == pytest.approx(4e-9)
    assert Composed(events=(event,), counts=(2,)).variation() == pytest.approx(2e-8)
    assert decode(encode(event)) == event
    with pytest.raises(ValueError, match="total_variation = 2"):
        drawn(2.0)
