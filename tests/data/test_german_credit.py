from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from wassdp.data import fetch
from wassdp.data.base import Splits
from wassdp.data.sets import german_credit

pytestmark = pytest.mark.mirror


@pytest.fixture(scope="module")
def found(real: Path) -> Splits:
    return german_credit.load(real)


def both(splits: Splits, name: str) -> np.ndarray:
    return np.concatenate([split.inputs[:, splits.columns.index(name)] for split in (splits.train, splits.test)])


def test_known_counts(found: Splits) -> None:
    train, test = np.bincount(found.train.labels), np.bincount(found.test.labels)
    assert (train.tolist(), test.tolist()) == ([252, 548], [48, 152])
    np.testing.assert_array_equal(train + test, [300, 700])
    assert found.classes == ("bad", "good")


@pytest.mark.parametrize(("sensitive", "privileged"), [("sex", 690), ("age", 810)])
def test_the_protected_attribute(real: Path, sensitive: str, privileged: int) -> None:
    """690 men; 810 applicants above 25: the counts that the fairness literature gives."""
    splits = german_credit.load(real, sensitive=sensitive, include_sensitive=False)
    assert splits.train.sensitive is not None
    assert splits.test.sensitive is not None
    assert splits.train.sensitive.sum() + splits.test.sensitive.sum() == privileged
    gone = german_credit.SOURCE_COLUMN[sensitive]
    assert not [name for name in splits.columns if name == gone or name.startswith(f"{gone}=")]


def test_features_are_bounded_and_complete(found: Splits) -> None:
    for split in (found.train, found.test):
        assert split.inputs.dtype == np.float32
        assert split.inputs.shape[1] == len(found.columns) == len(set(found.columns))
        assert 0 <= split.inputs.min() <= split.inputs.max() <= 1
        for name in german_credit.CATEGORICAL:
            block = [position for position, other in enumerate(found.columns) if other.startswith(f"{name}=")]
            np.testing.assert_array_equal(split.inputs[:, block].sum(axis=1), 1)


def test_no_value_lies_outside_its_public_range(real: Path) -> None:
    raw = german_credit.load(real, scaling="none")
    for name, span in german_credit.NUMERICAL.items():
        values = both(raw, name)
        assert span.low <= values.min() <= values.max() <= span.high


def test_codes_are_those_of_the_documentation(real: Path) -> None:
    text = fetch("german_credit", real, only=["german.doc"]).path("german.doc").read_text(encoding="latin1")
    stated = re.findall(r"^\s+(A\d+) :", text, flags=re.MULTILINE)
    assert sorted(stated) == sorted(code for codes in german_credit.CATEGORICAL.values() for code in codes)


def test_it_agrees_with_the_numerical_file(real: Path, found: Splits) -> None:
    """german.data-numeric is another coding of the same rows: duration, amount (in hundreds), age and label."""
    path = fetch("german_credit", real, only=["german.data-numeric"]).path("german.data-numeric")
    numeric = np.loadtxt(path)
    raw = german_credit.load(real, scaling="none")
    ours = {name: sorted(both(raw, name)) for name in ("duration", "age")}
    assert ours == {"duration": sorted(numeric[:, 1]), "age": sorted(numeric[:, 9])}
    np.testing.assert_array_equal(
        np.bincount(np.concatenate([raw.train.labels, raw.test.labels])),
        [(numeric[:, -1] == 2).sum(), (numeric[:, -1] == 1).sum()],
    )


def test_a_record_changed_moves_no_other_one(real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbouring files give neighbouring training records: the budget of these is that of the file."""
    before = german_credit.load(real)
    lines = fetch("german_credit", real).path("german.data").read_text().splitlines()
    assert lines[0].endswith(" 1")
    lines[0] = lines[0][:-1] + "2"
    altered = tmp_path / "german.data"
    altered.write_text("\n".join(lines))
    monkeypatch.setattr("wassdp.data.storage.fetch", lambda *_: SimpleNamespace(path=lambda _: altered))
    after = german_credit.load(real)
    np.testing.assert_array_equal(before.train.inputs, after.train.inputs)
    assert (before.train.labels != after.train.labels).nonzero()[0].tolist() == [0]
    np.testing.assert_array_equal(before.test.labels, after.test.labels)
