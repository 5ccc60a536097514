"""Synthetic gradients: their distribution, and what decides a draw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import gamma, kstest, weibull_min

from wassdp.data.sets import weibull_gradients as data


def test_coordinates_are_weibull() -> None:
    """Kolmogorov-Smirnov at a fixed seed; a correct sampler fails it at one seed in 1000."""
    rows = data.draw(data.generator(0, 0), gradients=20, coordinates=500, shape=0.5, scale=2.0)
    assert kstest(rows.ravel(), weibull_min(0.5, scale=2.0).cdf).pvalue > 1e-3


def test_the_seed_and_the_step_decide_what_is_drawn() -> None:
    def rows(seed: int, step: int) -> np.ndarray:
        return data.draw(data.generator(seed, step), gradients=3, coordinates=4)

    np.testing.assert_array_equal(rows(1, 2), rows(1, 2))
    for other in ((1, 3), (2, 2), (2, 1)):
        assert not np.array_equal(rows(1, 2), rows(*other))


def test_clipping_bounds_and_keeps_the_direction() -> None:
    rows = data.draw(data.generator(0, 0), gradients=50, coordinates=30)
    norms = np.linalg.norm(rows, axis=1)
    norm = float(np.median(norms))
    clipped = data.clipped_rows(rows, norm)
    np.testing.assert_allclose(np.linalg.norm(clipped, axis=1), np.minimum(norms, norm), rtol=1e-12)
    np.testing.assert_array_equal(clipped[norms <= norm], rows[norms <= norm])
    np.testing.assert_allclose(clipped / np.linalg.norm(clipped, axis=1, keepdims=True), rows / norms[:, None])


def test_distances_of_all_pairs() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 7))
    expected = [math.dist(rows[i], rows[j]) for i in range(50) for j in range(i + 1, 50)]
    np.testing.assert_allclose(data.pair_distances(rows), expected, rtol=1e-12)
    assert len(expected) == 1225


@pytest.mark.parametrize("name", ["gradients", "coordinates", "shape", "scale"])
def test_refuses_what_is_out_of_range(name: str) -> None:
    options = {"gradients": 2, "coordinates": 2, "shape": 0.5, "scale": 1.0} | {name: 0}
    with pytest.raises(ValueError, match=name):
        data.draw(data.generator(0, 0), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("coordinates", [1, 6, 1000])
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.99])
def test_the_norms_quantile_where_squares_are_exponential(coordinates: int, probability: float) -> None:
    """Shape 2: squares of coordinates are exponential, their sum follows a gamma law."""
    exact = 3 * math.sqrt(gamma(coordinates).ppf(probability))
    found = data.norm_quantile(probability, coordinates=coordinates, shape=2, scale=3)
    assert found == pytest.approx(exact, rel=1e-3)


def test_the_norms_quantile_is_that_of_draws() -> None:
    """4,000 norms: below the quantile q lie a share q of them, within 4.5 deviations (3 of 400,000 seeds fail)."""
    norms = np.linalg.norm(data.draw(data.generator(0, 0), gradients=4000, coordinates=1000), axis=1)
    for probability in (0.05, 0.5, 0.75, 0.99):
        share = np.mean(norms <= data.norm_quantile(probability, coordinates=1000))
        assert abs(share - probability) < 4.5 * math.sqrt(probability * (1 - probability) / len(norms))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"probability": 1.0}, "probability"),
        ({"coordinates": 0}, "coordinates"),
        ({"shape": 0.0}, "shape"),
        ({"scale": -1.0}, "scale"),
        ({"shape": 0.05}, "too heavy"),
        ({"shape": 1e-9}, "too heavy"),
        ({"coordinates": 1, "shape": 1.5, "probability": 1e-12}, "too small for the grid"),
    ],
)
def test_a_quantile_that_is_not_computed_is_refused(change: dict[str, float], match: str) -> None:
    value = {"probability": 0.5, "coordinates": 1000, "shape": 0.5, "scale": 1.0} | change
    with pytest.raises(ValueError, match=match):
        data.norm_quantile(value.pop("probability"), **value)  # type: ignore[arg-type]
