"""Features are computed once, appear whole, and are never used when they are damaged."""

from __future__ import annotations

import dataclasses
import logging
import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from wassdp.data import base
from wassdp.data.sets import digits
from wassdp.features import cache
from wassdp.features.grouped import GroupNormalisation
from wassdp.features.scattering import Scattering
from wassdp.features.wavelets import ScatteringTransform

RECIPE = Scattering(unit_norm=False)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first images of the dataset only: the rest would show nothing more."""
    whole = digits.load()
    parts = (base.Split(inputs=each.inputs[:150], labels=each.labels[:150]) for each in (whole.train, whole.test))
    few = dataclasses.replace(whole, **dict(zip(("train", "test"), parts, strict=True)))
    monkeypatch.setattr(digits, "load", lambda folder=None: few)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files that were written."""
    written: list[Path] = []
    original = cache._write

    def write(path: Path, *arguments: Any) -> dict[str, Any]:
        written.append(path)
        return original(path, *arguments)

    monkeypatch.setattr(cache, "_write", write)
    return written


def test_they_are_the_transform_of_the_scaled_pixels(tmp_path: Path) -> None:
    found = cache.of("digits", RECIPE, folder=tmp_path)
    splits = digits.load()
    for name in ("train", "test"):
        images = torch.from_numpy(getattr(splits, name).inputs.astype(np.float32) / 16)
        np.testing.assert_allclose(getattr(found, name), ScatteringTransform((8, 8))(images), atol=1e-6)
        assert getattr(found, name).dtype == np.float32


def test_colours_are_transformed_one_by_one_and_norms_are_about_one() -> None:
    images = np.random.default_rng(0).integers(0, 256, size=(5, 3, 32, 32), dtype=np.uint8)
    plain = RECIPE(images, maximum=255)
    assert plain.shape == (5, 243, 8, 8)
    for colour in range(3):
        alone = RECIPE(images[:, colour], maximum=255)
        np.testing.assert_allclose(plain[:, 81 * colour : 81 * (colour + 1)], alone, atol=1e-7)
    grouped = Scattering(normalisation=GroupNormalisation(name="group", groups=27))(images, maximum=255)
    # A little below one: a small number is added to each variance.
    norms = np.linalg.norm(grouped.reshape(5, -1), axis=1)
    assert ((norms > 0.5) & (norms <= 1 + 1e-6)).all()


def test_groups_that_do_not_divide_the_channels_are_refused() -> None:
    with pytest.raises(ValueError, match="groups = 7: must divide the 81 channels"):
        Scattering(normalisation=GroupNormalisation(name="group", groups=7))(digits.load().test.inputs, maximum=16)


def test_they_are_computed_once_for_each_recipe(tmp_path: Path, counted: list[Path]) -> None:
    first = cache.of("digits", RECIPE, folder=tmp_path)
    again = cache.of("digits", RECIPE, folder=tmp_path)
    assert [path.name for path in counted] == ["train.npy", "test.npy"]
    assert np.array_equal(first.train, again.train)
    other = cache.of(
        "digits", Scattering(unit_norm=False, normalisation=GroupNormalisation(name="group", groups=9)), folder=tmp_path
    )
    assert len(counted) == 4
    assert len({path.parent for path in counted}) == 2
    assert not np.array_equal(first.train, other.train)
    assert sorted(path.name for path in counted[0].parent.iterdir()) == ["features.json", "test.npy", "train.npy"]


def test_writing_to_what_was_mapped_does_not_reach_the_file(tmp_path: Path) -> None:
    found = cache.of("digits", RECIPE, folder=tmp_path)
    torch.from_numpy(found.train).zero_()
    assert np.abs(cache.of("digits", RECIPE, folder=tmp_path).train).max() > 0


@pytest.mark.parametrize("damage", ["flipped", "short", "record", "other", "missing"])
def test_damaged_features_are_named_and_computed_again(
    tmp_path: Path, damage: str, counted: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    expected = np.array(cache.of("digits", RECIPE, folder=tmp_path).train)
    home = counted[0].parent
    train, record = home / "train.npy", home / "features.json"
    content = bytearray(train.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
        train.write_bytes(content)
    elif damage == "short":
        train.write_bytes(content[:-1])
    elif damage == "record":
        record.write_text("{")
    elif damage == "other":
        record.write_text(record.read_text().replace('"scales": 2', '"scales": 3'))
    else:
        train.unlink()
    with caplog.at_level(logging.WARNING):
        found = cache.of("digits", RECIPE, folder=tmp_path)
    assert np.array_equal(found.train, expected)
    assert len(counted) == 4
    assert damage == "missing" or f"{home}: damaged (" in caplog.text
    assert len(cache.of("digits", RECIPE, folder=tmp_path).train) == len(expected)
    assert len(counted) == 4


def test_a_failure_leaves_nothing_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, calls = ScatteringTransform.__call__, []

    def breaking(self: ScatteringTransform, images: torch.Tensor) -> torch.Tensor:
        calls.append(len(images))
        if len(calls) == 3:
            raise MemoryError("no room")
        return original(self, images)

    with monkeypatch.context() as patched:
        patched.setattr(ScatteringTransform, "__call__", breaking)
        with pytest.raises(MemoryError):
            cache.of("digits", RECIPE, folder=tmp_path)
    assert [path.name for path in (tmp_path / "features").glob("*/*")] == []
    assert len(cache.of("digits", RECIPE, folder=tmp_path).train) == 150


def test_the_number_of_threads_does_not_change_a_bit(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        try:
            found.append(cache.of("digits", RECIPE, folder=tmp_path / str(threads)))
            assert torch.get_num_threads() == threads
        finally:
            torch.set_num_threads(before)
    assert np.array_equal(found[0].train, found[1].train)
    assert np.array_equal(found[0].test, found[1].test)


def _compute(folder: Path, queue: Any) -> None:
    written = []
    original = cache._write
    cache._write = lambda path, *rest: written.append(path.name) or original(path, *rest)  # type: ignore[func-returns-value]
    found = cache.of("digits", RECIPE, folder=folder)
    queue.put((len(written), float(found.train.sum())))


def test_two_jobs_compute_them_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    jobs = [context.Process(target=_compute, args=(tmp_path, queue)) for _ in range(2)]
    for job in jobs:
        job.start()
    results = [queue.get(timeout=120) for _ in jobs]
    for job in jobs:
        job.join()
    assert sorted(count for count, _ in results) == [0, 2]
    assert results[0][1] == results[1][1]


def test_a_dataset_without_images_is_refused(tmp_path: Path) -> None:
    from wassdp.runs import validate_parameters

    section = {
        "dataset": "adult",
        "features": {"scales": 2},
        "model": {"name": "linear"},
        "optimiser": {"learning_rate": 1.0},
        "epochs": 1,
        "batch": 10,
        "privacy": None,
    }
    with pytest.raises(ValueError, match="dataset = 'adult': must be one of"):
        validate_parameters("classification", section)
