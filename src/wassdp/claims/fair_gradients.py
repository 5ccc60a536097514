r"""Neighbouring batches between which the gradient of a loss with a fairness penalty moves far (WG equations 5 and 6).

One class holds the replaced record, and its two groups, by the protected attribute, are a pair of
`wassdp.claims.moved_gradients.Neighbours`; the other classes stay as they are. The loss of the replaced record has a
gradient of at most C before and after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from wassdp.claims import moved_gradients, shrinking
from wassdp.claims.moved_gradients import Neighbours


@dataclass(frozen=True)
class Penalised:
    """A class with a replaced record, the other classes, α, C and the loss's gradients of the record, before and after.

    All classes have the same directions, M and L.
    """

    changed: Neighbours
    others: tuple[Neighbours, ...]
    alpha: float
    loss_norm: float
    losses: tuple[float, float]

    def __str__(self) -> str:
        others = "".join(f"; another class: {other}" for other in self.others)
        return (
            f"α = {self.alpha:g}, C = {self.loss_norm:g}, loss gradients {self.losses[0]:.6g} and "
            f"{self.losses[1]:.6g}; {self.changed}{others}"
        )

    @property
    def classes(self) -> tuple[Neighbours, ...]:
        """All classes."""
        return (self.changed, *self.others)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Records of all groups."""
        return tuple(len(group) for part in self.classes for group in (part.left, part.right))

    def stated(self, constant: float) -> float:
        """(1-α) 2C/n + (α/R) constant M L / min n."""
        penalty = constant * self.changed.bound * self.changed.norms[0] / min(self.sizes)
        loss = 2 * self.loss_norm / sum(self.sizes)
        return (1 - self.alpha) * loss + self.alpha / len(self.classes) * penalty


def draw(generator: np.random.Generator, *, classes: int) -> Penalised:
    """Any number of records, dimension 1 or 2, and α above 0: at 0 nothing but DP-SGD is left."""
    changed = moved_gradients.draw(generator, dimensions=(1, 1, 2), equal=True)
    others: list[Neighbours] = []
    while len(others) < classes - 1:
        other = moved_gradients.draw(generator, dimensions=(len(changed.other),), equal=True)
        others.append(replace(other, directions=changed.directions))
    # Of another class only the sizes matter to the statement: its outputs are brought into the same ball.
    scaled = [_scaled(other, changed) for other in others]
    alpha = float(generator.choice((0.25, 0.5, 0.75, 1.0)))
    return _with_worst_losses(Penalised(changed, tuple(scaled), alpha, float(generator.choice((0.5, 5.0))), (0.0, 0.0)))


def nearby(generator: np.random.Generator, case: Penalised) -> Penalised:
    """One point of the class with the replaced record moved."""
    return _with_worst_losses(replace(case, changed=moved_gradients.nearby(generator, case.changed)))


def simpler(case: Penalised) -> Iterator[Penalised]:
    """Points, directions and digits less in the class with the replaced record; other classes with one point a side."""
    for place, other in enumerate(case.others):
        if len(other.left) + len(other.right) > 2:
            one = replace(
                other,
                left=other.left[:1],
                right=other.right[:1],
                slopes=other.slopes[:1],
                right_slopes=other.right_slopes[:1],
            )
            yield replace(case, others=(*case.others[:place], one, *case.others[place + 1 :]))
    for changed in moved_gradients.simpler(case.changed):
        others = tuple(replace(other, directions=changed.directions) for other in case.others)
        yield replace(case, changed=changed, others=others)
    yield from (
        other for other in shrinking.rounder(case, "alpha", "losses") if max(map(abs, other.losses)) <= case.loss_norm
    )


def moved(case: Penalised) -> float:
    """How far the gradient moves; what does not change cancels."""
    penalty = moved_gradients.gradient(case.changed) - moved_gradients.gradient(case.changed.after)
    loss = (case.losses[0] - case.losses[1]) / sum(case.sizes)
    return abs((1 - case.alpha) * loss + case.alpha / len(case.classes) * penalty)


def plain_moved(case: Penalised) -> float:
    """The same as a difference of two whole gradients, all classes added up."""
    whole = []
    for loss, changed in zip(case.losses, (False, True), strict=True):
        total = (1 - case.alpha) * loss / sum(len(part.left) + len(part.right) for part in case.classes)
        for part in case.classes:
            left, slopes = list(part.left), list(part.slopes)
            if changed and part is case.changed:
                left[0], slopes[0] = part.other, part.other_slope
            pull = moved_gradients.plain_gradient(left, slopes, part.right, part.right_slopes, part.directions)
            total += case.alpha / len(case.classes) * pull
        whole.append(total)
    return abs(whole[0] - whole[1])


def plain_stated(case: Penalised, constant: float) -> float:
    """The bound, group by group: the worst group is the smallest one."""
    groups = [len(side) for part in case.classes for side in (part.left, part.right)]
    penalties = [constant * case.changed.bound * case.changed.norms[1] / size for size in groups]
    loss = 2 * case.loss_norm / sum(groups)
    return (1 - case.alpha) * loss + case.alpha * max(penalties) / len(case.classes)


def _with_worst_losses(case: Penalised) -> Penalised:
    penalty = moved_gradients.gradient(case.changed) - moved_gradients.gradient(case.changed.after)
    worst = case.loss_norm if penalty >= 0 else -case.loss_norm
    return replace(case, losses=(worst, -worst))


def _scaled(other: Neighbours, changed: Neighbours) -> Neighbours:
    share, steps = changed.bound / other.bound, changed.norms[0] / other.norms[0]
    return replace(
        other,
        left=_times(other.left, share),
        other=_times((other.other,), share)[0],
        right=_times(other.right, share),
        slopes=_times(other.slopes, steps),
        other_slope=_times((other.other_slope,), steps)[0],
        right_slopes=_times(other.right_slopes, steps),
        bound=changed.bound,
        norms=changed.norms,
    )


def _times(rows: moved_gradients.Rows, factor: float) -> moved_gradients.Rows:
    return tuple(tuple(factor * value for value in row) for row in rows)
