"""Smoothed distances on the line: closed forms, linear programming and the metric's laws."""

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment
from scipy.stats import norm

from wassdp.distances import smoothed
from wassdp.distances.smoothed_line import smoothed_power


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
def test_a_shift_is_a_shift_whatever_the_noise(p):
    points, weights = np.array([0.0, 0.4, 3.0]), np.array([1.0, 2.0, 0.5])
    found = smoothed_power(points, points - 1.5, sigma=0.3, p=p, x_weights=weights, y_weights=weights)
    assert found == pytest.approx(1.5**p, rel=1e-9)


def test_two_points_against_one_by_quadrature():
    """W_1 is the area between the distribution functions."""
    grid = np.linspace(-12, 12, 400_001)
    gap = (norm.cdf(grid + 1) + norm.cdf(grid - 1)) / 2 - norm.cdf(grid - 0.25)
    expected = np.abs(gap).sum() * (grid[1] - grid[0])
    found = smoothed_power(np.array([-1.0, 1.0]), np.array([0.25]), sigma=1.0, p=1.0, nodes=2000)
    assert found == pytest.approx(expected, rel=1e-5)


def test_agrees_with_a_matching_of_many_quantiles():
    """Points that stand for the smoothed distributions, matched by a linear programme."""
    levels = (np.arange(400) + 0.5) / 400
    x, y = np.array([-1.0, 1.0]), np.array([0.0, 0.5, 2.0])
    samples = []
    for points in (x, y):
        grid = np.linspace(-12, 12, 200_001)
        samples.append(np.interp(levels, norm.cdf(grid[:, None] - points).mean(axis=1), grid))
    costs = (samples[0][:, None] - samples[1]) ** 2
    expected = costs[linear_sum_assignment(costs)].mean()
    assert smoothed_power(x, y, sigma=1.0) == pytest.approx(expected, rel=5e-3)


def test_is_the_limit_of_the_midpoint_rule_in_the_sliced_module():
    x, y = torch.tensor([[-1.0], [1.0]]).double(), torch.tensor([[0.5], [0.0], [2.0]]).double()
    direction = torch.ones(1, 1).double()
    expected = float(smoothed.population(x, y, direction, sigma=0.7, nodes=20_000)) ** 2
    assert smoothed_power(x[:, 0].numpy(), y[:, 0].numpy(), sigma=0.7) == pytest.approx(expected, rel=1e-4)


def test_the_error_falls_with_the_nodes():
    x, y = np.array([0.0, 1.0]), np.array([0.2, 3.0])
    errors = {}
    for sigma in (0.5, 1.0):
        fine = smoothed_power(x, y, sigma=sigma, nodes=8000)
        errors[sigma] = [abs(smoothed_power(x, y, sigma=sigma, nodes=nodes) / fine - 1) for nodes in (240, 480, 960)]
    # Noise as wide as half a gap leaves nothing to resolve; less noise takes more nodes.
    assert errors[1.0][0] < 1e-12
    assert 1e-3 > errors[0.5][0] > 4 * errors[0.5][1] > 16 * errors[0.5][2]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"x": np.array([])}, r"x of shape \(0,\): must be finite points"),
        ({"y": np.array([np.nan])}, r"y of shape \(1,\): must be finite points"),
        ({"sigma": 0.0}, "sigma = 0.0"),
        ({"p": 0.5}, "p = 0.5"),
        ({"nodes": 1}, "nodes = 1"),
        ({"x_weights": np.array([-1.0])}, "x_weights of shape"),
    ],
)
def test_bad_input_is_one_line_that_names_it(arguments, named):
    with pytest.raises(ValueError, match=named):
        smoothed_power(**({"x": np.zeros(1), "y": np.ones(1), "sigma": 1.0} | arguments))
