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
from operator import itemgetter

import numpy as np

from wassdp import checks
from wassdp.accounting.profiles.base import Loss, Profile, Vector

_LOAN = 0.45
"""Largest part of its mass that a cell lends to a neighbour."""
_LONGER = 40
_POSITIONS = 4
_COARSE = 20.0
"""Spacing from which on merging outcomes is hardly better than rounding their losses down."""
_MANY = 1 << 17
"""Cells from which on only one position of the lattice is tried."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """A privacy loss on multiples of ``spacing``.

    Args:
        spacing: h > 0.
        first: index of the lowest lattice point.
        mass: probability under P of (first + i) h + offset.
        infinite: probability of an infinite loss.
        offset: added to every loss.

    Raises:
        ValueError: a probability is not a number.
    """

    spacing: float
    first: int
    mass: Vector
    infinite: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        checks.numbers("mass", self.mass)
        checks.numbers("infinite", np.array([self.infinite]))

    @cached_property
    def loss(self) -> Vector:
        """The losses that ``mass`` belongs to."""
        return (self.first + np.arange(self.mass.size)) * self.spacing + self.offset

    @cached_property
    def log_mass(self) -> Vector:
        """Logarithm of ``mass``."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.mass))


def pessimistic(profile: Profile, spacing: float, tail: float) -> Lattice:
    """The loss of ``profile`` rounded up: its δ(ε) is never below the profile's.

    Args:
        profile: dominating pair.
        spacing: h > 0, distance of lattice points.
        tail: mass given up at either end: at the upper end it counts as an infinite loss.
    """
    low, high, continuous, atoms = _pieces(profile, spacing, tail, 1)
    if offset := 0.0 if _matter(atoms) else _spike(continuous, spacing) or 0.0:
        low, high, continuous, atoms = _pieces(profile, spacing, tail, 1, offset)
    every = continuous + atoms
    # At the ends the range is closed: nothing lies beyond except what ``tail`` allows.
    above = every.loss - offset
    index = np.clip(_cell(above, spacing), low, high)
    mass = split_up(above - low * spacing, every.mass, index - low, spacing, high - low + 2)
    given_up = tail if continuous.loss.size else 0.0
    infinite = min(1.0, profile.unbounded() + given_up)
    mass[0] += given_up
    return Lattice(spacing, low, _scaled(mass, 1 - infinite, up=True), infinite, offset)


def optimistic(profile: Profile, spacing: float, tail: float) -> Lattice:
    """The loss of ``profile`` rounded down: its δ(ε) is never above the profile's.

    Where nothing ties the lattice to a place, the one of several is taken at which the least is rounded
    down rather than merged.

    Args:
        profile: dominating pair.
        spacing: h > 0, distance of lattice points.
        tail: mass that may be given up at either end.
    """
    low, high, continuous, atoms = _pieces(profile, spacing, tail, 0)
    infinite = profile.unbounded()
    if not continuous.loss.size:
        mass = np.bincount(_cell(atoms.loss, spacing) - low, atoms.mass, high - low + 2)
        return Lattice(spacing, low, _scaled(mass, 1 - infinite, up=False), infinite)
    if spacing > _COARSE:
        every = continuous + atoms
        index = np.clip(_cell(every.loss, spacing), low - 1, high)
        mass = np.bincount(index - low + 1, every.mass, high - low + 2)
        mass[0] -= float(every.mass[every.loss < (low - 1) * spacing].sum())
        return Lattice(spacing, low - 1, _scaled(np.maximum(mass, 0.0), 1 - infinite, up=False), infinite)
    spike = _spike(continuous + atoms, spacing)
    free = spike is None and not _matter(atoms) and high - low < _MANY
    parts = _POSITIONS if free else 1
    # With one position only, the pieces are the cells themselves, half a spacing below and above their points.
    start = 0.0 if free else (spike or 0.0) - spacing / 2
    low, high, continuous, atoms = _pieces(profile, spacing, tail, parts, start)
    low, high = low - 1, high + 1
    size = (high - low + 2) * parts
    # Pieces [y, y + h/parts): their mass, and E[e^{y - ℓ} - 1] times their mass.
    piece, first = spacing / parts, low * parts
    counted = continuous if spike is None else continuous + atoms
    above = counted.loss - start
    index = np.minimum(np.floor(above / piece).astype(np.int64), first + size - 1)
    # What lies below the ends is left out, which lowers δ.
    inside = index >= first
    above, index, mass = above[inside], index[inside], counted.mass[inside]
    pieces = np.bincount(index - first, mass, size)
    lost = np.bincount(index - first, mass * np.expm1(index * piece - above), size)
    if spike is not None:
        merged, offset = _around(pieces, lost, -low, spacing)
    else:
        merged, offset = _placed(pieces, lost, low, parts if free else 0, spacing)
    offset += start
    if spike is None:
        merged += np.bincount(_cell(atoms.loss - offset, spacing) - low + 1, atoms.mass, merged.size)
    return Lattice(spacing, low - 1, _scaled(merged, 1 - infinite, up=False), infinite, offset)


