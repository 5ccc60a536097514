r"""Wasserstein distances between samples on the line: exact, by sorting; any order, sizes and weights.

Symbols: :math:`W_p`, the p-Wasserstein distance for the cost :math:`|x - y|^p`; n and m, the sizes of the samples.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.distances import plan as _plan
from wassdp.distances import sorting
from wassdp.finite import all_finite


def wasserstein(
    x: Float[Tensor, "*batch n"],
    y: Float[Tensor, "... m"],
    *,
    p: float = 2.0,
    x_weights: Float[Tensor, ...] | None = None,
    y_weights: Float[Tensor, ...] | None = None,
) -> Float[Tensor, "*batch"]:
    r"""W_p between two samples, for every batch entry.

    .. math:: W_p(x, y) = \Big( \int_0^1 |F_x^{-1}(u) - F_y^{-1}(u)|^p \, du \Big)^{1/p}

    and the largest gap of the two quantile functions for p = ∞.

    Differentiable in both samples; where the distance is 0, which is a kink, the gradient is 0. With ties,
    or an order of 1, it is one element of the subdifferential.

    Args:
        x: first sample, shape (..., n), n >= 1.
        y: second sample, shape (..., m), m >= 1, same leading shape; n and m may differ.
        p: order, at least 1; ``math.inf`` is allowed.
        x_weights: non-negative weights of ``x``, shape (n,) or that of ``x``; scaled to sum to 1. Uniform if None.
            Taken in double precision: tenths given in single precision are not tenths, and a difference of 1e-8 is
            mass for p = ∞.
        y_weights: likewise of ``y``.

    Returns:
        Distances, shape (...), unit of ``x``.

    Raises:
        ValueError: an order below 1, an empty sample, leading shapes that differ, a value that is not finite,
            weights that are negative or sum to 0.

    Source: Villani (2003), Topics in Optimal Transportation, Theorem 2.18 and Remark 2.19.

    >>> wasserstein(torch.tensor([0.0, 1.0]), torch.tensor([5.0]), p=1.0)
    tensor(4.5000)
    """
    order = check_order(p)
    gaps, share = _gaps(x, y, x_weights, y_weights)
    if order == math.inf:
        return torch.where(share > 0, gaps.abs(), 0.0).amax(dim=-1)
    # Scaled by the largest gap, no power over- or underflows; the scale cancels, so it needs no gradient.
    scale = torch.where(share > 0, gaps.detach().abs(), 0.0).amax(dim=-1)
    safe = torch.where(scale > 0, scale, 1.0)
    power = _mean_power(gaps / safe[..., None], share, order)
    # The root's slope at 0 is infinite: there, both branches of the product must be finite to give a gradient of 0.
    return safe * torch.where(scale > 0, power, 1.0).pow(1 / order) * (scale > 0)


def wasserstein_power(
    x: Float[Tensor, "*batch n"],
    y: Float[Tensor, "... m"],
    *,
    p: float = 2.0,
    x_weights: Float[Tensor, ...] | None = None,
    y_weights: Float[Tensor, ...] | None = None,
) -> Float[Tensor, "*batch"]:
    r""":math:`W_p^p`, smooth where W_p has a kink; arguments, errors and source as `wasserstein`, p finite.

    >>> wasserstein_power(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 3.0]))
    tensor(2.)
    """
    order = finite_order(p, "W_p to the power p")
    gaps, share = _gaps(x, y, x_weights, y_weights)
    return _mean_power(gaps, share, order)


def check_order(p: float) -> float:
    """``p``, if it is an order of a Wasserstein distance.

    Raises:
        ValueError: it is below 1 or not a number.
    """
    if isinstance(p, bool) or not isinstance(p, int | float) or not p >= 1:
        raise ValueError(f"p = {p!r}: must be at least 1")
    return float(p)


def finite_order(p: float, what: str) -> float:
    """``p``, if it is an order and finite, as ``what`` needs it.

    Raises:
        ValueError: it is not.
    """
    if check_order(p) == math.inf:
        raise ValueError(f"p = inf: {what} needs a finite order")
    return float(p)


def check_values(name: str, sample: Tensor) -> None:
    """Refuse a sample called ``name`` that is no floating point number somewhere.

    Raises:
        ValueError: it is not.
    """
    if not sample.is_floating_point():
        raise ValueError(f"{name} has dtype {sample.dtype}: must be floating point")
    if not all_finite(sample):
        raise ValueError(f"{name}: {int((~torch.isfinite(sample)).sum())} values are not finite")


def check_samples(x: Tensor, y: Tensor) -> None:
    """Refuse samples on the line that are empty, not finite or of different leading shapes.

    Raises:
        ValueError: naming the argument.
    """
    for name, sample in (("x", x), ("y", y)):
        if sample.ndim < 1 or sample.shape[-1] == 0:
            raise ValueError(f"{name} has shape {tuple(sample.shape)}: must hold at least one point")
        check_values(name, sample)
    if x.shape[:-1] != y.shape[:-1]:
        raise ValueError(f"y has shape {tuple(y.shape)}: must have the leading shape of x, {tuple(x.shape[:-1])}")
    if x.dtype != y.dtype or x.device != y.device:
        raise ValueError(f"y is {y.dtype} on {y.device}: must be as x, {x.dtype} on {x.device}")


def _gaps(x: Tensor, y: Tensor, x_weights: Tensor | None, y_weights: Tensor | None) -> tuple[Tensor, Tensor]:
    """Gaps between the quantile functions on the merged grid, and the probability of each."""
    check_samples(x, y)
    if x_weights is None and y_weights is None:
        x_sorted, y_sorted = sorting.differentiable_values(x), sorting.differentiable_values(y)
        plan = _plan.uniform_plan(x.shape[-1], y.shape[-1], x.device)
        if plan is None:
            return x_sorted - y_sorted, torch.full((), 1 / x.shape[-1], dtype=x.dtype, device=x.device)
        return x_sorted[..., plan.left] - y_sorted[..., plan.right], plan.share.to(x.dtype)
    (x_sorted, x_order), (y_sorted, y_order) = sorting.differentiable(x), sorting.differentiable(y)
    weights = [
        _plan.weights(name, given, sample).gather(-1, order)
        for name, given, sample, order in (("x_weights", x_weights, x, x_order), ("y_weights", y_weights, y, y_order))
    ]
    plan = _plan.weighted_plan(*weights)
    return x_sorted.gather(-1, plan.left) - y_sorted.gather(-1, plan.right), plan.share.to(x.dtype)


def _mean_power(gaps: Tensor, share: Tensor, order: float) -> Tensor:
    powers = gaps.square() if order == 2 else gaps.abs() if order == 1 else gaps.abs().pow(order)
    return powers.mean(dim=-1) if share.ndim == 0 else (powers * share).sum(dim=-1)
