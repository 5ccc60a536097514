r"""Estimates of the radii of TDP Theorems 3.1 and 3.3 from draws of q, each with its Monte-Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from wassdp.tangent.diagnostics import LARGEST_R_HAT, effective_sample_size, r_hat
from wassdp.tangent.langevin import Draws
from wassdp.tangent.potentials import Potential

SEGMENTS = 5  # of each chain, whose leaving out one by one gives the error
LEAST_EFFECTIVE = 400  # Vehtari et al. (2021), section 4.3
LARGEST_BIAS = 0.05  # of an unadjusted sampler, as a share of the estimate
WORST_R_HAT = 1e6  # where a figure has to be finite: chains that stand still at different places
WATCHED = 32  # records whose margins are watched for convergence


@dataclass(frozen=True)
class TangentEstimate:
    """A number estimated from several chains.

    Args:
        value: the estimate.
        error: its Monte-Carlo standard error, by the jackknife over segments of the chains. It knows nothing of modes
            that no chain has visited, nor of a sampler's bias.
        r_hat: largest R-hat of the estimate's own series, of the mean risk and of the watched margins.
        effective: smallest effective sample size of the same.
    """

    value: float
    error: float
    r_hat: float
    effective: float

    @property
    def converged(self) -> bool:
        """R-hat below 1.01 and at least 400 effective draws."""
        return is_converged(self.r_hat, self.effective)


def is_converged(r_hat: float, effective: float) -> bool:
    """R-hat below 1.01 and at least 400 effective draws."""
    return r_hat < LARGEST_R_HAT and effective >= LEAST_EFFECTIVE


def step_bias(whole: TangentEstimate, half: TangentEstimate) -> float:
    """Relative bias of an unadjusted sampler's estimate, from the estimate at half the step h.

    The bias is of order h, so that what is left of it is about twice the change (Richardson).
    """
    return 2 * (whole.value / half.value - 1)


def watched(potential: Potential, sample: Draws) -> Float[np.ndarray, "quantities chains draws"]:
    """What must agree between chains: the mean risk, and the margins of some records.

    Functions of the classifier, not its parameters: those of a network may be permuted without any effect.
    """
    records = np.linspace(0, potential.records - 1, min(WATCHED, potential.records)).astype(int)
    means, margins = [], []
    for chain in sample.draws:
        risks = [potential.risks(part).mean(axis=1) for part in _parts(chain, potential.records)]
        means.append(np.concatenate(risks))
        scores = potential.scores.forward(chain, potential.features[records])[0]
        margins.append((scores * potential.labels[records]).T)
    return np.concatenate([np.stack(means)[None], np.stack(margins, axis=1)])


def convergence(series: Float[np.ndarray, "quantities chains draws"]) -> tuple[float, float]:
    """Largest R-hat and smallest effective sample size of several quantities."""
    return max(map(r_hat, series)), min(map(effective_sample_size, series))


def radius_total_variation(potential: Potential, sample: Draws) -> TangentEstimate:
    r"""max_x ∫ q(w) r(w, x) dw, R of Theorem 3.1, as in TDP Remark 3.2(c).

    The maximum of estimated means is biased upwards, by less than its error where one record stands out.
    """
    means = np.stack(
        [
            np.sum([potential.risks(part).sum(axis=0) for part in _parts(segment, potential.records)], axis=0)
            / len(segment)
            for segment in _segments(sample)
        ]
    )
    value, error = _jackknife(len(means), lambda kept: float(means[kept].mean(axis=0).max()))
    worst = int(np.argmax(means.mean(axis=0)))
    at = slice(worst, worst + 1)
    series = np.stack([potential.loss.value(potential.margins(chain, at))[:, 0] for chain in sample.draws])
    return _judged(potential, sample, value, error, series)


def radius_wasserstein(potential: Potential, sample: Draws) -> TangentEstimate:
    r"""‖∫ q(w) r(w, ·) dw‖ in Ḣ¹(p), R of Theorem 3.3, as in TDP Remark 3.4(b).

    The theorem is refuted with this R (see `wassdp.tangent.bounds.gibbs_bound`): this estimates the printed number.

    Its square is the mean product of gradients averaged over *different* chains, which are independent: the square of
    one noisy average would be too large by its variance.

    Convergence is judged by the series of mean_x ⟨ḡ(x), ∇_x r(w, x)⟩, to which the estimate is linear near ḡ, the mean
    gradients.

    Raises:
        ValueError: the loss has jumps.
    """
    shape = potential.features.shape
    means = np.zeros((sample.draws.shape[0] * SEGMENTS, *shape))
    for position, segment in enumerate(_segments(sample)):
        for part in _parts(segment, shape[1]):
            for records, gradients in potential.risk_gradients(part):
                means[position, records] += gradients.sum(axis=0) / len(segment)
    chains = np.repeat(np.arange(sample.draws.shape[0]), SEGMENTS)
    value, error = _jackknife(len(means), lambda kept: _cross_norm(means[kept], chains[kept]))
    centre = means.mean(axis=0)
    series = np.zeros(sample.draws.shape[:2])
    for chain, draws in enumerate(sample.draws):
        done = 0
        for part in _parts(draws, shape[1]):
            for records, gradients in potential.risk_gradients(part):
                pulled = np.einsum("cxd,xd->c", gradients, centre[records])
                series[chain, done : done + len(part)] += pulled / potential.records
            done += len(part)
    return _judged(potential, sample, value, error, series)


def _judged(
    potential: Potential, sample: Draws, value: float, error: float, series: Float[np.ndarray, "chains draws"]
) -> TangentEstimate:
    return TangentEstimate(value, error, *convergence(np.concatenate([watched(potential, sample), series[None]])))


def _segments(sample: Draws) -> list[Float[np.ndarray, "draws parameters"]]:
    if sample.draws.shape[1] < SEGMENTS:
        raise ValueError(f"draws: {sample.draws.shape[1]} of each chain; must be at least {SEGMENTS}")
    return [part for chain in sample.draws for part in np.array_split(chain, SEGMENTS)]


def _parts(draws: Float[np.ndarray, "draws parameters"], width: int) -> list[Float[np.ndarray, "draws parameters"]]:
    """Pieces of a chain small enough to be evaluated at once."""
    return np.array_split(draws, max(1, math.ceil(len(draws) * width / 2**21)))


def _cross_norm(means: Float[np.ndarray, "segments records dimension"], chains: Int[np.ndarray, " segments"]) -> float:
    """Root of the mean product, over pairs of segments of different chains and over the records."""
    sums = np.stack([means[chains == chain].sum(axis=0) for chain in np.unique(chains)])
    sizes = np.bincount(chains).astype(float)
    products = (sums.sum(axis=0) ** 2).sum() - (sums**2).sum()
    return math.sqrt(max(0.0, float(products) / (means.shape[1] * (sizes.sum() ** 2 - (sizes**2).sum()))))


def _jackknife(segments: int, function: Callable[[np.ndarray], float]) -> tuple[float, float]:
    """``function`` of the places of all segments, and its jackknife standard error."""
    every = np.arange(segments)
    left = np.array([function(np.delete(every, segment)) for segment in every])
    return function(every), math.sqrt((segments - 1) / segments * float(((left - left.mean()) ** 2).sum()))
