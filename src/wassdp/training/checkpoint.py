"""Checkpoints that appear whole or not at all, and that are never resumed by another run."""

from __future__ import annotations

import hashlib
import io
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from wassdp import data
from wassdp.experiment import Context, Parameters
from wassdp.files import canonical_json, sweep, write_bytes
from wassdp.training.reproducible import describe

logger = logging.getLogger(__name__)

DATA = "data"
_HEADER = b"wassdp checkpoint 1\n"


@dataclass(frozen=True)
class Checkpoint:
    """One file that holds the latest state of one run.

    Args:
        path: the file; it need not exist.
        belongs_to: everything that must be equal for a resumed run to be the same run, by name:
            code, specification, device, threads, versions, data. A file that differs in any is not used; one that says
            nothing of its data was written before that was recorded, and is.
    """

    path: Path
    belongs_to: Mapping[str, str]

    @staticmethod
    def of_run(parameters: Parameters, *, seed: int | None, context: Context, device: torch.device) -> Checkpoint:
        """A file in the run's folder that belongs to these parameters, seed and data, this code, device and torch."""
        # Bits of the operating system cannot be gone back to: such a run starts anew, and its first try is of no use.
        started: int | str = secrets.token_hex(16) if seed is None else seed
        files = {name: data.checksums(name) for name in parameters.datasets()}
        specification = canonical_json({"parameters": parameters.model_dump(mode="json"), "seed": started})
        return Checkpoint(
            path=context.folder / "checkpoint.pt",
            belongs_to={
                "code": context.code,
                "specification": hashlib.sha256(specification.encode()).hexdigest()[:12],
                "device": describe(device),
                "torch": str(torch.__version__),
                DATA: hashlib.sha256(canonical_json(files).encode()).hexdigest()[:12],
            },
        )

    def save(self, state: dict[str, Any]) -> None:
        """Replace the file by ``state``: tensors, numbers, strings, lists and dictionaries of such."""
        buffer = io.BytesIO()
        # Plain strings only: a subclass of str (torch's own version is one) would be refused when it is read.
        torch.save({"belongs_to": {key: str(value) for key, value in self.belongs_to.items()}, "state": state}, buffer)
        content = buffer.getvalue()
        write_bytes(self.path, _HEADER + hashlib.sha256(content).digest() + content)

    def load(self) -> dict[str, Any] | None:
        """The saved state; None, with a logged line that names the file and the reason, where it cannot be used.

        What a kill left half-written beside the file is removed: one process works in a run's folder at a time.
        """
        sweep(self.path)
        try:
            content = self._read()
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever a damaged file makes the reader raise, the run starts anew
            reason = str(error).partition("\n")[0]
            logger.warning("checkpoint %s: ignored, unreadable (%s: %s)", self.path, type(error).__name__, reason)
            return None
        for name, value in self.belongs_to.items():
            other = content["belongs_to"].get(name, value if name == DATA else None)
            if other != value:
                # A digest of private files says which they are, and the log of a run may be published.
                known = "are others" if name == DATA else f"is {other!r}, not {value!r}"
                logger.warning("checkpoint %s: ignored, its %s %s", self.path, name, known)
                return None
        state: dict[str, Any] = content["state"]
        return state

    def remove(self) -> None:
        """Remove the file, if it is there."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        content = self.path.read_bytes()
        start = len(_HEADER) + hashlib.sha256().digest_size
        if not content.startswith(_HEADER) or hashlib.sha256(content[start:]).digest() != content[len(_HEADER) : start]:
            raise ValueError("damaged: header or checksum is wrong")
        # weights_only: a checkpoint is data; unpickling must not run code.
        saved: dict[str, Any] = torch.load(io.BytesIO(content[start:]), map_location="cpu", weights_only=True)
        if not isinstance(saved, dict) or not all(isinstance(saved.get(key), dict) for key in ("belongs_to", "state")):
            raise ValueError("damaged: it is not what a run saves")
        return saved
