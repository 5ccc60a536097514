"""Attacks on code that is handed over as a callable. Seeds are fixed; each says how often another would fail."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

import wassdp
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.qualified import qualified
from wassdp.audit import any_code
from wassdp.audit.any_code import Release, attack, learned

WORLDS = (np.array([1.0]), np.array([0.0]))


def gaussian(std: float) -> Release:
    def release(records: Any, generator: torch.Generator) -> Any:
        return torch.from_numpy(records) + std * torch.randn(1, generator=generator, dtype=torch.float64)

    return release


def claimed(multiplier: float) -> Event:
    return Gaussian(noise_multiplier=multiplier, adjacency="add-remove")


def test_the_package_offers_it() -> None:
    assert wassdp.audit.attack is attack


def test_the_tutorial_is_found_from_the_package_alone() -> None:
    """As the README asks for it, where nothing else has imported it yet."""
    code = (
        "import sys, wassdp; wassdp.audit; assert 'torch' not in sys.modules;"
        "tutorial = wassdp.audit.any_code; assert wassdp.audit.attack is tutorial.attack; print(tutorial.__doc__)"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert asked.stdout.strip() == (any_code.__doc__ or "").strip(), asked.stderr


def test_a_correct_release_is_not_contradicted_and_its_budget_is_bounded_from_below() -> None:
    """By chance: one seed in a thousand; the family's bound lies above the truth at five in a hundred."""
    found = attack(gaussian(1.0), WORLDS, event=claimed(1.0), trials=4000, delta=1e-5, seed=2)
    assert found.claimed is not None
    assert found.family_based is not None
    assert not found.contradicted
    assert 0.5 < found.distribution_free.epsilon < found.claimed.value
    assert 0.85 * found.claimed.value < found.family_based.epsilon < found.claimed.value
    assert found.distribution_free.basis == "distribution-free"
    assert found.family_based.basis == "family-based"
    assert "the claim is not contradicted" in str(found)


def test_noise_that_is_too_small_is_contradicted() -> None:
    found = attack(gaussian(0.6), WORLDS, event=claimed(1.0), trials=2000, delta=1e-5, seed=2)
    assert found.contradicted
    assert "the claim is contradicted" in str(found)


def test_a_score_that_is_handed_over_costs_no_trials() -> None:
    learnt, given = (
        attack(gaussian(1.0), WORLDS, score=score, trials=400, delta=1e-5, seed=2) for score in (None, float)
    )
    assert (learnt.distribution_free.trials, given.distribution_free.trials) == (300, 400)
    assert not given.contradicted
    assert given.claimed is None


def test_seeds_repeat_an_attack_and_worlds_draw_from_streams_of_their_own() -> None:
    def release(records: Any, generator: torch.Generator) -> Any:
        return torch.rand(1, generator=generator)

    first, again, other = (
        attack(release, WORLDS, score=float, trials=100, delta=1e-5, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert first.distribution_free.epsilon == 0


def test_what_says_nothing_of_the_record_gives_nothing() -> None:
    found = attack(lambda records, generator: np.ones(3), WORLDS, trials=100, delta=1e-5)
    assert found.distribution_free.epsilon == 0


@pytest.mark.parametrize(
    "kind", ["means", "deviations", "products", "certain", "not finite", "deviations of many", "means of many"]
)
def test_a_score_is_learned_for_whatever_tells_the_worlds_apart(kind: str) -> None:
    """Told apart at least as well as by a coin that falls right three times in four."""
    draw = np.random.default_rng(4)
    rows, numbers = 600, 40 if "many" in kind else 3

    def sample(there: bool, rows: int) -> np.ndarray:
        found = draw.normal(size=(rows, numbers))
        if "means" in kind:
            found += there * 2 / np.sqrt(numbers)
        if "deviations" in kind:
            found *= 1 + there
        if kind == "products" and there:
            found[:, 0] = 0.99 * found[:, 1] + 0.14 * found[:, 0]
        if kind == "certain":
            found[:] = float(there)
        if kind == "not finite":
            found[:, 0] = np.nan if there else 0.0
        return found

    score = learned(sample(True, rows), sample(False, rows))
    present, absent = (score(sample(there, 300)) for there in (True, False))
    assert np.mean(present > np.median(np.concatenate((present, absent)))) > 0.75


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"trials": 39}, "trials = 39: must be a whole number of at least 40"),
        ({"delta": 0.0}, "delta = 0.0"),
        ({"delta": 1.0}, "delta = 1.0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"seed": -1}, "seed = -1"),
        ({"neighbours": (1, 2, 3)}, "neighbours: must be records with the one in question and without it, not 3"),
        ({"event": qualified(repeated(claimed(1.0), 1), exposed=("norms",))}, "event: has no finite budget"),
        ({"event": claimed(0.0)}, "event: has no finite budget"),
    ],
    ids=str,
)
def test_what_cannot_be_attacked_is_refused_before_any_release(change: dict[str, Any], line: str) -> None:
    def release(records: Any, generator: torch.Generator) -> Any:
        raise AssertionError("was called")

    chosen = {"neighbours": WORLDS, "trials": 100, "delta": 1e-5} | change
    with pytest.raises(ValueError, match=line):
        attack(release, chosen.pop("neighbours"), **chosen)


def test_releases_of_other_shapes_need_a_score() -> None:
    def grows(records: Any, generator: torch.Generator) -> Any:
        return np.zeros(int(torch.randint(1, 5, (1,), generator=generator)))

    with pytest.raises(ValueError, match=r"release: has \d numbers, and had \d before; give a score"):
        attack(grows, WORLDS, trials=100, delta=1e-5)
    with pytest.raises(ValueError, match="release: has 2 numbers with the record and 1 without it; give a score"):
        attack(lambda records, generator: np.zeros(1 + int(records[0])), WORLDS, trials=100, delta=1e-5)
    found = attack(lambda records, generator: np.zeros(1 + int(records[0])), WORLDS, score=len, trials=100, delta=1e-5)
    assert found.distribution_free.epsilon > 1


def test_a_score_that_is_no_number_ends_the_attack_at_once() -> None:
    released: list[Any] = []

    def release(records: Any, generator: torch.Generator) -> Any:
        released.append(records)
        return np.zeros(1)

    with pytest.raises(ValueError, match="score = nan of release 1: must be a number"):
        attack(release, WORLDS, score=lambda found: float("nan"), trials=100, delta=1e-5)
    assert len(released) == 1


def test_too_many_numbers_to_learn_from_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(any_code, "MOST_NUMBERS", 100)
    with pytest.raises(ValueError, match="release: has 5 numbers, too many to learn a score from; give one"):
        attack(lambda records, generator: np.zeros(5), WORLDS, trials=100, delta=1e-5)
