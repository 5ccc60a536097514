"""MNIST and its drop-in replacements, read by torchvision from files that have been checked."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.vision_package import torchvision

FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)


def described(
    *,
    name: str,
    title: str,
    licence: str,
    source: str,
    citation: str,
    folder: str,
    hosts: Sequence[str],
    files: Sequence[tuple[int, str]],
    class_counts: tuple[int, ...] = (),
) -> Dataset:
    """The descriptor of ten classes of 60,000 and 10,000 grey images, 28 x 28, in four files under their usual names.

    Args:
        name: file name in `wassdp.data`; ``title`` to ``folder`` as in `Dataset`.
        title: name in prose.
        licence: terms.
        source: its page.
        citation: what to cite.
        folder: its folder.
        hosts: addresses, with a slash at the end, under which the four files lie.
        files: bytes and md5 of each, in the order of `FILES`.
        class_counts: as in `Dataset`.
    """
    return Dataset(
        name=name,
        title=title,
        task="image classification",
        origin="files",
        counts={"train": 60_000, "test": 10_000},
        class_counts=class_counts,
        shape=(28, 28),
        classes=10,
        maximum=255,
        licence=licence,
        source=source,
        citation=citation,
        folder=folder,
        files=tuple(
            File(path=path, md5=md5, bytes=size, urls=tuple(host + path for host in hosts))
            for path, (size, md5) in zip(FILES, files, strict=True)
        ),
    )


def load(dataset: Dataset, reader: str, folder: Path | None, classes: tuple[str, ...]) -> Splits:
    """Both splits, read by the torchvision class ``reader``.

    torchvision unpacks beside the packed files and never checks what it unpacked, so it works in a folder of
    its own that is gone afterwards: an unpacked file that somebody altered cannot be used.

    Args:
        dataset: its descriptor, from `described`.
        reader: name of the torchvision class.
        folder: the data folder; None for the usual one.
        classes: names of the classes, in label order.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    manifest = storage.fetch(dataset, folder)
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
