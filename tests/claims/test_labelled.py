"""Runs are picked by whole parts of their labels."""

from __future__ import annotations

import pytest

from wassdp.claims.measurement import labelled

LABELS = ("DANN", "DP-DANN, σ = 1", "DP-DANN, σ = 14.65", "DP-DANN, σ = 17", "DP-DANN, σ = 1, dropout")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("DANN", ["DANN"]),
        ("DP-DANN, σ = 1", ["DP-DANN, σ = 1", "DP-DANN, σ = 1, dropout"]),
        ("DP-DANN, σ = 17", ["DP-DANN, σ = 17"]),
        ("DP-DANN", list(LABELS[1:])),
        ("DP", []),
    ],
)
def test_a_part_of_a_label_is_not_the_beginning_of_a_longer_one(asked: str, found: list[str]) -> None:
    assert [row["label"] for row in labelled([{"label": label} for label in LABELS], asked)] == found
