"""Doing a forward pass a second time: with the random numbers of the first, and others' inputs where it failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from jaxtyping import Bool, Int64
from torch import Tensor


def state(device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Where torch's global generators stand: the processor's, and that of ``device`` where it is another."""
    return torch.random.get_rng_state(), None if device.type == "cpu" else torch.cuda.get_rng_state(device)


def restore(drawn: tuple[Tensor, Tensor | None], device: torch.device) -> None:
    """Put the generators back to where `state` found them."""
    torch.random.set_rng_state(drawn[0])
    if drawn[1] is not None:
        torch.cuda.set_rng_state(drawn[1], device)


@contextlib.contextmanager
def again(drawn: tuple[Tensor, Tensor | None], device: torch.device) -> Iterator[None]:
    """Within, the random numbers that followed ``drawn``; what is drawn afterwards does not depend on it."""
    now = state(device)
    restore(drawn, device)
    try:
        yield
    finally:
        restore(now, device)


def substituted(bad: Bool[Tensor, " batch"]) -> Int64[Tensor, " batch"]:
    """Every place of a batch, but for the bad ones that of the first good one.

    >>> substituted(torch.tensor([True, False, True, False])).tolist()
    [1, 1, 1, 3]
    """
    places = torch.arange(len(bad), device=bad.device)
    return torch.where(bad, torch.argmin(bad.to(torch.uint8)), places)
