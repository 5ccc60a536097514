"""Confusion matrices read from curves: complete, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from wassdp.report import predictions

RUNS = pd.DataFrame({"run": ["a"]})
MATRIX = np.array([[5.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 3.0, 4.0]])


def history(matrix: np.ndarray) -> pd.DataFrame:
    rows = [("a", f"predicted/{j}", "class", float(i), value) for (i, j), value in np.ndenumerate(matrix)]
    return pd.DataFrame(rows, columns=["run", "metric", "axis", "position", "value"])


def test_rows_are_classes_and_columns_predictions() -> None:
    mixed = history(MATRIX).sample(frac=1, random_state=0)
    np.testing.assert_array_equal(predictions.counts(RUNS, mixed)["a"], MATRIX)


def test_more_than_ten_classes_stand_in_the_order_of_their_numbers() -> None:
    many = np.arange(144.0).reshape(12, 12)
    np.testing.assert_array_equal(predictions.counts(RUNS, history(many))["a"], many)


def test_shares_sum_to_one_and_a_class_without_examples_has_none() -> None:
    shares = predictions.shares(MATRIX)
    np.testing.assert_allclose(shares[[0, 2]].sum(axis=1), 1)
    assert np.isnan(shares[1]).all()


@pytest.mark.parametrize("rows", [slice(1, None), slice(0, 8), slice(3, None)])
def test_a_part_of_a_matrix_is_refused(rows: slice) -> None:
    with pytest.raises(ValueError, match="of run a is no complete matrix"):
        predictions.counts(RUNS, history(MATRIX)[rows])


@pytest.mark.parametrize("value", [0.5, -1.0])
def test_what_is_no_number_of_examples_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="of run a holds what is no number of examples"):
        predictions.counts(RUNS, history(np.where(MATRIX == 5, value, MATRIX)))


def test_a_run_without_predictions_is_named() -> None:
    with pytest.raises(ValueError, match="for run b; such a run recorded no predictions"):
        predictions.counts(pd.DataFrame({"run": ["a", "b"]}), history(MATRIX))


def test_another_number_of_classes_than_the_dataset_has_is_refused() -> None:
    with pytest.raises(ValueError, match="3 classes on mnist, which has 10"):
        predictions.class_names("mnist", 3)
