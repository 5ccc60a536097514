"""Normalisation of each example by itself, in groups of channels."""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from wassdp import checks
from wassdp.sections import Section

SMALL = 1e-5
"""Added to a variance before its root is taken: as in group normalisation elsewhere."""


class GroupNormalisation(Section):
    """Each example by itself, in groups of channels; costs no privacy."""

    name: Literal["group"]
    groups: int = Field(ge=1, description="a divisor of the number of channels")


def by_group(
    features: Float[Tensor, "batch channels rows columns"], *, groups: int
) -> Float[Tensor, "batch channels rows columns"]:
    r"""Each example's groups of channels at mean zero and variance one (nearly: see `SMALL`).

    An example's result depends on nothing but the example, so it costs no privacy.

    Args:
        features: shape (batch, channels, rows, columns).
        groups: a divisor of the number of channels; neighbouring channels form a group.

    Raises:
        ValueError: ``groups`` does not divide the number of channels.
    Source: Wu and He (2018), arXiv:1803.08494, without scale and shift; before DP-SGD: Tramèr and Boneh (2021),
        arXiv:2011.11660, Section 2.1.
    """
    checks.whole("groups", groups, least=1)
    if features.shape[1] % groups:
        raise ValueError(f"groups = {groups}: must divide the {features.shape[1]} channels")
    return torch.nn.functional.group_norm(features, groups, eps=SMALL)
