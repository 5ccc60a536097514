r"""The squared sensitivity H = ‖Uᵀz‖² of random projections, ‖z‖ = 1: its distribution, bounded from both sides.

With iid directions H = Σ_{j≤k} Y_j, Y_j ~ Beta(1/2, (d-1)/2) (SWD Lemma 1). The profile is
E δ(ε; H), and δ(ε; ·) is the price of a call option as a function of total variance v = H/σ²:

.. math:: \frac{∂²δ/∂v²}{∂δ/∂v} = \frac{ε²}{2v²} - \frac18 - \frac1{2v} \;≥\; -\frac18 - \frac1{2v}.

So for all ε at once δ(ε; ·) is convex in u = δ(0; v) = erf(√(v/8)) (which attains the bound), and,
where H ≥ h₀, convex in φ(H) = 1 - e^{-cH} with c = 1/(8σ²) + 1/(2h₀), however many further Y are added.
Hence splitting mass between neighbouring points with E φ (or E u) kept can only raise the profile,
and merging mass into the point of equal E φ (or E u) can only lower it (Jensen): two bounds of second
order in the spacing, where plain rounding would add k spacings to H.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from wassdp.accounting.numerics.composition import LARGEST, LatticeComposition
from wassdp.accounting.numerics.lattice import Lattice, merged_down, split_up
from wassdp.accounting.profiles.base import Loss, Vector, quadrature


@dataclass(frozen=True)
class Squared:
    """Points and probabilities that stand for H, raising or lowering every profile.

    Args:
        value: H ≥ 0.
        weight: probabilities; with ``infinite`` they sum to 1.
        infinite: probability of an H that is treated as unbounded.
    """

    value: Vector
    weight: Vector
    infinite: float = 0.0


def orthogonal(projections: int, dimension: int, noise_std: float, *, upper: bool, tail: float, detail: int) -> Squared:
    """H for k orthogonal directions: k/d if d divides k, else of the law Beta(k/2, (d-k)/2)."""
    if projections % dimension == 0:
        return Squared(np.array([projections / dimension]), np.ones(1))
    exponent = (projections - 1, dimension - projections - 1)
    # y = sin²t turns the density into sin^{k-1} t cos^{d-k-1} t, smooth at both ends.
    mode = math.atan2(math.sqrt(max(exponent[0], 0.0)), math.sqrt(max(exponent[1], 0.0)))
    width = 1 / math.sqrt(2 * (dimension - 1))
    reach = math.sqrt(-2 * math.log(tail)) + 4
    breaks = np.clip(mode + width * np.arange(-reach, reach, 0.04 / detail), 0.0, math.pi / 2)
    breaks = np.unique(np.concatenate((breaks, [0.0, math.pi / 2])))
    nodes, widths = quadrature(breaks, width)
    logarithm = special.xlogy(exponent[0], np.sin(nodes)) + special.xlogy(exponent[1], np.cos(nodes))
    with np.errstate(under="ignore"):
        mass = np.exp(logarithm + math.log(2) - special.betaln(projections / 2, (dimension - projections) / 2)) * widths
    # The angles of which so little lies beyond that it may be treated as unbounded, or as nothing.
    order = np.argsort(nodes)
    beyond = np.cumsum(mass[order][::-1])[::-1] / mass.sum()
    last = float(breaks[np.searchsorted(breaks, nodes[order][np.searchsorted(-beyond, -tail) - 1])])
    inside = nodes < last
    fine, rest = Loss(np.sin(nodes[inside]) ** 2, mass[inside] / mass.sum()), tail if last < breaks[-1] else 0.0
    ends = np.sin(breaks[breaks <= last]) ** 2
    if upper:
        return _split(fine, ends, noise_std, rest)
    return _with_zero(_joined(fine, ends, noise_std))


def iid(projections: int, dimension: int, noise_std: float, *, upper: bool, tail: float, detail: int) -> Squared:
    """H for k iid uniform directions.

    Args:
        projections: k.
        dimension: d.
        noise_std: σ, which enters the sense in which H is rounded.
        upper: raise or lower every profile.
        tail: probability that may be treated as unbounded (upper) or cut off (lower).
        detail: each doubling quarters the error.
    """
    if dimension == 1 or projections == 1:
        return orthogonal(projections, dimension, noise_std, upper=upper, tail=tail, detail=detail)
    mean = projections / dimension
    deviation = math.sqrt(2 * projections * (dimension - 1) / (dimension + 2)) / dimension
    # Y ≥ 0 gives P(H ≤ E H - t) ≤ exp(-t²/(2 k E Y²)), E Y² = 3/(d(d+2)); at this t it is e^{-25}.
    far = math.sqrt(150 * projections / (dimension * (dimension + 2)))
    certain = mean - far > 0.01 * mean
    floor = mean - far if certain else (0.01 if projections > 2 else 0.003) * mean
    concavity = 1 / (8 * noise_std**2) + 1 / (2 * floor)
    log_tail = -math.log(tail)
    reach = min(projections, (math.sqrt(projections) + math.sqrt(2 * log_tail)) ** 2 / dimension)
    wanted = math.sqrt(8e-6 / (dimension * concavity)) if upper else 6e-3 / dimension
    if not (upper or certain):
        wanted = min(wanted, floor / projections)
    least = min(reach, 24 * deviation + 2 * log_tail / dimension) / (LARGEST // (16 if upper else 4))
    spacing = max(min(wanted / detail, 1 / 64), least)
    points = _sum(projections, dimension, concavity, spacing, upper=upper, tail=tail)
    nodes = _nodes(floor, float(points.loss.max()), deviation / (4 * detail))
    if upper:
        return _split(Loss(np.maximum(points.loss, floor), points.mass), nodes, noise_std, tail)
    # Below h₀ Jensen's inequality does not hold. Releasing nothing instead, with at least the probability of
    # that, lowers δ by more than it can err; a sum is rounded up by less than k spacings.
    large = points.loss >= (floor if certain else floor + projections * spacing)
    joined = _joined(Loss(points.loss[large], points.mass[large]), nodes, noise_std)
    return _with_zero(Squared(joined.value, joined.weight * (-math.expm1(-25.0) if certain else 1.0)))


def _with_zero(squared: Squared) -> Squared:
    """The same, and H = 0 with what is left of the probability."""
    rest = max(0.0, 1 - float(squared.weight.sum()))
    return Squared(np.append(0.0, squared.value), np.append(rest, squared.weight))


def _sum(projections: int, dimension: int, concavity: float, spacing: float, *, upper: bool, tail: float) -> Loss:
    """Lattice points of Σ Y_j, all Y_j rounded up or all down, with probabilities of small relative error."""
    # P(Y > y) ≤ (1 - y)^{(d-1)/2}.
    last = -math.expm1(math.log(tail / projections) * 2 / (dimension - 1))
    cells = max(1, math.ceil(min(last, 1.0) / spacing))
    edges = np.arange(2 * cells + 1) * (spacing / 2)
    nodes, widths = quadrature(np.unique(np.arcsin(np.sqrt(np.minimum(edges, 1.0)))))
    # y = sin²t has the density 2 cos^{d-2} t / B(1/2, (d-1)/2) in t.
    logarithm = special.xlogy(dimension - 2, np.cos(nodes)) - special.betaln(0.5, (dimension - 1) / 2)
    with np.errstate(under="ignore"):
        mass = 2 * np.exp(logarithm) * widths
    value = np.sin(nodes) ** 2
    # In units of 1/c, φ is what 1 - e^{-ℓ} is for a privacy loss.
    step = concavity * spacing
    if upper:
        index = np.minimum((value / spacing).astype(np.int64), cells - 1)
        single = split_up(concavity * value, mass, index, step, cells + 1)
    else:
        index = np.floor(value / spacing + 0.5).astype(np.int64)
        excess = np.bincount(index, mass * np.expm1(concavity * (index * spacing - value)), cells + 1)
        single = merged_down(np.bincount(index, mass, cells + 1), excess, step)
    total = LatticeComposition(((Lattice(spacing, 0, single / single.sum(), 0.0), projections),))
    return _stitched(total, tail, upper=upper)


def _stitched(total: LatticeComposition, tail: float, *, upper: bool) -> Loss:
    """The sum's probabilities, from as many tilted windows as its upper tail needs."""
    tilt, windows = 0.0, []
    while True:
        value, mean, variance = total.summands.moments(tilt)
        window = total.window(tilt)
        windows.append(window)
        # Chernoff at this tilt: what lies above its mean.
        if value - tilt * mean < math.log(tail) or mean >= total.summands.highest() - total.spacing:
            break
        tilt = total.summands.tilt_for_epsilon(mean + 5 * math.sqrt(variance))
        if total.summands.moments(tilt)[1] <= mean + math.sqrt(variance):
            break
    start = min(window.start for window in windows)
    size = max(window.start + window.density.size for window in windows) - start
    # Far from its centre a window knows nothing but its rounding, which undoing the tilt blows up. Each window bounds
    # each point that it covers, so the tightest of them does.
    mass = np.full(size, np.inf if upper else 0.0)
    for window in windows:
        part = slice(window.start - start, window.start - start + window.density.size)
        density = np.maximum(window.density, 0.0)
        density = density + window.noise if upper else np.maximum(density - 4 * window.noise, 0.0)
        with np.errstate(divide="ignore", under="ignore"):
            bound = np.exp(np.minimum(np.log(density) + window.log_scale - window.tilt * window.loss, 0.0))
        mass[part] = np.minimum(mass[part], bound) if upper else np.maximum(mass[part], bound)
    keep = (mass > 0) & np.isfinite(mass)
    return Loss((start + np.flatnonzero(keep)) * total.spacing, mass[keep])


