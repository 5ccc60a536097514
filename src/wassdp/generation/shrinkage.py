r"""What noisy moments still say: means, a covariance and covariances by class, each drawn to what noise cannot imitate.

All of it is post-processing of releases. Symbols: C covariance with symmetric noise, τ deviation of the noise off its
diagonal (on it √2 τ), D dimension, λ eigenvalue, v eigenvector.
"""

from __future__ import annotations

import itertools
import math

import torch
from jaxtyping import Float
from torch import Tensor

LEAST_EIGENVALUE = 0.05
"""Of a class's covariance over that of all classes."""
_NOTHING = 1e-9
"""Of the largest variance: what rounding makes of none."""
_EDGES = (0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""Where bands of directions begin, leading ones first."""


def spectrum(covariance: Float[Tensor, "d d"], *, noise: float) -> tuple[Float[Tensor, " d"], Float[Tensor, "d d"]]:
    r"""Eigenvalues without what noise adds to them, largest first, and their vectors; 0 within the noise's own range.

    .. math:: λ = \tfrac12 \Bigl( λ̃ + \sqrt{\smash[b]{λ̃^2 - 4 τ^2 D}} \Bigr) \text{ above } 2 τ \sqrt D ,

    the edge of the semicircle of pure noise.

    Source: Benaych-Georges and Nadakuditi (2011), arXiv:0910.2120, Theorem 2.1 with section 3.1 (λ̃ = λ + τ²D/λ).

    Args:
        covariance: C, symmetric.
        noise: τ >= 0.
    """
    values, vectors = torch.linalg.eigh(covariance)
    found, vectors = values.flip(0), vectors.flip(1)
    edge = 2 * noise * math.sqrt(len(values))
    bare = (found + (found.square() - edge**2).clamp(min=0).sqrt()) / 2
    return torch.where(found > edge, bare, torch.zeros_like(bare)), vectors


def banded(values: Float[Tensor, " d"], order: Float[Tensor, " d"]) -> Float[Tensor, " d"]:
    """``values`` averaged over bands of nearly equal ``order``, a whole number each, and not below 0."""
    bands = order.round().long()
    totals = torch.zeros(int(bands.max()) + 1, dtype=values.dtype, device=values.device)
    means = totals.index_add(0, bands, values) / torch.bincount(bands).clamp(min=1)
    return means.clamp(min=0)[bands]


def matched(
    deviations: Float[Tensor, "groups d d"], variances: Float[Tensor, " groups"]
) -> Float[Tensor, "groups d d"]:
    """``deviations``, each block of directions multiplied with the share of its mean square that noise cannot explain.

    Args:
        deviations: symmetric matrices, leading directions first.
        variances: of the noise off a diagonal, by group.
    """
    size = deviations.shape[1]
    edges, found = _edges(size), torch.zeros_like(deviations)
    noise = float(variances.mean())
    twice = torch.eye(size, dtype=deviations.dtype, device=deviations.device) + 1
    for first, last in itertools.pairwise(edges):
        for left, right in itertools.pairwise(edges):
            block = (slice(None), slice(first, last), slice(left, right))
            expected = noise * float(twice[block[1:]].mean())
            energy = float(deviations[block].square().mean())
            found[block] = deviations[block] * max(0.0, 1 - expected / energy) if energy > 0 else 0.0
    return found


def by_class(
    grams: Float[Tensor, "classes d d"], shares: Float[Tensor, " classes"], variances: Float[Tensor, " classes"]
) -> Float[Tensor, "classes d d"]:
    """Second moments by class in whitened directions: drawn to those of all classes, those to the unit matrix.

    Their mean trace becomes d, so that clipping, which shortens vectors, is made up for.

    Args:
        grams: mean outer products of each class, with noise.
        shares: of the records, by class; they sum to 1.
        variances: of the noise off a diagonal, by class.

    Returns:
        Matrices whose eigenvalues are at least `LEAST_EIGENVALUE`.
    """
    size = grams.shape[1]
    unit = torch.eye(size, dtype=grams.dtype, device=grams.device)
    common = torch.einsum("c,cij->ij", shares, grams)
    level = common.diagonal().mean().clamp(min=LEAST_EIGENVALUE)
    common, own, variances = common / level, grams / level, variances / level.square()
    pooled = (shares.square() * variances).sum()[None]
    common = unit + matched((common - unit)[None], pooled)[0]
    return positive(common + matched(own - common, variances))


def positive(matrices: Float[Tensor, "groups d d"]) -> Float[Tensor, "groups d d"]:
    """Symmetric ``matrices`` with eigenvalues below `LEAST_EIGENVALUE` raised to it."""
    values, vectors = torch.linalg.eigh(matrices)
    raised: Tensor = (vectors * values.clamp(min=LEAST_EIGENVALUE)[:, None]) @ vectors.mT
    return raised


def means(
    noisy: Float[Tensor, "classes n"],
    covariance: Float[Tensor, "n n"],
    shares: Float[Tensor, " classes"],
    variances: Float[Tensor, " classes"],
) -> Float[Tensor, "classes n"]:
    """Means of classes by a Wiener filter: how far they are apart is matched in each band of leading directions.

    Where records vary little, means differ less still, and where records do not vary at all they are taken to be the
    same: noise left there would tell classes apart among generated images, and not among real ones.

    Args:
        noisy: of each class.
        covariance: of records inside a class, symmetric and not negative; its eigenvectors are the directions.
        shares: of the records, by class; they sum to 1.
        variances: of the noise on each number, by class.
    """
    common = shares @ noisy
    values, vectors = torch.linalg.eigh(covariance)
    vectors = vectors.flip(1)
    along = (noisy - common) @ vectors
    varying = int((values > _NOTHING * values[-1]).sum())
    # Of a class's mean around that of all, which has a share of the same noise.
    expected = ((1 - 2 * shares) * variances).mean() + shares.square() @ variances
    prior = torch.zeros_like(along[0])
    for first, last in itertools.pairwise(_edges(varying)):
        prior[first:last] = (along[:, first:last].square().mean() - expected).clamp(min=0)
    filtered: Tensor = common + along * (prior / (prior + variances[:, None]).clamp(min=1e-300)) @ vectors.T
    return filtered


def _edges(size: int) -> list[int]:
    """Where bands of so many directions begin, and where the last one ends."""
    return [edge for edge in _EDGES if edge < size] + [size]
