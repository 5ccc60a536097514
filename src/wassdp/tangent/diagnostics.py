r"""Have the chains converged, and how much do their draws tell? R-hat and effective sample size."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri
from scipy.stats import rankdata

LARGEST_R_HAT = 1.01

Series = Float[np.ndarray, "_ _"]  # (chains, draws); functions below halve and combine them


def r_hat(series: Series) -> float:
    """Split, rank-normalised R-hat: the larger of the bulk's and of the folded (tail) one.

    Infinity where every chain stands still at a place of its own; 1 where all draws are equal.

    Args:
        series: one quantity, shape (chains, draws), at least four draws.
    Source: Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), equation (4), (14) and section 4.2.
    """
    halves = _split(series)
    folded = np.abs(halves - np.median(halves))
    return max(_plain_r_hat(_normal_scores(halves)), _plain_r_hat(_normal_scores(folded)))


def effective_sample_size(series: Series) -> float:
    """Number of independent draws whose mean is as exact as the mean of these.

    Autocorrelations of the split chains, combined over the chains and summed by Geyer's initial monotone sequence of
    pairs; at most S log10 S for S draws.

    Args:
        series: one quantity, shape (chains, draws), at least four draws.
    Source: Vehtari et al. (2021), section 3.2.
    """
    halves = _split(series)
    chains, draws = halves.shape
    total = chains * draws
    between = draws * halves.mean(axis=1).var(ddof=1)
    covariances = _autocovariances(halves).mean(axis=0)
    within = covariances[0] * draws / (draws - 1)
    pooled = (draws - 1) / draws * within + between / draws
    if pooled <= 0:
        return float(total)  # a constant is known exactly
    # ρ_t of the combined chains; covariances have divisor n, within has n - 1.
    correlations = 1 - (within - covariances * draws / (draws - 1)) / pooled
    correlations[0] = 1.0
    pairs = correlations[: draws - draws % 2].reshape(-1, 2).sum(axis=1)
    positive = int(np.argmin(pairs > 0)) if (pairs <= 0).any() else len(pairs)
    monotone = np.minimum.accumulate(pairs[:positive])
    time = max(-1 + 2 * float(monotone.sum()), 1 / math.log10(total))
    return float(total / time)


def _split(series: Series) -> Series:
    if series.shape[0] < 1 or series.shape[1] < 4:
        raise ValueError(f"series: has shape {series.shape}; must have a chain and at least four draws")
    if not np.isfinite(series).all():
        raise ValueError("series: must be finite")
    half = series.shape[1] // 2
    return np.concatenate([series[:, :half], series[:, -half:]])


def _normal_scores(values: Series) -> Series:
    ranks = rankdata(values, method="average").reshape(values.shape)
    return np.asarray(ndtri((ranks - 3 / 8) / (values.size + 1 / 4)))


def _plain_r_hat(values: Series) -> float:
    draws = values.shape[1]
    within = float(values.var(axis=1, ddof=1).mean())
    between = draws * float(values.mean(axis=1).var(ddof=1))
    if within == 0:
        return 1.0 if between == 0 else math.inf
    return math.sqrt((draws - 1) / draws + between / within / draws)


def _autocovariances(values: Series) -> Series:
    """Autocovariances of every lag with divisor n, by the fast Fourier transform."""
    draws = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, n=2 * draws, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :draws] / draws)
