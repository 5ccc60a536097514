r"""The radii R of TDP Theorems 3.1 to 3.4 and the operator norms that they bound, exactly, for finite W and records.

The records are N atoms of mass 1/N. Tangent vectors of total variation are signed measures of mass 0 on them, with
the L¹ norm; those of the Wasserstein distance are velocities v_x of the atoms, with the norm (mean_x |v_x|²)^{1/2}.
c(w, x) = r(w, x) - Σ_w q(w) r(w, x) is the centred risk.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from wassdp.tangent.gibbs import Posterior
from wassdp.tangent.risks import Risks, SmoothRisks, mapped, record_blocks

MOST_SIGNS = 16  # so many hypotheses have all their 2^(W-1) sign patterns tried


@dataclass(frozen=True)
class NormBracket:
    """A number known to lie in [lower, upper]; both ends are equal where it is exact."""

    lower: float
    upper: float


def averaged_risks(posterior: Posterior, risks: Risks) -> Float[np.ndarray, " records"]:
    """Σ_w q(w) r(w, x) of each record; its maximum is R of Theorem 3.1."""
    q = posterior.probabilities
    return np.concatenate(list(mapped(lambda a, b: risks.block(a, b) @ q, risks)))


def largest_risk(risks: Risks) -> float:
    """max_{w,x} |r(w, x)|: R of Theorem 3.2."""
    return max(mapped(lambda a, b: float(np.abs(risks.block(a, b)).max()), risks))


def norm_l1_to_log(posterior: Posterior, risks: Risks) -> float:
    r"""Norm of D(log ∘ A)_p from L¹ to L^∞, which Theorem 3.2 bounds: β/2 max_w (max_x c - min_x c)."""
    averages = averaged_risks(posterior, risks)
    high, low = np.full(risks.hypotheses, -np.inf), np.full(risks.hypotheses, np.inf)

    def ends(a: int, b: int) -> tuple[Float[np.ndarray, " hypotheses"], Float[np.ndarray, " hypotheses"]]:
        centred = risks.block(a, b) - averages[a:b, None]
        return centred.max(axis=0), centred.min(axis=0)

    for most, least in mapped(ends, risks):
        np.maximum(high, most, out=high)
        np.minimum(low, least, out=low)
    return float(posterior.inverse_temperature / 2 * (high - low).max())


def norm_l1_to_l1(posterior: Posterior, risks: Risks) -> float:
    r"""Norm of DA_p from L¹ to L¹, which Theorem 3.1 bounds: β/2 max_{x,x'} Σ_w q |c(w, x) - c(w, x')|.

    Takes time N² W and memory N W.
    """
    q = posterior.probabilities
    kept = q > 0
    rows = np.concatenate(list(mapped(lambda a, b: risks.block(a, b)[:, kept], risks)))
    rows = (rows - (rows @ q[kept])[:, None]) * q[kept]
    farthest = max(float(cdist(rows[a:b], rows, "cityblock").max()) for a, b in record_blocks(len(rows), len(rows)))
    return posterior.inverse_temperature / 2 * farthest


def averaged_gradients(posterior: Posterior, risks: SmoothRisks) -> Float[np.ndarray, "records dimension"]:
    r"""Σ_w q(w) \nabla_x r(w, x) of each record."""
    q = posterior.probabilities
    return np.concatenate([np.einsum("w,xwd->xd", q, risks.gradients(a, b)) for a, b in _gradient_blocks(risks)])


def radius_wasserstein_averaged(posterior: Posterior, risks: SmoothRisks) -> float:
    r"""‖Σ_w q(w) r(w, ·)‖ in Ḣ¹(p): R of Theorem 3.3, which is refuted with it (see `gibbs_bound`)."""
    return math.sqrt(float((averaged_gradients(posterior, risks) ** 2).sum(axis=1).mean()))


@dataclass(frozen=True)
class Smooth:
    """What the Wasserstein theorems speak of, from one pass over the gradients.

    Args:
        risk_norms: ‖r(w, ·)‖ in Ḣ¹(p), shape (hypotheses,); the largest is R of Theorem 3.4.
        centred_norms: ‖c(w, ·)‖ in Ḣ¹(p), shape (hypotheses,).
        steepest: largest |∇_x c(w, x)| over w, shape (records,): one moved record's first-order effect.
        directions: the gradient ∇_x c(w, x) at that w, shape (records, dimension).
    """

    risk_norms: Float[np.ndarray, " hypotheses"]
    centred_norms: Float[np.ndarray, " hypotheses"]
    steepest: Float[np.ndarray, " records"]
    directions: Float[np.ndarray, "records dimension"]


def smooth(posterior: Posterior, risks: SmoothRisks) -> Smooth:
    """Norms of the risks and of the centred risks as functions of the record."""
    averages = averaged_gradients(posterior, risks)
    plain, centred = np.zeros(risks.hypotheses), np.zeros(risks.hypotheses)
    directions = np.empty_like(averages)
    for a, b in _gradient_blocks(risks):
        gradients = risks.gradients(a, b)
        plain += np.einsum("xwd,xwd->w", gradients, gradients)
        gradients = gradients - averages[a:b, None, :]
        squares = np.einsum("xwd,xwd->xw", gradients, gradients)
        centred += squares.sum(axis=0)
        directions[a:b] = gradients[np.arange(b - a), squares.argmax(axis=1)]
    return Smooth(
        risk_norms=np.sqrt(plain / risks.records),
        centred_norms=np.sqrt(centred / risks.records),
        steepest=np.linalg.norm(directions, axis=1),
        directions=directions,
    )


def norm_wasserstein_to_log(posterior: Posterior, norms: Smooth) -> float:
    r"""Norm of D(log ∘ A)_p from Ḣ^{-1}(p) to L^∞, which Theorem 3.4 bounds: β max_w ‖c(w, ·)‖."""
    return posterior.inverse_temperature * float(norms.centred_norms.max())


def norm_wasserstein_to_l1(posterior: Posterior, risks: SmoothRisks) -> NormBracket:
    r"""Norm of DA_p from Ḣ^{-1}(p) to L¹, of which Theorem 3.3 speaks: β max over signs s of ‖Σ_w s q c(w, ·)‖.

    A maximum over sign patterns: exact for up to `MOST_SIGNS` hypotheses. For more, a local search over the
    patterns is the lower end, and the smaller of Σ_w q ‖c(w, ·)‖ and the sum of all entries' sizes the upper one.
    Holds a matrix of hypotheses by hypotheses.
    """
    q, averages = posterior.probabilities, averaged_gradients(posterior, risks)
    kept = np.flatnonzero(q > 1e-18 * q.max())
    gram = np.zeros((len(kept), len(kept)))
    for a, b in _gradient_blocks(risks):
        pulls = (risks.gradients(a, b)[:, kept] - averages[a:b, None, :]) * q[kept, None]
        flat = pulls.swapaxes(0, 1).reshape(len(kept), -1)
        gram += flat @ flat.T
    gram /= risks.records
    scale = posterior.inverse_temperature
    if len(kept) <= MOST_SIGNS:
        patterns = np.array([(1.0, *rest) for rest in itertools.product((-1.0, 1.0), repeat=len(kept) - 1)])
        exact = math.sqrt(max(0.0, float(np.einsum("sw,wv,sv->s", patterns, gram, patterns).max())))
        return NormBracket(scale * exact, scale * exact)
    upper = min(float(np.sqrt(np.maximum(np.diag(gram), 0.0)).sum()), math.sqrt(float(np.abs(gram).sum())))
    return NormBracket(scale * math.sqrt(_signed(gram)), scale * upper)


def _signed(gram: Float[np.ndarray, "n n"]) -> float:
    """A local maximum of sᵀ G s over sign patterns, from the signs of the leading eigenvector."""
    signs = np.where(np.linalg.eigh(gram)[1][:, -1] >= 0, 1.0, -1.0)
    while True:
        flip = signs * (gram @ signs) - np.diag(gram)  # flipping one sign adds -4 times this
        worst = int(np.argmin(flip))
        if flip[worst] >= -1e-15 * float(np.trace(gram)):
            return max(0.0, float(signs @ gram @ signs))
        signs[worst] = -signs[worst]


def _gradient_blocks(risks: SmoothRisks) -> list[tuple[int, int]]:
    return list(record_blocks(risks.records, risks.hypotheses * risks.gradients(0, 1).shape[-1]))
