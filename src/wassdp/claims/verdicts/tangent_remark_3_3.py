"""TDP Remark 3.3: losses of a margin that stay bounded, whatever the records are.

A case is a loss, margins of every hypothesis at every record, of any size, and β: Theorem 3.2 with the loss's own
largest value, known without the records, in place of R.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import tangent_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.tangent import quotient
from wassdp.claims.words import in_words
from wassdp.tangent import bounds, gibbs, losses, radii
from wassdp.tangent.risks import MatrixRisks

NAMES: tuple[losses.LossName, ...] = ("savage", "tangent", "zero_one")
PLAIN = {
    "savage": lambda m: (1 + math.exp(min(2 * m, 700))) ** -2,
    "tangent": lambda m: (2 * math.atan(m) - 1) ** 2,
    "zero_one": lambda m: float(m <= 0),
}
LARGEST = {"savage": 1.0, "tangent": (math.pi + 1) ** 2, "zero_one": 1.0}  # their limits where the margin falls


@dataclass(frozen=True, eq=False)
class Margins:
    """A loss, margins and β."""

    loss: str
    margins: Float[np.ndarray, "hypotheses records"]
    beta: float

    def __str__(self) -> str:
        return f"{self.loss} loss, β = {self.beta:.6g}, margins {in_words(self.margins)}"


@dataclass(frozen=True, eq=False)
class _Plain:
    """What `tangent_plain` reads."""

    matrix: Float[np.ndarray, "hypotheses records"]
    beta: float


def _draw(generator: np.random.Generator, names: tuple[str, ...] = NAMES) -> Margins:
    shape = (int(generator.integers(2, 6)), int(generator.integers(2, 6)))
    margins = generator.normal(size=shape) * 10 ** generator.uniform(-1, 3, size=shape)
    return Margins(str(generator.choice(names)), margins, float(10 ** generator.uniform(-2, 1)))


def _ratio(found: Margins) -> float:
    loss = losses.named(found.loss)
    largest = float(loss.value(np.array([-1e12]))[0])
    return _log_norm(found) / bounds.gibbs_bound(largest, found.beta, data="total variation", output="log").constant


def _log_norm(found: Margins) -> float:
    values = losses.named(found.loss).value(found.margins)
    risks = MatrixRisks(values, most=max(1.0, 2 * float(values.max())))
    return radii.norm_l1_to_log(gibbs.posterior(risks, found.beta), risks)


def _verified(found: Margins) -> float:
    values = np.array([[PLAIN[found.loss](margin) for margin in row] for row in found.margins.tolist()])
    changes = plain.by_weights(_Plain(values, found.beta))
    return plain.over(plain.largest_log(changes), 2 * found.beta * LARGEST[found.loss])


def _unbounded(found: Margins) -> float:
    """The logistic loss, which has no largest value, with that of the 0/1 loss."""
    return quotient(_log_norm(Margins("logistic", found.margins, found.beta)), 2 * found.beta)


def _simpler(found: Margins) -> Iterator[Margins]:
    for axis in (0, 1):
        for place in range(found.margins.shape[axis] if found.margins.shape[axis] > 2 else 0):
            yield Margins(found.loss, np.delete(found.margins, place, axis=axis), found.beta)
    rounded = np.round(found.margins)
    if not np.array_equal(rounded, found.margins):
        yield Margins(found.loss, rounded, found.beta)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Remark 3.3",
    place="Section 3.1",
    statement="Savage, tangent and 0/1 loss are bounded, which gives tangent privacy in total variation for all data",
    formula="‖D(log A)_p‖ from L¹ to L^∞ ≤ 2β max φ, φ the loss, whatever the margins are",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_unbounded,
    simpler=_simpler,
)
