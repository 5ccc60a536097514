r"""Sliced Wasserstein distances: the mean of one-dimensional ones over directions.

Symbols: d dimension, k directions :math:`\vartheta_l`, n and m sizes of the samples.

Memory is linear: directions are taken in chunks, and a chunk's gradient is added up while its sorted projections
are at hand, so that nothing of size n·k is kept for the backward pass.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks
from wassdp.distances import directions as unit
from wassdp.distances import plan as _plan
from wassdp.distances import sorting
from wassdp.distances.one_d import check_values, finite_order, wasserstein

# Projected values in memory at a time, of both sides together: 2^22 are some 100 MiB with their permutations.
CHUNK = 1 << 22


def sliced_wasserstein(
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "m _"],
    directions: Float[Tensor, "_ k"],
    *,
    p: float = 2.0,
    x_weights: Float[Tensor, " n"] | None = None,
    y_weights: Float[Tensor, " m"] | None = None,
    chunk: int = CHUNK,
) -> Float[Tensor, ""]:
    r"""Sliced p-Wasserstein distance along given directions.

    .. math:: SW_p(x, y) = \Big( \tfrac1k \sum_{l \le k} W_p^p(x \vartheta_l, y \vartheta_l) \Big)^{1/p}

    Differentiable once in the samples and in the directions; the gradient at distance 0 is 0.

    Args:
        x: first sample, one point per row.
        y: second sample; another number of rows is allowed.
        directions: unit columns, e.g. of `wassdp.distances.directions.draw`.
        p: order, at least 1 and finite.
        x_weights: non-negative weights of the rows of ``x``, scaled to sum to 1; uniform if None.
        y_weights: likewise of ``y``.
        chunk: projected values in memory at a time; bounds memory and changes nothing else but rounding.

    Returns:
        The distance, a scalar, unit of ``x``.

    Raises:
        ValueError: dimensions or types differ, a sample is empty or holds a value that is not finite, a column is
            not of norm 1, the order is below 1 or infinite, weights are negative or all 0.

    Source: Bonneel, Rabin, Peyré and Pfister (2015), Sliced and Radon Wasserstein Barycenters of Measures, section 3.

    >>> square = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    >>> sliced_wasserstein(square, square + torch.tensor([3.0, 0.0]), torch.eye(2))
    tensor(2.1213)
    """
    order, weights = _checked(x, y, directions, p, x_weights, y_weights, chunk)
    power: Tensor = _Power.apply(x, y, directions, order, weights, chunk, 1.0)
    if not _in_range(power):
        # Only then, so that ordinary distances are computed as if this were not here, to the bit.
        scale = _largest_gap(x.detach(), y.detach(), directions.detach(), weights, chunk)
        power = _Power.apply(x, y, directions, order, weights, chunk, scale)
        distance: Tensor = _Scaled.apply(root(power, order), scale)
        return distance
    return root(power, order)


def sliced_wasserstein_power(
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "m _"],
    directions: Float[Tensor, "_ k"],
    *,
    p: float = 2.0,
    x_weights: Float[Tensor, " n"] | None = None,
    y_weights: Float[Tensor, " m"] | None = None,
    chunk: int = CHUNK,
) -> Float[Tensor, ""]:
    r""":math:`SW_p^p`, what learning minimises; arguments, errors and source as `sliced_wasserstein`.

    A power of high order may leave the range of the points' type, above or below; the distance does not.
    """
    order, weights = _checked(x, y, directions, p, x_weights, y_weights, chunk)
    value: Tensor = _Power.apply(x, y, directions, order, weights, chunk, 1.0)
    return value


def _checked(
    x: Tensor,
    y: Tensor,
    directions: Tensor,
    p: float,
    x_weights: Tensor | None,
    y_weights: Tensor | None,
    chunk: int,
) -> tuple[float, tuple[Tensor, Tensor] | None]:
    """Order and weights, of sum 1; None where both sides are uniform.

    Raises:
        ValueError: as `sliced_wasserstein`.
    """
    order = finite_order(p, "a sliced distance")
    checks.whole("chunk", chunk, least=1)
    check_points(x, y, directions)
    if x_weights is None and y_weights is None:
        return order, None
    return order, (_plan.weights("x_weights", x_weights, x[:, 0]), _plan.weights("y_weights", y_weights, y[:, 0]))


def _in_range(power: Tensor) -> bool:
    """Whether a mean of powers lies in the middle half, by exponents, of what its type can hold."""
    kind = torch.finfo(power.dtype)
    return math.sqrt(kind.tiny) <= float(power.detach()) <= math.sqrt(kind.max)


def _largest_gap(x: Tensor, y: Tensor, directions: Tensor, weights: tuple[Tensor, Tensor] | None, chunk: int) -> float:
    """Between matched points, of all directions; 1 where there is none, or none that is finite."""
    largest, at_once = 0.0, max(1, chunk // (len(x) + len(y)))
    masses = {} if weights is None else {"x_weights": weights[0], "y_weights": weights[1]}
    for part in directions.T.split(at_once):
        largest = max(largest, float(wasserstein(part @ x.T, part @ y.T, p=math.inf, **masses).max()))
    return largest if 0 < largest < math.inf else 1.0


def check_points(x: Tensor, y: Tensor, directions: Tensor) -> None:
    """Refuse samples and directions that no sliced distance is defined for.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    for name, sample in (("x", x), ("y", y)):
        if sample.ndim != 2 or 0 in sample.shape:
            raise ValueError(f"{name} has shape {tuple(sample.shape)}: must be (points, dimension), neither 0")
        check_values(name, sample)
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"y has dimension {y.shape[1]}: must be that of x, {x.shape[1]}")
    unit.unit_columns(directions)
    if directions.shape[0] != x.shape[1]:
        raise ValueError(f"directions have dimension {directions.shape[0]}: must be that of x, {x.shape[1]}")
    kinds = sorted({f"{tensor.dtype} on {tensor.device}" for tensor in (x, y, directions)})
    if len(kinds) > 1:
        raise ValueError(f"x, y and directions: must share one dtype and device, not {', '.join(kinds)}")


