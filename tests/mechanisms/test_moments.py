"""Noisy moments: sensitivities searched for, sums exact on the computer, noise on a symmetric matrix."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from scipy import stats
from torch import Tensor

from wassdp.mechanisms.exact_sums import toward_zero
from wassdp.mechanisms.moments import ClassGrams, ClassSums
from wassdp.noise import seeded


def class_sums(**changes: object) -> ClassSums:
    settings: dict[str, object] = {"noise_multiplier": 0.0, "classes": 3, "dimension": 8, "records": 1, "radius": 2.0}
    return ClassSums(**(settings | {"square_weight": 0.5, "count_weight": 0.7} | changes))  # type: ignore[arg-type]


def class_grams(**changes: object) -> ClassGrams:
    settings: dict[str, object] = {"noise_multiplier": 0.0, "classes": 3, "dimension": 4, "records": 1, "radius": 2.0}
    return ClassGrams(**(settings | changes))  # type: ignore[arg-type]


def added(mechanism: ClassSums | ClassGrams, vector: Tensor, label: int) -> Tensor:
    """What one record adds to what is released, as one vector."""
    found = mechanism.exact([(vector[None], torch.tensor([label]))])
    return torch.cat([part.flatten() for part in found]) if isinstance(found, tuple) else found.flatten()


def climbed(mechanism: ClassSums | ClassGrams, *, signed: bool, same: bool, seed: int) -> float:
    """How far apart a random search with steps that shrink brings two records, over the sensitivity."""
    drawing = torch.Generator().manual_seed(seed)
    pair = torch.randn(2, mechanism.dimension, generator=drawing, dtype=torch.float64)
    labels = (0, 0 if same else 1)

    def apart(pair: Tensor) -> float:
        ends = [added(mechanism, vector, label) for vector, label in zip(pair, labels, strict=True)]
        return float((ends[0] - ends[1]).norm()) / mechanism.sensitivity

    best = apart(pair)
    for step in range(400):
        length = 3.0 * 0.985**step
        other = pair + length * torch.randn(pair.shape, generator=drawing, dtype=torch.float64)
        other = other if signed else other.clamp(0, 1)
        if (found := apart(other)) > best:
            pair, best = other, found
    return best


@pytest.mark.parametrize("same", [True, False])
def test_a_search_for_the_worst_records_reaches_the_sensitivity_of_a_gram_matrix_and_no_more(same: bool) -> None:
    found = max(climbed(class_grams(), signed=True, same=same, seed=seed) for seed in range(2))
    assert 0.99 < found <= 1


def test_a_search_for_the_worst_records_stays_below_the_sensitivity_of_sums_and_white_pixels_reach_it() -> None:
    mechanism = class_sums()
    found = [climbed(mechanism, signed=False, same=same, seed=seed) for same in (True, False) for seed in range(2)]
    assert 0.9 < max(found) <= 1
    white = torch.zeros(2, 8, dtype=torch.float64)
    white[0, :4] = white[1, 4:] = 1  # norm 2, the radius
    apart = float((added(mechanism, white[0], 0) - added(mechanism, white[1], 1)).norm())
    assert mechanism.sensitivity * (1 - 1e-9) < apart <= mechanism.sensitivity
    assert 0.998 < mechanism.reach() <= apart / mechanism.sensitivity
    inside = float((added(mechanism, white[0], 0) - added(mechanism, white[1], 0)).norm())
    assert inside == pytest.approx(math.sqrt(2 * (1 + 0.25)) * 2, rel=1e-9)


EXTREMES = (0.0, 1.0, -1.0, 0.3, 5e-324, 1e-160, 1e160, 1.7e308, math.nan, math.inf, -math.inf)


@pytest.mark.parametrize("make", [class_sums, class_grams])
@pytest.mark.parametrize("radius", [1e-6, 0.9, 25.0])
def test_no_number_that_a_record_may_hold_moves_it_further(
    make: Callable[..., ClassSums | ClassGrams], radius: float
) -> None:
    """Neighbours among seven records of every kind: sums move by the sensitivity at most, and are finite."""
    mechanism, drawing = make(radius=radius, dimension=5, records=7), torch.Generator().manual_seed(0)

    def vectors(count: int) -> Tensor:
        places = torch.randint(len(EXTREMES), (count, 5), generator=drawing)
        rows = torch.tensor(EXTREMES, dtype=torch.float64)[places]
        rows[::2] = rows[::2].nan_to_num(0.5, posinf=1.0, neginf=0.0)  # else hardly one would count
        return rows

    def released(rows: Tensor, labels: Tensor) -> Tensor:
        found = mechanism.exact([(rows, labels)])
        return torch.cat([part.flatten() for part in found]) if isinstance(found, tuple) else found.flatten()

    for _ in range(60):
        rows, labels = vectors(7), torch.randint(3, (7,), generator=drawing)
        other, others = rows.clone(), labels.clone()
        other[0], others[0] = vectors(1)[0], torch.randint(3, (1,), generator=drawing)
        apart = float((released(rows, labels) - released(other, others)).norm())
        assert apart <= mechanism.sensitivity, "and is a number"


@pytest.mark.parametrize(("radius", "dimension"), [(0.7, 8), (1.5, 3), (30.0, 9), (2.0, 1)])
def test_the_reach_of_sums_is_that_of_two_records(radius: float, dimension: int) -> None:
    mechanism = class_sums(radius=radius, dimension=dimension)
    ones = min(math.ceil(radius**2), dimension // 2)
    pair = torch.zeros(2, dimension, dtype=torch.float64)
    pair[0, :ones] = pair[1, ones : 2 * ones] = 1
    apart = float((added(mechanism, pair[0], 0) - added(mechanism, pair[1], 1)).norm()) / mechanism.sensitivity
    assert mechanism.reach() <= apart
    assert ones == 0 or mechanism.reach() > 0.998 * apart


@pytest.mark.parametrize("mechanism", [class_sums(records=5000), class_grams(records=5000, radius=17.0)], ids=str)
def test_what_a_record_adds_does_not_depend_on_the_others_to_the_last_bit(mechanism: ClassSums | ClassGrams) -> None:
    drawing = torch.Generator().manual_seed(0)
    vectors = torch.randn(5000, mechanism.dimension, generator=drawing, dtype=torch.float64).exp()
    labels = torch.randint(3, (5000,), generator=drawing)
    other, kinds = vectors.clone(), labels.clone()
    other[7], kinds[7] = 0.3, 2 - labels[7]
    order = torch.randperm(5000, generator=drawing)

    def whole(vectors: Tensor, labels: Tensor, size: int) -> Tensor:
        found = mechanism.exact(zip(vectors.split(size), labels.split(size), strict=True))
        return torch.cat([part.flatten() for part in found]) if isinstance(found, tuple) else found.flatten()

    first, second = whole(vectors, labels, 5000), whole(other[order], kinds[order], 333)
    apart = [alone(mechanism, vectors[7], int(labels[7])), alone(mechanism, other[7], int(kinds[7]))]
    assert torch.equal(first - second, apart[0] - apart[1])


def alone(mechanism: ClassSums | ClassGrams, vector: Tensor, label: int) -> Tensor:
    """What a record adds among N - 1 others that are zero and of class 0."""
    vectors = torch.zeros(mechanism.records, mechanism.dimension, dtype=torch.float64)
    labels = torch.zeros(mechanism.records, dtype=torch.int64)
    vectors[0], labels[0] = vector, label
    found = mechanism.exact([(vectors, labels)])
    return torch.cat([part.flatten() for part in found]) if isinstance(found, tuple) else found.flatten()


def test_sums_are_those_of_a_loop() -> None:
    mechanism = class_sums(records=40)
    drawing = torch.Generator().manual_seed(1)
    vectors, labels = torch.rand(40, 8, generator=drawing, dtype=torch.float64), torch.arange(40) % 3
    found = mechanism.release(zip(vectors.split(7), labels.split(7), strict=True), generator=seeded(0))
    sums, squares, counts = torch.zeros(3, 8), torch.zeros(8), torch.zeros(3)
    for vector, label in zip(vectors, labels.tolist(), strict=True):
        clipped = vector * min(1.0, 2.0 / float(vector.norm()))
        sums[label] += clipped
        squares += clipped**2
        counts[label] += 1
    torch.testing.assert_close(found.sums, sums.double(), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.squares, squares.double(), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.counts, counts.double(), atol=1e-8, rtol=0)


def test_gram_matrices_are_those_of_a_loop() -> None:
    mechanism = class_grams(records=40)
    drawing = torch.Generator().manual_seed(1)
    vectors, labels = 2 * torch.randn(40, 4, generator=drawing, dtype=torch.float64), torch.arange(40) % 3
    found = mechanism.release(zip(vectors.split(7), labels.split(7), strict=True), generator=seeded(0))
    expected = torch.zeros(3, 4, 4, dtype=torch.float64)
    for vector, label in zip(vectors, labels.tolist(), strict=True):
        clipped = vector * min(1.0, 2.0 / float(vector.norm()))
        expected[label] += torch.outer(clipped, clipped)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)


def test_the_noise_of_a_symmetric_matrix_is_spherical_in_its_isometric_numbers() -> None:
    """Chi-square of 30,000 numbers each: two-sided, fails for one seed in a million; the seed is fixed."""
    mechanism = class_grams(noise_multiplier=1.7, dimension=245)
    found = mechanism.release([(torch.zeros(1, 245), torch.zeros(1, dtype=torch.int64))], generator=seeded(3))
    assert torch.equal(found, found.mT)
    above = torch.triu_indices(245, 245, 1)
    for numbers, std in (
        (found[:, above[0], above[1]].flatten(), 1.7 * 4),
        (found.diagonal(dim1=1, dim2=2).flatten(), 1.7 * 4 * math.sqrt(2)),
    ):
        chi = float((numbers / std).square().sum())
        assert stats.chi2.ppf(5e-7, len(numbers)) < chi < stats.chi2.ppf(1 - 5e-7, len(numbers))


@pytest.mark.parametrize("make", [class_sums, class_grams])
def test_nothing_is_released_of_records_that_are_not_as_announced(make: object) -> None:
    mechanism = make(records=4)  # type: ignore[operator]
    vectors = torch.zeros(4, mechanism.dimension)
    with pytest.raises(ValueError, match="vectors: must be 4, not 3"):
        mechanism.release([(vectors[:3], torch.zeros(3, dtype=torch.int64))], generator=seeded(0))
    with pytest.raises(ValueError, match="labels: must be a class from 0 to 2"):
        mechanism.release([(vectors, torch.tensor([0, 1, 2, 3]))], generator=seeded(0))
    with pytest.raises(ValueError, match=r"radius = 0\.0"):
        make(radius=0.0)  # type: ignore[operator]


def test_what_is_left_of_a_number_is_never_larger() -> None:
    values = torch.randn(1000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = toward_zero(values, 10.9)
    assert bool((found.abs() <= values.abs()).all())
    assert torch.equal(found * 1024, (found * 1024).round())
    assert float((found - values).abs().max()) < 1 / 1024
