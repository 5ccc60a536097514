"""Numbers of the compiled kernel are those of torch, bit for bit, wherever their source stands."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
import torch

from wassdp import noise
from wassdp.noise import compiled, gaussian, single
from wassdp.noise.bits import CounterBits
from wassdp.noise.compiled import normal_numbers

COUNTS = [8, 9, 63, 64, 65, 10_000, 100_001]


def drawn(
    source: CounterBits, count: int, *, kernels: ModuleType | None, monkeypatch: pytest.MonkeyPatch
) -> torch.Tensor:
    monkeypatch.setattr(gaussian, "_compiled", lambda count: kernels)
    return noise.normal(count, generator=source, dtype=torch.float32)


@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("count", COUNTS)
def test_numbers_and_what_follows_are_torchs(before: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, other = noise.seeded(before, "kernel"), noise.seeded(before, "kernel")
    ours.words(before), other.words(before)
    for _ in range(2):
        found = drawn(ours, count, kernels=compiled, monkeypatch=monkeypatch)
        assert torch.equal(found, drawn(other, count, kernels=None, monkeypatch=monkeypatch))
    assert torch.equal(ours.get_state(), other.get_state())
    assert ours.words(5).tolist() == other.words(5).tolist()


def test_far_tails_are_as_many_as_they_should_be() -> None:
    """They are replaced one by one: a kernel that missed them would agree with torch almost everywhere."""
    key, counter = np.array([1, 2], np.uint64), np.array([5, 0, 0, 0], np.uint64)
    numbers, where, short = normal_numbers.normal(100_000, start=3, counter=counter, key=key)
    tails = short.numpy().astype(np.int64) & (2**31 - 1)
    assert len(where) == len(tails) > 100
    assert tails.max() < single.LEAST
    least = np.float32(single.table().coefficients[0, 0])
    assert (numbers[where].abs() > least - 0.02).all()
    assert int((numbers.abs() > least + 0.02).sum()) == 0
    assert set((numbers.abs() > least - 1e-6).nonzero().flatten().tolist()) >= set(where.tolist())


def test_much_is_drawn_by_the_kernel_and_less_once_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    original = compiled.normal
    monkeypatch.setattr(compiled, "normal", lambda *args, **options: called.append(args) or original(*args, **options))
    monkeypatch.delitem(sys.modules, compiled.__name__)
    noise.normal(1000, generator=noise.seeded(0), dtype=torch.float32)
    assert called == []
    monkeypatch.setitem(sys.modules, compiled.__name__, compiled)
    noise.normal(1000, 784, generator=noise.seeded(0), dtype=torch.float32)
    noise.normal(8, generator=noise.seeded(0), dtype=torch.float32)
    assert len(called) == 2
    # Fewer than a block of words has, those of another source, and double precision.
    noise.normal(7, generator=noise.seeded(0), dtype=torch.float32)
    noise.normal(1000, generator=noise.SystemBits(), dtype=torch.float32)
    noise.normal(1000, 784, generator=noise.seeded(0))
    assert len(called) == 2


def test_the_kernel_is_loaded_where_much_is_drawn() -> None:
    program = """
import sys, torch
from wassdp import noise
for count, source in ((524_288, noise.SystemBits()), (524_287, noise.seeded(0)), (524_288, noise.seeded(0))):
    noise.normal(count, generator=source, dtype=torch.float32)
    print("wassdp.noise.compiled" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize("name", ["_MULTIPLIERS", "_LEAST", "_MIDDLE"])
def test_what_was_compiled_is_not_taken_on_trust(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corrupted = {
        "_MULTIPLIERS": (normal_numbers._MULTIPLIERS[0], normal_numbers._MULTIPLIERS[1] + np.uint64(2)),
        "_LEAST": np.int32(normal_numbers._LEAST + 1000),
        "_MIDDLE": np.float32(normal_numbers._MIDDLE + np.float32(2**-23)),
    }
    normal_numbers._kernel.cache_clear()
    monkeypatch.setattr(normal_numbers, name, corrupted[name])
    source = noise.seeded(0)
    with pytest.raises(RuntimeError, match="nothing is drawn"):
        noise.normal(1000, 784, generator=source, dtype=torch.float32)
    normal_numbers._kernel.cache_clear()
