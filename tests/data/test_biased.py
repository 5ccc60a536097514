"""Appendix B, item by item. Every statistical check allows six standard errors: fewer than 1 seed in 10^8 fails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from wassdp.data.sets import biased

N = 30_000


@pytest.fixture(scope="module")
def drawn() -> biased.Biased:
    return biased.sample(np.random.default_rng(1))


def near(share: np.ndarray, probability: float) -> bool:
    """Whether the mean of zeros and ones agrees with a probability."""
    error = np.sqrt(probability * (1 - probability) / len(share))
    return bool(abs(share.mean() - probability) < 6 * error)


def test_shapes_and_types(drawn: biased.Biased) -> None:
    assert drawn.features.shape == (N, 16)
    assert drawn.response.shape == (N, 2)
    assert drawn.labels.dtype == drawn.sensitive.dtype == np.int64
    assert set(np.unique(drawn.labels)) == set(np.unique(drawn.sensitive)) == {0, 1}


def test_item_1_the_response_is_uniform_on_the_square(drawn: biased.Biased) -> None:
    for column in drawn.response.T:
        assert stats.kstest(column, stats.uniform.cdf).pvalue > 1e-8
    assert abs(np.corrcoef(drawn.response.T)[0, 1]) < 6 / np.sqrt(N)


def test_item_2_the_label_is_above_the_diagonal(drawn: biased.Biased) -> None:
    np.testing.assert_array_equal(drawn.labels, drawn.response.sum(axis=1) > 1)
    assert near(drawn.labels, 0.5)


def test_item_3_the_protected_attribute_agrees_with_probability_p(drawn: biased.Biased) -> None:
    agrees = drawn.sensitive == drawn.labels
    assert near(agrees, 0.7)
    # B is independent of Y, so E(n_jj) = p n / 2 and E(n_j) = n / 2 for both j.
    for label in (0, 1):
        assert near(agrees[drawn.labels == label], 0.7)
        assert near(drawn.sensitive == label, 0.5)
    # B.2: given A = 0, the response lies below the diagonal with probability p.
    assert near(drawn.response[drawn.sensitive == 0].sum(axis=1) < 1, 0.7)


def test_item_4_features_are_noisy_copies(drawn: biased.Biased) -> None:
    clean = np.concatenate([np.tile(drawn.response, 4), np.repeat(drawn.sensitive[:, None], 8, axis=1)], axis=1)
    noise = drawn.features - clean
    variances = np.array([1 / 5] * 8 + [2 / 5] * 8)
    assert np.all(np.abs(noise.mean(axis=0)) < 6 * np.sqrt(variances / N))
    scale = np.sqrt(np.outer(variances, variances))
    assert np.all(np.abs(np.cov(noise.T) - np.diag(variances)) < 6 * scale * np.sqrt(2 / N))
    for column, variance in zip(noise.T, variances, strict=True):
        assert stats.kstest(column, stats.norm(scale=np.sqrt(variance)).cdf).pvalue > 1e-8
    # The noise tells nothing about what it hides.
    for hidden in (drawn.response[:, 0], drawn.response[:, 1], drawn.sensitive):
        assert np.all(np.abs([np.corrcoef(column, hidden)[0, 1] for column in noise.T]) < 6 / np.sqrt(N))


def test_extreme_parameters_take_the_noise_away() -> None:
    found = biased.sample(
        np.random.default_rng(0), size=50, agreement=1.0, core=2, spurious=1, core_variance=0.0, spurious_variance=0.0
    )
    np.testing.assert_array_equal(found.sensitive, found.labels)
    np.testing.assert_array_equal(found.features[:, :2], found.response)
    np.testing.assert_array_equal(found.features[:, 2], found.sensitive)
    opposed = biased.sample(np.random.default_rng(0), size=50, agreement=0.0)
    np.testing.assert_array_equal(opposed.sensitive, 1 - opposed.labels)


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 0},
        {"agreement": 1.5},
        {"core": 7},
        {"core": 0},
        {"spurious": 0},
        {"core_variance": -1.0},
        {"spurious_variance": float("nan")},
    ],
)
def test_arguments_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} = "):
        biased.sample(np.random.default_rng(0), **wrong)  # type: ignore[arg-type]
