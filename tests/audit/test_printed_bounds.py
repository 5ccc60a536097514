"""What is printed of a bound is never more than was bounded, and a confidence never more than there was."""

from __future__ import annotations

import re
from dataclasses import replace

from wassdp.accounting.calibrate import Least
from wassdp.accounting.guarantee import Guarantee
from wassdp.audit.any_code import AttackedCode
from wassdp.audit.bound import Estimate, LowerBound

ESTIMATE = Estimate(
    epsilon=1.23456,
    delta=1.23456789e-5,
    confidence=0.9999999,
    basis="distribution-free",
    statistic="a count",
    trials=10,
    source="a paper",
)


def numbers(text: str, before: str) -> list[float]:
    return [float(found) for found in re.findall(rf"{before}([\d.e+-]*\d)", text)]


def test_an_attacks_text_is_rounded_down_and_a_proofs_up() -> None:
    claimed = Guarantee(
        accountant="pld",
        kind="upper",
        epsilon=2.34512,
        bounded=True,
        delta=1.23456789e-5,
        adjacency="replace-one",
        sampling="full",
        source="a paper",
    )
    text = str(AttackedCode(distribution_free=ESTIMATE, claimed=claimed))
    assert numbers(text, "epsilon >= ") == [1.234]
    assert numbers(text, "epsilon = ") == [2.346]
    assert numbers(text, "confidence ") == [0.9999999]
    assert set(numbers(text, "delta = ")) == {1.23456789e-5}


def test_a_ledgers_note_has_the_confidence_that_there_was() -> None:
    bound = LowerBound(
        estimate=ESTIMATE, attack="a", attacked="a training", pair="two", adjacency="replace-one", sampling="full"
    )
    assert bound.guarantee().assumptions[0] == "distribution-free, confidence 0.9999999: a count"
    usual = replace(bound, estimate=replace(ESTIMATE, confidence=0.95))
    assert usual.guarantee().assumptions[0] == "distribution-free, confidence 0.95: a count"


def test_a_calibrations_note_rounds_budgets_up() -> None:
    note = Least(noise=1.0, epsilon=0.12345642, jump=0.5000001).note
    assert note is not None
    assert numbers(note, "epsilon = ") == [0.123457, 0.500001]
