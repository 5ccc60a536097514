"""Sliced distances and directions: against POT, naive loops, closed forms and finite differences."""

import math

import numpy as np
import ot
import pytest
import scipy.stats
import torch

from wassdp import noise
from wassdp.distances import directions, sliced, smoothed
from wassdp.distances.max_sliced import max_sliced_wasserstein
from wassdp.distances.one_d import wasserstein_power
from wassdp.distances.sliced import sliced_wasserstein, sliced_wasserstein_power


def points(seed, *shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def unit(seed, d, k, kind="iid"):
    return directions.draw(kind, dimension=d, count=k, generator=noise.seeded(seed), dtype=torch.float64)


@pytest.mark.parametrize(("d", "k"), [(5, 3), (5, 5), (4, 12), (1, 3)])
def test_orthogonal_directions_are_orthonormal_within_each_basis(d, k):
    found = unit(0, d, k, "orthogonal")
    for first in range(0, k, d):
        basis = found[:, first : first + d]
        np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-12)


@pytest.mark.parametrize("kind", directions.KINDS)
def test_squared_coordinates_of_directions_follow_the_beta_law(kind):
    # SWD Lemma 1. One direction of each of 4000 draws, so that orthogonal columns do not depend on each other.
    drawing = noise.seeded(3)
    first = torch.stack([directions.draw(kind, dimension=6, count=3, generator=drawing)[:, 2] for _ in range(4000)])
    for coordinate in (0, 5):
        test = scipy.stats.kstest(first[:, coordinate].square().numpy(), scipy.stats.beta(0.5, 2.5).cdf)
        assert test.pvalue > 1e-4  # fails for 1 in 10,000 seeds; this one is fixed
        assert abs(float(first[:, coordinate].mean())) < 5 / math.sqrt(6 * 4000)


@pytest.mark.parametrize("kind", ["iid", "orthogonal"])
def test_directions_in_single_precision_have_norm_one_however_long(kind: directions.Kind) -> None:
    found = directions.draw(kind, dimension=7840, count=20, generator=noise.seeded(3))
    assert found.dtype == torch.float32
    assert float((found.double().norm(dim=0) - 1).abs().max()) < 1e-6


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize(("n", "m"), [(20, 20), (20, 13)])
def test_agrees_with_pot(p, n, m):
    x, y, u = points(0, n, 6), points(1, m, 6) + 0.2, unit(2, 6, 50)
    expected = ot.sliced_wasserstein_distance(x, y, projections=u, p=p)
    assert float(sliced_wasserstein(x, y, u, p=p)) == pytest.approx(float(expected), rel=1e-9)
    a, b = (
        torch.rand(n, generator=torch.Generator().manual_seed(4), dtype=torch.float64),
        torch.rand(m, generator=torch.Generator().manual_seed(5), dtype=torch.float64),
    )
    weighted = ot.sliced_wasserstein_distance(x, y, a / a.sum(), b / b.sum(), projections=u, p=p)
    assert float(sliced_wasserstein(x, y, u, p=p, x_weights=a, y_weights=b)) == pytest.approx(float(weighted), rel=1e-8)


