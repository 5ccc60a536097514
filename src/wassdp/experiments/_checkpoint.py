"""The checkpoint of a run: resumed by the same run only."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from wassdp import experiment
from wassdp.files import canonical_json

if TYPE_CHECKING:
    import torch

    from wassdp.training.checkpoint import Checkpoint


def of_run(
    parameters: experiment.Parameters, *, seed: int | None, context: experiment.Context, device: torch.device
) -> Checkpoint:
    """A file in the run's folder that belongs to these parameters and seed, this code, device and version of torch."""
    import torch

    from wassdp.training import checkpoint, reproducible

    # Bits of the operating system cannot be gone back to: such a run starts anew, and nothing of the first try is left.
    started: int | str = secrets.token_hex(16) if seed is None else seed
    specification = canonical_json({"parameters": parameters.model_dump(mode="json"), "seed": started})
    return checkpoint.Checkpoint(
        path=context.folder / "checkpoint.pt",
        belongs_to={
            "code": context.code,
            "specification": hashlib.sha256(specification.encode()).hexdigest()[:12],
            "device": reproducible.describe(device),
            "torch": str(torch.__version__),
        },
    )
