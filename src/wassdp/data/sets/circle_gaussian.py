"""A Gaussian sample and a sample of a circle, which a generator learns to turn the former into."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.data.base import Dataset

DATASET = Dataset(
    name="circle_gaussian",
    title="Circle and Gaussian in the plane",
    task="generation",
    origin="synthetic",
    counts={},
    shape=(2,),
    classes=None,
    licence="none needed: drawn by this project",
    source="appendix C of the paper cited",
    citation=(
        "Rodríguez-Vítores, Lalanne, Loubes, Learning with differentially private (sliced) Wasserstein gradients, "
        "appendix C"
    ),
    integrity="drawn from a seeded generator; no file",
)


def sample(
    generator: np.random.Generator, *, size: int = 100_000, radius: float = 3 / 4
) -> tuple[Float[np.ndarray, "size 2"], Float[np.ndarray, "size 2"]]:
    r"""A sample of each distribution.

    .. math:: X \sim N(0, I_2), \qquad Z = r\,(\cos T, \sin T), \quad T \sim U[0, 2\pi)

    Args:
        generator: source of randomness.
        size: n, points in each sample; 100000 in the paper.
        radius: r; 3/4 in the paper. "Uniform on a circle" is read as the curve, not the disc.

    Returns:
        X, the trained variable, then Z, the fixed one.

    Raises:
        ValueError: an argument is out of range.

    Source: Rodríguez-Vítores, Lalanne and Loubes, appendix C.

    >>> x, z = sample(np.random.default_rng(0), size=4)
    >>> np.hypot(z[:, 0], z[:, 1]).tolist()
    [0.75, 0.75, 0.75, 0.75]
    """
    checks.whole("size", size, least=1)
    checks.positive("radius", radius)
    x = generator.standard_normal((size, 2))
    angle = 2 * math.pi * generator.random(size)
    return x, radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
