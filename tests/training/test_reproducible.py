"""Devices, random streams and surroundings."""

from __future__ import annotations

import pytest
import torch

from wassdp import noise
from wassdp.training import reproducible


def test_a_device_that_is_absent_or_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="device = 'tpu': did you mean cpu\\? must be one of auto, cpu, cuda"):
        reproducible.device("tpu")
    assert reproducible.device("cpu").type == "cpu"
    if torch.cuda.is_available():
        assert reproducible.device("auto").type == "cuda"
    else:
        assert reproducible.device("auto").type == "cpu"
        with pytest.raises(ValueError, match="no CUDA device"):
            reproducible.device("cuda")


def test_streams_of_one_seed_are_equal_and_of_two_seeds_differ() -> None:
    def draws(seed: int) -> list[int]:
        streams = reproducible.Streams.of(seed)
        return [int(each.words(1)[0]) for each in (streams.sampler, streams.noise)]

    assert draws(5) == draws(5)
    assert len({*draws(5), *draws(6)}) == 4


def test_runs_of_one_seed_share_initial_weights_and_nothing_else() -> None:
    first, second = (reproducible.Streams.of(5, run) for run in ("a", "b"))
    assert first.initialisation == second.initialisation != reproducible.Streams.of(6, "a").initialisation
    assert len({int(each.words(1)[0]) for one in (first, second) for each in (one.sampler, one.noise)}) == 4


def test_without_a_seed_no_two_runs_share_anything() -> None:
    first, second = reproducible.Streams.of(None), reproducible.Streams.of(None)
    assert first.initialisation != second.initialisation
    assert len({int(each.words(1)[0]) for one in (first, second) for each in (one.sampler, one.noise)}) == 4
    first.load_state_dict(
        second.state_dict()
    )  # there is nothing to go back to, and a checkpoint is none the worse for it


def test_streams_do_not_disturb_each_other() -> None:
    first, second = reproducible.Streams.of(1), reproducible.Streams.of(1)
    first.noise.words(1000)
    assert first.sampler.words(9).tolist() == second.sampler.words(9).tolist()


def test_restored_streams_go_on_where_they_were() -> None:
    streams = reproducible.Streams.of(2)

    def draw() -> list[torch.Tensor]:
        sampled = noise.poisson_sample(9, rate=0.5, generator=streams.sampler)
        noisy = noise.rounded(torch.zeros(3), std=1.0, generator=streams.noise)
        return [sampled, noisy, torch.rand(3)]

    draw()
    state = streams.state_dict()
    expected = draw()
    streams.load_state_dict(state)
    assert all(map(torch.equal, draw(), expected))


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ValueError, match="seed = -1"):
        reproducible.Streams.of(-1)


def test_surroundings_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    before, state = torch.get_num_threads(), torch.random.get_rng_state()
    drawn = []
    for _ in range(2):
        with reproducible.surroundings(bytes(range(32)), torch.device("cpu")):
            assert torch.are_deterministic_algorithms_enabled()
            assert torch.utils.deterministic.fill_uninitialized_memory
            assert reproducible.describe(torch.device("cpu")) == "cpu (1 thread)"
            drawn.append(torch.rand(4))
    assert torch.equal(*drawn)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == before
    assert torch.equal(torch.random.get_rng_state(), state)


def test_seeds_that_agree_in_64_bits_start_torch_apart() -> None:
    """`torch.manual_seed` would keep 32 bits of them, and give one start to all."""
    drawn = []
    for last in (0, 1):
        with reproducible.surroundings(bytes(31) + bytes([last]), torch.device("cpu")):
            drawn.append(torch.rand(1000, dtype=torch.float64))
    assert not bool((drawn[0] == drawn[1]).any())
    # Uniform all the same: 1000 draws, 5 standard deviations of their mean.
    assert all(abs(float(each.mean()) - 0.5) < 5 / (12 * 1000) ** 0.5 for each in drawn)


@pytest.mark.gpu
def test_a_gpu_is_described_by_its_model() -> None:
    assert reproducible.describe(torch.device("cuda")).startswith("cuda (")
