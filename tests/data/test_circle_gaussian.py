"""Every statistical check fails for fewer than 1 in 10^8 seeds; seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from wassdp.data.sets import circle_gaussian


def test_the_paper_s_sample() -> None:
    x, z = circle_gaussian.sample(np.random.default_rng(1))
    assert x.shape == z.shape == (100_000, 2)
    np.testing.assert_allclose(np.hypot(*z.T), 3 / 4, rtol=1e-12)
    angles = np.arctan2(z[:, 1], z[:, 0])
    assert stats.kstest(angles, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-8
    error = 1 / np.sqrt(len(x))
    # Mean 0 and covariance r^2 I / 2 on the circle; the product of coordinates has variance r^4 / 8.
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=6 * error * 0.75 / np.sqrt(2))
    np.testing.assert_allclose(np.cov(z.T), np.eye(2) * 0.75**2 / 2, atol=6 * error * 0.75**2 / np.sqrt(8))
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=6 * error)
    np.testing.assert_allclose(np.cov(x.T), np.eye(2), atol=6 * np.sqrt(2) * error)
    for column in x.T:
        assert stats.kstest(column, stats.norm.cdf).pvalue > 1e-8
    np.testing.assert_allclose((x.T @ z) / len(x), 0, atol=6 * error * 0.75 / np.sqrt(2))


def test_the_generator_decides_alone() -> None:
    draws = [circle_gaussian.sample(np.random.default_rng(7), size=4, radius=2.0) for _ in range(2)]
    np.testing.assert_array_equal(draws[0], draws[1])


@pytest.mark.parametrize("wrong", [{"size": 0}, {"radius": 0.0}, {"radius": float("inf")}])
def test_arguments_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} = "):
        circle_gaussian.sample(np.random.default_rng(0), **wrong)  # type: ignore[arg-type]
