"""Every statistical check allows six standard errors: it fails for fewer than 1 in 10^8 seeds; seeds are fixed."""

from __future__ import annotations

import numpy as np
import pytest

from wassdp.data.sets import gaussian_pair

SIZE = 40_000


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_means_and_covariances(shift: float) -> None:
    first, second = gaussian_pair.sample(np.random.default_rng(1), shift=shift, size=SIZE)
    assert first.shape == second.shape == (SIZE, 5)
    error = 1 / np.sqrt(SIZE)
    for points, mean in ((first, 0.0), (second, shift)):
        np.testing.assert_allclose(points.mean(axis=0), mean, atol=6 * error)
        # A sample variance has standard error sqrt(2 / n), a covariance sqrt(1 / n).
        np.testing.assert_allclose(np.cov(points.T), np.eye(5), atol=6 * np.sqrt(2) * error)
    between = (first - first.mean(axis=0)).T @ (second - second.mean(axis=0)) / SIZE
    np.testing.assert_allclose(between, 0, atol=6 * error)


def test_the_generator_decides_alone() -> None:
    draws = [gaussian_pair.sample(np.random.default_rng(7), shift=0.3, size=4) for _ in range(2)]
    np.testing.assert_array_equal(draws[0], draws[1])


@pytest.mark.parametrize("wrong", [{"shift": float("nan")}, {"size": 0}, {"dimension": 0}, {"size": 1.5}])
def test_arguments_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} = "):
        gaussian_pair.sample(np.random.default_rng(0), **{"shift": 0.0, **wrong})  # type: ignore[arg-type]
