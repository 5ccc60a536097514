from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from wassdp.data.base import DatasetUnavailable
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


def test_the_split_is_stratified_and_always_the_same() -> None:
    first, second = digits.load(), digits.load()
    np.testing.assert_array_equal(first.test.inputs, second.test.inputs)
    everything = np.bincount(load_digits().target)
    np.testing.assert_array_equal(np.bincount(first.test.labels), everything // 5)
    # The fifth zero, the tenth zero, ... of the file.
    zeros = load_digits().images[load_digits().target == 0].astype(np.uint8)
    np.testing.assert_array_equal(first.test.inputs[first.test.labels == 0], zeros[4::5])


def test_other_data_in_scikit_learn_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    altered = load_digits()
    altered.images[0, 0, 0] += 1
    monkeypatch.setattr("sklearn.datasets.load_digits", lambda: altered)
    with pytest.raises(DatasetUnavailable, match=f"expected {digits.CONTENT}"):
        digits.load()
    with pytest.raises(DatasetUnavailable, match=f"expected {digits.CONTENT}"):
        digits.checksums()
