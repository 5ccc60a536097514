"""Rényi accounting with the conversion of 2017."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wassdp.accounting.accountant import load
from wassdp.accounting.accountants.published import moments, renyi
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled


def test_the_gaussian_mechanism() -> None:
    event = repeated(Gaussian(noise_multiplier=2.0, adjacency="replace-one"), 12)
    for order in (1.5, 2.0, 33.0):
        found = renyi.RenyiAccountant(orders=(order,)).epsilon(event, 1e-6).value
        assert found == pytest.approx(12 * order / 8 + math.log(1e6) / (order - 1), rel=1e-12)


def test_the_best_order_of_a_fine_grid_is_the_closed_form() -> None:
    """min over α of αρ + log(1/δ)/(α−1) is ρ + 2 sqrt(ρ log(1/δ))."""
    rho, log = 12 / 8, math.log(1e6)
    orders = tuple(np.linspace(1.01, 20, 4000).tolist())
    event = repeated(Gaussian(noise_multiplier=2.0, adjacency="add-remove"), 12)
    assert renyi.RenyiAccountant(orders=orders).epsilon(event, 1e-6).value == pytest.approx(
        rho + 2 * math.sqrt(rho * log), rel=1e-5
    )


def test_with_sampling_it_is_the_moments_accountant_one_order_above() -> None:
    """The moment of order λ is λ times the divergence of order λ + 1."""
    event = repeated(PoissonSampled(event=Gaussian(noise_multiplier=1.1, adjacency="add-remove"), rate=0.02), 500)
    for order in (1, 5, 16):
        one = moments.MomentsAccountant(orders=(order,)).epsilon(event, 1e-5).value
        assert renyi.RenyiAccountant(orders=(order + 1,)).epsilon(event, 1e-5).value == pytest.approx(one, rel=1e-12)


def test_with_sampling_orders_that_are_not_whole_are_left_out() -> None:
    event = PoissonSampled(event=Gaussian(noise_multiplier=1.1, adjacency="add-remove"), rate=0.02)
    found = renyi.RenyiAccountant(orders=(1.5, 4)).epsilon(event, 1e-5)
    assert found.value == renyi.RenyiAccountant(orders=(4,)).epsilon(event, 1e-5).value
    assert "orders 4" in found.assumptions
    with pytest.raises(ValueError, match="whole order"):
        renyi.RenyiAccountant(orders=(1.5,)).epsilon(event, 1e-5)


def test_measured_gradients_are_read_by_what_clipping_bounds() -> None:
    event = MeasuredGradients(
        distances=np.ones((5, 1)),
        noise_std=np.full(5, 4.0),
        clip_norm=np.full(5, 2.0),
        rate=1.0,
        adjacency="add-remove",
        sampling="full",
    )
    expected = renyi.RenyiAccountant().epsilon(
        repeated(Gaussian(noise_multiplier=2.0, adjacency="add-remove"), 5), 1e-5
    )
    assert renyi.RenyiAccountant().epsilon(event, 1e-5).value == expected.value


@pytest.mark.parametrize("orders", [(), (1.0,), (0.5,)])
def test_options_are_checked(orders: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="orders"):
        load("renyi", orders=orders)


@pytest.mark.parametrize(("name", "clip_norm"), [("renyi", 1.0), ("moments", 1.0), ("renyi", math.inf)])
def test_the_reason_of_an_unbounded_figure_is_the_true_one(name: str, clip_norm: float) -> None:
    event = MeasuredGradients(
        distances=np.ones((3, 2)),
        noise_std=np.ones(3),
        clip_norm=np.full(3, clip_norm),
        rate=0.1,
        adjacency="add-remove",
        exposed=("running statistics",),
    )
    found = load(name).epsilon(event, 1e-5)
    assert found.epsilon is None
    assert "released without noise: running statistics" in found.assumptions
    assert any("not clipped" in each for each in found.assumptions) == math.isinf(clip_norm)
