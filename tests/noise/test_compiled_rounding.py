"""Rounded noise by the compiled kernel is that of torch, bit for bit, and so is what follows in the stream."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from _scripted_bits import Scripted
from wassdp import noise
from wassdp.noise import blocks, compiled, gaussian, quantile
from wassdp.noise.compiled import rounding

SIGN = 1 << 63


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[torch.Tensor]]:
    """The release by torch and that by the kernel, each from a stream of its own."""

    def released(x: torch.Tensor, std: float, source: Callable[[], noise.Bits]) -> list[torch.Tensor]:
        found = []
        for kernels in (None, compiled):
            monkeypatch.setattr(gaussian, "_compiled", lambda count, kernels=kernels: kernels)
            stream = source()
            found += [noise.rounded(x, std=std, generator=stream), stream.get_state()]
        return found

    return released


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 1023, 1024, 1025, 20_001])
def test_releases_and_what_follows_are_torchs(
    count: int, dtype: torch.dtype, both: Callable[..., list[torch.Tensor]]
) -> None:
    draws = torch.Generator().manual_seed(count)
    for std in (1e-9, 0.7, 1.0, 3e5):
        for size in (0.0, 1e-3, 1.0, 1e6, 1e30):
            x = (size * torch.randn(count, generator=draws, dtype=torch.float64)).to(dtype)
            torchs, after, ours, ours_after = both(x, std, lambda: noise.seeded(count))
            assert torch.equal(ours, torchs), (std, size)
            assert torch.equal(after, ours_after)


def test_far_tails_are_settled_in_the_same_order(both: Callable[..., list[torch.Tensor]]) -> None:
    """Numbers that need more words read them in order of position, whoever found them."""
    tails = [0, 1, 2**20, blocks.LEAST - 1, blocks.LEAST, blocks.LEAST + 1, 2**62, 2**63 - 1]
    script = [tail | sign for tail in tails for sign in (0, SIGN)] + list(range(1, 200))
    torchs, _, ours, _ = both(torch.zeros(2 * len(tails)), 2.0**-16, lambda: Scripted(*script))
    assert torch.equal(ours, torchs)
    assert ours.abs().max() > 8 * 2.0**-16


def test_places_are_those_whose_margin_is_within_the_error() -> None:
    words = torch.from_numpy(np.random.Philox(key=7).random_raw(5000).view(np.int64))
    x = torch.linspace(-3, 3, 5000, dtype=torch.float64)
    for error in (0.0, 0.01, 0.3, 0.5):
        _, places = rounding.rounded(x, words, step=0.5, ratio=2.6, error=error)
        _, others = blocks.rounded(x, words, step=0.5, ratio=2.6, error=error)
        assert places == sorted(set(others))
        assert len(places) == pytest.approx(2 * error * 5000, abs=5 * (5000 / 4) ** 0.5)


CORRUPTED = {
    "_MIDDLE": rounding._MIDDLE + 2.0**-43,
    "_FIRST_CELL": rounding._FIRST_CELL - np.int64(1),
    "_LEAST": np.int64(2 * blocks.LEAST),
    "_SIGN": np.int64(0),
    "_WHOLE": 1.5 * 2.0**51,
    "_UNDECIDED": 0.0,
}


@pytest.mark.parametrize("name", CORRUPTED)
def test_what_was_compiled_is_not_taken_on_trust(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounding._kernel.cache_clear()
    monkeypatch.setattr(rounding, name, CORRUPTED[name])
    monkeypatch.setattr(gaussian, "_compiled", lambda count: compiled)
    with pytest.raises(RuntimeError, match="nothing is drawn"):
        noise.rounded(torch.zeros(10), std=1.0, generator=noise.seeded(0))
    rounding._kernel.cache_clear()


@pytest.mark.parametrize("cell", [0, 1, 1000, -3, -2, -1])
@pytest.mark.parametrize("power", [0, 4])
def test_a_coefficient_that_is_wrong_in_its_last_digits_is_noticed(
    power: int, cell: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By half of the error that is allowed for at the end of one cell."""
    right = quantile.table()
    wrong = right.coefficients.clone()
    wrong[power, cell] += right.error / 2 / quantile.HALF**power
    rounding._kernel.cache_clear()
    other = SimpleNamespace(table=lambda: quantile.QuantileTable(wrong, right.error))
    monkeypatch.setattr(rounding, "quantile", other)
    with pytest.raises(RuntimeError, match="nothing is drawn"):
        rounding.rounded(torch.zeros(1), torch.zeros(1, dtype=torch.int64), step=1.0, ratio=1.0, error=0.1)
    rounding._kernel.cache_clear()
