"""WG Algorithm 1: T noisy gradients on batches without replacement, beside T times C_p of the Gaussian mechanism.

Pairs are those that the noise shows: a record that moves the gradient to x, replaced by one that moves it to x', at
most the sensitivity apart; without it in the batch it is at 0. Runs are the paper's: p = 1/5, T = 500 or 1000.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import fft, optimize, special

from wassdp.claims.gaussian_limits import DELTA, Run, calibrated, draw, plain_proven, poisson_limit, proven
from wassdp.claims.inequality import Inequality

CELLS = 1 << 20
SPAN = 3.0  # losses of a run, in units of its budget

Values = Float[np.ndarray, " values"]


@dataclass(frozen=True)
class Pair:
    """A run, and both records' places in units of the sensitivity."""

    run: Run
    noise: float
    place: float
    other: float

    def __str__(self) -> str:
        places = f"records at {self.place:.6g} and {self.other:.6g} times the sensitivity"
        return f"{self.run}, noise multiplier {self.noise:.6g}, {places}"


def _draw(generator: np.random.Generator) -> Pair:
    run = draw(generator)
    place = float(generator.choice((1.0, 0.0, generator.uniform(-1, 1))))
    other = place + float(generator.choice((-1.0, 1.0, generator.uniform(-1, 1))))
    return Pair(run, calibrated(run, poisson_limit), place, other)


def _found(case: Pair) -> float:
    """ε that the pair shows after T steps, from below: losses of cells of outputs, rounded down, one transform."""
    step = 2 * SPAN * case.run.epsilon / CELLS
    outputs = np.linspace(-14.0, 14.0, 400_001)
    losses, below = (_law(case, outputs, which) for which in ("loss", "below"))
    cells = np.floor(np.minimum(losses[1:], losses[:-1]) / step).astype(np.int64)
    law = np.bincount(cells % CELLS, weights=np.diff(below), minlength=CELLS)
    total = np.maximum(fft.irfft(fft.rfft(law) ** case.run.steps, CELLS), 0.0)
    sums = step * np.where(np.arange(CELLS) < CELLS // 2, np.arange(CELLS), np.arange(CELLS) - CELLS)

    def excess(epsilon: float) -> float:
        return float(total @ np.maximum(0.0, -np.expm1(np.minimum(epsilon - sums, 0.0)))) - DELTA

    return 0.0 if excess(0.0) <= 0 else float(optimize.brentq(excess, 0.0, SPAN * case.run.epsilon, xtol=1e-9))


def _law(case: Pair, outputs: Values, which: str) -> Values:
    """Logarithm of the quotient of both densities, or the first distribution function."""
    rate, places = case.run.rate, (case.place / case.noise, case.other / case.noise)
    if which == "below":
        return np.asarray((1 - rate) * special.ndtr(outputs) + rate * special.ndtr(outputs - places[0]))
    first, second = (np.log1p(rate * np.expm1(outputs * place - place**2 / 2)) for place in places)
    return np.asarray(first - second)


def _ratio(case: Pair) -> float:
    return _found(case) / proven(case.run, case.noise)


def _plain(case: Pair) -> float:
    """The mean loss and its variance by Riemann sums, and ε of a normal law of these, less what that may be off."""
    y = np.arange(-14, 14, 1e-4)
    bells = [np.exp(-((y - x / case.noise) ** 2) / 2) / math.sqrt(2 * math.pi) for x in (0.0, case.place, case.other)]
    p, q = ((1 - case.run.rate) * bells[0] + case.run.rate * bell for bell in bells[1:])
    loss = np.log(p / q)
    mean = float((p * loss).sum() * 1e-4)
    variance = float((p * (loss - mean) ** 2).sum() * 1e-4)
    centre, width = case.run.steps * mean, math.sqrt(case.run.steps * variance)
    if width == 0:
        return 0.0
    sums = centre + width * np.linspace(-8, 8, 40_001)
    law = np.exp(-(np.linspace(-8, 8, 40_001) ** 2) / 2) / math.sqrt(2 * math.pi) * 16 / 40_000
    low, high = 0.0, 5 * case.run.epsilon
    for _ in range(60):
        epsilon = (low + high) / 2
        delta = float((law * np.maximum(0, 1 - np.exp(np.minimum(epsilon - sums, 0)))).sum())
        low, high = (epsilon, high) if delta > DELTA else (low, epsilon)
    return 0.9 * low / plain_proven(case.run, case.noise)


def _of_fewer_steps(case: Pair) -> float:
    quarter = Run(case.run.steps // 4, case.run.batch, case.run.epsilon)
    return _found(case) / proven(quarter, case.noise)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Algorithm 1",
    place="Section 5.3: 'the overall procedure described by Algorithm 1 is C_p(G)^{⊗T}-DP'",
    statement="T noisy gradients of Algorithm 1 have at most the budget of T times C_p of the Gaussian mechanism",
    formula="ε(δ) of T steps ≤ ε(δ) of C_p(G_{Δ/σ})^{⊗T}, p = max_j n'_j/n_j, δ = 0.1/n",
    compared="ε found / stated",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_of_fewer_steps,
    usual=12,
    few=6,
)
