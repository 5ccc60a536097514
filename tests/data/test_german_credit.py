from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from wassdp.data import fetch
from wassdp.data.base import Splits
from wassdp.data.sets import german_credit
from wassdp.data.systematic import systematic

pytestmark = pytest.mark.mirror


@pytest.fixture(scope="module")
def found(real: Path) -> Splits:
    return german_credit.load(real)


def both(splits: Splits, name: str) -> np.ndarray:
    return np.concatenate([split.inputs[:, splits.columns.index(name)] for split in (splits.train, splits.test)])


def test_known_counts(found: Splits) -> None:
    np.testing.assert_array_equal(np.bincount(found.train.labels), [240, 560])
    np.testing.assert_array_equal(np.bincount(found.test.labels), [60, 140])
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


def test_one_label_moves_the_training_records_that_the_threat_model_says(real: Path) -> None:
    """Why proven budgets of these data take their split as public (`Dataset.split_reads`)."""
    lines = fetch("german_credit", real).path("german.data").read_text().splitlines()
    labels = np.array([line.split()[-1] == "1" for line in lines if line.strip()]).astype(np.int64)
    train = set(systematic(labels, every=5)[0].tolist())
    moved = []
    for place in range(40):
        other = labels.copy()
        other[place] ^= 1
        moved.append(len(train ^ set(systematic(other, every=5)[0].tolist())))
    assert max(moved) == 399
    assert german_credit.DATASET.split_reads
    page = (Path(__file__).parents[2] / "docs" / "threat-model.md").read_text()
    assert "399 of German credit's training records" in page
