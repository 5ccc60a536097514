"""Whether numbers are finite, at the price of reading them once."""

from __future__ import annotations

import torch
from torch import Tensor


def all_finite(*tensors: Tensor) -> bool:
    """Whether every value is a finite number.

    The least and the largest value show any other: NaN passes on to both. Several tensors cost one answer from the
    device, not one each; `torch.isfinite` on all values would write them out four times on the way.

    Args:
        tensors: of floating-point numbers, of one device and type.

    >>> all_finite(torch.ones(2), torch.zeros(0)), all_finite(torch.tensor([1.0, torch.nan]))
    (True, False)
    """
    ends = [end for each in tensors if each.numel() for end in torch.aminmax(each.detach())]
    return not ends or bool(torch.isfinite(torch.stack(ends)).all())
