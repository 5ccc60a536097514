"""Pairs of distributions on a few outcomes: what a mechanism's output may follow for two neighbours."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import mpmath
import numpy as np
from jaxtyping import Float

Probabilities = Float[np.ndarray, " outcomes"]


@dataclass(frozen=True)
class Pair:
    """Odds of the outcomes under both neighbours; probabilities are odds over their sum."""

    p: tuple[float, ...]
    q: tuple[float, ...]

    def __str__(self) -> str:
        sides = (", ".join(f"{odds:.6g}" for odds in side) for side in (self.p, self.q))
        return "odds " + " and ".join(f"({side})" for side in sides)

    @property
    def arrays(self) -> tuple[Probabilities, Probabilities]:
        """P and Q."""
        p, q = np.array(self.p), np.array(self.q)
        return p / p.sum(), q / q.sum()


def hockey_stick(p: Probabilities, q: Probabilities, epsilon: float) -> float:
    """Largest P(S) - e^ε Q(S)."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def renyi(p: Probabilities, q: Probabilities, order: float) -> float:
    """D_α(P‖Q) of positive probabilities, α > 1."""
    logs = order * np.log(p) - (order - 1) * np.log(q)
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum())) / (order - 1)


def draw(generator: np.random.Generator) -> Pair:
    """A rare outcome that tells much about P, beside one or two that tell little."""
    rare, loss = 10 ** generator.uniform(-4, -0.3), generator.uniform(0.05, 10)
    others = generator.dirichlet(np.ones(int(generator.integers(1, 3))))
    tilted = others * np.exp(0.1 * generator.normal(size=others.size))
    least = rare * math.exp(-loss)
    p = (rare, *((1 - rare) * others))
    q = (least, *((1 - least) * tilted / tilted.sum()))
    return Pair(tuple(float(value) for value in p), tuple(float(value) for value in q))


def plain(case: Pair) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
    """P and Q to fifty digits."""
    with mpmath.workdps(50):
        p, q = ([mpmath.mpf(odds) for odds in side] for side in (case.p, case.q))
        return [value / sum(p) for value in p], [value / sum(q) for value in q]


def over_events(p: list[mpmath.mpf], q: list[mpmath.mpf], factor: mpmath.mpf) -> mpmath.mpf:
    """Largest P(S) - factor Q(S), over all sets S of outcomes, one after the other."""
    places = range(len(p))
    events = itertools.chain.from_iterable(itertools.combinations(places, size) for size in range(len(p) + 1))
    return max(sum((p[i] - factor * q[i] for i in event), mpmath.mpf(0)) for event in events)
