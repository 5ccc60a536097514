r"""Langevin samplers of exp(-U): Metropolis-adjusted (MALA), and stochastic-gradient with a preconditioner.

Both move w by -½ h D ∇U(w) + √h D^{1/2} ξ with a preconditioner D, dense for MALA and diagonal for SGLD. Everything
that adapts, the step h and D, does so in warm-up only: afterwards the chain is a homogeneous Markov chain, and no term
for the change of D is due.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.tangent.potentials import Chains, Potential

ACCEPTANCE = 0.574  # optimal for MALA in high dimension (Roberts and Rosenthal 1998)
FARTHEST = 1e6  # base deviations: no draw of the target lies there


class Divergence(ValueError):  # noqa: N818 -- reads as what happened
    """Chains ran away: the step is too large."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws after warm-up.

    Args:
        draws: w, shape (chains, draws, parameters).
        step: h after warm-up.
        acceptance: share of accepted proposals after warm-up, shape (chains,); 1 without Metropolis adjustment.
    """

    draws: Float[np.ndarray, "chains draws parameters"]
    step: float
    acceptance: Float[np.ndarray, " chains"]


def starts(potential: Potential, chains: int, generator: np.random.Generator, *, spread: float | None = None) -> Chains:
    """Starting points drawn from the base measure, or from a Gaussian of another deviation: several modes are found."""
    deviation = potential.base_std if spread is None else checks.positive("spread", spread)
    return np.asarray(
        generator.normal(scale=deviation, size=(checks.whole("chains", chains, least=2), potential.parameters))
    )


def mala(
    potential: Potential, start: Chains, *, warm_up: int, draws: int, thin: int = 1, generator: np.random.Generator
) -> Draws:
    r"""Metropolis-adjusted Langevin: exact for exp(-U), however large the step.

    In warm-up, h follows the acceptance rate, pooled over the chains, towards
    0.574, and D is the mean of the chains' own covariances over windows of doubling length; the last fifth of the
    warm-up tunes h alone.

    Args:
        potential: U. Where it jumps, its gradient counts as 0 and the sampler is a random-walk Metropolis there.
        start: one row a chain.
        warm_up: steps whose draws are dropped, at least 40.
        draws: draws kept.
        thin: steps for each draw kept.
        generator: source of all randomness.
    Source: Roberts and Tweedie (1996); TDP Remark 3.1.
    """
    checks.whole("warm_up", warm_up, least=40)
    checks.whole("draws", draws, least=4)
    checks.whole("thin", thin, least=1)
    w = np.array(start)
    count, dimension = w.shape
    value, gradient = potential.value_and_gradient(w)
    root = np.eye(dimension)
    log_step = math.log(potential.base_std**2 / dimension)
    ends, window, tuned = _window_ends(warm_up), [], 0
    kept, accepted = np.empty((count, draws, dimension)), np.zeros(count)
    for turn in range(warm_up + draws * thin):
        # In coordinates z with w = root z, the step has the plain form.
        half = 0.5 * math.exp(log_step)
        noise = generator.normal(size=w.shape)
        push = gradient @ root
        jump = -half * push + math.sqrt(2 * half) * noise
        proposal = w + jump @ root.T
        new_value, new_gradient = potential.value_and_gradient(proposal)
        back = jump - half * (new_gradient @ root)
        log_ratio = value - new_value + 0.5 * (noise**2).sum(axis=1) - (back**2).sum(axis=1) / (4 * half)
        chance = np.exp(np.minimum(log_ratio, 0.0))
        taken = generator.random(count) < chance
        w = np.where(taken[:, None], proposal, w)
        value = np.where(taken, new_value, value)
        gradient = np.where(taken[:, None], new_gradient, gradient)
        if turn >= warm_up:
            accepted += taken
            done = turn - warm_up
            if done % thin == thin - 1:
                kept[:, done // thin] = w
            continue
        tuned += 1
        log_step += 2 * (chance.mean() - ACCEPTANCE) / tuned**0.6
        if ends[0] <= turn < ends[-1]:
            window.append(w)
            if turn + 1 in ends:
                root = _root(np.stack(window, axis=1), root)
                # Unit variances from now on: start at the usual optimal step for them.
                log_step, window, tuned = -math.log(dimension) / 3, [], 0
    return Draws(kept, math.exp(log_step), accepted / (draws * thin))


def _window_ends(warm_up: int) -> list[int]:
    """Steps at which the windows of the preconditioner begin and end: from a tenth to about four fifths of the warm-up.

    >>> _window_ends(1000)
    [100, 146, 240, 426, 799]
    """
    return [int(warm_up * (0.1 + 0.7 * (2**part - 1) / 15)) for part in range(5)]


def _root(
    draws: Float[np.ndarray, "chains draws parameters"], before: Float[np.ndarray, "parameters parameters"]
) -> Float[np.ndarray, "parameters parameters"]:
    """Cholesky factor of the mean of the chains' covariances, drawn towards its diagonal as far as it is uncertain.

    The one ``before`` is kept where the chains have not moved.
    """
    chains, count, dimension = draws.shape
    centred = (draws - draws.mean(axis=1, keepdims=True)).reshape(-1, dimension)
    covariance = centred.T @ centred / max(1, chains * (count - 1))
    diagonal = np.diag(covariance)
    if diagonal.max() == 0:
        return before
    trust = chains * count / (chains * count + 5 * dimension)
    shrunk = trust * covariance + np.diag((1 - trust) * diagonal + 1e-9 * float(diagonal.max()))
    return np.asarray(np.linalg.cholesky(shrunk))


def sgld(
    potential: Potential,
    start: Chains,
    *,
    step: float,
    batch: int,
    warm_up: int,
    draws: int,
    thin: int = 1,
    precondition: bool = True,
    generator: np.random.Generator,
) -> Draws:
    r"""Stochastic-gradient Langevin dynamics, preconditioned as RMSprop is, without Metropolis adjustment.

    Without adjustment the draws are biased by a term of order h (and by the noise of the batches): R-hat does not see
    this. With ``precondition`` false and a full batch this is noisy gradient descent with learning rate η on the mean
    risk and gradient noise of deviation √(2/(βη)): h = 2η/β (TDP Remark 3.1).

    Args:
        potential: U, whose gradient is estimated from a batch drawn without replacement.
        start: one row a chain.
        step: h > 0.
        batch: records of a batch; all of them for the whole gradient.
        warm_up: steps whose draws are dropped; the preconditioner is averaged in them, then frozen.
        draws: draws kept.
        thin: steps for each draw kept.
        precondition: divide by the root mean square of each gradient coordinate (D, largest entry 1).
        generator: source of all randomness.

    Raises:
        Divergence: the chains run away.
    Source: Welling and Teh (2011); Li, Chen, Carlson and Carin (2016), with D frozen.
    """
    checks.positive("step", step)
    checks.whole("warm_up", warm_up, least=1)
    checks.whole("draws", draws, least=4)
    checks.whole("thin", thin, least=1)
    if checks.whole("batch", batch, least=1) > potential.records:
        raise ValueError(f"batch = {batch}: must be at most {potential.records} records")
    w = np.array(start)
    kept = np.empty((len(w), draws, w.shape[1]))
    square, scale = np.zeros(w.shape[1]), np.ones(w.shape[1])
    for turn in range(warm_up + draws * thin):
        rows = None
        if batch < potential.records:
            rows = generator.choice(potential.records, size=batch, replace=False, shuffle=False)
        _, gradient = potential.value_and_gradient(w, rows)
        if precondition and turn < warm_up:
            square = 0.99 * square + 0.01 * (gradient**2).mean(axis=0)
            root = np.sqrt(square)
            scale = (root.min() + 1e-8) / (root + 1e-8)
        w = w - 0.5 * step * scale * gradient + np.sqrt(step * scale) * generator.normal(size=w.shape)
        if not (np.abs(w) < FARTHEST * potential.base_std).all():
            raise Divergence(f"step = {step!r}: the chains diverge; must be smaller")
        done = turn - warm_up
        if done >= 0 and done % thin == thin - 1:
            kept[:, done // thin] = w
    return Draws(kept, step, np.ones(len(w)))
