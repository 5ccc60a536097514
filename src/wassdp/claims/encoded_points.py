r"""What SWD's noise on projections does not cover: a gradient through an encoder that reads private records.

The encoder is linear with one output, g_θ(x) = θ·x, so that the gradient of the distance in θ is Σ_i c_i x_i: c are
pulls on the noisy outputs, x_i the private records themselves. With θ = (1, 1), replacing x_1 = (t, 0) by (0, t) leaves
every output as it is, and the law of everything that is noisy; but the gradient's second coordinate is 0 before, and
not after. The test "is it 0?" tells both apart, whatever σ is.

The counts come from the closed form of the pulls; what confirms them differentiates the noisy distance numerically.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from wassdp.claims import shrinking

TRIALS = 1_000_000
DOUBT = 1e-9
EPSILON, DELTA = 10.0, 1e-5


@dataclass(frozen=True)
class Encoded:
    """Places t of the private records on the first axis, public outputs, σ, and whether the encoder reads the records.

    Where it does not, the private points are compared as they are, and θ belongs to the public side.
    """

    private: tuple[float, ...]
    public: tuple[float, ...]
    noise: float
    through: bool
    seed: int

    def __str__(self) -> str:
        private, public = (", ".join(f"{value:.6g}" for value in side) for side in (self.private, self.public))
        return f"θ = (1, 1), private records (t, 0), t = {private}, the first to become (0, t); public {public}, " + (
            f"σ = {self.noise:.6g}, ε = {EPSILON:g}, δ = {DELTA:g}"
        )


def draw(generator: np.random.Generator) -> Encoded:
    """As many public points as private ones, up to three; noise from a tenth to a hundred times the records' scale."""
    count = int(generator.integers(1, 4))
    private, public = generator.uniform(-0.5, 0.5, size=(2, count)).round(3)
    private[0] = private[0] or 0.5
    noise = float(10 ** generator.uniform(-1, 2))
    return Encoded(tuple(private.tolist()), tuple(public.tolist()), noise, True, int(generator.integers(1 << 31)))


def simpler(case: Encoded) -> Iterator[Encoded]:
    """One record a side, rounder numbers."""
    if len(case.private) > 1:
        yield replace(case, private=case.private[:1], public=case.public[:1])
    if case.private[0] != 0.5:
        yield replace(case, private=(0.5, *case.private[1:]))
    yield from (other for other in shrinking.rounder(case, "public", "noise") if other.noise > 0)


def told_apart(case: Encoded) -> float:
    """P(not 0) after, from below, over what a budget allows: e^ε P(not 0) before, from above, + δ."""
    before, after = (_nonzero(case, replaced=replaced) for replaced in (False, True))
    low, high = _interval(after)[0], _interval(before)[1]
    return low / (math.exp(EPSILON) * high + DELTA)


def _nonzero(case: Encoded, *, replaced: bool) -> int:
    """Trials of TRIALS in which the gradient's second coordinate is not 0; at most so many as are drawn at a time."""
    generator = np.random.default_rng((case.seed, replaced))
    second = np.zeros(len(case.private))
    if case.through and replaced:
        second[0] = case.private[0]
    found = 0
    for _ in range(10):
        shape = (TRIALS // 10, len(case.private))
        ours, theirs = (
            np.array(side) + case.noise * generator.normal(size=shape) for side in (case.private, case.public)
        )
        ranks = np.argsort(np.argsort(ours, axis=1), axis=1)
        pulls = 2 / shape[1] * (ours - np.take_along_axis(np.sort(theirs, axis=1), ranks, axis=1))
        found += int(np.count_nonzero(pulls @ second))
    return found


def _interval(count: int) -> tuple[float, float]:
    """Hoeffding's interval, and for none or all the exact one."""
    most = 1 - DOUBT ** (1 / TRIALS)
    if count in (0, TRIALS):
        return (0.0, most) if count == 0 else (1 - most, 1.0)
    margin = math.sqrt(math.log(2 / DOUBT) / (2 * TRIALS))
    return max(0.0, count / TRIALS - margin), min(1.0, count / TRIALS + margin)


def plain_told_apart(case: Encoded) -> float:
    """By difference quotients in θ_2 for a few draws of the noise.

    Before, no record has a second coordinate: the distance does not depend on θ_2 at all, and the quotient is exactly
    0. After, it is 0 with probability 0; of thirty draws none may be.
    """
    generator = np.random.default_rng(case.seed + 1)
    counts = []
    for replaced in (False, True):
        records = [(t, 0.0) for t in case.private]
        if replaced and case.through:
            records[0] = (0.0, case.private[0])
        quotients = []
        for _ in range(30):
            noise = case.noise * generator.normal(size=(2, len(records)))
            values = []
            for step in (0.0, 1e-3):
                places = sorted(a + (1.0 + step) * b + v for (a, b), v in zip(records, noise[0], strict=True))
                targets = sorted(y + v for y, v in zip(case.public, noise[1], strict=True))
                values.append(sum((x - y) ** 2 for x, y in zip(places, targets, strict=True)))
            quotients.append(values[1] - values[0])
        counts.append(sum(value != 0 for value in quotients))
    return float(counts[1] / 30 / (math.exp(EPSILON) * counts[0] / 30 + DELTA))
