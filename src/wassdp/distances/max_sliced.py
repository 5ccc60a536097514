"""The largest sliced distance over directions, by projected gradient ascent from several starts."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks
from wassdp.distances import directions as unit
from wassdp.distances.sliced import check_points, sliced_wasserstein, sliced_wasserstein_power
from wassdp.noise import Bits


@dataclass(frozen=True)
class MaxSliced:
    """What the ascent found.

    Args:
        distance: the distance along ``direction``, differentiable in the samples (Danskin). The problem is not
            concave: it is a lower bound of the supremum, reached where the best start lies in its basin.
        direction: unit vector, shape (d,).
        spread: the best of the ascents over the median one; well above 1, more starts may find more.
    """

    distance: Float[Tensor, ""]
    direction: Float[Tensor, " d"]
    spread: float


def max_sliced_wasserstein(
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "m _"],
    *,
    generator: Bits,
    p: float = 2.0,
    starts: int = 16,
    steps: int = 100,
) -> MaxSliced:
    r"""Max-sliced p-Wasserstein distance.

    .. math:: \max_{\lVert \vartheta \rVert = 1} W_p(x \vartheta, y \vartheta)

    The starts are random directions and the difference of the means. Steps go along the tangent of the sphere, each
    start with its own length, which grows after a success and halves after a failure, so that no step goes down.

    Args:
        x: first sample, shape (n, d).
        y: second sample, shape (m, d).
        generator: draws the starts.
        p: order, at least 1 and finite.
        starts: number of ascents, all at once.
        steps: steps of each.

    Raises:
        ValueError: as `wassdp.distances.sliced.sliced_wasserstein`, or a number is below 1.

    Source: Deshpande et al. (2019), Max-Sliced Wasserstein Distance and its Use for GANs, Definition 3.
    """
    checks.whole("starts", starts, least=1)
    checks.whole("steps", steps, least=1)
    points = [sample.detach() for sample in (x, y)]
    columns = unit.draw("iid", dimension=x.shape[1], count=starts, generator=generator, dtype=x.dtype, device=x.device)
    check_points(x, y, columns)
    means = points[0].mean(dim=0) - points[1].mean(dim=0)
    if float(means.norm()) > 0:
        columns = torch.cat([columns, (means / means.norm())[:, None]], dim=1)
    values, slopes = _values_and_slopes(points, columns, p)
    lengths = torch.ones_like(values)
    for _ in range(steps):
        tangents = slopes - columns * (slopes * columns).sum(dim=0)
        norms = tangents.norm(dim=0)
        moved = columns + lengths * tangents / torch.where(norms > 0, norms, 1.0)
        moved = moved / moved.norm(dim=0)
        new, new_slopes = _values_and_slopes(points, moved, p)
        better = new > values
        columns, values = torch.where(better, moved, columns), torch.where(better, new, values)
        slopes = torch.where(better, new_slopes, slopes)
        lengths = torch.where(better, 1.5 * lengths, 0.5 * lengths)
    best = int(values.argmax())
    middle = float(values.median()) ** (1 / p)
    return MaxSliced(
        distance=sliced_wasserstein(x, y, columns[:, best : best + 1], p=p),
        direction=columns[:, best],
        spread=float(values[best]) ** (1 / p) / middle if middle > 0 else 1.0,
    )


def _values_and_slopes(points: list[Tensor], directions: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """W_p^p along each direction, and its derivative with respect to that direction."""
    turned = directions.detach().requires_grad_()
    mean = sliced_wasserstein_power(points[0], points[1], turned, p=p)
    (slopes,) = torch.autograd.grad(mean, turned)
    slopes = slopes * directions.shape[1]
    # W_p^p is homogeneous of degree p in the direction, so Euler's theorem gives each value from its slope.
    return (slopes * directions).sum(dim=0) / p, slopes
