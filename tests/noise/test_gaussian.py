"""The law of rounded noise, its support, and that nothing but bits decides."""

from __future__ import annotations

import inspect
import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from _scripted_bits import Scripted, joined
from wassdp import noise
from wassdp.noise import blocks, compiled, gaussian, quantile, settle

SIGN = 1 << 63
NOTABLE = [1, 2, 3, 2**20, 2**39, 2**40 - 1, 2**40, 2**40 + 1, 2**57 + 12345, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1]


@pytest.fixture(params=[None, compiled], ids=["blocks", "kernel"])
def each_way(request, monkeypatch):
    """Most of the draws decided by torch, or by the compiled kernel."""
    monkeypatch.setattr(gaussian, "_compiled", lambda count: request.param)


def reference(tail: mpmath.mpf) -> mpmath.mpf:
    """-Φ⁻¹(u) by bisection in 50 digits: another way than the library's, and much slower."""
    low, high = mpmath.mpf(0), mpmath.mpf(60)
    for _ in range(190):
        middle = (low + high) / 2
        low, high = (middle, high) if mpmath.erfc(middle / mpmath.sqrt(2)) / 2 > tail else (low, middle)
    return low


def interval(word: int, more: list[int]) -> tuple[mpmath.mpf, mpmath.mpf]:
    """All Z that the bits read so far leave open."""
    unit = mpmath.mpf(2) ** (-64 * (1 + len(more)))
    ends = [reference((joined(word, *more) + part) * unit) for part in (1, 0)]
    return (-ends[1], -ends[0]) if word & SIGN else (ends[0], ends[1])


def expected(word: int, rest: list[int], x: float, std: float) -> float:
    """round(x + σZ) in 50 digits; reads on in ``rest`` for as long as the ends of Z's interval round differently."""
    more: list[int] = []
    with mpmath.workdps(50):
        step = mpmath.mpf(gaussian.grid(std))
        while True:
            low, high = (mpmath.floor((mpmath.mpf(x) + std * end) / step + 0.5) for end in interval(word, more))
            if low == high:
                return float(low * step)
            more.append(rest.pop(0))


@pytest.mark.usefixtures("each_way")
def test_every_draw_is_the_rounding_of_the_ideal_one():
    random = np.random.default_rng(0)
    words = NOTABLE + [SIGN | each for each in NOTABLE] + random.integers(0, 2**64, 60, dtype=np.uint64).tolist()
    x = random.normal(size=len(words)) * 10.0 ** random.integers(-3, 4, len(words))
    std = 1.3
    extra = tuple(int(each) for each in random.integers(0, 2**64, 200, dtype=np.uint64))
    found = noise.rounded(torch.from_numpy(x), std=std, generator=Scripted(*words, *extra))
    rest = list(extra)
    for index, word in enumerate(words):
        assert float(found[index]) == expected(word, rest, float(x[index]), std), hex(word)
    assert len(rest) < len(extra)


def test_quantile_is_within_its_stated_error():
    table = quantile.table()
    assert table.error < 2.0**-40
    random = np.random.default_rng(1)
    exponents = random.integers(1, 25, 150)
    edges = np.concatenate([2.0**-e * (1 + np.arange(0, 128, 41) / 128) for e in range(2, 25)])
    tails = np.concatenate([2.0**-exponents * random.uniform(0.5, 1, 150), edges, np.nextafter(edges, 0), [0.5]])
    tails = tails[(tails >= 2.0**-24) & (tails <= 0.5)]
    found = quantile.QuantileEvaluation(len(tails), torch.device("cpu")).quantile(torch.from_numpy(tails))
    with mpmath.workdps(50):
        worst = max(
            abs(reference(mpmath.mpf(tail)) - value) for tail, value in zip(tails.tolist(), found.tolist(), strict=True)
        )
    assert worst < table.error


def test_a_wrong_table_is_noticed(monkeypatch):
    quantile.table.cache_clear()
    monkeypatch.setattr(quantile, "ndtri", lambda tails: quantile_of(tails) * (1 + 1e-13))
    quantile_of = stats.norm.ppf
    with pytest.raises(ArithmeticError, match="normal quantile at"):
        quantile.table()
    quantile.table.cache_clear()


