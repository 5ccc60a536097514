"""The gradient in public points, its sensitivity and its release."""

from __future__ import annotations

import pytest
import torch

from wassdp import noise
from wassdp.distances import directions, sliced
from wassdp.mechanisms.wasserstein_output_gradient import WassersteinOutputGradient


def mechanism(**change) -> WassersteinOutputGradient:
    settings = {
        "noise_multiplier": 2.0,
        "output_norm": 1.5,
        "records": 50,
        "batch": 6,
        "dimension": 4,
        "projections": 8,
        "directions": "orthogonal",
    }
    return WassersteinOutputGradient(**(settings | change))


@pytest.mark.parametrize("dimension", [2, 40, 784])
def test_orthogonal_directions_divide_the_sensitivity_by_the_dimension(dimension):
    found = mechanism(dimension=dimension, projections=dimension)
    turned = directions.draw("orthogonal", dimension=dimension, count=dimension, generator=noise.seeded(0))
    assert found.sensitivity(turned) == pytest.approx(4 * 1.5 / (6 * dimension), rel=1e-4)


def test_the_gradient_is_that_of_the_distance_to_clipped_points():
    torch.manual_seed(0)
    private, public = 3 * torch.randn(6, 4, dtype=torch.float64), torch.randn(9, 4, dtype=torch.float64)
    turned = directions.draw("iid", dimension=4, count=5, generator=noise.seeded(1), dtype=torch.float64)
    clipped = private / (private.norm(dim=1, keepdim=True) / 1.5).clamp(min=1)
    points, step = public.clone(), 1e-6
    expected = torch.zeros_like(points)
    for place in range(points.numel()):
        points.view(-1)[place] += step
        up = sliced.sliced_wasserstein_power(clipped, points, turned)
        points.view(-1)[place] -= 2 * step
        expected.view(-1)[place] = (up - sliced.sliced_wasserstein_power(clipped, points, turned)) / (2 * step)
        points.view(-1)[place] += step
    found = mechanism(projections=5, directions="iid").gradient(private, public, turned)
    torch.testing.assert_close(found, expected, atol=1e-8, rtol=1e-5)


def test_releases_go_back_through_a_public_model():
    torch.manual_seed(0)
    private, model = torch.randn(6, 4), torch.nn.Linear(3, 4)
    public = model(torch.randn(7, 3))
    found = mechanism().release(private, public, generator=noise.seeded(0))
    public.backward(found.gradient, retain_graph=True)
    assert model.weight.grad is not None
    torch.testing.assert_close(model.bias.grad, found.gradient.sum(dim=0))
    exact = mechanism().gradient(private, public, found.directions)
    drawn = (found.gradient - exact).flatten() / found.noise_std
    # 28 draws of a standard Gaussian: beyond 5 with probability 2e-5.
    assert 0 < float(drawn.abs().max()) < 5
    assert found.noise_std == pytest.approx(2 * 4 * 1.5 / (6 * 4), rel=1e-4)
    assert found.event.events[0].rate == 6 / 50
    assert found.event.adjacency == "replace-one"
    with pytest.raises(RuntimeError, match="shape"):
        public[:3].backward(found.gradient)


def test_no_noise_for_a_multiplier_of_zero():
    private, public = torch.randn(6, 4), torch.randn(7, 4)
    found = mechanism(noise_multiplier=0.0).release(private, public, generator=noise.seeded(0))
    torch.testing.assert_close(found.gradient, mechanism().gradient(private, public, found.directions).float())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"output_norm": 0.0}, "output_norm"),
        ({"batch": 51}, "records"),
        ({"batch": 0}, "batch"),
        ({"projections": 9}, "multiple"),
        ({"directions": "all"}, "directions"),
        ({"noise_multiplier": -1.0}, "noise_multiplier"),
    ],
)
def test_bad_mechanisms_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        mechanism(**change)


def test_bad_batches_are_refused():
    turned = torch.eye(4)
    with pytest.raises(ValueError, match="private"):
        mechanism().gradient(torch.randn(5, 4), torch.randn(3, 4), turned)
    with pytest.raises(ValueError, match="not finite"):
        mechanism().gradient(torch.randn(6, 4), torch.full((3, 4), torch.nan), turned)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_a_private_point_that_is_not_finite_counts_as_zero(bad):
    # To stop because of it would be an output that no noise covers.
    torch.manual_seed(0)
    private, public = torch.randn(6, 4), torch.randn(9, 4)
    zeroed = private.clone()
    private[2, 1], zeroed[2] = bad, 0
    found, expected = (mechanism().release(each, public, generator=noise.seeded(1)) for each in (private, zeroed))
    assert torch.equal(found.gradient, expected.gradient)
