"""Features of a dataset: computed once, kept in the data folder, checked before every first use in a process.

A folder holds ``train.npy``, ``test.npy`` and, written last, ``features.json``: what they were computed from and by,
and their md5. Features are derived data: whoever has the images can compute them again.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from torch import Tensor

from wassdp import data
from wassdp.code import code_hash
from wassdp.data import storage
from wassdp.data.images import Image, image_of
from wassdp.features.fixed import FixedFeatures
from wassdp.files import appearing, canonical_json, sweep, write_json

log = logging.getLogger(__name__)

SPLITS = ("train", "test")
RECORD = "features.json"
CHUNK = 64  # images in one piece of work
REPORT = 10.0  # seconds between two lines of progress


@dataclass(frozen=True)
class Features:
    """Features of both splits, shape (examples, channels, rows, columns), single precision, mapped from the disk."""

    train: NDArray[np.float32]
    test: NDArray[np.float32]


def of(name: str, recipe: FixedFeatures, *, folder: Path | None = None) -> Features:
    """The features of a dataset of images, computed now if they are not there.

    Args:
        name: the dataset.
        recipe: which features; what follows them is not computed here.
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: the dataset cannot be had.
        OSError: the data folder cannot be written or has no room; the message names the file.
    """
    belongs = {
        "dataset": name,
        "files": data.checksums(name, folder),
        "recipe": recipe.kept,
        # No other part of the package computes features.
        "code": code_hash(type(recipe).__module__, within=__package__),
        "torch": str(torch.__version__),
    }
    key = hashlib.sha256(canonical_json(belongs).encode()).hexdigest()[:12]
    home = storage.data_folder(folder) / "features" / f"{name}-{key}"
    if (kept := _read(home, belongs)) is not None:
        return kept
    home.mkdir(parents=True, exist_ok=True)
    with _locked(home):
        # Another process may have computed them while this one waited for the lock.
        if (kept := _read(home, belongs, quietly=True)) is None:
            _compute(home, belongs, recipe, folder)
            kept = _read(home, belongs)
    if kept is None:
        raise OSError(f"{home}: features that were just written there read back otherwise")
    return kept


def blocks(features: NDArray[np.float32], places: NDArray[np.int64], size: int = 256) -> Iterator[Tensor]:
    """The features at these places as tensors of at most ``size`` examples."""
    for start in range(0, len(places), size):
        yield torch.from_numpy(features[places[start : start + size]])


def _compute(home: Path, belongs: dict[str, Any], recipe: FixedFeatures, folder: Path | None) -> None:
    """Write both splits, then the record that makes them count. The caller holds the lock."""
    (home / RECORD).unlink(missing_ok=True)
    sweep(home / RECORD)
    splits = data.load(belongs["dataset"], folder)
    entries = {}
    for split in SPLITS:
        path = home / f"{split}.npy"
        sweep(path)
        log.info("%s: features of %s (%s) are computed once and kept", path, belongs["dataset"], split)
        entries[path.name] = _write(path, getattr(splits, split).inputs, recipe, image_of(belongs["dataset"]))
    write_json(home / RECORD, {"of": belongs, "arrays": entries})


def _write(path: Path, inputs: NDArray[Any], recipe: FixedFeatures, image: Image) -> dict[str, Any]:
    """Features of stored images into the file at ``path``; their shape and the file's md5."""
    shape = (len(inputs), *recipe.output_shape(image.shape))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    digest = hashlib.md5(header.getvalue(), usedforsecurity=False)
    began = reported = time.monotonic()
    # Written like any file, not through a mapping: a full disk then is an error with a name and not a bus error.
    with appearing(path) as draft, draft.open("wb") as sink:
        sink.write(header.getvalue())
        for start, piece in computed(inputs, recipe, image.maximum):
            content = piece.astype("<f4", copy=False).data.cast("B")
            digest.update(content)
            sink.write(content)
            if time.monotonic() - reported > REPORT:
                reported, done = time.monotonic(), min(start + CHUNK, len(inputs))
                left = (reported - began) / done * (len(inputs) - done)
                log.info("%s: %d of %d images, about %.0f s left", path, done, len(inputs), left)
    return {"shape": list(shape), "md5": digest.hexdigest()}


def computed(inputs: NDArray[Any], recipe: FixedFeatures, maximum: int) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Pieces of the features with their places, in order, computed by as many threads as torch may use."""
    threads = torch.get_num_threads()
    waiting: deque[tuple[int, Future[NDArray[np.float32]]]] = deque()
    # Whole pieces side by side are faster than the small operations of one piece spread over threads.
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        try:
            for start in range(0, len(inputs), CHUNK):
                waiting.append((start, pool.submit(recipe, inputs[start : start + CHUNK], maximum=maximum)))
                # Only a few pieces wait to be written, whatever the number of images.
                if len(waiting) > 2 * threads:
                    place, piece = waiting.popleft()
                    yield place, piece.result()
            for place, piece in waiting:
                yield place, piece.result()
        finally:
            torch.set_num_threads(threads)


def _read(home: Path, belongs: dict[str, Any], *, quietly: bool = False) -> Features | None:
    """The features in ``home``, if they are whole; else None, with a line that names what is wrong."""
    try:
        record = json.loads((home / RECORD).read_text())
        if record["of"] != belongs:
            raise ValueError("belongs to other features")
        arrays = []
        for split in SPLITS:
            path, entry = home / f"{split}.npy", record["arrays"][f"{split}.npy"]
            if storage.md5_of(path) != entry["md5"]:
                raise ValueError(f"{path.name} does not have the recorded md5 {entry['md5']}")
            # Copy-on-write: torch wants to be able to write to what it wraps; nothing ever reaches the file.
            arrays.append(np.load(path, mmap_mode="c", allow_pickle=False))
            if list(arrays[-1].shape) != entry["shape"] or arrays[-1].dtype != np.float32:
                raise ValueError(f"{path.name} is not of the recorded shape")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not quietly:
            log.warning("%s: damaged (%s); computed again", home, error)
        return None
    return Features(*arrays)


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """One process at a time for one folder of features; the lock ends with its process, however that ends."""
    lock = FileLock(home.with_name(f".{home.name}.lock"))
    try:
        lock.acquire(timeout=1)
    except Timeout:
        log.info("%s: another process is computing these features; waiting", home)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
