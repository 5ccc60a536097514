"""Runs of seed null: bits of the operating system, nothing to resume, and no two runs that share noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from _digits_run import DIGITS
from wassdp.config import Config
from wassdp.experiment import Context, PrivateParameters
from wassdp.experiments import KINDS, classification
from wassdp.runs import expand, parse, specification, validate_parameters
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.reproducible import Streams, seed_globally

PARAMETERS = DIGITS | {"epochs": 1}


def config(seeds: list[int | None], kind: str, parameters: dict[str, Any]) -> Config:
    experiment = {"name": "x", "paper": "p", "kind": kind, "parameters": parameters, "seeds": seeds}
    return Config.model_validate({"preset": "x", "experiments": [experiment]})


def test_a_run_without_a_seed_is_planned_and_read_back() -> None:
    (run,) = expand(config([None], "classification", PARAMETERS)).runs
    assert run.name == "x seed=system"
    assert parse(run.spec)[2] is None


def test_kinds_that_release_nothing_take_no_null() -> None:
    with pytest.raises(ValueError, match=r"experiments\.x\.seeds: null.*tail_bound takes whole numbers"):
        expand(config([None], "tail_bound", {}))


def test_a_run_to_be_released_takes_no_seed() -> None:
    """Specification and seed stand in its result: with them anybody draws its noise again, and subtracts it."""
    released = PARAMETERS | {"release": True}
    with pytest.raises(ValueError, match=r"experiments\.x\.seeds: 3, with release true, must be null.*draw the noise"):
        expand(config([None, 3], "classification", released))
    (run,) = expand(config([None], "classification", released)).runs
    assert parse(run.spec)[2] is None
    with pytest.raises(ValueError, match=r"spec\.seed = 3: with release true, must be null"):
        parse(run.spec | {"seed": 3})


@pytest.mark.parametrize("kind", [kind for kind in KINDS.names() if KINDS.load(kind).PHASE == "train"])
def test_whatever_trains_can_do_without_a_seed(kind: str) -> None:
    assert issubclass(KINDS.load(kind).Parameters, PrivateParameters)


def test_two_runs_without_a_seed_share_nothing(tmp_path: Path) -> None:
    chosen = validate_parameters("classification", PARAMETERS)
    assert isinstance(chosen, classification.Parameters)
    found = [
        classification.run(chosen, seed=None, context=Context(folder=tmp_path / name, code="a", device="cpu"))
        for name in "ab"
    ]
    assert found[0].metrics["test_loss"] != found[1].metrics["test_loss"]
    assert found[0].event == found[1].event


def test_a_run_without_a_seed_is_not_resumed(tmp_path: Path) -> None:
    chosen = validate_parameters("classification", PARAMETERS)
    for seed, kept in ((0, True), (None, False)):
        first, second = (
            Checkpoint.of_run(chosen, seed=seed, context=Context(tmp_path, "a"), device=torch.device("cpu"))
            for _ in range(2)
        )
        first.save({"x": 1})
        assert (second.load() is not None) == kept


def test_runs_of_one_seed_share_weights_but_no_noise() -> None:
    first, second = Streams.of(3, "one run"), Streams.of(3, "another run")
    assert first.initialisation == second.initialisation
    heads = {tuple(each.words(2).tolist()) for each in (first.sampler, first.noise, second.sampler, second.noise)}
    assert len(heads) == 4


def test_specifications_of_seeds_differ() -> None:
    chosen = validate_parameters("classification", PARAMETERS)
    assert specification("classification", chosen, None) != specification("classification", chosen, 0)


def test_initial_weights_use_all_bits_of_their_seed() -> None:
    """torch keeps 32 bits of a seed: 0 and 2^32 used to begin alike. The words are those of NumPy's own twister."""
    import numpy as np

    starts = []
    for seed in (0, 2**32, 2**64):
        entropy = Streams.of(seed).initialisation
        seed_globally(entropy)
        drawn = torch.rand(700)
        words = np.frombuffer(entropy, dtype=np.uint32).tolist()
        twister = np.random.MT19937()
        key = np.random.SeedSequence(words).generate_state(624, np.uint32)
        twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624}}
        assert np.array_equal(drawn.numpy(), (twister.random_raw(700) & (2**24 - 1)) * np.float32(2.0**-24))
        starts.append(tuple(drawn[:4].tolist()))
    assert len(set(starts)) == 3
