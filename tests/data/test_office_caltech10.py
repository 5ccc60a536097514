from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wassdp.data.base import Split
from wassdp.data.sets import office_caltech10

pytestmark = pytest.mark.mirror

COUNTS = {
    "amazon": [92, 82, 94, 99, 100, 100, 99, 100, 94, 98],
    "caltech10": [151, 110, 100, 138, 85, 128, 133, 94, 87, 97],
    "dslr": [12, 21, 12, 13, 10, 24, 22, 12, 8, 23],
    "webcam": [29, 21, 31, 27, 27, 30, 43, 30, 27, 30],
}


@pytest.mark.parametrize(("features", "columns"), [("surf", 800), ("googlenet", 1024)])
def test_known_properties(real: Path, features: str, columns: int) -> None:
    found = office_caltech10.load(real, features=features)  # type: ignore[arg-type]
    assert tuple(found) == office_caltech10.DOMAINS[features]
    assert office_caltech10.DIMENSIONS[features] == columns
    for domain, split in found.items():
        assert split.inputs.dtype == np.float32
        assert split.labels.dtype == np.int64
        assert split.inputs.shape == (office_caltech10.DATASET.counts[domain], columns)
        assert np.isfinite(split.inputs).all()
        np.testing.assert_array_equal(np.bincount(split.labels), COUNTS[domain])


def test_only_the_files_of_one_kind_are_fetched(tmp_path: Path) -> None:
    office_caltech10.load(tmp_path, features="googlenet")
    assert not (tmp_path / "office-caltech10/surf").exists()


def nearest_neighbour(source: Split, target: Split) -> float:
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(1).fit(source.inputs, source.labels)
    return float(model.score(target.inputs, target.labels))


@pytest.mark.parametrize(
    ("features", "standardise", "near", "far"),
    [("googlenet", False, (0.98, 1.0), (0.81, 0.90)), ("surf", True, (0.59, 0.63), (0.20, 0.30))],
)
def test_accuracy_across_domains_is_the_known_one(
    real: Path, features: str, standardise: bool, near: tuple[float, float], far: tuple[float, float]
) -> None:
    """Nearest neighbour without adaptation; dslr and webcam are near each other, all else is far."""
    found = office_caltech10.load(real, features=features, standardise=standardise)  # type: ignore[arg-type]
    for source in found:
        for target in set(found) - {source}:
            low, high = near if {source, target} == {"dslr", "webcam"} else far
            assert low - 0.005 <= nearest_neighbour(found[source], found[target]) <= high + 0.005, (source, target)


def test_standardised_columns(real: Path) -> None:
    for split in office_caltech10.load(real, standardise=True).values():
        np.testing.assert_allclose(split.inputs.mean(axis=0), 0, atol=1e-5)
        spread = split.inputs.std(axis=0)
        assert np.all(np.isclose(spread, 1, atol=1e-4) | (spread == 0))


def test_unknown_features_are_refused(real: Path) -> None:
    with pytest.raises(ValueError, match="features = 'decaf': must be one of googlenet, surf"):
        office_caltech10.load(real, features="decaf")  # type: ignore[arg-type]
