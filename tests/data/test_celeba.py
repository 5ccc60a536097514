"""CelebA on a made archive: the real one has to be placed by hand."""

from __future__ import annotations

import dataclasses
import io
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from wassdp.data.base import DatasetUnavailable
from wassdp.data.sets import celeba
from wassdp.data.vision_package import torchvision

PARTS = [0, 0, 1, 2, 0, 2, 1]  # training, validation, test; torchvision cannot read a split of one picture


def jpeg(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


@pytest.fixture
def pictures(folder: Path, made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Seven made pictures, laid out like the published files, with the checksums swapped in."""
    generator = np.random.default_rng(0)
    coded = [jpeg(generator.integers(0, 256, (218, 178, 3), dtype=np.uint8)) for _ in PARTS]
    names = [f"{number + 1:06d}.jpg" for number in range(len(PARTS))]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in zip(names, coded, strict=True):
            archive.writestr(f"img_align_celeba/{name}", data)
    traits = [f"Trait_{number}" for number in range(40)]
    signs = np.where(generator.random((len(PARTS), 40)) < 0.5, 1, -1)
    rows = {
        "list_attr_celeba.txt": [str(len(PARTS)), " ".join(traits) + " "]
        + [f"{name} " + " ".join(f"{sign:2d}" for sign in line) for name, line in zip(names, signs, strict=True)],
        "identity_CelebA.txt": [f"{name} 7" for name in names],
        "list_bbox_celeba.txt": [str(len(PARTS)), "image_id x_1 y_1 width height"]
        + [f"{name} 1 2 3 4" for name in names],
        "list_landmarks_align_celeba.txt": [str(len(PARTS)), "lefteye_x lefteye_y"] + [f"{name} 1 2" for name in names],
        "list_eval_partition.txt": [f"{name} {part}" for name, part in zip(names, PARTS, strict=True)],
    }
    content = {path: ("\n".join(lines) + "\n").encode() for path, lines in rows.items()}
    content[celeba.PICTURES] = buffer.getvalue()
    files = tuple(dataclasses.replace(file, md5=made.md5(content[file.path])) for file in celeba.DATASET.files)
    monkeypatch.setattr(celeba, "DATASET", dataclasses.replace(celeba.DATASET, files=files))
    monkeypatch.setattr(torchvision("datasets").CelebA, "file_list", [("", file.md5, file.path) for file in files])
    made.lay(folder / "celeba", content)
    np.save(folder / "signs.npy", signs)
    return coded


def test_splits_pictures_and_attributes(folder: Path, pictures: list[bytes]) -> None:
    found = celeba.load()
    signs = np.load(folder / "signs.npy")
    assert found.validation is not None
    for part, split in ((0, found.train), (1, found.validation), (2, found.test)):
        chosen = [number for number, other in enumerate(PARTS) if other == part]
        assert split.inputs.dtype == np.uint8
        assert split.labels.dtype == np.int64
        np.testing.assert_array_equal(split.labels, signs[chosen] == 1)
        np.testing.assert_array_equal(split.inputs, [celeba.shrink(pictures[number]) for number in chosen])
    assert found.classes == tuple(f"Trait_{number}" for number in range(40))
    limited = celeba.load(limit=2)
    assert [len(split) for split in (limited.train, limited.validation, limited.test) if split] == [2, 2, 2]
    np.testing.assert_array_equal(limited.train.inputs, found.train.inputs[:2])


def test_pictures_are_cut_as_the_paper_s_code_does(pictures: list[bytes]) -> None:
    transforms = torchvision("transforms")
    theirs = transforms.Compose([transforms.Resize(64), transforms.CenterCrop(64)])
    for coded in pictures[:2]:
        with Image.open(io.BytesIO(coded)) as picture:
            expected = np.asarray(theirs(picture.convert("RGB"))).transpose(2, 0, 1)
        np.testing.assert_array_equal(celeba.shrink(coded), expected)


def test_an_altered_archive_is_not_used(folder: Path, pictures: list[bytes]) -> None:
    path = folder / "celeba" / celeba.PICTURES
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(DatasetUnavailable, match=r"img_align_celeba.zip.*\n.*Google Drive"):
        celeba.load()


def test_the_message_says_how_to_place_the_files(folder: Path) -> None:
    with pytest.raises(DatasetUnavailable) as error:
        celeba.load()
    for file in celeba.DATASET.files:
        assert f"{folder / 'celeba' / file.path}: {file.path} (md5 {file.md5})" in str(error.value)
    assert "Google Drive" in str(error.value)
