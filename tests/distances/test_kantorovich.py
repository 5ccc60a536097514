"""Discrete laws by linear programming: primal against dual, POT and sorting; the dual's function is allowed."""

import numpy as np
import ot
import pytest
import torch
from scipy.spatial.distance import cdist

from wassdp.distances import kantorovich
from wassdp.distances.one_d import wasserstein


def laws(seed, *, dimension=2):
    generator = np.random.default_rng(seed)
    n, m = generator.integers(1, 8, size=2)
    x, y = generator.normal(size=(n, dimension)), generator.normal(size=(m, dimension)) + 0.5
    return x, y, generator.dirichlet(np.ones(n)), generator.dirichlet(np.ones(m))


@pytest.mark.parametrize("order", [1.0, 2.0, 3.5])
@pytest.mark.parametrize("seed", range(10))
def test_the_primal_agrees_with_pot(seed, order):
    x, y, p, q = laws(seed)
    expected = ot.emd2(p, q, cdist(x, y) ** order) ** (1 / order)
    assert kantorovich.transport(x, y, order=order, x_weights=p, y_weights=q) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_primal_agrees_with_sorting_on_the_line(seed):
    x, y, p, q = laws(seed, dimension=1)
    line = (torch.from_numpy(part[:, 0]) for part in (x, y))
    expected = wasserstein(*line, p=2.0, x_weights=torch.from_numpy(p), y_weights=torch.from_numpy(q))
    assert kantorovich.transport(x, y, order=2.0, x_weights=p, y_weights=q) == pytest.approx(float(expected), rel=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_the_dual_has_the_primals_value_and_a_function_of_lipschitz_constant_1(seed):
    x, y, p, q = laws(seed)
    best = kantorovich.potential(x, y, x_weights=p, y_weights=q)
    assert best.value == pytest.approx(kantorovich.transport(x, y, order=1.0, x_weights=p, y_weights=q), rel=1e-9)
    assert best.value == pytest.approx(p @ best.at_first - q @ best.at_second, rel=1e-9)
    values, points = np.concatenate([best.at_first, best.at_second]), np.concatenate([x, y])
    assert (np.abs(values[:, None] - values) <= cdist(points, points) + 1e-9).all()


def test_equal_laws_are_at_distance_0_whatever_the_order_of_their_points():
    x = np.random.default_rng(0).normal(size=(6, 2))
    assert kantorovich.transport(x, x[::-1], order=8.0) == 0.0
    assert kantorovich.potential(x, x[::-1]).value == pytest.approx(0.0, abs=1e-12)
    assert kantorovich.potential(x[:1], x[:1]).value == kantorovich.transport(x[:1], x[:1], order=1.0) == 0.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"order": 0.5}, "order = 0.5"),
        ({"x": np.zeros((0, 1))}, r"x has shape \(0, 1\)"),
        ({"y": np.array([[np.nan]])}, r"y has shape \(1, 1\): .* finite"),
        ({"x_weights": np.array([-1.0, 2.0])}, "x_weights: must be 2 finite numbers"),
    ],
)
def test_bad_input_is_refused(changed, words):
    given = {"x": np.zeros((2, 1)), "y": np.ones((1, 1)), "order": 1.0} | changed
    with pytest.raises(ValueError, match=words):
        kantorovich.transport(given.pop("x"), given.pop("y"), **given)
