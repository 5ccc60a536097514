"""Devices, random streams and surroundings."""

from __future__ import annotations

import pytest
import torch

from wassdp.training import reproducible


def test_a_device_that_is_absent_or_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="device = 'tpu': must be one of auto, cpu, cuda"):
        reproducible.device("tpu")
    assert reproducible.device("cpu").type == "cpu"
    if torch.cuda.is_available():
        assert reproducible.device("auto").type == "cuda"
    else:
        assert reproducible.device("auto").type == "cpu"
        with pytest.raises(ValueError, match="no CUDA device"):
            reproducible.device("cuda")


def test_streams_of_one_seed_are_equal_and_of_two_seeds_differ() -> None:
    def draws(seed: int) -> list[float]:
        streams = reproducible.Streams.of(seed)
        return [float(torch.rand((), generator=each)) for each in (streams.sampler, streams.noise)]

    assert draws(5) == draws(5)
    assert len({*draws(5), *draws(6)}) == 4


def test_streams_do_not_disturb_each_other() -> None:
    first, second = reproducible.Streams.of(1), reproducible.Streams.of(1)
    torch.randn(1000, generator=first.noise)
    assert torch.equal(torch.rand(9, generator=first.sampler), torch.rand(9, generator=second.sampler))


def test_restored_streams_go_on_where_they_were() -> None:
    streams = reproducible.Streams.of(2)

    def draw() -> list[torch.Tensor]:
        sampled, noise = torch.rand(3, generator=streams.sampler), torch.randn(3, generator=streams.noise)
        return [sampled, noise, torch.rand(3)]

    draw()
    state = streams.state()
    expected = draw()
    streams.restore(state)
    assert all(map(torch.equal, draw(), expected))


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ValueError, match="seed = -1"):
        reproducible.Streams.of(-1)


def test_surroundings_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    before, state = torch.get_num_threads(), torch.random.get_rng_state()
    drawn = []
    for _ in range(2):
        with reproducible.surroundings(7, torch.device("cpu")):
            assert torch.are_deterministic_algorithms_enabled()
            assert reproducible.describe(torch.device("cpu")) == "cpu (1 thread)"
            drawn.append(torch.rand(4))
    assert torch.equal(*drawn)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == before
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.gpu
def test_a_gpu_is_described_by_its_model() -> None:
    assert reproducible.describe(torch.device("cuda")).startswith("cuda (")
