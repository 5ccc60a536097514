r"""Privacy losses on a lattice: a pessimistic and an optimistic version, both of second order in the spacing.

Pessimistic ("connect the dots"): the mass between two lattice points is split between them so that
its mass under P and under Q are both kept. This joins the points of δ, as a function of e^ε, by chords.

Optimistic: all outcomes whose loss falls into a cell around a lattice point are merged into one,
which is post-processing and so never raises δ; a small part of a neighbouring cell is merged in too,
so that the loss of the merged outcome, log(P-mass / Q-mass), is the lattice point itself. This joins
tangents of δ. Where a neighbour has too little mass, the loss is rounded down instead.

Source: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi (2022), arXiv:2207.04380, Algorithm 1 (pessimistic).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wassdp import checks
from wassdp.accounting.profiles.base import Loss, Profile, Vector


@dataclass(frozen=True, eq=False)
class Lattice:
    """A privacy loss on multiples of ``spacing``.

    Args:
        spacing: h > 0.
        first: index of the lowest lattice point.
        mass: probability under P of (first + i) h.
        infinite: probability of an infinite loss.
    """

    spacing: float
    first: int
    mass: Vector
    infinite: float

    @cached_property
    def loss(self) -> Vector:
        """The losses that ``mass`` belongs to."""
        return (self.first + np.arange(self.mass.size)) * self.spacing

    @cached_property
    def log_mass(self) -> Vector:
        """Logarithm of ``mass``."""
        with np.errstate(divide="ignore"):
            return np.log(self.mass)


def pessimistic(profile: Profile, spacing: float, tail: float) -> Lattice:
    """The loss of ``profile`` rounded up: its δ(ε) is never below the profile's.

    Args:
        profile: dominating pair.
        spacing: h > 0, distance of lattice points.
        tail: mass given up at either end: at the upper end it counts as an infinite loss.
    """
    low, high, continuous, atoms = _pieces(profile, spacing, tail)
    mass = np.zeros(high - low + 2)
    for part in (continuous, atoms):
        index = _cell(part.loss, spacing)
        # At the ends the range is closed: nothing lies beyond except what ``tail`` allows.
        index = np.clip(index, low, high)
        up = np.expm1(-np.clip(part.loss - index * spacing, 0.0, spacing)) / math.expm1(-spacing)
        np.add.at(mass, index - low, part.mass * (1 - up))
        np.add.at(mass, index - low + 1, part.mass * up)
    infinite = min(1.0, profile.unbounded() + (tail if continuous.loss.size else 0.0))
    mass[0] += tail if continuous.loss.size else 0.0
    return Lattice(spacing, low, _normalised(mass, 1 - infinite), infinite)


def optimistic(profile: Profile, spacing: float, tail: float) -> Lattice:
    """The loss of ``profile`` rounded down: its δ(ε) is never above the profile's.

    Args:
        profile: dominating pair.
        spacing: h > 0, distance of lattice points.
        tail: mass that may be given up at either end.
    """
    low, high, continuous, atoms = _pieces(profile, spacing, tail)
    mass = np.zeros(high - low + 2)
    if continuous.loss.size:
        index = np.clip(np.floor(continuous.loss / spacing + 0.5).astype(np.int64), low, high)
        size = high - low + 1
        cell = np.bincount(index - low, continuous.mass, size)
        excess = np.bincount(index - low, continuous.mass * np.expm1(index * spacing - continuous.loss), size)
        mass[:-1] += merged_down(cell, excess, spacing)
    index = np.clip(_cell(atoms.loss, spacing), low, high)
    np.add.at(mass, index - low, atoms.mass)
    infinite = profile.unbounded()
    return Lattice(spacing, low, _normalised(mass, 1 - infinite), infinite)


def _pieces(profile: Profile, spacing: float, tail: float) -> tuple[int, int, Loss, Loss]:
    checks.positive("spacing", spacing)
    low, high = profile.ends(tail)
    atoms = profile.atoms()
    if atoms.loss.size:
        low, high = min(low, float(atoms.loss.min())), max(high, float(atoms.loss.max()))
    # An end within rounding of a lattice point is that point.
    first, last = math.floor(low / spacing + 1e-9), math.ceil(high / spacing - 1e-9)
    edges = np.arange(2 * first - 1, 2 * last + 2) * (spacing / 2)
    return first, last, profile.continuous(edges, tail), atoms


def _cell(loss: Vector, spacing: float) -> np.ndarray:
    """Index of the lattice point at or below each loss; a loss within rounding of a point is that point."""
    return np.floor(loss / spacing + 1e-9).astype(np.int64)


def merged_down(cell: Vector, excess: Vector, spacing: float) -> Vector:
    """Mass of each lattice point x after merging the mass around it, E e^{-ℓ} kept; what cannot be kept moves down.

    A cell with positive excess has too small a merged loss and takes mass from the cell above, whose
    own excess relative to x is negative; and the other way round.

    Args:
        cell: mass within half a spacing of each lattice point.
        excess: E[e^{x - ℓ} - 1] over the cell around x, times its mass.
        spacing: distance of lattice points.
    Returns:
        Mass of each lattice point; the lowest may lose some.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(cell > 0, excess / np.where(cell > 0, cell, 1.0), 0.0)
    above = np.append(cell[1:], 0.0)
    below = np.insert(cell[:-1], 0, 0.0)
    shift_above = np.append(shift[1:], 0.0)
    shift_below = np.insert(shift[:-1], 0, 0.0)
    # Mass of the neighbour needed for each unit of own mass, from (a + b) = a e^{x-ℓ} + b e^{x-ℓ'}.
    from_above = np.where(shift > 0, shift / -(math.expm1(-spacing) + math.exp(-spacing) * shift_above), 0.0)
    from_below = np.where(shift < 0, -shift / (math.expm1(spacing) + math.exp(spacing) * shift_below), 0.0)
    poor_above = from_above * cell > 0.25 * above
    poor_below = from_below * cell > 0.25 * below
    from_above = np.where(poor_above, 0.0, from_above)
    from_below = np.where(poor_below, 0.0, from_below)
    kept = cell
    for _ in range(60):
        # What the point below takes from this cell, and what the point above takes from it.
        lent = np.insert((from_above * kept)[:-1], 0, 0.0) + np.append((from_below * kept)[1:], 0.0)
        kept = np.maximum(cell - lent, 0.0)
    found = kept * (1 + from_above + from_below)
    # Too small a merged loss and no neighbour to borrow from: one point down. At the lower end the
    # mass is lost altogether, which only lowers δ.
    down = np.where(poor_above, kept, 0.0)
    return found - down + np.append(down[1:], 0.0)


def _normalised(mass: Vector, total: float) -> Vector:
    """``mass`` scaled to ``total``, if they differ by rounding only."""
    found = float(mass.sum())
    return mass * (total / found) if 0 < abs(found - total) < 1e-9 and found > 0 else mass
