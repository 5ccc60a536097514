"""Feature files that a user makes: one ``<domain>.npz`` for each domain."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split

DIMENSION = 2048

FORMAT = """\
Each is written by numpy.savez(path, features=..., labels=...), with features float32 (images, 2048) and labels
int64 (images,), 0 being the first class in alphabetical order. The features are what torchvision's
resnet50(weights=ResNet50_Weights.IMAGENET1K_V1), in eval mode and with its last layer replaced by
torch.nn.Identity(), gives for each image after Resize(256), CenterCrop(224), ToTensor() and normalisation with
mean (0.485, 0.456, 0.406) and standard deviation (0.229, 0.224, 0.225); the order of the images is that of their
sorted paths."""

INTEGRITY = "no published checksum: md5 recorded at first use, later uses must agree"


def files(*domains: str) -> tuple[File, ...]:
    """One file for each domain, with no checksum that anybody has published."""
    return tuple(File(path=f"{domain}.npz", md5=None, published=False) for domain in domains)


def load(dataset: Dataset, folder: Path | None, *, any_size: bool) -> dict[str, Split]:
    """Features float32 (n, 2048) and labels of every domain of ``dataset``.

    Args:
        dataset: its descriptor; the keys of ``counts`` are its domains.
        folder: the data folder; None for the usual one.
        any_size: accept files with another number of images than the dataset has.

    Raises:
        DatasetUnavailable: a file is missing (the message says how to make it) or differs from the one recorded.
        ValueError: a file does not have the form described there.
    """
    manifest = storage.fetch(dataset, folder)
    return {
        domain: read(manifest.path(f"{domain}.npz"), dataset, domain, any_size=any_size) for domain in dataset.counts
    }


def read(path: Path, dataset: Dataset, domain: str, *, any_size: bool) -> Split:
    """Read and check one domain.

    Args:
        path: the file.
        dataset: its descriptor, for the number of classes and the published number of images.
        domain: name of the domain, a key of ``dataset.counts``.
        any_size: accept another number of images than the published one.

    Raises:
        ValueError: the file is not of this form; the message names the file and what is wrong.
    """
    assert dataset.classes is not None
    try:
        with np.load(path, allow_pickle=False) as content:
            present = sorted(content.files)
            if present != ["features", "labels"]:
                raise ValueError(f"holds {', '.join(present) or 'nothing'}: must hold features and labels")
            features, labels = content["features"], content["labels"]
        _check(features, labels, dataset.classes, None if any_size else dataset.counts[domain])
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: {error}") from None
    return Split(inputs=features, labels=labels)


def _check(features: np.ndarray, labels: np.ndarray, classes: int, rows: int | None) -> None:
    if features.dtype != np.float32 or features.ndim != 2 or features.shape[1] != DIMENSION:
        raise ValueError(f"features are {features.dtype} {features.shape}: must be float32 (images, {DIMENSION})")
    if labels.dtype != np.int64 or labels.shape != (len(features),):
        raise ValueError(f"labels are {labels.dtype} {labels.shape}: must be int64 ({len(features)},)")
    if not np.isfinite(features).all():
        raise ValueError("features are not all finite")
    if len(labels) and not 0 <= labels.min() <= labels.max() < classes:
        raise ValueError(f"labels lie in [{labels.min()}, {labels.max()}]: must lie in [0, {classes - 1}]")
    if rows is not None and len(labels) != rows:
        raise ValueError(f"holds {len(labels)} images: the dataset has {rows} (any_size=True accepts this file)")
