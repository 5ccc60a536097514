"""Normal numbers in single precision: the ideal ones of their bits, within a stated error, on every device."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import torch
from scipy import stats
from scipy.special import ndtri

from _scripted_bits import Scripted
from wassdp import noise
from wassdp.noise import single

STATED = 2.0**-20
SIGN = 1 << 31
LEAST = single.LEAST
NOTABLE = [LEAST, LEAST + 1, 2**24 - 1, 2**24, 2**24 + 1, 2**29 + 12345, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1]
RARE = [0, 1, 2, 2**10, LEAST - 1]


def packed(halves: list[int]) -> list[int]:
    """Words of two halves each, the first in the lower bits."""
    even = halves + [SIGN - 1] * (len(halves) % 2)
    return [low | high << 32 for low, high in zip(even[::2], even[1::2], strict=True)]


def ideal(tail: int, bits: int) -> float:
    """-Φ⁻¹ of the middle of [tail, tail + 1] / 2^bits, in 40 digits by mpmath's inverse error function."""
    with mpmath.workdps(40):
        return float(mpmath.sqrt(2) * mpmath.erfinv(1 - (2 * mpmath.mpf(tail) + 1) / mpmath.mpf(2) ** bits))


def test_the_stated_error_is_proved_and_not_idle() -> None:
    error = single.table().error
    assert error < STATED
    words = np.random.default_rng(0).integers(0, 2**32, 2_000_000, dtype=np.uint64)
    halves = torch.from_numpy(words.astype(np.uint32).view(np.int32))
    numbers, rare = single.normal(halves)
    tails = words % SIGN
    assert torch.equal(rare, torch.from_numpy(tails < LEAST))
    exact = -ndtri((tails + 0.5) / 2**32) * np.where(words >= SIGN, -1, 1)
    found = np.abs(numbers.numpy() - exact)[~rare.numpy()].max()
    assert 0.1 * error < found < error


def test_numbers_are_the_ideal_ones_of_their_half_words() -> None:
    halves = NOTABLE + [SIGN | each for each in NOTABLE]
    found = noise.normal(len(halves), generator=Scripted(*packed(halves)), dtype=torch.float32)
    for half, value in zip(halves, found.tolist(), strict=True):
        expected = ideal(half % SIGN, 32)
        assert value == pytest.approx(-expected if half & SIGN else expected, abs=STATED)


def test_far_tails_are_read_from_a_whole_word() -> None:
    halves = [*RARE, *(SIGN | each for each in RARE)]
    lower = [7, 2**31, 12345, 0, 2**32 - 1] * 2
    found = noise.normal(
        len(halves),
        generator=Scripted(*packed(halves), *(each | 99 << 32 for each in lower), *([2**63] * 8)),
        dtype=torch.float32,
    )
    for half, rest, value in zip(halves, lower, found.tolist(), strict=True):
        expected = ideal((half % SIGN) << 32 | rest, 64)
        assert value == pytest.approx(-expected if half & SIGN else expected, abs=2.0**-22 * max(1, expected))
        assert abs(value) > ideal(LEAST, 32) - STATED


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_two_numbers_are_read_from_a_word(count: int) -> None:
    halves = [2**30 + each for each in range(6)]
    found = noise.normal(count, generator=Scripted(*packed(halves)[: -(-count // 2)]), dtype=torch.float32)
    whole = noise.normal(6, generator=Scripted(*packed(halves)), dtype=torch.float32)
    assert torch.equal(found, whole[:count])


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = noise.normal(5000, generator=noise.seeded(3), dtype=torch.float32)
    monkeypatch.setattr(single, "_BLOCK", 17)
    assert torch.equal(noise.normal(5000, generator=noise.seeded(3), dtype=torch.float32), expected)


def test_numbers_have_the_normal_law() -> None:
    """Kolmogorov and Smirnov's test, and counts of far tails: each fails once in 10^5, at a seed that is fixed."""
    numbers = noise.normal(1_000_000, generator=noise.seeded(4), dtype=torch.float32).double().numpy()
    assert stats.kstest(numbers, "norm").pvalue > 1e-5
    for border in (2.0, 3.0, 3.2, 4.0):
        for side in (numbers > border, numbers < -border):
            assert stats.binomtest(int(side.sum()), len(numbers), stats.norm.sf(border)).pvalue > 1e-5


def test_directions_move_a_sensitivity_by_a_hundred_millionth() -> None:
    """√H of directions in single precision beside that of the ideal ones, for differences of rows of all kinds."""
    dimension, count = 784, 1000
    words = np.random.default_rng(6).integers(0, 2**32, dimension * count, dtype=np.uint64)
    words = np.maximum(words % SIGN, LEAST) | (words & SIGN)
    numbers, _ = single.normal(torch.from_numpy(words.astype(np.uint32).view(np.int32)))
    drawn = numbers.reshape(count, dimension)
    drawn = drawn / torch.linalg.vector_norm(drawn, dim=1, keepdim=True)
    ideal_ones = (-ndtri((words % SIGN + 0.5) / 2**32) * np.where(words >= SIGN, -1, 1)).reshape(count, dimension)
    ideal_ones /= np.linalg.norm(ideal_ones, axis=1, keepdims=True)
    random = np.random.default_rng(7)
    moved = np.concatenate([np.eye(dimension)[:20], np.ones((1, dimension)), abs(random.normal(size=(20, dimension)))])
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    found, expected = (np.linalg.norm(each @ moved.T, axis=0) for each in (drawn.double().numpy(), ideal_ones))
    assert np.abs(found / expected - 1).max() < 5e-8


@pytest.mark.parametrize("device", ["pretended", pytest.param("real", marks=pytest.mark.gpu)])
def test_they_are_the_same_on_a_gpu(device: str, request: pytest.FixtureRequest) -> None:
    expected = noise.normal(100_001, generator=noise.seeded(5), dtype=torch.float32)
    if device == "pretended":
        request.getfixturevalue("pretended_gpu")
    found = noise.normal(100_001, generator=noise.seeded(5), dtype=torch.float32, device=torch.device("cuda"))
    assert found.device.type == "cuda"
    assert torch.equal(found.cpu(), expected)
