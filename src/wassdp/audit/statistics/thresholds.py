"""Where scores may be cut, and what errors are to be expected there: from trials that are not counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.audit.scores import Scores

_ORDERS, _BETWEEN = 160, 64
"""How many order statistics of either world, counted from either end, and how many points between are tried."""
_TAIL, _LEAST = 0.02, 10
"""The share of a world's scores, and their least number, that its tail is told from."""

Vector = Float[np.ndarray, " _"]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds with the errors that an attacker who accuses above them is expected to make.

    Both errors are guessed from above, beyond the outermost scores by exponential tails. A guess that is wrong costs
    power, never validity: it only chooses.

    Args:
        thresholds: t, below infinity.
        false_positives: about P(absent > t).
        false_negatives: about P(present ≤ t).
    """

    thresholds: Vector
    false_positives: Vector
    false_negatives: Vector


def cuts(scores: Scores) -> Cuts:
    """Some hundreds of thresholds, close together in both tails."""
    present, absent = np.sort(scores.present), np.sort(scores.absent)
    finite = [each[np.isfinite(each)] for each in (present, absent)]
    ends = [float(value) for each in finite if each.size for value in (each[0], each[-1])]
    shares = np.linspace(0, 1, _BETWEEN)
    between = (1 - shares) * min(ends) + shares * max(ends) if ends else np.empty(0)
    found = np.unique(np.concatenate((present[_places(present.size)], absent[_places(absent.size)], between)))
    if not (found < np.inf).any():
        found = np.append(np.finfo(float).max, found)
    found = found[found < np.inf]
    return Cuts(found, _beyond(absent, found), _beyond(-present[::-1], -found, strictly=False))


def _places(size: int) -> np.ndarray:
    steps = np.unique(np.geomspace(1, size, _ORDERS).astype(np.int64))
    return np.unique(np.concatenate((steps - 1, size - steps)))


def _beyond(ascending: Vector, cut: Vector, *, strictly: bool = True) -> Vector:
    """The share of scores above (or at) each cut, guessed from above."""
    size = ascending.size
    above = size - np.searchsorted(ascending, cut, side="right" if strictly else "left")
    share = np.minimum((above + 1) / (size + 1), 1.0)
    finite = ascending[np.isfinite(ascending)]
    last = max(_LEAST, round(_TAIL * size))
    if ascending[-1] == np.inf or finite.size <= last:
        return share
    scale = float(np.mean(finite[-last:] - finite[-last - 1]))
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        fallen = np.exp(-np.maximum(cut - finite[-1], 0.0) / scale)
    return np.where(cut > finite[-1], share * np.where(np.isnan(fallen), 1.0, fallen), share)
