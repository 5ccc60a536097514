"""DP-MERF's release: features of norm one, the sensitivity searched for, the noise and the event."""

from __future__ import annotations

import math

import pytest
import scipy.stats
import torch

from wassdp import noise
from wassdp.accounting import accountant
from wassdp.mechanisms.merf import MERF, FourierFeatures


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def features(count: int = 40, bandwidth: float = 2.0, dimension: int = 5) -> FourierFeatures:
    return FourierFeatures.draw(dimension=dimension, count=count, bandwidth=bandwidth, generator=noise.seeded(1))


def mechanism(**changes: object) -> MERF:
    settings: dict[str, object] = {"noise_multiplier": 1.0, "features": features(), "classes": 3, "records": 50}
    return MERF(**(settings | changes))  # type: ignore[arg-type]


def test_features_have_norm_one_and_their_products_are_a_gaussian_kernel() -> None:
    vectors = torch.randn(30, 5, generator=generator(2))
    found = features(count=20_000)(vectors)
    torch.testing.assert_close(found.norm(dim=1), torch.ones(30), atol=1e-4, rtol=0)
    kernel = torch.exp(-torch.cdist(vectors, vectors).square() / (2 * 2.0**2))
    # The mean of 10,000 cosines deviates by more than 0.05 with probability below 1e-5 each; the seed is fixed.
    assert float((found @ found.T - kernel).abs().max()) < 0.05


def test_no_replaced_record_moves_the_mean_by_more_than_the_sensitivity_and_one_nearly_does() -> None:
    few = features(count=2, bandwidth=0.2, dimension=1)  # one frequency: opposite features exist
    chosen = mechanism(features=few, records=10)
    drawing, largest = generator(3), 0.0
    for _ in range(400):
        vectors, labels = torch.randn(10, 1, generator=drawing), torch.randint(3, (10,), generator=drawing)
        other, kinds = vectors.clone(), labels.clone()
        other[0], kinds[0] = 3 * torch.randn(1, generator=drawing), torch.randint(3, (1,), generator=drawing)
        moved = float((chosen.embedding(vectors, labels) - chosen.embedding(other, kinds)).norm())
        assert moved <= chosen.sensitivity * (1 + 1e-5)
        largest = max(largest, moved)
    assert largest > 0.99 * chosen.sensitivity


def test_the_embedding_is_the_mean_of_features_times_one_hot_whatever_the_chunks() -> None:
    vectors, labels = torch.randn(50, 5, generator=generator(4)), torch.arange(50) % 3
    expected = torch.einsum("nm,nc->mc", features()(vectors), torch.eye(3)[labels]) / 50
    torch.testing.assert_close(mechanism().embedding(vectors, labels, chunk=7), expected)


def test_the_noise_is_the_multiplier_times_the_sensitivity_on_every_coordinate() -> None:
    chosen = mechanism(features=features(count=4000), noise_multiplier=3.0)
    vectors, labels = torch.randn(50, 5, generator=generator(4)), torch.arange(50) % 3
    drawn = chosen.release(vectors, labels, generator=noise.seeded(5)).embedding - chosen.embedding(vectors, labels)
    assert scipy.stats.kstest(drawn.flatten().numpy() / (3.0 * 2 / 50), "norm").pvalue > 1e-4  # the seed is fixed


def test_the_release_is_one_gaussian_one() -> None:
    found = mechanism().release(torch.zeros(50, 5), torch.zeros(50, dtype=torch.int64), generator=noise.seeded(0)).event
    assert found.counts == (1,)
    guarantee = accountant.load("pld").epsilon(found, 1e-5)
    # The Gaussian mechanism with multiplier 1 at delta 1e-5 (Balle and Wang 2018, analytic Gaussian mechanism).
    epsilon = guarantee.value
    normal = scipy.stats.norm
    delta = normal.cdf(0.5 - epsilon) - math.exp(epsilon) * normal.cdf(-0.5 - epsilon)
    assert delta == pytest.approx(1e-5, rel=1e-3)
    assert (guarantee.adjacency, guarantee.sampling) == ("replace-one", "full")


@pytest.mark.parametrize(
    ("vectors", "labels", "named"),
    [
        (torch.zeros(49, 5), torch.zeros(49, dtype=torch.int64), "50 records"),
        (torch.zeros(50, 5), torch.full((50,), 3), "classes from 0 to 2"),
    ],
)
def test_bad_records_release_nothing(vectors: torch.Tensor, labels: torch.Tensor, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        mechanism().release(vectors, labels, generator=noise.seeded(0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, 3e38])
def test_a_record_that_is_not_finite_counts_as_zero(bad: float) -> None:
    # To stop because of it would be an output that no noise covers. 3e38 is finite, its products are not.
    vectors, labels = torch.randn(50, 5, generator=generator(4)), torch.arange(50) % 3
    vectors[7] = bad
    chosen = mechanism(noise_multiplier=0.0)
    rest = torch.arange(50) != 7
    expected = chosen.embedding(vectors[rest], labels[rest]) * 49 / 50
    torch.testing.assert_close(chosen.release(vectors, labels, generator=generator(5)).embedding, expected)


def test_sums_of_many_records_are_exact_in_any_order() -> None:
    """Single precision misses both: 50,000 equal features, of which one is turned round."""
    records = 50_000
    few = features(count=2, bandwidth=0.2, dimension=1)
    chosen = mechanism(features=few, records=records)
    vectors, labels = torch.full((records, 1), 0.3), torch.zeros(records, dtype=torch.int64)
    there = chosen.exact(vectors, labels)
    other = vectors.clone()
    other[17] += math.pi / few.frequencies[0, 0]  # half a wave
    moved = float((there - chosen.exact(other, labels)).norm())
    assert 2 * (1 - 1e-5) < moved <= 2
    single = float((chosen.embedding(vectors, labels) - chosen.embedding(other, labels)).norm()) * records
    assert abs(single - moved) > 1e-3
    order = torch.randperm(records, generator=generator(6))
    assert torch.equal(chosen.exact(other[order], labels), chosen.exact(other, labels))


def test_impossible_settings_are_refused() -> None:
    for make, named in (
        (lambda: features(count=3), "count = 3"),
        (lambda: features(bandwidth=0.0), "bandwidth"),
        (lambda: mechanism(noise_multiplier=-1.0), "noise_multiplier"),
        (lambda: mechanism(records=0), "records"),
    ):
        with pytest.raises(ValueError, match=named):
            make()
