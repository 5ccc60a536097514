from __future__ import annotations

import numpy as np
import pytest

from wassdp.data.table import Range, features, one_hot

TRAIN = {"age": np.array(["20", "40", "60"]), "sex": np.array(["f", "m", "f"])}
TEST = {"age": np.array(["100", "30"]), "sex": np.array(["m", "m"])}


def build(scaling: str, first: dict[str, np.ndarray] = TRAIN) -> tuple[list[np.ndarray], tuple[str, ...]]:
    return features(
        [first, TEST],
        numerical={"age": Range(low=0, high=80)},
        categorical={"sex": ("f", "m", "x")},
        scaling=scaling,  # type: ignore[arg-type]
    )


def test_public_ranges_give_values_in_the_unit_interval_whatever_the_rows_are() -> None:
    (train, test), names = build("public")
    assert names == ("age", "sex=f", "sex=m", "sex=x")
    np.testing.assert_allclose(train, [[0.25, 1, 0, 0], [0.5, 0, 1, 0], [0.75, 1, 0, 0]])
    np.testing.assert_allclose(test, [[1, 0, 1, 0], [0.375, 0, 1, 0]])  # 100 is clipped to 80
    assert train.dtype == test.dtype == np.float32


def test_with_public_ranges_no_row_moves_another() -> None:
    other = {"age": np.array(["20", "40", "80"]), "sex": np.array(["f", "m", "m"])}
    before, after = build("public"), build("public", other)
    np.testing.assert_array_equal(before[0][0][:2], after[0][0][:2])
    np.testing.assert_array_equal(before[0][1], after[0][1])
    # Standardising does move them: this is why it is not the default.
    assert (build("training")[0][1] != build("training", other)[0][1]).any()


def test_training_statistics_come_from_the_first_part_alone() -> None:
    (train, test), _ = build("training")
    assert train[:, 0].mean() == pytest.approx(0, abs=1e-6)
    assert train[:, 0].std() == pytest.approx(1, abs=1e-6)
    ages = np.array([20.0, 40.0, 60.0])
    np.testing.assert_allclose(test[:, 0], (np.array([100, 30]) - ages.mean()) / ages.std(), rtol=1e-6)


def test_no_scaling_keeps_the_numbers() -> None:
    (train, test), _ = build("none")
    assert train[:, 0].tolist() == [20, 40, 60]
    assert test[:, 0].tolist() == [100, 30]


def test_a_logarithmic_range() -> None:
    found = Range(low=0, high=99_999, logarithmic=True).unit(np.array([0.0, 9.0, 99_999.0, 1e9]))
    np.testing.assert_allclose(found, [0, 0.2, 1, 1])


def test_an_unknown_category_or_scaling_is_refused() -> None:
    with pytest.raises(ValueError, match="sex = 'q': must be one of f, m"):
        one_hot("sex", np.array(["f", "q"]), ("f", "m"))
    with pytest.raises(ValueError, match="scaling = 'other'"):
        build("other")
