"""Office-31 and VisDA: feature files that a user makes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wassdp.data.base import DatasetUnavailable
from wassdp.data.sets import office31, visda

both = pytest.mark.parametrize("module", [office31, visda])


def lay(folder: Path, module: ModuleType, *, rows: int = 5, **change: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    """Write small feature files; ``change`` replaces arrays of the last domain, None leaves one out."""
    generator = np.random.default_rng(0)
    home = folder / module.DATASET.folder
    home.mkdir(parents=True, exist_ok=True)
    written = {}
    for domain in module.DOMAINS:
        arrays = {
            "features": generator.standard_normal((rows, 2048)).astype(np.float32),
            "labels": generator.integers(0, module.DATASET.classes, rows),
        }
        if domain == module.DOMAINS[-1]:
            arrays = {key: value for key, value in {**arrays, **change}.items() if value is not None}
        np.savez(home / f"{domain}.npz", **arrays)
        written[domain] = arrays
    return written


@both
def test_files_of_the_stated_form_are_read(folder: Path, module: ModuleType) -> None:
    written = lay(folder, module)
    found = module.load(any_size=True)
    assert tuple(found) == module.DOMAINS
    for domain, split in found.items():
        np.testing.assert_array_equal(split.inputs, written[domain]["features"])
        np.testing.assert_array_equal(split.labels, written[domain]["labels"])


@both
def test_another_number_of_images_is_refused_unless_asked_for(folder: Path, module: ModuleType) -> None:
    lay(folder, module)
    first = module.DOMAINS[0]
    with pytest.raises(ValueError, match=f"{first}.npz: holds 5 images: .* {module.DATASET.counts[first]} "):
        module.load()


def test_the_published_number_of_images_is_accepted(folder: Path) -> None:
    home = folder / "office31"
    home.mkdir(parents=True)
    for domain, count in office31.DATASET.counts.items():
        features = np.zeros((count, 2048), dtype=np.float32)
        np.savez_compressed(home / f"{domain}.npz", features=features, labels=np.arange(count) % 31)
    assert {domain: len(split) for domain, split in office31.load().items()} == office31.DATASET.counts


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"features": np.zeros((5, 2047), np.float32)}, r"features are float32 \(5, 2047\)"),
        ({"features": np.zeros((5, 2048))}, "features are float64"),
        ({"features": np.full((5, 2048), np.nan, np.float32)}, "features are not all finite"),
        ({"labels": np.array([0, 1, 2, 3, 31])}, r"labels lie in \[0, 31\]: must lie in \[0, 30\]"),
        ({"labels": np.array([0, 1, 2, 3, -1])}, r"labels lie in \[-1, 3\]"),
        ({"labels": np.zeros(4, np.int64)}, r"labels are int64 \(4,\)"),
        ({"labels": np.zeros(5, np.int32)}, "labels are int32"),
        ({"labels": None}, "holds features: must hold features and labels"),
        ({"extra": np.zeros(1)}, "holds extra, features, labels"),
        ({"labels": np.array([None] * 5)}, "allow_pickle=False"),
    ],
)
def test_another_form_is_refused(folder: Path, change: dict[str, np.ndarray], said: str) -> None:
    lay(folder, office31, **change)
    with pytest.raises(ValueError, match=f"webcam.npz: .*{said}"):
        office31.load(any_size=True)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04cut"])
def test_a_file_that_is_no_archive_is_refused(folder: Path, content: bytes) -> None:
    lay(folder, office31)
    (folder / "office31/webcam.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"webcam\.npz: "):
        office31.load(any_size=True)


@both
def test_a_later_change_is_noticed(folder: Path, module: ModuleType) -> None:
    lay(folder, module)
    module.load(any_size=True)
    lay(folder, module, rows=6)
    with pytest.raises(DatasetUnavailable, match="was recorded when it was first used"):
        module.load(any_size=True)


@both
def test_the_message_says_how_to_make_the_files(folder: Path, module: ModuleType) -> None:
    with pytest.raises(DatasetUnavailable) as error:
        module.load()
    for word in (*(f"{domain}.npz" for domain in module.DOMAINS), "resnet50", "Identity", "numpy.savez", "2048"):
        assert word in str(error.value)
    assert "no published checksum" in module.DATASET.integrity
