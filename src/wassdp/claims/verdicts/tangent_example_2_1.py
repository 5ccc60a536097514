"""TDP Example 2.1: the total variation distance, with its factor of 2, gives the L¹ norm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality

ROUNDING = 1e-13  # of sums of probabilities: hides nothing of changes that are larger


@dataclass(frozen=True)
class Two:
    """Weights of two laws on the same points, to be divided by their sums."""

    before: tuple[float, ...]
    after: tuple[float, ...]

    def __str__(self) -> str:
        before, after = (" ".join(f"{value:.6g}" for value in law) for law in (self.before, self.after))
        return f"p ∝ ({before}), p̃ ∝ ({after})"


def _draw(generator: np.random.Generator) -> Two:
    points = int(generator.integers(2, 9))
    before = generator.dirichlet(np.full(points, 10 ** generator.uniform(-1, 1)))
    change = generator.normal(size=points) * 10 ** generator.uniform(-4, 1)
    after = np.maximum(before * np.exp(change), 1e-12)
    return Two(tuple((before + 1e-9).tolist()), tuple(after.tolist()))


def _difference(case: Two) -> np.ndarray:
    before, after = np.array(case.before), np.array(case.after)
    return np.asarray(after / after.sum() - before / before.sum())


def _over_sets(change: np.ndarray) -> float:
    """The largest change of a set's probability, over every set."""
    members = (np.arange(1 << len(change))[:, None] >> np.arange(len(change))) & 1
    return float(np.abs(members @ change).max())


def _apart(one: float, other: float) -> float:
    return max(one, other) / (min(one, other) + ROUNDING)


def _ratio(case: Two) -> float:
    change = _difference(case)
    return _apart(2 * _over_sets(change), float(np.abs(change).sum()))


def _plain(case: Two) -> float:
    """By sums over combinations of points."""
    totals = math.fsum(case.before), math.fsum(case.after)
    change = [b / totals[1] - a / totals[0] for a, b in zip(case.before, case.after, strict=True)]
    places = range(len(change))
    sets = itertools.chain.from_iterable(itertools.combinations(places, size) for size in range(len(change) + 1))
    largest = 2 * max(abs(math.fsum(change[place] for place in chosen)) for chosen in sets)
    norm = math.fsum(abs(value) for value in change)
    return max(largest / (norm + ROUNDING), norm / (largest + ROUNDING))


def _without_the_factor(case: Two) -> float:
    change = _difference(case)
    return _apart(_over_sets(change), float(np.abs(change).sum()))


def _simpler(case: Two) -> Iterator[Two]:
    for other in shrinking.rounder(case, "before", "after"):
        if min(*other.before, *other.after) > 0:
            yield other


CLAIM = Inequality(
    paper="tangent-dp",
    item="Example 2.1",
    place="Section 2",
    statement="total variation, twice the largest change of a set's probability, is the L¹ norm of the difference",
    formula="2 max_S |p(S) − p̃(S)| = ∫ |p̃ − p|",
    compared="quotient of both sides, either way",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_without_the_factor,
    simpler=_simpler,
    usual=5000,
    few=100,
)
