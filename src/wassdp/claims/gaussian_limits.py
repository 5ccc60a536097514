r"""Runs of WG's Section 7: noise from the central limit of Gaussian differential privacy, and what it really costs.

A run has T steps on batches without replacement at rate p. Two neighbours are given: a record that moves the gradient
by its whole sensitivity and one that does not move it at all, so that a step follows (1-p) N(0, 1) + p N(μ, 1) against
N(0, 1), or the reverse. What tells these apart is attained, hence a lower bound on any budget of the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float
from scipy import optimize, special, stats

from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.formulas.conversions import gdp_to_epsilon

RECORDS = 30_000
DELTA = 0.1 / RECORDS
CELLS = 1 << 20

Values = Float[np.ndarray, " values"]
Mean = Callable[[float, int, float], float]
"""μ of the limit from the rate, the steps and the noise multiplier."""


@dataclass(frozen=True)
class Run:
    """Steps, batch of 30,000 records, and the ε that the noise is chosen for, at δ = 0.1/30,000."""

    steps: int
    batch: int
    epsilon: float

    def __str__(self) -> str:
        return f"T = {self.steps}, {self.batch} of {RECORDS} records a step, ε = {self.epsilon:g}, δ = {DELTA:.3g}"

    @property
    def rate(self) -> float:
        """P."""
        return self.batch / RECORDS


RUNS = tuple(Run(steps, 6000, epsilon) for steps in (500, 1000) for epsilon in (1.0, 2.0, 5.0, 10.0))


def draw(generator: np.random.Generator) -> Run:
    """A run of the paper's numbers of steps, its rate 1/5 and budgets from 1 to 10."""
    return RUNS[generator.integers(len(RUNS))]


def poisson_limit(rate: float, steps: int, noise: float) -> float:
    """Dong, Roth and Su (2022) with Bu et al. (2020): p √(T (e^{1/σ²} - 1)); Opacus's unless told otherwise."""
    return rate * math.sqrt(steps * math.expm1(noise**-2))


def uniform_limit(rate: float, steps: int, noise: float) -> float:
    """The limit for batches of a fixed size: √2 p √(T (e^{1/σ²} Φ(3/(2σ)) + 3Φ(-1/(2σ)) - 2))."""
    inner = math.exp(noise**-2) * special.ndtr(1.5 / noise) + 3 * special.ndtr(-0.5 / noise) - 2
    return math.sqrt(2) * rate * math.sqrt(steps * inner)


@lru_cache(maxsize=64)
def calibrated(run: Run, mean: Mean) -> float:
    """Noise multiplier at which a limit states the run's ε."""

    def excess(noise: float) -> float:
        return gdp_to_epsilon(mean(run.rate, run.steps, noise), DELTA) - run.epsilon

    return float(optimize.brentq(excess, 0.5, 500.0, xtol=1e-12))


@lru_cache(maxsize=64)
def attained(run: Run, noise: float) -> float:
    """ε that the two neighbours show, from below: the library's account of the very pair, less its error."""
    gaussian = Gaussian(noise_multiplier=noise, adjacency="add-remove")
    guarantee = PLDAccountant().epsilon(repeated(PoissonSampled(event=gaussian, rate=run.rate), run.steps), DELTA)
    assert guarantee.epsilon_error is not None, "a bounded figure has its error"
    return guarantee.value - guarantee.epsilon_error


@lru_cache(maxsize=64)
def proven(run: Run, noise: float) -> float:
    """ε that is proven for every pair (Zhu, Dong and Wang 2022, Theorem 11)."""
    gaussian = Gaussian(noise_multiplier=noise, adjacency="replace-one")
    sampled = SampledWithoutReplacement(event=gaussian, records=RECORDS, batch=run.batch)
    return PLDAccountant().epsilon(repeated(sampled, run.steps), DELTA).value


def plain_attained(run: Run, noise: float) -> float:
    """The first pair's ε from below: the steps' losses under the mixture, rounded down."""
    edges = _edges(run)
    law = np.diff(_below(edges, run.rate, 1 / noise, mixed=True))
    return _plain_epsilon(run, law, edges[:-1])


def plain_proven(run: Run, noise: float) -> float:
    """`proven` from above: the losses of the dominating pair, rounded up.

    Above 0 they follow the mixture's law, below 0 that of N(0, 1) under the reverse order, the rest is at 0.
    """
    edges = _edges(run)
    above = np.diff(_below(edges, run.rate, 1 / noise, mixed=True)) * (edges[:-1] >= 0)
    under = (np.diff(_below(edges, run.rate, 1 / noise, mixed=False)) * (edges[:-1] >= 0))[::-1]
    law = above + under
    law[np.searchsorted(edges[1:], 0.0)] += 1.0 - law.sum()
    return _plain_epsilon(run, law, edges[1:])


def _edges(run: Run) -> Values:
    """A grid of losses, finer for smaller budgets, around 0."""
    return 5e-6 * run.epsilon * np.arange(-CELLS // 4, CELLS // 4 + 1)


def _below(edges: Values, rate: float, mean: float, *, mixed: bool) -> Values:
    """P(loss <= edge) of log((1-p) + p e^{μx - μ²/2}), x from the mixture or from N(0, 1)."""
    inside = (np.exp(edges) - (1 - rate)) / rate
    outputs = np.where(inside > 0, np.log(np.maximum(inside, 1e-300)) / mean + mean / 2, -40.0)
    standard = stats.norm.cdf(outputs)
    return np.asarray((1 - rate) * standard + rate * stats.norm.cdf(outputs - mean) if mixed else standard)


def _plain_epsilon(run: Run, law: Values, losses: Values) -> float:
    """ε of a step's law of losses to the power T, by one Fourier transform."""
    step = losses[1] - losses[0]
    circle = np.zeros(CELLS)
    circle[np.rint(losses / step).astype(int) % CELLS] = law
    total = np.maximum(np.fft.irfft(np.fft.rfft(circle) ** run.steps, CELLS), 0.0)
    sums = step * np.fft.fftfreq(CELLS, 1 / CELLS)

    def excess(epsilon: float) -> float:
        above = sums > epsilon
        return float(total[above] @ -np.expm1(epsilon - sums[above])) - DELTA

    return float(optimize.brentq(excess, 0.0, float(sums.max()), xtol=1e-9))


def plain_delta(mean: float, epsilon: float) -> float:
    """Lemma 2.3."""
    near, far = (epsilon / mean + sign * mean / 2 for sign in (-1, 1))
    return math.erfc(near / math.sqrt(2)) / 2 - math.exp(epsilon) * math.erfc(far / math.sqrt(2)) / 2
