"""Synthetic heavy-tailed gradients: independent Weibull coordinates."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import pdist
from scipy.special import gamma, gammaincc

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


CELLS = 2**20
"""Points of the grid on which the law of a squared norm is computed."""
BEYOND = 1e-12
"""Probability with which one of the coordinates lies beyond the grid."""


def norm_quantile(probability: float, *, coordinates: int, shape: float = 0.5, scale: float = 1.0) -> float:
    r"""The quantile of a gradient's L2 norm under the law that `draw` draws from: a public number, no draw enters it.

    The squared norm is a sum of n independent squares, each of survival function
    :math:`S(y) = e^{-(y / λ^2)^{k / 2}}`. One square is put on a grid so that its mean is kept: the weight of a point
    is the second difference of :math:`E (Y - t)_+ = \int_t^\infty S`, an incomplete gamma function. Its n-fold
    convolution is a power of its Fourier transform. Cells of width h add at most n h²/4 to the sum's variance.

    Args:
        probability: of a norm that is no longer than the quantile, in (0, 1).
        coordinates: n, number of columns.
        shape: k > 0.
        scale: λ > 0.

    Raises:
        ValueError: an argument is outside its range, or `quantile_refusal` gives a reason.

    >>> round(norm_quantile(0.5, coordinates=1000), 1)
    151.5
    """
    checks.open_unit("probability", probability)
    checks.positive("scale", scale)
    if reason := quantile_refusal(coordinates, shape):
        raise ValueError(reason)
    power, width = shape / 2, _width(coordinates, shape)
    points = width * np.arange(CELLS + 1)
    beyond = gamma(1 / power) / power * gammaincc(1 / power, points**power)  # in the unit of λ²
    # Below 0 there is nothing, so that E (Y - t)_+ has the slope -1 there.
    weights = np.maximum(np.diff(np.concatenate([[beyond[0] + width], beyond]), n=2), 0.0)
    law = np.fft.irfft(np.fft.rfft(weights / weights.sum()) ** coordinates, n=CELLS)
    cell = float(np.interp(probability, np.cumsum(law), np.arange(CELLS)))
    if cell < 1:
        raise ValueError(f"probability = {probability!r}: the norm's quantile is too small for the grid")
    return scale * math.sqrt(width * cell)


def quantile_refusal(coordinates: int, shape: float) -> str | None:
    """Why `norm_quantile` is not computed for this law, or None: the grid would blur it by 1 % of the mean square.

    >>> quantile_refusal(1000, 0.1)
    'shape = 0.1: with 1000 coordinates the tail of the norm is too heavy for its quantiles to be computed'
    """
    checks.whole("coordinates", coordinates, least=1)
    checks.positive("shape", shape)
    with contextlib.suppress(OverflowError):
        if _width(coordinates, shape) * (1 + math.sqrt(coordinates) / 2) <= 0.01 * coordinates * math.gamma(
            1 + 2 / shape
        ):
            return None
    return (
        f"shape = {shape!r}: with {coordinates} coordinates the tail of the norm is too heavy for its quantiles to be "
        "computed"
    )


def _width(coordinates: int, shape: float) -> float:
    """Width of a cell, in the unit of λ²: the grid holds the sum's mean, 12 deviations, and the longest coordinate."""
    mean, square = (math.gamma(1 + 2 * order / shape) for order in (1, 2))
    spread = math.sqrt(coordinates * max(square - mean**2, 0.0))
    longest: float = math.log(coordinates / BEYOND) ** (2 / shape)
    return (coordinates * mean + 12 * spread + longest) / CELLS


def clipped_rows(
    rows: Float[np.ndarray, "gradients coordinates"], norm: float
) -> Float[np.ndarray, "gradients coordinates"]:
    """Each row scaled to L2 norm at most ``norm``.

    >>> clipped_rows(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0)
    array([[0.6, 0.8], [0.3, 0.4]])
    """
    checks.positive("norm", norm)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(1.0, lengths / norm))


def pair_distances(rows: Float[np.ndarray, "gradients coordinates"]) -> Float[np.ndarray, " pairs"]:
    """L2 distances of all pairs of rows, n(n−1)/2 of them."""
    return np.asarray(pdist(rows))
