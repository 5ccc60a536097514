"""CIFAR-10: rebuilding batches from a packed mirror, unpickling only checked ones, and the real data."""

from __future__ import annotations

import dataclasses
import logging
import lzma
import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from wassdp import data
from wassdp.data import storage
from wassdp.data.base import Dataset, DatasetUnavailable, File
from wassdp.data.sets import cifar10

PIECES = ("batch.webp", "batch.rest.xz")


@pytest.fixture
def batch() -> tuple[bytes, dict[str, bytes], np.ndarray]:
    """A small made batch as published (pickled), its packed pieces, and its pictures (4, 3, 32, 32)."""
    pictures = np.random.default_rng(0).integers(0, 256, (4, 3, 32, 32), dtype=np.uint8)
    whole = pickle.dumps({"data": pictures.reshape(4, 3072).tobytes(), "labels": [3, 1, 4, 1]}, protocol=3)
    at = whole.index(pictures.tobytes())
    # Tile by tile into a sheet of 2 x 2 tiles, written from the description of the packed form.
    sheet = np.zeros((64, 64, 3), dtype=np.uint8)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, 2)
        sheet[32 * row : 32 * row + 32, 32 * column : 32 * column + 32] = picture.transpose(1, 2, 0)
    rest = at.to_bytes(8, "big") + whole[:at] + whole[at + pictures.size :]
    return whole, {"batch.webp": webp(sheet), "batch.rest.xz": lzma.compress(rest)}, pictures


def webp(sheet: np.ndarray) -> bytes:
    import io

    buffer = io.BytesIO()
    Image.fromarray(sheet).save(buffer, "WEBP", lossless=True)
    return buffer.getvalue()


@pytest.fixture
def small(
    batch: tuple[bytes, dict[str, bytes], np.ndarray], monkeypatch: pytest.MonkeyPatch, made: SimpleNamespace
) -> Dataset:
    monkeypatch.setattr(cifar10, "TILES", 2)
    file = File(path="py/batch", md5=made.md5(batch[0]), bytes=len(batch[0]), aliases=("batch",), pieces=PIECES)
    return dataclasses.replace(cifar10.DATASET, files=(file,), archive=None, folder="made")


def test_a_packed_batch_is_rebuilt_byte_for_byte(
    small: Dataset, batch: tuple[bytes, dict[str, bytes], np.ndarray], mirror: Callable[..., Path]
) -> None:
    whole, pieces, _ = batch
    place = mirror(pieces)
    assert storage.presence(small) == "in mirror"
    manifest = storage.fetch(small)
    assert manifest.path("py/batch").read_bytes() == whole
    assert manifest.entries["py/batch"].source == "mirror"
    assert {path.name for path in (place / "made").iterdir()} == set(PIECES)


def test_an_original_batch_in_a_mirror_is_taken_as_it_is(
    small: Dataset, batch: tuple[bytes, dict[str, bytes], np.ndarray], mirror: Callable[..., Path]
) -> None:
    mirror({"batch": batch[0]})
    assert storage.fetch(small).path("py/batch").read_bytes() == batch[0]


def other_pixel(pieces: dict[str, bytes], pictures: np.ndarray) -> dict[str, bytes]:
    sheet = np.full((64, 64, 3), 7, dtype=np.uint8)
    return {**pieces, "batch.webp": webp(sheet)}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (other_pixel, "does not give batch"),
        (lambda pieces, _: {**pieces, "batch.webp": pieces["batch.webp"][:100]}, "cannot be decoded"),
        (lambda pieces, _: {**pieces, "batch.webp": b"no picture"}, "cannot be decoded"),
        (lambda pieces, _: {**pieces, "batch.webp": webp(np.zeros((32, 32, 3), np.uint8))}, "must have"),
        (lambda pieces, _: {**pieces, "batch.rest.xz": pieces["batch.rest.xz"][:-9]}, "batch"),
        (lambda pieces, _: {**pieces, "batch.rest.xz": b"not xz"}, "cannot be decoded"),
        (lambda pieces, _: {**pieces, "batch.rest.xz": lzma.compress(b"\xff" * 8)}, "lies behind"),
        (lambda pieces, _: {**pieces, "batch.rest.xz": lzma.compress(bytes(64 << 20))}, "does not give batch"),
    ],
)
def test_altered_pieces_are_named_and_not_used(
    small: Dataset,
    batch: tuple[bytes, dict[str, bytes], np.ndarray],
    mirror: Callable[..., Path],
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[dict[str, bytes], np.ndarray], dict[str, bytes]],
    said: str,
) -> None:
    whole, pieces, pictures = batch
    place = mirror(damage(pieces, pictures))
    try:
        with caplog.at_level(logging.WARNING):
            found = storage.fetch(small).path("py/batch").read_bytes()
    except DatasetUnavailable:
        assert str(place / "made/batch.webp") in caplog.text
        assert said in caplog.text
    else:
        # Cutting the end of the xz stream may leave all of its content: then the batch is right, not guessed.
        assert said == "batch"
        assert found == whole


class Bomb:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.mark,)


def test_a_foreign_pickle_is_never_opened(
    folder: Path, tmp_path: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "opened"
    for file in cifar10.DATASET.files:
        assert file.bytes is not None
        content = pickle.dumps(Bomb(mark)).ljust(file.bytes, b"\0")
        made.lay(folder / "cifar10", {file.path: content})
    monkeypatch.setattr(cifar10, "DATASET", dataclasses.replace(cifar10.DATASET, archive=None))
    with pytest.raises(DatasetUnavailable, match="7 of its files"):
        cifar10.load()
    assert not mark.exists()
    pickle.loads(pickle.dumps(Bomb(mark)))  # the bomb does go off where it is opened
    assert mark.exists()


@pytest.mark.mirror
def test_known_properties(real: Path) -> None:
    manifest = data.fetch("cifar10", real)
    assert manifest.checksums() == {file.path: file.md5 for file in cifar10.DATASET.files}
    found = cifar10.load(real)
    for name, split in (("train", found.train), ("test", found.test)):
        assert split.inputs.dtype == np.uint8
        assert split.labels.dtype == np.int64
        assert split.inputs.shape == (cifar10.DATASET.counts[name], *cifar10.DATASET.shape)
        np.testing.assert_array_equal(np.bincount(split.labels), [cifar10.DATASET.counts[name] // 10] * 10)
    means = found.train.inputs.mean(axis=(0, 2, 3)) / 255
    np.testing.assert_allclose(means, [0.4914, 0.4822, 0.4465], atol=5e-5)
    with (real / "cifar10/cifar-10-batches-py/test_batch").open("rb") as file:
        raw = pickle.load(file, encoding="latin1")  # checked above
    np.testing.assert_array_equal(found.test.inputs.reshape(-1, 3072), raw["data"])
    with (real / "cifar10/cifar-10-batches-py/batches.meta").open("rb") as file:
        assert tuple(pickle.load(file, encoding="latin1")["label_names"]) == found.classes