def _placed(pieces: Vector, lost: Vector, low: int, positions: int, spacing: float) -> tuple[Vector, float]:
    """Masses at j h + offset for the best of several offsets, or, if ``positions`` is 0, for half a spacing."""
    parts = max(positions, 1)
    number, size = np.arange(pieces.size), pieces.size // parts + 2
    candidates = []
    for position in range(parts - 1, -1, -1):
        # Lattice points (j + shift) h; a piece belongs to the nearest one.
        shift = position / parts if positions else 0.5
        cell = (number - position + parts // 2) // parts
        distance = (cell - number / parts + shift) * spacing
        excess = np.exp(distance) * lost + pieces * np.expm1(distance)
        merged = merged_down(np.bincount(cell + 1, pieces, size), np.bincount(cell + 1, excess, size), spacing)
        added = _added(merged, (low - 1 + np.arange(size)) * spacing + shift * spacing)
        candidates.append((added, merged, shift * spacing))
    return min(candidates, key=itemgetter(0))[1:]


def _added(mass: Vector, loss: Vector) -> float:
    """E e^{-ℓ}: merging keeps it, rounding down adds to it."""
    with np.errstate(over="ignore"):
        return float(mass @ np.exp(-np.clip(loss, -600.0, None)))


def _around(cells: Vector, lost: Vector, heavy: int, spacing: float) -> tuple[Vector, float]:
    """Masses at (j + 1/2) h + shift around a cell ``heavy`` that holds nearly everything.

    The mass beside it falls off too steeply for neighbours to lend. So some of it is merged into the heavy cell,
    whose merged loss then is a lattice point: an error of second order, where rounding down is one of first.
    """
    candidates = []
    number = np.arange(cells.size)
    loss = (number + 0.5 - heavy) * spacing
    for reach in (0, 1, 2, 4, 8, 16, 32, 64):
        group = slice(max(0, heavy - reach), heavy + reach + 1)
        mass = float(cells[group].sum())
        steps = (number[group] - heavy) * spacing
        # E[e^{y - ℓ} - 1], y the lower end of the heavy cell.
        relative = float((np.exp(-steps) * lost[group] + cells[group] * np.expm1(-steps)).sum()) / mass
        # Slightly below: then what rounding leaves of the merged loss is rounded down inside the cell.
        shift = -math.log1p(relative) - spacing / 2 - 1e-15 * spacing
        if abs(shift) > spacing / 2:
            break
        distance = spacing / 2 + shift
        cell, excess = cells.copy(), math.exp(distance) * lost + cells * math.expm1(distance)
        cell[group] = excess[group] = 0.0
        cell[heavy] = mass
        excess[heavy] = mass * (math.exp(distance) * relative + math.expm1(distance))
        merged = merged_down(np.pad(cell, 1), np.pad(excess, 1), spacing)
        spread = float(cells[group] @ steps**2) / 2
        added = _added(merged, np.pad(loss, 1, mode="reflect", reflect_type="odd") + shift) + spread
        candidates.append((added, merged, spacing / 2 + shift))
    return min(candidates, key=itemgetter(0))[1:]


def _matter(atoms: Loss) -> bool:
    """Whether the lattice is bound to losses that have a probability of their own."""
    return float(atoms.mass.sum()) > 1e-6


def _spike(loss: Loss, spacing: float) -> float | None:
    """The loss at which nearly everything lies, as outcomes within a spacing would merge; None if it spreads more.

    Almost all mass at almost one loss is what rare sampling makes. A lattice that missed it would round it by
    up to half a spacing in every step.
    """
    if spacing > 1:
        return None
    order = np.argsort(loss.loss)
    below = np.cumsum(loss.mass[order])
    point = float(loss.loss[order[np.searchsorted(below, below[-1] / 2)]])
    for _ in range(4):
        near = np.abs(loss.loss - point) <= spacing / 2
        total = float(loss.mass[near].sum())
        if total < 0.5:
            return None
        point -= math.log1p(float(loss.mass[near] @ np.expm1(point - loss.loss[near])) / total)
    return point


def split_up(loss: Vector, mass: Vector, index: np.ndarray, spacing: float, size: int) -> Vector:
    """Masses of the points 0, h, 2h, ... after splitting each mass between its two neighbours, E e^{-ℓ} kept.

    Args:
        loss: points.
        mass: their probabilities.
        index: the lattice point at or below each of them.
        spacing: h.
        size: number of lattice points.
    """
    up = np.expm1(-np.clip(loss - index * spacing, 0.0, spacing)) / math.expm1(-spacing)
    return np.bincount(index, mass * (1 - up), size) + np.bincount(index + 1, mass * up, size)


def merged_down(cell: Vector, excess: Vector, spacing: float) -> Vector:
    """Mass of each lattice point x after merging the mass around it, E e^{-ℓ} kept; what cannot be kept moves down.

    A cell with positive excess has too small a merged loss and takes mass from the cell above, whose
    own excess relative to x is negative; and the other way round. Where the mass falls off so steeply
    towards an end that neighbours have too little, all that lies beyond is first merged into one.

    Args:
        cell: mass within half a spacing of each lattice point.
        excess: E[e^{x - ℓ} - 1] over the cell around x, times its mass.
        spacing: distance of lattice points.

    Returns:
        Mass of each lattice point; the lowest may lose some.
    """
    cell, excess = _steep_ends(cell, excess, spacing)
    from_above, from_below, poor_above, _ = _loans(cell, excess, spacing)
    kept = cell
    # No cell lends more than 0.9 of itself, so iterates lie above and below the solution in turn. The last
    # lies below: no cell gives more than it has.
    for _ in range(61):
        # What the point below takes from this cell, and what the point above takes from it.
        lent = _moved(from_above * kept, 1) + _moved(from_below * kept, -1)
        kept = np.maximum(cell - lent, 0.0)
    merged = kept * (1 + from_above + from_below)
    # Too small a merged loss and no neighbour to borrow from: one point down. At the lower end the
    # mass is lost altogether, which only lowers δ.
    down = np.where(poor_above, kept, 0.0)
    return np.asarray(merged - down + _moved(down, -1))


def _moved(value: Vector, by: int) -> Vector:
    """``value`` moved by one point up or down, zero filled in."""
    return np.concatenate(([0.0], value[:-1]) if by > 0 else (value[1:], [0.0]))


def _loans(cell: Vector, excess: Vector, spacing: float) -> tuple[Vector, Vector, np.ndarray, np.ndarray]:
    """Mass needed from the neighbour above and below for each unit of own mass, and where there is too little."""
    shift = np.divide(excess, cell, out=np.zeros_like(cell), where=cell > 0)
    # From (a + b) = a e^{x - ℓ} + b e^{x - ℓ'}; a neighbour's merged loss must lie on the other side of x.
    gap_above = -(math.expm1(-spacing) + math.exp(-spacing) * _moved(shift, -1))
    gap_below = math.expm1(spacing) + math.exp(spacing) * _moved(shift, 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        from_above = np.where(shift > 0, shift / np.maximum(gap_above, 0.0), 0.0)
        from_below = np.where(shift < 0, -shift / np.maximum(gap_below, 0.0), 0.0)
        poor_above = ~(from_above * cell <= _LOAN * _moved(cell, -1))
        poor_below = ~(from_below * cell <= _LOAN * _moved(cell, 1))
    return np.where(poor_above, 0.0, from_above), np.where(poor_below, 0.0, from_below), poor_above, poor_below


def _steep_ends(cell: Vector, excess: Vector, spacing: float) -> tuple[Vector, Vector]:
    """Cells with the run of poor ones at either end merged into one, where that one can then borrow."""
    for _ in range(4):
        _, _, poor_above, poor_below = _loans(cell, excess, spacing)
        filled = np.flatnonzero(cell > 0)
        if filled.size < 8:
            break
        first, last = int(filled[0]), int(filled[-1])
        top = last
        while top > first and (poor_above[top] or cell[top] == 0):
            top -= 1
        bottom = first
        while bottom < last and (poor_below[bottom] or cell[bottom] == 0):
            bottom += 1
        # One cell more at a time, until the neighbours have enough.
        for more in range(_LONGER):
            ends = [(top + 1 - more, last, False)] if top < last else []
            ends += [(first, bottom - 1 + more, True)] if bottom > first else []
            tried = [_merged_run(cell, excess, spacing, *end) for end in ends if first <= end[0] and end[1] <= last]
            if done := next(filter(None, tried), None):
                cell, excess = done
                break
        else:
            break
    return cell, excess


def _merged_run(
    cell: Vector, excess: Vector, spacing: float, low: int, high: int, upward: bool
) -> tuple[Vector, Vector] | None:
    """The cells from ``low`` to ``high`` as one, at the lattice point beyond which it can borrow; None if it cannot."""
    run = slice(low, high + 1)
    steps = (np.arange(low, high + 1) - low) * spacing
    mass = float(cell[run].sum())
    # E[e^{x_low - ℓ} - 1] over the whole run.
    relative = float((np.exp(-steps) * excess[run] + cell[run] * np.expm1(-steps)).sum()) / mass
    # Nearer to -1 nothing is left of its digits: a merged loss that far up would be rounding.
    if relative < 1e-9 - 1:
        return None
    distance = -math.log1p(relative) / spacing
    target = low + (math.ceil(distance) if upward else math.floor(distance))
    if not 0 <= target < cell.size:
        return None
    merged, over = cell.copy(), excess.copy()
    merged[run] = over[run] = 0.0
    step = (target - low) * spacing
    merged[target] += mass
    over[target] += mass * (math.exp(step) * relative + math.expm1(step))
    start = max(0, target - 2)
    near = slice(start, target + 3)
    _, _, poor_above, poor_below = _loans(merged[near], over[near], spacing)
    return None if poor_above[target - start] or poor_below[target - start] else (merged, over)


def _pieces(
    profile: Profile, spacing: float, tail: float, parts: int, start: float = 0.0
) -> tuple[int, int, Loss, Loss]:
    """Lowest and highest cell from ``start`` on, and the loss, by quadrature on each of a cell's ``parts``."""
    checks.positive("spacing", spacing)
    low, high = profile.ends(tail)
    atoms = profile.atoms()
    if atoms.loss.size:
        low, high = min(low, float(atoms.loss.min())), max(high, float(atoms.loss.max()))
    # An end within rounding of a lattice point is that point.
    first, last = math.floor((low - start) / spacing + 1e-9), math.ceil((high - start) / spacing - 1e-9)
    edges: Vector = np.empty(0)
    if parts:
        edges = np.arange((first - 1) * parts, (last + 1) * parts + 1) * (spacing / parts) + start
    return first, last, profile.continuous(edges, tail), atoms


def _cell(loss: Vector, spacing: float) -> np.ndarray:
    """Index of the lattice point at or below each loss; a loss within rounding of a point is that point."""
    with np.errstate(over="ignore"):
        return np.clip(np.floor(loss / spacing + 1e-9), -(2**62), 2**62).astype(np.int64)


def _scaled(mass: Vector, total: float, *, up: bool) -> Vector:
    """``mass`` scaled to ``total`` where rounding left it on the wrong side: never down, or never up.

    Over ten million steps a relative 1e-9 would be 1 %, so rounding counts against the user here too.
    """
    summed = float(mass.sum())
    wrong = summed < total if up else summed > total
    return mass * (total / summed) if wrong and abs(summed - total) < 1e-9 and summed > 0 else mass