def test_is_the_mean_over_directions_whatever_the_chunk():
    x, y, u = points(0, 9, 4), points(1, 11, 4), unit(2, 4, 7)
    naive = torch.stack([wasserstein_power(x @ each, y @ each, p=3.0) for each in u.T]).mean()
    for chunk in (1, 50, 10**6):
        assert float(sliced_wasserstein_power(x, y, u, p=3.0, chunk=chunk)) == pytest.approx(float(naive), rel=1e-12)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("m", [5, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_in_samples_and_directions_agree_with_finite_differences(p, m, weighted):
    x, y, u = points(0, 5, 3).requires_grad_(), points(1, m, 3).requires_grad_(), unit(2, 3, 4)
    weights = torch.tensor([0.1, 0.4, 0.2, 0.2, 0.1], dtype=torch.float64) if weighted else None

    def distance(a, b, turned):
        # Directions off the sphere are refused: the direction is normalised on the way in, as any user would.
        return sliced_wasserstein(a, b, turned / turned.norm(dim=0), p=p, x_weights=weights, chunk=20)

    torch.autograd.gradcheck(distance, (x, y, u.requires_grad_()))


def test_the_gradient_at_distance_0_is_0():
    x = points(0, 6, 3).requires_grad_()
    (found,) = torch.autograd.grad(sliced_wasserstein(x, x.detach(), unit(1, 3, 5)), x)
    assert (found == 0).all()


def test_orthogonal_directions_estimate_a_shift_exactly():
    # For a shift by s the mean over a basis is |s|^2 / d without any spread; iid directions only get there on average.
    x, shift = points(0, 30, 8), points(1, 8)
    found = [float(sliced_wasserstein_power(x, x + shift, unit(seed, 8, 8, "orthogonal"))) for seed in range(5)]
    np.testing.assert_allclose(found, float(shift.square().sum()) / 8, rtol=1e-10)
    spread = np.std([float(sliced_wasserstein_power(x, x + shift, unit(seed, 8, 8))) for seed in range(5)])
    assert spread > 1e-3 * found[0]


def test_max_sliced_finds_the_direction_of_a_shift():
    x = points(0, 200, 10)
    shift = torch.zeros(10, dtype=torch.float64)
    shift[3] = 2.0
    found = max_sliced_wasserstein(x, x + shift, generator=noise.seeded(1))
    assert float(found.distance) == pytest.approx(2.0, rel=1e-6)
    assert abs(float(found.direction[3])) == pytest.approx(1.0, abs=1e-6)


def test_max_sliced_beats_every_direction_of_a_fine_grid():
    x, y = points(0, 40, 2) * torch.tensor([3.0, 0.4]), points(1, 30, 2) * torch.tensor([0.5, 2.0])
    angles = torch.linspace(0, math.pi, 2000, dtype=torch.float64)
    grid = torch.stack([angles.cos(), angles.sin()])
    best = max(float(sliced_wasserstein(x, y, grid[:, i : i + 1])) for i in range(2000))
    found = max_sliced_wasserstein(x, y, generator=noise.seeded(1))
    assert float(found.distance) >= best * (1 - 1e-6)
    assert found.spread >= 1


def test_max_sliced_is_differentiable_in_its_samples():
    x, y = points(0, 10, 3).requires_grad_(), points(1, 10, 3) + 1
    found = max_sliced_wasserstein(x, y, generator=noise.seeded(1))
    (gradient,) = torch.autograd.grad(found.distance, x)
    moved = sliced_wasserstein(x.detach() + 1e-6 * gradient, y, found.direction[:, None])
    assert float(moved - found.distance.detach()) == pytest.approx(1e-6 * float(gradient.square().sum()), rel=1e-3)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_smoothing_two_points_gives_the_distance_of_two_gaussians(p):
    # Two translates of one distribution lie at their shift, for every order.
    x, y = torch.zeros(1, 2, dtype=torch.float64), torch.tensor([[3.0, 0.0]], dtype=torch.float64)
    found = smoothed.population(x, y, torch.eye(2, dtype=torch.float64)[:, :1], sigma=0.7, p=p)
    assert float(found) == pytest.approx(3.0, rel=1e-12)


def test_smoothing_brings_distributions_closer_and_little_noise_changes_little():
    x, y, u = points(0, 40, 3), 2 * points(1, 30, 3), unit(2, 3, 6)
    values = [float(smoothed.population(x, y, u, sigma=sigma, nodes=2000)) for sigma in (1e-3, 0.5, 1.0, 3.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(float(sliced_wasserstein(x, y, u)), rel=1e-2)
    # Order 1 against the area between the two distribution functions.
    grid = torch.linspace(-15, 15, 60001, dtype=torch.float64)
    areas = [
        (
            torch.special.ndtr(grid[:, None] - (x @ each)).mean(dim=1)
            - torch.special.ndtr(grid[:, None] - (y @ each)).mean(dim=1)
        )
        .abs()
        .sum()
        * (grid[1] - grid[0])
        for each in u.T
    ]
    found = smoothed.population(x, y, u, sigma=1.0, p=1.0, nodes=4000)
    assert float(found) == pytest.approx(float(torch.stack(areas).mean()), rel=1e-3)


def test_the_empirical_form_goes_to_the_population_form():
    # Repeated points carry fresh noise each, so many repetitions approach the smoothed distribution.
    x, y, u = points(0, 10, 3), points(1, 12, 3) + 1, unit(2, 3, 5)
    limit = float(smoothed.population(x, y, u, sigma=1.0, nodes=4000))
    found = [
        float(smoothed.empirical(x.repeat(400, 1), y.repeat(400, 1), u, sigma=1.0, generator=noise.seeded(seed)))
        for seed in range(20)
    ]
    # The mean of 20 draws; its deviation from the limit is estimated from them (5 deviations: below 1e-5).
    assert abs(np.mean(found) - limit) < 5 * np.std(found, ddof=1) / math.sqrt(20) + 0.01 * limit


def test_the_empirical_form_without_noise_is_the_sliced_distance():
    x, y, u = points(0, 10, 3), points(1, 12, 3), unit(2, 3, 5)
    found = smoothed.empirical(x, y, u, sigma=0.0, generator=noise.seeded(0), p=3.0)
    assert float(found) == pytest.approx(float(sliced_wasserstein(x, y, u, p=3.0)), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"p": 0.9}, "p = 0.9"),
        ({"p": math.inf}, "p = inf"),
        ({"x": torch.zeros(0, 2)}, "x has shape"),
        ({"x": torch.full((2, 2), math.nan)}, "x: 4 values are not finite"),
        ({"y": torch.zeros(3, 4)}, "y has dimension 4"),
        ({"directions": 2 * torch.eye(2)}, "each column must have norm 1, one has 2"),
        ({"directions": torch.eye(3)}, "directions have dimension 3"),
        ({"directions": torch.zeros(2, 0)}, "directions has shape"),
        ({"y": torch.zeros(3, 2, dtype=torch.float64)}, "must share one dtype"),
        ({"chunk": 0}, "chunk = 0"),
        ({"x_weights": -torch.ones(2)}, "x_weights"),
    ],
)
def test_bad_input_is_one_line_that_names_it(change, named):
    arguments = {"x": torch.zeros(2, 2), "y": torch.ones(3, 2), "directions": torch.eye(2)} | change
    with pytest.raises(ValueError, match=named) as found:
        sliced_wasserstein(arguments.pop("x"), arguments.pop("y"), arguments.pop("directions"), **arguments)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"kind": "sobol"}, "kind = 'sobol'"),
        ({"count": 0}, "count = 0"),
        ({"dimension": 0}, "dimension = 0"),
        ({"kind": "orthogonal", "count": 7}, "count = 7"),
    ],
)
def test_impossible_directions_are_refused(arguments, named):
    arguments = {"kind": "iid", "dimension": 3, "count": 2} | arguments
    with pytest.raises(ValueError, match=named):
        directions.draw(arguments.pop("kind"), generator=noise.seeded(0), **arguments)