def _nodes(low: float, high: float, step: float) -> Vector:
    """Ascending points from ``low`` to ``high``, ``step`` or a twelfth of themselves apart."""
    nodes = [low]
    while nodes[-1] < high:
        nodes.append(nodes[-1] + min(step, nodes[-1] / 12))
    return np.array(nodes)


def _total_variation(value: Vector, noise_std: float) -> Vector:
    """U = δ(0; H) = erf(√(H / 8σ²))."""
    return special.erf(np.sqrt(value / 8) / noise_std)


def _split(fine: Loss, nodes: Vector, noise_std: float, infinite: float) -> Squared:
    """Mass moved to the neighbouring nodes with E u kept."""
    index = np.clip(np.searchsorted(nodes, fine.loss, side="right") - 1, 0, nodes.size - 2)
    # Differences of erf by erfc where both are near 1.
    u_nodes, c_nodes = _total_variation(nodes, noise_std), special.erfc(np.sqrt(nodes / 8) / noise_std)
    u_fine, c_fine = _total_variation(fine.loss, noise_std), special.erfc(np.sqrt(fine.loss / 8) / noise_std)
    near = u_nodes[index] < 0.5
    part = np.where(near, u_fine - u_nodes[index], c_nodes[index] - c_fine)
    whole = np.where(near, u_nodes[index + 1] - u_nodes[index], c_nodes[index] - c_nodes[index + 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        up = np.clip(np.where(whole > 0, part / whole, 1.0), 0.0, 1.0)
    weight = np.bincount(index, fine.mass * (1 - up), nodes.size) + np.bincount(index + 1, fine.mass * up, nodes.size)
    return Squared(nodes, _without_excess(weight, 1 - infinite), infinite)


def _without_excess(weight: Vector, total: float) -> Vector:
    """Upper bounds of probabilities as probabilities that sum to ``total``, never lower a tail.

    What they sum to beyond ``total`` is taken from the lowest points; where rounding leaves them below it, all grow by
    the same factor.
    """
    excess = float(weight.sum()) - total
    if excess <= 0:
        return np.asarray(weight * (total / float(weight.sum())))
    before = np.cumsum(weight) - weight
    return np.asarray(weight - np.clip(excess - before, 0.0, weight))


def _joined(fine: Loss, nodes: Vector, noise_std: float) -> Squared:
    """Mass between two nodes moved to one point with E u kept (or below it, where u is too flat to be inverted)."""
    index = np.clip(np.searchsorted(nodes, fine.loss, side="right") - 1, 0, nodes.size - 1)
    weight = np.bincount(index, fine.mass, nodes.size)
    keep = weight > 0
    lowest = np.full(nodes.size, np.inf)
    np.minimum.at(lowest, index, fine.loss)
    flat = special.erfc(np.sqrt(fine.loss / 8) / noise_std)
    mean = np.bincount(index, fine.mass * flat, nodes.size)[keep] / weight[keep]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 8 * (noise_std * special.erfcinv(mean)) ** 2
    value = np.where(np.isfinite(value) & (value >= lowest[keep]), value, lowest[keep])
    return Squared(value, weight[keep])
