"""Words computed on a device are those of the processor, in their order, wherever the source stands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from wassdp import noise
from wassdp.noise import philox
from wassdp.noise.bits import CounterBits, signed_words

MASK = (1 << 64) - 1
CUDA = torch.device("cuda")
DEVICES = ["pretended", pytest.param("real", marks=pytest.mark.gpu)]


@pytest.fixture(params=DEVICES)
def _device(request: pytest.FixtureRequest) -> None:
    if request.param == "pretended":
        request.getfixturevalue("pretended_gpu")


def naive(counter: int, key: int) -> list[int]:
    """One block in whole numbers of any size, as the paper prints it; the counter's and the key's first word lowest."""
    a, b, c, d = (counter >> 64 * place & MASK for place in range(4))
    low, high = key & MASK, key >> 64 & MASK
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
        a, b, c, d = (second >> 64) ^ b ^ low, second & MASK, (first >> 64) ^ d ^ high, first & MASK
        low, high = low + 0x9E3779B97F4A7C15 & MASK, high + 0xBB67AE8584CAA73B & MASK
    return [a, b, c, d]


def test_the_processors_words_are_the_papers() -> None:
    key = bytes(range(200, 232))
    number = int.from_bytes(key, "little")
    expected = [word for block in (1, 2) for word in naive(number >> 128 << 128 | block, number & (1 << 128) - 1)]
    assert CounterBits(key).words(8).tolist() == expected


@pytest.mark.usefixtures("_device")
@pytest.mark.parametrize("read", [0, 1, 2, 3, 4, 5, 4099])
@pytest.mark.parametrize("count", [philox.WORTH, philox.WORTH + 1, philox.WORTH + 2, philox.WORTH + 3])
def test_words_of_a_device_are_the_processors(read: int, count: int) -> None:
    there, here = noise.seeded(2, "device"), noise.seeded(2, "device")
    assert np.array_equal(there.words(read), here.words(read))
    found = signed_words(there, count, CUDA)
    assert found.device.type == "cuda"
    assert found.dtype == torch.int64
    assert np.array_equal(found.cpu().numpy().view(np.uint64), here.words(count))
    # Both stand at the same place, to the last bit, and go on alike.
    assert torch.equal(there.get_state(), here.get_state())
    assert np.array_equal(signed_words(there, count, CUDA).cpu().numpy().view(np.uint64), here.words(count))
    assert np.array_equal(there.words(7), here.words(7))


@pytest.mark.usefixtures("_device")
def test_words_of_any_key_are_the_processors() -> None:
    for key in (bytes(32), bytes([255] * 32), bytes([0, 255] * 16)):
        there, here = CounterBits(key), CounterBits(key)
        found = there.words_on(CUDA, 5000).cpu().numpy()
        assert np.array_equal(found.view(np.uint64), here.words(5000))


@pytest.mark.usefixtures("_device")
def test_a_state_goes_from_one_to_the_other() -> None:
    bits = noise.seeded(3)
    signed_words(bits, philox.WORTH + 1905, CUDA)
    state = bits.get_state()
    expected = bits.words(philox.WORTH + 4)
    bits.set_state(state)
    assert np.array_equal(signed_words(bits, philox.WORTH + 4, CUDA).cpu().numpy().view(np.uint64), expected)


@pytest.mark.usefixtures("_device")
def test_few_words_and_those_of_the_system_are_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("computed there")

    monkeypatch.setattr(philox, "words", refuse)
    for bits, count in ((noise.seeded(4), philox.WORTH - 1), (noise.SystemBits(), philox.WORTH)):
        found = signed_words(bits, count, CUDA)
        assert (found.device.type, len(found)) == ("cuda", count)


def by_numpy(flipped: int = 0) -> Callable[..., torch.Tensor]:
    """What `torch.cuda.jiterator` is to make of the kernel; or one bit of one word of it is wrong."""

    def kernel(indices: torch.Tensor, **numbers: int) -> torch.Tensor:
        names = ("first", "counter1", "counter2", "counter3")
        counter = sum((numbers[name] & MASK) << 64 * place for place, name in enumerate(names))
        key = (numbers["key0"] & MASK) | (numbers["key1"] & MASK) << 64
        found = []
        for index in indices.tolist():
            block, lane = divmod(index, philox.BLOCK)
            found.append(naive(counter + block, key)[lane])
        found[-1] ^= flipped
        return torch.from_numpy(np.array(found, dtype=np.uint64).view(np.int64))

    return kernel


@pytest.mark.parametrize("flipped", [0, 1 << 63])
def test_a_kernel_with_other_words_than_numpys_is_refused(flipped: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda.jiterator, "_create_jit_fn", lambda *_, **__: by_numpy(flipped))
    philox._kernel.cache_clear()
    here = torch.device("cpu")
    try:
        if flipped:
            with pytest.raises(RuntimeError, match="device cpu: words of its counter-based generator are not NumPy's"):
                philox.words(0, 9, counter=(1, 0, 0, 0), key=(3, 4), device=here)
        else:
            expected = np.random.Philox(key=[3, 4]).random_raw(9)
            found = philox.words(0, 9, counter=(1, 0, 0, 0), key=(3, 4), device=here)
            assert np.array_equal(found.numpy().view(np.uint64), expected)
    finally:
        philox._kernel.cache_clear()


def test_less_than_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="count = 3: must be a whole number of at least 4"):
        noise.seeded(0).words_on(torch.device("cpu"), 3)