def root(power: Tensor, order: float) -> Tensor:
    """W_p from its p-th power, with a gradient of 0 at 0, where the root's own slope is infinite."""
    positive = power > 0
    distance: Tensor = torch.where(positive, power, 1.0).pow(1 / order) * positive
    return distance


def slope(gaps: Tensor, order: float) -> Tensor:
    """Derivative of |gap|^p with respect to the gap; 0 at a gap of 0."""
    if order == 2:
        return 2 * gaps
    if order == 1:
        return gaps.sign()
    return order * gaps.sign() * gaps.abs().pow(order - 1)


class _Scaled(torch.autograd.Function):
    """A distance in units of ``scale``, times it; its gradient by the points needs no factor (`_Power`)."""

    @staticmethod
    def forward(ctx: Any, distance: Tensor, scale: float) -> Tensor:
        return distance * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None


class _Power(torch.autograd.Function):
    """SW_p^p and, in the same pass over the directions, its gradient.

    Gaps are divided by ``scale``, and the gradient is the one by points that are so divided.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        y: Tensor,
        directions: Tensor,
        order: float,
        weights: tuple[Tensor, Tensor] | None,
        chunk: int,
        scale: float,
    ) -> Tensor:
        count = directions.shape[1]
        gradients = [
            torch.zeros_like(sample) if need else None
            for sample, need in zip((x, y), ctx.needs_input_grad[:2], strict=True)
        ]
        turning = torch.zeros_like(directions) if ctx.needs_input_grad[2] else None
        total = torch.zeros((), dtype=torch.float64, device=x.device)
        at_once = max(1, chunk // (len(x) + len(y)))
        for first in range(0, count, at_once):
            part = directions[:, first : first + at_once].T.contiguous()
            projected = (part @ x.T, part @ y.T)
            wanted = (gradients[0] is not None or turning is not None, gradients[1] is not None or turning is not None)
            value, pulls = _along(projected, order, weights, wanted, scale)
            total += value
            for pull, sample, gradient in zip(pulls, (x, y), gradients, strict=True):
                if pull is not None and gradient is not None:
                    gradient.addmm_(pull.T, part, alpha=1 / count)
                if pull is not None and turning is not None:
                    turning[:, first : first + at_once] += (sample.T @ pull.T) / count
        ctx.save_for_backward(*[gradient for gradient in (*gradients, turning) if gradient is not None])
        ctx.kept = [gradient is not None for gradient in (*gradients, turning)]
        return (total / count).to(x.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        saved = iter(ctx.saved_tensors)
        return (*(next(saved) * gradient if kept else None for kept in ctx.kept), None, None, None, None)


def _along(
    projected: tuple[Tensor, Tensor],
    order: float,
    weights: tuple[Tensor, Tensor] | None,
    wanted: tuple[bool, bool],
    scale: float,
) -> tuple[Tensor, list[Tensor | None]]:
    """Sum over the rows of W_p^p, and its derivatives by the projected values of either side, where they are wanted.

    Gaps are in units of ``scale``.
    """
    (left, left_order), (right, right_order) = (
        sorting.sort(values) if want or weights is not None else (sorting.values_alone(values), None)
        for values, want in zip(projected, wanted, strict=True)
    )
    size = left.shape[1]
    if weights is None:
        plan = _plan.uniform_plan(size, right.shape[1], left.device)
    else:
        plan = _plan.weighted_plan(_arranged(weights[0], left_order), _arranged(weights[1], right_order))
    points: list[Tensor] = []
    if plan is None:
        gaps = _in_units(left - right, scale)
        value = _power(gaps, order).sum(dtype=torch.float64) / size
    else:
        points = [matched.expand(len(left), -1) for matched in (plan.left, plan.right)]
        gaps = _in_units(left.gather(1, points[0]) - right.gather(1, points[1]), scale)
        share = plan.share.to(left.dtype)
        value = (_power(gaps, order) * share).sum(dtype=torch.float64)
    if not any(wanted):
        return value, [None, None]
    pull = slope(gaps, order) / size if plan is None else slope(gaps, order) * share
    pulls: list[Tensor | None] = [None, None]
    for side, (sample, permutation) in enumerate(((left, left_order), (right, right_order))):
        if wanted[side] and permutation is not None:
            signed = -pull if side else pull
            if points:
                signed = torch.zeros_like(sample).scatter_add_(1, points[side], signed)
            pulls[side] = sorting.unsort(signed, permutation)
    return value, pulls


def _in_units(values: Tensor, scale: float) -> Tensor:
    return values if scale == 1 else values / scale


def _arranged(weights: Tensor, order: Tensor | None) -> Tensor:
    """Weights of the points, in each row's order."""
    assert order is not None, "both sides were sorted with their permutations"
    return weights.expand(len(order), -1).gather(-1, order)


def _power(gaps: Tensor, order: float) -> Tensor:
    return gaps.square() if order == 2 else gaps.abs().pow(order)
