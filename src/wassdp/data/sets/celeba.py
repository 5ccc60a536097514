"""CelebA: faces of celebrities with 40 attributes, at 64 x 64, colour.

Rakotomamonjy and Ralaivola (2021) train on "64 x 64 x 3 CelebA" with the code of Nguyen et al. (2021), which
resizes the aligned pictures (218 x 178) so that the shorter side has 64 pixels and then cuts out the central
64 x 64; so does this file. Their 162K pictures are the published training split.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wassdp import checks
from wassdp.data import storage
from wassdp.data.base import Dataset, File, Split, Splits
from wassdp.data.vision_package import torchvision

SIDE = 64
PICTURES = "img_align_celeba.zip"

DATASET = Dataset(
    name="celeba",
    title="CelebA, aligned and cropped, at 64 x 64",
    short="CelebA",
    task="image generation, attribute classification",
    origin="files",
    counts={"train": 162_770, "validation": 19_867, "test": 19_962},
    shape=(3, SIDE, SIDE),
    classes=None,
    maximum=255,
    licence="non-commercial research use only; no redistribution",
    source="http://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
    citation="Liu, Luo, Wang, Tang, Deep learning face attributes in the wild, ICCV 2015",
    folder="celeba",
    files=(
        File(path=PICTURES, md5="00d2c5bc6d35e252742224ab0c1e8fcb"),
        File(path="list_attr_celeba.txt", md5="75e246fa4810816ffd6ee81facbd244c"),
        File(path="identity_CelebA.txt", md5="32bd1bd63d3c78cd57e08160ec5ed1e2"),
        File(path="list_bbox_celeba.txt", md5="00566efa6fedff7a56946cd1c10f1c16"),
        File(path="list_landmarks_align_celeba.txt", md5="cc24ecafdb5b50baae59b03474781f8c"),
        File(path="list_eval_partition.txt", md5="d32c9cbf5e040fd4025c592c306e6668"),
    ),
    integrity="md5 of every file, as in torchvision",
    instructions=(
        "They are handed out through Google Drive, which cannot be read without a browser: follow 'Downloads' on "
        "http://mmlab.ie.cuhk.edu.hk/projects/CelebA.html, take Img/img_align_celeba.zip, Eval/"
        "list_eval_partition.txt and the four lists of Anno, and leave the archive packed."
    ),
)


def load(folder: Path | None = None, *, limit: int | None = None) -> Splits:
    """Images uint8 (n, 3, 64, 64), 0 to 255; labels the 40 attributes, 0 or 1, (n, 40); ``classes`` their names.

    All three splits together take 2.5 GB of memory. torchvision reads the lists; the pictures are read from
    the archive itself, because torchvision would read unpacked ones that nobody has checked.

    Args:
        folder: the data folder; None for the usual one.
        limit: at most so many pictures of each split, the first ones.

    Raises:
        DatasetUnavailable: the files are not here; they have to be placed by hand.
    """
    if limit is not None:
        checks.whole("limit", limit, least=1)
    manifest = storage.fetch(DATASET, folder)
    read = torchvision("datasets").CelebA
    splits = {}
    with tempfile.TemporaryDirectory(prefix="wassdp-") as scratch, zipfile.ZipFile(manifest.path(PICTURES)) as pack:
        home = Path(scratch) / "celeba"
        (home / "img_align_celeba").mkdir(parents=True)  # torchvision wants to see it; it stays empty
        for file in DATASET.required:
            (home / file.name).symlink_to(manifest.path(file.path))
        for ours, theirs in (("train", "train"), ("validation", "valid"), ("test", "test")):
            part = read(scratch, split=theirs, target_type="attr")
            splits[ours] = Split(
                inputs=_pictures(pack, part.filename[:limit]),
                labels=np.array(part.attr[:limit].numpy(), dtype=np.int64),
            )
        names = tuple(name for name in part.attr_names if name)
    return Splits(train=splits["train"], validation=splits["validation"], test=splits["test"], classes=names)


def _pictures(pack: zipfile.ZipFile, names: Sequence[str]) -> NDArray[np.uint8]:
    pictures = np.empty((len(names), 3, SIDE, SIDE), dtype=np.uint8)
    for row, name in enumerate(names):
        pictures[row] = shrink(pack.read(f"img_align_celeba/{name}"))
    return pictures


def shrink(content: bytes) -> NDArray[np.uint8]:
    """A coded picture as uint8 (3, 64, 64): shorter side to 64 by bilinear filtering, then the central square.

    The longer side is rounded down and the cut starts at half the margin, rounded, as in torchvision.
    """
    # Late: what is known about the set without loading it has to be had where Pillow is not installed.
    from PIL import Image

    with Image.open(io.BytesIO(content)) as picture:
        coloured = picture.convert("RGB")
    width, height = coloured.size
    short = min(width, height)
    small = coloured.resize((SIDE * width // short, SIDE * height // short), Image.Resampling.BILINEAR)
    left, top = round((small.width - SIDE) / 2), round((small.height - SIDE) / 2)
    cut = small.crop((left, top, left + SIDE, top + SIDE))
    return np.asarray(cut, dtype=np.uint8).transpose(2, 0, 1)
