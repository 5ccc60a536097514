"""The moments accountant: printed figures, other libraries, and the line "DP" of the synthetic gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wassdp.accounting.accountant import load
from wassdp.accounting.accountants.published import moments
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement


def release(noise_multiplier: float, rate: float) -> PoissonSampled:
    return PoissonSampled(event=Gaussian(noise_multiplier=noise_multiplier, adjacency="add-remove"), rate=rate)


def test_the_example_of_the_paper() -> None:
    """Abadi et al. (2016), Section 3.2 and Figure 2: q = 0.01, σ = 4, T = 10000, δ = 1e-5, ε = 1.26."""
    found = moments.MomentsAccountant().epsilon(repeated(release(4.0, 0.01), 10000), 1e-5)
    assert found.value == pytest.approx(1.26, abs=5e-3)


@pytest.mark.parametrize(("order", "expected"), [(16, 8.43e4), (1, 8.6e3)])
def test_the_line_of_the_synthetic_gradients(order: int, expected: float) -> None:
    found = moments.MomentsAccountant(orders=(order,)).epsilon(repeated(release(0.1, 1e-3), 100), 1e-5)
    assert found.value == pytest.approx(expected, rel=5e-3)


def test_never_below_the_exact_composition() -> None:
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    for noise_multiplier, rate, steps in ((1.0, 0.02, 300), (2.0, 0.3, 20), (0.6, 0.001, 50)):
        exact = pld_privacy_accountant.PLDAccountant()
        exact.compose(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise_multiplier)), steps)
        found = moments.MomentsAccountant().epsilon(repeated(release(noise_multiplier, rate), steps), 1e-5)
        assert found.value >= exact.get_epsilon(1e-5)


def measured(clip_norm: float, threshold: float | None = 2.0) -> MeasuredGradients:
    return MeasuredGradients(
        distances=np.ones((100, 3)),
        noise_std=np.full(100, 0.4),
        clip_norm=np.full(100, clip_norm),
        threshold=None if threshold is None else np.full(100, threshold),
        rate=1e-3,
        adjacency="replace-one",
    )


def test_measured_gradients_are_read_by_what_clipping_bounds() -> None:
    """σ = 0.2 times C is noise multiplier 0.1 where one record replaces another."""
    found = moments.MomentsAccountant(orders=(16,)).epsilon(measured(2.0), 1e-5)
    assert found.value == pytest.approx(8.43e4, rel=1e-3)
    assert "replace-one" in " ".join(found.assumptions)


def test_unclipped_gradients_have_no_budget() -> None:
    found = moments.MomentsAccountant(orders=(16,)).epsilon(measured(math.inf), 1e-5)
    assert not found.bounded
    assert "not clipped" in " ".join(found.assumptions)


def test_the_comparison_of_the_wasserstein_paper_pretends_that_gradients_are_clipped() -> None:
    found = moments.MomentsAccountant(orders=(16,), sensitivity="threshold").epsilon(measured(math.inf), 1e-5)
    assert found.value == pytest.approx(8.43e4, rel=1e-3)
    assert "proves nothing" in " ".join(found.assumptions)
    unknown = moments.MomentsAccountant(sensitivity="threshold").epsilon(measured(math.inf, threshold=None), 1e-5)
    assert not unknown.bounded


def test_kinds_of_release_add_up() -> None:
    first, second = release(1.0, 0.1), Gaussian(noise_multiplier=3.0, adjacency="add-remove")
    both = Composed(events=(PoissonSampled(event=second, rate=1.0), first), counts=(2, 5))
    accountant = moments.MomentsAccountant(orders=(7,))
    alone = [accountant.epsilon(repeated(event, n), 1e-5).value for event, n in ((second, 2), (first, 5))]
    tail = -math.log(1e-5) / 7
    assert accountant.epsilon(both, 1e-5).value == pytest.approx(sum(alone) - tail, rel=1e-12)


def test_a_path_is_the_sequence_of_prefixes() -> None:
    whole = Composed(events=(release(1.0, 0.1), release(2.0, 0.1)), counts=(3, 4))
    accountant = moments.MomentsAccountant()
    path = accountant.path(whole, 1e-5, (0, 2, 5, 7))
    assert [item.epsilon for item in path] == [accountant.epsilon(whole.first(n), 1e-5).epsilon for n in (0, 2, 5, 7)]


@pytest.mark.parametrize(
    "event",
    [
        SampledWithoutReplacement(event=Gaussian(noise_multiplier=1.0, adjacency="replace-one"), records=10, batch=1),
        PoissonSampled(event=release(1.0, 0.1), rate=0.1),
    ],
)
def test_refuses_what_it_has_no_formula_for(event: Event) -> None:
    for name in ("moments", "renyi"):
        with pytest.raises(ValueError, match="only Gaussian releases"):
            load(name).epsilon(event, 1e-5)


@pytest.mark.parametrize(("options", "name"), [({"orders": [0]}, "orders"), ({"sensitivity": "both"}, "sensitivity")])
def test_options_are_checked(options: dict[str, object], name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        load("moments", **options)
