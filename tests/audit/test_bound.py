"""What a lower bound says, and what it refuses to say."""

import dataclasses

import numpy as np
import pytest

from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.audit.any_code import AttackedCode
from wassdp.audit.bound import Estimate, LowerBound
from wassdp.audit.game import Game, play
from wassdp.audit.scores import Scores
from wassdp.noise import Bits

ESTIMATE = Estimate(
    epsilon=0.5, delta=1e-5, confidence=0.95, basis="distribution-free", statistic="counting", trials=10, source="none"
)


def test_a_family_based_figure_is_never_named_as_a_distribution_free_one() -> None:
    bound = LowerBound(
        estimate=ESTIMATE, attack="mechanism", attacked="x", pair="0 and 1", adjacency="add-remove", sampling="full"
    )
    family = dataclasses.replace(bound, estimate=dataclasses.replace(ESTIMATE, basis="family-based", fit=0.4))
    assert (bound.guarantee().label, family.guarantee().label) == ("lower/mechanism", "lower/mechanism_family")
    assert "distribution-free, confidence 0.95: counting" in bound.guarantee().assumptions


def test_no_test_of_fit_is_not_shown_as_a_perfect_fit() -> None:
    shown = {}
    for fit in (None, 1.0, 0.0321):
        estimate = dataclasses.replace(ESTIMATE, basis="family-based", fit=fit)
        bound = LowerBound(
            estimate=estimate, attack="mechanism", attacked="x", pair="0, 1", adjacency="add-remove", sampling="full"
        )
        (note,) = (each for each in bound.guarantee().assumptions if "fit" in each)
        attacked = AttackedCode(distribution_free=ESTIMATE, family_based=estimate)
        shown[fit] = note.removeprefix("the scores' fit to the family: "), str(attacked).rpartition(", fit ")[2]
    assert shown == {
        None: ("not tested", "not tested)"),
        1.0: ("p = 1", "p = 1)"),
        0.0321: ("p = 0.032", "p = 0.032)"),
    }
    assert "fit" not in str(AttackedCode(distribution_free=ESTIMATE))


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": -0.1},
        {"epsilon": float("nan")},
        {"confidence": 1.0},
        {"confidence": 0.0},
        {"delta": 1.0},
        {"trials": 0},
        {"fit": 0.5},
        {"fit": 1.5, "basis": "family-based"},
    ],
    ids=str,
)
def test_arguments_out_of_range_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(change))} = |fit = "):
        dataclasses.replace(ESTIMATE, **change)  # type: ignore[arg-type]


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="absent: must be numbers"):
        Scores(np.zeros(3), np.array([0.0, np.nan]))
    with pytest.raises(ValueError, match="present has shape"):
        Scores(np.zeros(0), np.zeros(1))


def test_a_split_keeps_every_score_once() -> None:
    scores = Scores(np.arange(10.0), np.arange(100.0, 105.0))
    choose, count = scores.split(0.4)
    np.testing.assert_array_equal(np.concatenate((choose.present, count.present)), scores.present)
    np.testing.assert_array_equal(np.concatenate((choose.absent, count.absent)), scores.absent)
    assert (choose.present.size, choose.absent.size) == (4, 2)


class Coins(Game):
    neighbours = "none"

    def event(self) -> Event:
        return Gaussian(noise_multiplier=1.0, adjacency="add-remove")

    def scores(self, *, present: bool, trials: int, generator: Bits) -> np.ndarray:
        return generator.words(trials).astype(np.float64)


def test_the_worlds_draw_from_streams_of_their_own_and_a_seed_repeats_them() -> None:
    first, again, other = (play(Coins(), trials=5, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.present, again.present)
    np.testing.assert_array_equal(first.absent, again.absent)
    assert not np.isin(first.present, np.concatenate((first.absent, other.present, other.absent))).any()
