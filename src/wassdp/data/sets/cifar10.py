"""CIFAR-10: small colour pictures, 32 x 32.

A mirror may hold the original batches or a packed form: for each batch one lossless WebP sheet of its 10,000
pictures (``NAME.webp``, 100 x 100 tiles, row by row) and the bytes around the pixels (``NAME.rest.xz``: an
8-byte big-endian offset, then what precedes and what follows the pixels). Either way the batch must have the
published md5 before it is unpickled.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np

from wassdp.data import storage
from wassdp.data.base import Archive, Dataset, File, Split, Splits
from wassdp.data.vision_package import torchvision

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
TILES, SIDE = 100, 32
MOST_AROUND = 1 << 20  # bytes around the pixels; the real ones are about 315,000


def restored_batch(file: File, folder: Path) -> bytes:
    """Rebuild a batch from its sheet and the bytes around the pixels.

    Args:
        file: the batch; ``file.pieces`` names sheet and rest.
        folder: the folder that holds both.

    Raises:
        ValueError: the pieces do not have the form described above.
        OSError, lzma.LZMAError: they cannot be read or decoded.
    """
    # Late: what is known about the set without loading it has to be had where Pillow is not installed.
    from PIL import Image

    sheet_name, rest_name = file.pieces
    with Image.open(folder / sheet_name) as sheet:
        if sheet.size != (TILES * SIDE, TILES * SIDE):
            raise ValueError(f"{sheet_name} has {sheet.size} pixels: must have {(TILES * SIDE, TILES * SIDE)}")
        tiles = np.asarray(sheet.convert("RGB")).reshape(TILES, SIDE, TILES, SIDE, 3)
    pixels = tiles.transpose(0, 2, 4, 1, 3).tobytes()  # picture by picture: red, green, blue planes
    # Unpacking stops at a bound, so that a small altered file cannot fill the memory.
    around = lzma.LZMADecompressor().decompress((folder / rest_name).read_bytes(), max_length=MOST_AROUND)
    start, around = int.from_bytes(around[:8], "big"), around[8:]
    if start > len(around):
        raise ValueError(f"{rest_name}: offset {start} lies behind its {len(around)} bytes")
    return around[:start] + pixels + around[start:]


def _batch(name: str, size: int, md5: str, *, packed: bool = True) -> File:
    return File(
        path=f"cifar-10-batches-py/{name}",
        md5=md5,
        bytes=size,
        aliases=(name,),
        pieces=(f"{name}.webp", f"{name}.rest.xz") if packed else (),
    )


DATASET = Dataset(
    name="cifar10",
    title="CIFAR-10",
    task="image classification",
    origin="files",
    counts={"train": 50_000, "test": 10_000},
    shape=(3, SIDE, SIDE),
    classes=10,
    maximum=255,
    licence="none stated; the authors ask to cite the report; part of the withdrawn 80 Million Tiny Images",
    source="https://www.cs.toronto.edu/~kriz/cifar.html",
    citation=(
        "Krizhevsky, Learning multiple layers of features from tiny images, technical report, University of "
        "Toronto, 2009"
    ),
    folder="cifar10",
    files=(
        _batch("batches.meta", 158, "5ff9c542aee3614f3951f8cda6e48888", packed=False),
        _batch("data_batch_1", 31_035_704, "c99cafc152244af753f735de768cd75f"),
        _batch("data_batch_2", 31_035_320, "d4bba439e000b95fd0a9bffe97cbabec"),
        _batch("data_batch_3", 31_035_999, "54ebc095f3ab1f0389bbae665268c751"),
        _batch("data_batch_4", 31_035_696, "634d18415352ddfa80567beed471001a"),
        _batch("data_batch_5", 31_035_623, "482c414d41f54cd18b22e5b47cb7c3cb"),
        _batch("test_batch", 31_035_526, "40351d587109b95175f43aff81a1287e"),
    ),
    archive=Archive(
        url="https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
        md5="c58f30108f718f92721af3b95e74349a",
        bytes=170_498_071,
    ),
    restore=restored_batch,
)


def load(folder: Path | None = None) -> Splits:
    """Images uint8 (n, 3, 32, 32), 0 to 255; labels as in ``CLASSES``.

    Args:
        folder: the data folder; None for the usual one.

    Raises:
        DatasetUnavailable: the files are not here and cannot be had.
    """
    home = storage.fetch(DATASET, folder).folder
    read = torchvision("datasets").CIFAR10  # compares every md5 once more before it unpickles
    train, test = (
        Split(
            # torchvision gives the channels last.
            inputs=np.ascontiguousarray(part.data.transpose(0, 3, 1, 2)),
            labels=np.asarray(part.targets, dtype=np.int64),
        )
        for part in (read(home, train=True), read(home, train=False))
    )
    return Splits(train=train, test=test, classes=CLASSES)
