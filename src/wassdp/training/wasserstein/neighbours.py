r"""Searches for neighbouring batches between which a released gradient moves as far as its sensitivity allows.

Symbols: u_i and v_j outputs of the two sides, d dimension, k directions, M bound on outputs, L_1 and L_2 on Jacobians,
c the gradients in the outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp import noise
from wassdp.distances import sliced
from wassdp.noise import Bits

Points = Float64[Tensor, "_ d"]


@dataclass(frozen=True)
class Neighbours:
    """Two batches that differ in the first point of the left side.

    Args:
        left: one batch's left side, shape (n, d).
        replacement: the first point of the other batch's left side, shape (1, d).
        right: the side that both have in common, shape (m, d).
        moved: how far the gradient moves between them.
    """

    left: Points
    replacement: Points
    right: Points
    moved: float

    @property
    def other(self) -> Points:
        """The other batch's left side."""
        return torch.cat([self.replacement, self.left[1:]])


Distance = Callable[[Points, Points, Points], float]
"""Left side, its other version and right side to how far the gradient moves."""


def search(
    distance: Distance,
    *,
    sizes: tuple[int, int],
    dimension: int,
    norm: float,
    restarts: int,
    tries: int,
    generator: Bits,
) -> Neighbours:
    """The worst neighbours found by hill climbing from random starts.

    Each try moves one point: anywhere in the ball, to its surface, onto another point, to the opposite side, or a
    little. A try that does not make the gradient move less is kept.

    Args:
        distance: what is made large.
        sizes: n and m.
        dimension: d.
        norm: M, radius of the ball that points lie in.
        restarts: number of starts.
        tries: number of tries from each.
        generator: source of randomness.
    """
    n, m = sizes
    best: Neighbours | None = None
    for _ in range(restarts):
        points = norm * _in_ball(n + 1 + m, dimension, generator)
        now = distance(points[:n], _other(points, n), points[n + 1 :])
        for _ in range(tries):
            moved = _step(points, norm, generator)
            reached = distance(moved[:n], _other(moved, n), moved[n + 1 :])
            if reached >= now:
                points, now = moved, reached
        if best is None or now > best.moved:
            best = Neighbours(left=points[:n], replacement=points[n : n + 1], right=points[n + 1 :], moved=now)
    assert best is not None, "there is at least one start"
    return best


def _other(points: Points, n: int) -> Points:
    return torch.cat([points[n : n + 1], points[1:n]])


def _in_ball(count: int, dimension: int, generator: Bits) -> Points:
    points = noise.normal(count, dimension, generator=generator)
    radii = torch.from_numpy(noise.uniform(count, generator=generator))[:, None] ** (1 / dimension)
    inside: Points = points / points.norm(dim=1, keepdim=True) * radii
    return inside


def _step(points: Points, norm: float, generator: Bits) -> Points:
    moved = points.clone()
    which, kind, other = (
        int(noise.integers(most, 1, generator=generator)[0]) for most in (len(points), 5, len(points))
    )
    fresh = _in_ball(1, points.shape[1], generator)[0]
    if kind == 0:
        moved[which] = norm * fresh
    elif kind == 1:
        moved[which] = norm * fresh / fresh.norm()
    elif kind == 2:
        moved[which] = moved[other]
    elif kind == 3:
        moved[which] = -moved[other] * norm / moved[other].norm().clamp(min=1e-12)
    else:
        moved[which] += 0.1 * norm * fresh
        moved[which] /= (moved[which].norm() / norm).clamp(min=1)
    return moved


def in_outputs(left: Points, right: Points, directions: Float64[Tensor, "d k"]) -> tuple[Points, Points]:
    """Gradients c of the sliced W_2^2 in the outputs of both sides."""
    sides = [side.clone().requires_grad_() for side in (left, right)]
    value = sliced.sliced_wasserstein_power(sides[0], sides[1], directions, p=2.0)
    left_pull, right_pull = torch.autograd.grad(value, sides)
    return left_pull, right_pull


def clipped_gradient(directions: Float64[Tensor, "d k"], norms: tuple[float, float]) -> Distance:
    r"""How far the clipped gradient moves, for the worst Jacobians within the bounds.

    .. math:: \Bigl\lVert \sum_{i \ge 2} J_i^\top \Delta c_i + J_1^\top c_1 - \tilde J_1^\top \tilde c_1
        + \sum_j K_j^\top \Delta c'_j \Bigr\rVert \le L_1 \Bigl( \lVert c_1 \rVert + \lVert \tilde c_1 \rVert
        + \sum_{i \ge 2} \lVert \Delta c_i \rVert \Bigr) + L_2 \sum_j \lVert \Delta c'_j \rVert

    with equality for Jacobians of rank one that turn every vector into one common direction (`jacobians`).
    """

    def distance(left: Points, other: Points, right: Points) -> float:
        before, after = in_outputs(left, right, directions), in_outputs(other, right, directions)
        replaced = before[0][:1].norm() + after[0][:1].norm() + (before[0] - after[0])[1:].norm(dim=1).sum()
        return float(norms[0] * replaced + norms[1] * (before[1] - after[1]).norm(dim=1).sum())

    return distance


def output_gradient(directions: Float64[Tensor, "d k"]) -> Distance:
    """How far the gradient in the outputs of the right side moves."""

    def distance(left: Points, other: Points, right: Points) -> float:
        return float((in_outputs(left, right, directions)[1] - in_outputs(other, right, directions)[1]).norm())

    return distance


class Affine(nn.Module):
    """One parameter θ; example (b, A) has the output b + Aθ, hence any output and any Jacobian of one column."""

    def __init__(self) -> None:
        super().__init__()
        self.theta = nn.Parameter(torch.zeros((), dtype=torch.float64))

    def forward(self, examples: Float[Tensor, "n two_d"]) -> Float[Tensor, "n d"]:
        d = examples.shape[1] // 2
        return examples[:, :d] + examples[:, d:] * self.theta


def examples(
    neighbours: Neighbours, directions: Float64[Tensor, "d k"], norms: tuple[float, float]
) -> tuple[Tensor, Tensor, Tensor]:
    """Examples of `Affine`, left, other left and right, between which the gradient moves by ``neighbours.moved``."""
    before = in_outputs(neighbours.left, neighbours.right, directions)
    after = in_outputs(neighbours.other, neighbours.right, directions)
    change = before[0] - after[0]
    left, other = torch.cat([before[0][:1], change[1:]]), torch.cat([-after[0][:1], change[1:]])
    return (
        torch.cat([neighbours.left, norms[0] * _unit(left)], dim=1),
        torch.cat([neighbours.other, norms[0] * _unit(other)], dim=1),
        torch.cat([neighbours.right, norms[1] * _unit(before[1] - after[1])], dim=1),
    )


def _unit(rows: Points) -> Points:
    found: Points = rows / rows.norm(dim=1, keepdim=True).clamp(min=1e-300)
    return found