def test_what_double_precision_decides_is_what_mpmath_decides(monkeypatch):
    x = torch.linspace(-5, 5, 400, dtype=torch.float64)
    quick = noise.rounded(x, std=0.7, generator=noise.seeded(5))
    monkeypatch.setattr(gaussian, "_compiled", lambda count: None)
    monkeypatch.setattr(blocks, "LEAST", 2**63 - 1)  # nothing is left to double precision
    assert torch.equal(noise.rounded(x, std=0.7, generator=noise.seeded(5)), quick)


@pytest.mark.usefixtures("each_way")
def test_frequencies_are_those_of_the_normal_law(monkeypatch):
    """Chi-squared over 60 cells of a coarse grid, 400,000 draws: fails by chance with probability 1e-4."""
    monkeypatch.setattr(gaussian, "FINENESS", 3)
    count, std, x = 400_000, 1.9, 0.37
    step = gaussian.grid(std)
    found = noise.rounded(torch.full((count,), x, dtype=torch.float64), std=std, generator=noise.seeded(7))
    cells = torch.round(found / step).long()
    middle = round(x / step)
    edges = (np.arange(middle - 30, middle + 31) - 0.5) * step
    shares = np.diff(stats.norm.cdf(np.concatenate(([-np.inf], edges, [np.inf])), loc=x, scale=std))
    seen = np.histogram(cells.numpy() * step, np.concatenate(([-np.inf], edges, [np.inf])))[0]
    assert stats.chisquare(seen, shares * count).pvalue > 1e-4


@pytest.mark.usefixtures("each_way")
def test_no_value_is_out_of_reach():
    """float32 noise used to stop at 5.768 deviations: a release beyond that from a neighbour's mean is proof."""
    far = [noise.rounded(torch.zeros(1), std=1.0, generator=Scripted(tail, 2**63)).item() for tail in (2, 1, 0)]
    assert 8.9 < far[0] < far[1] < far[2]
    (beyond,) = noise.rounded(torch.zeros(1), std=1.0, generator=Scripted(0, 0, 0, 77, 5)).tolist()
    assert beyond > 15
    assert stats.norm.sf(beyond) == pytest.approx((77 + 0.5) * 2.0**-256, rel=0.02)


@given(
    x=st.floats(-100, 100),
    moved=st.floats(-3, 3),
    std=st.floats(0.01, 50),
    word=st.integers(0, 2**64 - 1),
)
def test_neighbours_reach_the_same_values(x, moved, std, word):
    """Whatever comes out of x can come out of a neighbour: the bits that do it are computed."""
    other = x + moved * std
    out = noise.rounded(
        torch.tensor([x], dtype=torch.float64), std=std, generator=Scripted(word, *range(2**62, 2**62 + 4))
    )
    with mpmath.workdps(60):
        z = (mpmath.mpf(float(out)) - mpmath.mpf(other)) / std
        tail = mpmath.erfc(abs(z) / mpmath.sqrt(2)) / 2
        scaled = int(mpmath.floor(tail * mpmath.mpf(2) ** 128))
    words = [(scaled >> 64) | (SIGN if z < 0 else 0), scaled & (2**64 - 1)]
    again = noise.rounded(torch.tensor([other], dtype=torch.float64), std=std, generator=Scripted(*words, 2**62))
    assert torch.equal(again, out)


def test_blocks_and_types_do_not_matter(monkeypatch):
    x = torch.randn(3, 7001, generator=torch.Generator().manual_seed(0))
    found = noise.rounded(x, std=0.5, generator=noise.seeded(1))
    assert found.dtype == x.dtype
    assert found.shape == x.shape
    monkeypatch.setattr(blocks, "BLOCK", 100)
    assert torch.equal(noise.rounded(x, std=0.5, generator=noise.seeded(1)), found)
    exact = noise.rounded(x.double(), std=0.5, generator=noise.seeded(1))
    assert torch.equal(exact.float(), found)
    assert bool((exact % gaussian.grid(0.5) == 0).all())


