"""Where torch's generators stand, so that what a trial draws is as if it had not been drawn."""

from __future__ import annotations

import torch
from torch import Tensor


def state(device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Where torch's global generators stand: the processor's, and that of ``device`` where it is another."""
    return torch.random.get_rng_state(), None if device.type == "cpu" else torch.cuda.get_rng_state(device)


def restore(drawn: tuple[Tensor, Tensor | None], device: torch.device) -> None:
    """Put the generators back to where `state` found them."""
    torch.random.set_rng_state(drawn[0])
    if drawn[1] is not None:
        torch.cuda.set_rng_state(drawn[1], device)