def test_memory_stays_linear_in_points_and_directions():
    # 200,000 projected values at a time, of 20 million in all: the gradient pass keeps no chunk.
    x = points(0, 20_000, 4, dtype=torch.float32).requires_grad_()
    u = directions.draw("iid", dimension=4, count=1000, generator=noise.seeded(1))
    value = sliced_wasserstein_power(x, x.detach() * 2, u, chunk=200_000)
    held = sum(each.numel() for each in value.grad_fn.saved_tensors)
    assert held == x.numel()


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e3, 1e30])
@pytest.mark.parametrize("p", [1.0, 2.0, 16.0, 40.0, 1000.0])
@pytest.mark.parametrize(("m", "weighted"), [(12, False), (9, False), (9, True)])
def test_high_orders_neither_overflow_nor_underflow(scale, p, m, weighted):
    x, y, u = points(0, 12, 3).float(), points(1, m, 3).float() + 1, unit(2, 3, 5)
    weights = torch.arange(12.0) if weighted else None
    found, expected = [], []
    for kept, dtype, factor in ((found, torch.float32, scale), (expected, torch.float64, 1.0)):
        at, to = (side.to(dtype) * factor for side in (x, y))
        turned = u.to(dtype).requires_grad_()
        at.requires_grad_()
        value = sliced_wasserstein(at, to, turned, p=p, x_weights=weights, chunk=40)
        kept += [value.detach(), *torch.autograd.grad(value, (at, turned))]
    for got, want, unit_of in zip(found, expected, (scale, 1.0, scale), strict=True):
        torch.testing.assert_close(got.double() / unit_of, want, rtol=2e-4, atol=2e-4 * float(want.abs().max()))


def test_points_of_every_distance_0_or_next_to_it_have_a_finite_gradient():
    x, u = points(0, 6, 3, dtype=torch.float32).requires_grad_(), unit(1, 3, 5).float()
    for to in (x.detach(), torch.nextafter(x.detach(), torch.tensor(9.0))):
        value = sliced_wasserstein(x, to, u, p=16.0)
        (gradient,) = torch.autograd.grad(value, x)
        assert torch.isfinite(gradient).all()
        assert (float(value.detach()) > 0) == bool((gradient != 0).any()) == bool((to != x).any())


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("m", [40, 30])
def test_ordinary_distances_are_the_root_of_the_power_to_the_bit(p, m, monkeypatch):
    def refuse(*_):
        raise AssertionError("a distance of ordinary size was scaled")

    monkeypatch.setattr(sliced, "_largest_gap", refuse)
    # Trainings take these: nothing that is done for other sizes may reach them.
    for dtype, size in ((torch.float32, 1e-4), (torch.float32, 1.0), (torch.float32, 1e4), (torch.float64, 1e-8)):
        x, y, u = points(0, 40, 6).to(dtype) * size, points(1, m, 6).to(dtype) * size, unit(2, 6, 7).to(dtype)
        x.requires_grad_()
        left, right = ((u.T @ side.T).sort(dim=-1).values for side in (x, y))
        found = sliced_wasserstein(x, y, u, p=p)
        (gradient,) = torch.autograd.grad(found, x)
        power = sliced_wasserstein_power(x, y, u, p=p)
        (expected,) = torch.autograd.grad(power.pow(1 / p), x)
        assert torch.equal(found, power.pow(1 / p))
        assert torch.equal(gradient, expected)
        if m == len(x):
            powers = (left - right).square() if p == 2 else (left - right).abs().pow(p)
            assert torch.equal(power, (powers.sum(dtype=torch.float64) / 40 / 7).to(dtype))
