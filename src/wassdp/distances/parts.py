"""A sample on the line in short: means of equal parts of it, the least values, the next ones, and so on."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp import checks
from wassdp.distances import sorting
from wassdp.distances.running_sums import running_sums
from wassdp.finite import all_finite


def means_of_parts(values: Float[Tensor, "*batch n"], parts: int) -> Float[Tensor, "*batch parts"]:
    r"""Means of the quantile function over ``parts`` equal intervals: of the least values, the next ones, and so on.

    .. math:: Q_r = m \int_{(r - 1) / m}^{r / m} F^{-1}(t) \, dt

    A value whose share of 1/n lies in two intervals counts in both, by what lies in each. Differentiable.

    Args:
        values: a sample on the line, in any order; leading axes are samples of their own.
        parts: m >= 1; n need be no multiple of it.

    Raises:
        ValueError: there is no part, or no value, or one is not finite.

    >>> means_of_parts(torch.tensor([4.0, 1.0, 2.0]), 2)
    tensor([1.3333, 3.3333])
    """
    checks.whole("parts", parts, least=1)
    count = values.shape[-1]
    if count == 0 or not all_finite(values):
        raise ValueError(f"values of shape {tuple(values.shape)}: must be finite and not none")
    ordered = sorting.differentiable_values(values)
    if count % parts == 0:
        equal: Tensor = ordered.view(*ordered.shape[:-1], parts, count // parts).mean(dim=-1)
        return equal
    # In whole numbers, of 1/(n m) each, so that a million values leave no rounding in the cuts.
    cuts = torch.arange(parts + 1, device=values.device) * count
    whole, share = (cuts // parts).clamp(max=count - 1), (cuts % parts).to(torch.float64) / parts
    share[-1] = 1.0
    exact = ordered.double()
    before = nn.functional.pad(running_sums(exact), (1, 0))
    sums = before[..., whole] + share * exact[..., whole]
    means: Tensor = sums.diff(dim=-1) * (parts / count)
    return means.to(values.dtype)
