from __future__ import annotations

import hashlib

import numpy as np
import pytest
from sklearn.datasets import load_digits

from wassdp.data.base import DatasetUnavailable
from wassdp.data.by_place import train_and_test
from wassdp.data.sets import digits


def test_all_pictures_are_there_once_with_their_labels() -> None:
    found = digits.load()
    theirs = load_digits()
    for split, name in ((found.train, "train"), (found.test, "test")):
        assert split.inputs.dtype == np.uint8
        assert split.labels.dtype == np.int64
        assert split.inputs.shape == (digits.DATASET.counts[name], *digits.DATASET.shape)
    ours = {(picture.tobytes(), label) for part in (found.train, found.test) for picture, label in rows(part)}
    everything = {
        (picture.astype(np.uint8).tobytes(), int(label))
        for picture, label in zip(theirs.images, theirs.target, strict=True)
    }
    assert ours == everything
    assert len(found.train) + len(found.test) == 1797
    assert max(found.train.inputs.max(), found.test.inputs.max()) == digits.DATASET.maximum == 16


def rows(part: object) -> list[tuple[np.ndarray, int]]:
    return [(picture, int(label)) for picture, label in zip(part.inputs, part.labels, strict=True)]  # type: ignore


def test_places_alone_say_which_pictures_test_and_every_digit_is_among_them() -> None:
    everything = load_digits()
    found = digits.load()
    _, test = train_and_test("digits", 1797)
    np.testing.assert_array_equal(found.test.inputs, everything.images[test].astype(np.uint8))
    np.testing.assert_array_equal(found.test.labels, everything.target[test])
    assert np.bincount(found.test.labels).min() >= 25


def test_a_record_changed_moves_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbouring files give neighbouring training records: the budget of these is that of the file."""
    before = digits.load()
    altered = load_digits()
    first = train_and_test("digits", 1797)[0][0]
    altered.target[first] = (altered.target[first] + 1) % 10
    monkeypatch.setattr("sklearn.datasets.load_digits", lambda: altered)
    content = altered.images.astype(np.uint8).tobytes() + altered.target.astype("<i8").tobytes()
    monkeypatch.setattr(digits, "CONTENT", hashlib.md5(content, usedforsecurity=False).hexdigest())
    after = digits.load()
    np.testing.assert_array_equal(before.train.inputs, after.train.inputs)
    assert (before.train.labels != after.train.labels).nonzero()[0].tolist() == [0]
    np.testing.assert_array_equal(before.test.labels, after.test.labels)


def test_other_data_in_scikit_learn_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    altered = load_digits()
    altered.images[0, 0, 0] += 1
    monkeypatch.setattr("sklearn.datasets.load_digits", lambda: altered)
    with pytest.raises(DatasetUnavailable, match=f"expected {digits.CONTENT}"):
        digits.load()
    with pytest.raises(DatasetUnavailable, match=f"expected {digits.CONTENT}"):
        digits.checksums()
