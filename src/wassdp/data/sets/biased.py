"""Biased decisions: synthetic data in which a protected attribute goes along with the label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int64

from wassdp import checks
from wassdp.data.base import Dataset

DATASET = Dataset(
    name="biased",
    title="Biased synthetic decisions",
    short="biased decisions",
    task="fair classification, regression and representation learning",
    origin="synthetic",
    counts={},
    shape=(16,),
    classes=2,
    sensitive=("attribute",),
    licence="none needed: drawn by this project",
    source="appendix B of the paper cited",
    citation=(
        "Rodríguez-Vítores, Lalanne, Loubes, Learning with differentially private (sliced) Wasserstein gradients, "
        "appendix B"
    ),
    integrity="drawn from a seeded generator; no file",
)


@dataclass(frozen=True, kw_only=True)
class Biased:
    """One sample of n people.

    Args:
        features: X, the core features, then the spurious ones.
        sensitive: A, 0 or 1.
        labels: Y, 0 or 1.
        response: Y^C, the continuous response behind the label, in the unit square.
    """

    features: Float[np.ndarray, "n features"]
    sensitive: Int64[np.ndarray, " n"]
    labels: Int64[np.ndarray, " n"]
    response: Float[np.ndarray, "n 2"]


def sample(
    generator: np.random.Generator,
    *,
    size: int = 30_000,
    agreement: float = 0.7,
    core: int = 8,
    spurious: int = 8,
    core_variance: float = 1 / 5,
    spurious_variance: float = 2 / 5,
) -> Biased:
    r"""Draw n independent people.

    .. math::
        Y^C \sim U([0,1]^2), \quad Y = 1\{Y^C_2 > 1 - Y^C_1\}, \quad A = BY + (1-B)(1-Y), \quad B \sim
        \mathrm{Bernoulli}(p)

    .. math::
        X_{core} = (Y^C, \ldots, Y^C) + N(0, \sigma^2_{core} I), \quad X_{sp} = (A, \ldots, A) + N(0, \sigma^2_{sp}
        I), \quad X = (X_{core}, X_{sp})

    with Y^C repeated core / 2 times, A repeated ``spurious`` times, and B independent of Y. For p near 1 the
    protected attribute A nearly gives the label away, so a model leans on it.

    Args:
        generator: source of randomness.
        size: n; 30000 in the paper, which does not state the size of its test set.
        agreement: p, the probability that A equals Y; 0.7 in the paper.
        core: d_core, even; 8 in the paper.
        spurious: d_sp; 8 in the paper.
        core_variance: sigma^2_core; 1/5 in the paper.
        spurious_variance: sigma^2_sp; 2/5 in the paper.

    Raises:
        ValueError: an argument is out of range.

    Source: Rodríguez-Vítores, Lalanne and Loubes, appendix B, items 1 to 5.

    >>> drawn = sample(np.random.default_rng(0), size=3)
    >>> drawn.features.shape, drawn.response.shape, drawn.labels.shape
    ((3, 16), (3, 2), (3,))
    """
    checks.whole("size", size, least=1)
    checks.probability("agreement", agreement)
    if checks.whole("core", core, least=2) % 2:
        raise ValueError(f"core = {core}: must be even, for the response has two coordinates")
    checks.whole("spurious", spurious, least=1)
    checks.non_negative("core_variance", core_variance)
    checks.non_negative("spurious_variance", spurious_variance)
    response = generator.random((size, 2))
    labels = (response[:, 1] > 1 - response[:, 0]).astype(np.int64)
    agrees = generator.random(size) < agreement
    sensitive = np.where(agrees, labels, 1 - labels)
    informative = np.tile(response, core // 2) + np.sqrt(core_variance) * generator.standard_normal((size, core))
    misleading = sensitive[:, None] + np.sqrt(spurious_variance) * generator.standard_normal((size, spurious))
    return Biased(
        features=np.concatenate([informative, misleading], axis=1),
        sensitive=sensitive,
        labels=labels,
        response=response,
    )
