"""MNIST and its drop-in replacements, read by torchvision from files that have been checked."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from wassdp.data import _storage
from wassdp.data._torchvision import torchvision
from wassdp.data.base import Dataset, Split, Splits


def load(dataset: Dataset, reader: str, folder: Path | None, classes: tuple[str, ...]) -> Splits:
    """Both splits, read by the torchvision class ``reader``.

    torchvision unpacks beside the packed files and never checks what it unpacked, so it works in a folder of
    its own that is gone afterwards: an unpacked file that somebody altered cannot be used.
    """
    manifest = _storage.fetch(dataset, folder)
    read = getattr(torchvision("datasets"), reader)
    with tempfile.TemporaryDirectory(prefix="wassdp-") as scratch:
        raw = Path(scratch) / reader / "raw"
        raw.mkdir(parents=True)
        for file in dataset.required:
            (raw / file.name).symlink_to(manifest.path(file.path))
        train, test = (
            Split(
                inputs=np.array(part.data.numpy(), dtype=np.uint8),
                labels=np.array(part.targets.numpy(), dtype=np.int64),
            )
            for part in (read(scratch, train=True, download=True), read(scratch, train=False))
        )
    return Splits(train=train, test=test, classes=classes)