@pytest.mark.usefixtures("each_way")
def test_streams_go_on_where_a_checkpoint_found_them():
    stream = noise.seeded(2)
    noise.rounded(torch.zeros(5), std=1.0, generator=stream)
    state = stream.get_state()
    following = noise.rounded(torch.zeros(50), std=1.0, generator=stream)
    fresh = noise.seeded(0)
    fresh.set_state(state)
    assert torch.equal(noise.rounded(torch.zeros(50), std=1.0, generator=fresh), following)


@pytest.mark.usefixtures("each_way")
def test_values_far_larger_than_the_noise_keep_their_whole_part():
    x = torch.tensor([1e30, -3e25, 0.1], dtype=torch.float32)
    found = noise.rounded(x, std=1.0, generator=noise.seeded(3))
    assert torch.equal(found[:2], x[:2])


@pytest.mark.parametrize("std", [1e-300, 1e300, -1.0, math.nan, math.inf])
def test_deviations_that_have_no_grid_are_refused(std):
    with pytest.raises(ValueError, match="std = "):
        noise.rounded(torch.zeros(1), std=std, generator=noise.seeded(0))


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.7e308])
def test_values_that_are_no_numbers_are_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        noise.rounded(torch.tensor([0.0, bad], dtype=torch.float64), std=1.0, generator=noise.seeded(0))


def test_no_deviation_is_no_noise():
    x = torch.tensor([0.1, 0.2])
    assert torch.equal(noise.rounded(x, std=0.0, generator=Scripted()), x)


@given(st.lists(st.floats(1e-100, 1e100), min_size=2, max_size=3))
def test_scaled_deviations_are_never_below_the_product(factors):
    with mpmath.workdps(400):
        exact = mpmath.fprod(mpmath.mpf(each) for each in factors)
        found = noise.scaled(*factors)
        assert found >= exact
        assert math.nextafter(found, 0) < exact


def test_normal_numbers_are_the_ideal_ones_of_their_bits():
    words = [each | sign for each in NOTABLE for sign in (0, SIGN)]
    found = noise.normal(len(words), generator=Scripted(*words, *([2**63] * 40)))
    for word, value in zip(words, found.tolist(), strict=True):
        with mpmath.workdps(50):
            low, high = interval(word, [] if word & ~SIGN > 2**20 else [2**63])
            assert low - 2.0**-39 < value < high + 2.0**-39


def test_an_interval_holds_its_quantiles():
    with mpmath.workprec(200):
        low, high = settle.interval(12345, 40)
        assert low < reference(mpmath.mpf(12346) / 2**40) < reference(mpmath.mpf(12345) / 2**40) < high


@pytest.mark.parametrize("bits", [12, 64, 128, 1000, 1200])
def test_an_interval_is_as_tight_as_its_guard(bits):
    """By tail probabilities of its ends in twice the digits; 2^-1200 is below the least double."""
    for tail in (1, 2, 12345 % (1 << bits - 1), 1 << bits // 2, (1 << bits - 1) - 1):
        with mpmath.workprec(bits + 100):
            ends = settle.interval(tail, bits)
        with mpmath.workprec(2 * bits + 300):
            guard = mpmath.mpf(2) ** -(bits + 40)
            for end, outwards, number in zip(ends, (-1, 1), (tail + 1, tail), strict=True):
                far, near = (
                    mpmath.erfc((end - shift * outwards * guard * (1 + abs(end))) / mpmath.sqrt(2)) / 2
                    for shift in (0, 2)
                )
                assert -outwards * far > -outwards * mpmath.ldexp(mpmath.mpf(number), -bits) > -outwards * near


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.complex64, torch.float16, torch.bfloat16])
def test_what_cannot_hold_noise_is_refused(dtype: torch.dtype) -> None:
    unchecked = inspect.unwrap(noise.rounded)  # tests check the types of all calls, users' programs do not
    with pytest.raises(ValueError, match=rf"^x: must be of torch.float32 or torch.float64, not {dtype}"):
        unchecked(torch.ones(3, dtype=dtype), std=1.0, generator=noise.seeded(0))
