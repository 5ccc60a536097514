"""Synthetic heavy-tailed gradients: independent Weibull coordinates."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.data.base import Dataset

DATASET = Dataset(
    name="weibull_gradients",
    title="Synthetic heavy-tailed gradients",
    task="privacy accounting",
    origin="synthetic",
    counts={},
    shape=(1000,),
    classes=None,
    licence="none needed: drawn by this project",
    source="https://arxiv.org/abs/2401.12436",
    citation="Yang, Qi, Zhou, Wasserstein differential privacy, AAAI 2024, section Composition",
    integrity="drawn from a seeded generator; no file",
)


def generator(seed: int, step: int) -> np.random.Generator:
    """The generator of one step: nothing but the seed and the step decides what is drawn."""
    return np.random.default_rng([checks.whole("seed", seed), checks.whole("step", step)])


def draw(
    rng: np.random.Generator, *, gradients: int, coordinates: int, shape: float = 0.5, scale: float = 1.0
) -> Float[np.ndarray, "gradients coordinates"]:
    """Gradients with independent Weibull(shape, scale) coordinates.

    Args:
        rng: source of randomness.
        gradients: number of rows.
        coordinates: number of columns.
        shape: k > 0; below 1 the tail is heavier than exponential.
        scale: λ > 0.

    Source: Yang, Qi and Zhou (2024), section Composition, after Triastcyn and Faltings (2020).

    >>> draw(generator(0, 0), gradients=2, coordinates=3).shape
    (2, 3)
    """
    checks.whole("gradients", gradients, least=1)
    checks.whole("coordinates", coordinates, least=1)
    checks.positive("shape", shape)
    return np.asarray(checks.positive("scale", scale) * rng.weibull(shape, (gradients, coordinates)))


def clipped(
    rows: Float[np.ndarray, "gradients coordinates"], norm: float
) -> Float[np.ndarray, "gradients coordinates"]:
    """Each row scaled to L2 norm at most ``norm``.

    >>> clipped(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0)
    array([[0.6, 0.8], [0.3, 0.4]])
    """
    checks.positive("norm", norm)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(1.0, lengths / norm))


def pair_distances(rows: Float[np.ndarray, "gradients coordinates"]) -> Float[np.ndarray, " pairs"]:
    """L2 distances of all pairs of rows, n(n−1)/2 of them."""
    from scipy.spatial.distance import pdist  # half a second, which reading a configuration need not pay

    return np.asarray(pdist(rows))
