"""The public split: it partitions, depends on name and place alone, and is what its words say."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from wassdp.data import held_out
from wassdp.data.base import Split, Splits


def splits(count: int, tests: int = 4) -> Splits:
    def of(first: int, size: int) -> Split:
        numbers = np.arange(first, first + size)
        return Split(inputs=numbers[:, None].astype(np.float32), labels=numbers, sensitive=numbers % 2)

    return Splits(train=of(0, count), test=of(1000, tests), validation=of(2000, 3))


@pytest.mark.parametrize("count", [6, 7, 600, 7291])
def test_it_is_the_sixth_whose_hash_comes_first(count: int) -> None:
    trained, judged = held_out.places("usps", count)
    assert sorted([*trained, *judged]) == list(range(count))
    assert len(judged) == count // held_out.SHARE
    assert list(judged) == sorted(judged)
    hashes = [hashlib.sha256(f"usps/{place}".encode()).hexdigest() for place in range(count)]
    assert max(hashes[place] for place in judged) < min(hashes[place] for place in trained)


def test_another_name_is_another_split() -> None:
    first, second = (set(held_out.places(name, 6000)[1]) for name in ("mnist", "fashion_mnist"))
    # Hypergeometric, 1000 of 6000 twice: 167 ± 11; further off than six deviations once in 1e8 or less.
    assert abs(len(first & second) - 1000 / 6) < 66


def test_what_judges_is_not_trained_on_and_no_test_record_is_there() -> None:
    found = held_out.judged(splits(60), "mnist", "validation")
    assert set(found.train.labels) | set(found.test.labels) == set(range(60))
    assert not set(found.train.labels) & set(found.test.labels)
    assert found.validation is None
    for part in (found.train, found.test):
        assert part.sensitive is not None
        assert (part.sensitive == part.labels % 2).all()
        assert (part.inputs[:, 0] == part.labels).all()
    assert len(found.train) == held_out.trained_on("mnist", 60, "validation")


def test_for_the_test_nothing_changes() -> None:
    whole = splits(60)
    assert held_out.judged(whole, "mnist", "test") is whole
    assert held_out.trained_on("mnist", 60, "test") == 60


def test_too_few_records_are_refused() -> None:
    with pytest.raises(ValueError, match="count = 5: must be a whole number of at least 6"):
        held_out.places("mnist", 5)
