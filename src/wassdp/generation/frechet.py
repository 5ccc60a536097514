r"""Fréchet distance between real and generated images in a space of fixed features, after the FID.

The features are scattering coefficients averaged over the picture: the mean of each channel of
`wassdp.features.wavelets`, 81 numbers for each colour with two scales and eight angles. They are fixed and nothing
is learnt, so scores compare between the methods here, not with the FID of an Inception network.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from torch import Tensor

from wassdp.features.wavelets import ScatteringTransform

SCALES, ANGLES = 2, 8


def features(images: Float[Tensor, "count channels height width"]) -> Float[np.ndarray, "count features"]:
    """Averaged scattering coefficients of images in [0, 1], on the processor."""
    count, channels, height, width = images.shape
    transform = ScatteringTransform((height, width), SCALES, ANGLES)
    averages = transform(images.reshape(count * channels, height, width)).mean(dim=(2, 3))
    return averages.view(count, -1).double().numpy()


def distance(first: Float[np.ndarray, "n features"], second: Float[np.ndarray, "m features"]) -> float:
    r"""Squared Wasserstein distance of the Gaussians with the samples' means and covariances.

    .. math:: \lVert μ - ν \rVert^2 + \operatorname{tr} (A + B - 2 (A^{1/2} B A^{1/2})^{1/2})

    Args:
        first: features, one example per row, at least two rows.
        second: likewise.

    Raises:
        ValueError: a sample has fewer than two rows.

    Source: Dowson and Landau (1982), The Fréchet distance between multivariate normal distributions, equation (4);
    Heusel et al. (2017), GANs Trained by a Two Time-Scale Update Rule, section 3.

    >>> sample = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]])
    >>> round(distance(sample, sample + 3.0), 6)
    18.0
    """
    if min(len(first), len(second)) < 2:
        raise ValueError(f"samples of {len(first)} and {len(second)} rows: must have at least two each")
    gap = first.mean(axis=0) - second.mean(axis=0)
    here, there = (np.atleast_2d(np.cov(sample, rowvar=False)) for sample in (first, second))
    values, vectors = np.linalg.eigh(here)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    shared = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ there @ root), 0.0)).sum()
    return float(max(0.0, gap @ gap + np.trace(here) + np.trace(there) - 2 * shared))
