"""Two Gaussian samples whose means move apart: the toy experiment of DP sliced Wasserstein distances."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.data.base import Dataset

DATASET = Dataset(
    name="gaussian_pair",
    title="Two isotropic Gaussian samples",
    task="distance between distributions",
    origin="synthetic",
    counts={},
    shape=(5,),
    classes=None,
    licence="none needed: drawn by this project",
    source="https://arxiv.org/abs/2107.01848",
    citation="Rakotomamonjy, Ralaivola, Differentially private sliced Wasserstein distance, ICML 2021, section 6.1",
    integrity="drawn from a seeded generator; no file",
)


def sample(
    generator: np.random.Generator, *, shift: float, size: int = 1000, dimension: int = 5
) -> tuple[Float[np.ndarray, "size dimension"], Float[np.ndarray, "size dimension"]]:
    r"""A sample of each of the two distributions.

    .. math:: \mu = N(0, I_d), \qquad \nu = N(c \mathbf{1}, I_d)

    Args:
        generator: source of randomness.
        shift: c, the distance of the means in every coordinate; the paper takes c in [0, 1].
        size: points in each sample. The paper leaves it open; 1000 is this project's choice.
        dimension: d; 5 in the paper.

    Returns:
        The sample of mu, then that of nu, independent of each other.

    Raises:
        ValueError: an argument is out of range.

    Source: Rakotomamonjy and Ralaivola (2021), section 6.1, Figure 2.

    >>> first, second = sample(np.random.default_rng(0), shift=1.0, size=3)
    >>> first.shape, second.shape
    ((3, 5), (3, 5))
    """
    checks.finite("shift", shift)
    checks.whole("size", size, least=1)
    checks.whole("dimension", dimension, least=1)
    first = generator.standard_normal((size, dimension))
    return first, shift + generator.standard_normal((size, dimension))
