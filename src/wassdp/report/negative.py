"""Results that came out against a method, from published sets: sentences whose figures are read, not written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wassdp.accounting.rounding import rounded
from wassdp.claims.measurement import Row, mean, runs

SLICED, EQUAL = "dp-sliced-wasserstein", "equal-budgets"
GRADIENT = "Wasserstein gradient, private encoder"


def sentences(folder: Path) -> list[str]:
    """All of them that the published sets in ``folder`` bear out or not: figures stand as they are."""
    found = [
        *(_against_source_only(folder, task) for task in ("usps-mnist", "mnist-usps")),
        _noise_alone(folder),
        _mistuned(folder),
    ]
    return [text for text in found if text]


def _against_source_only(folder: Path, task: str) -> str:
    rows = [row for row in runs(folder, SLICED, f"adaptation-{task}") if row["seed"] == "0"]
    alone, private = _of(rows, "source only, dropout in 1 epoch"), _of(rows, "DP-SWD, as published")
    if not alone or not private:
        return ""
    return (
        f"DP-SWD as published, {task.replace('-', ' to ')}, seed 0: {_percent(private)}; training on the source alone, "
        f"with the authors' dropout in one epoch: {_percent(alone)}."
    )


def _noise_alone(folder: Path) -> str:
    rows = runs(folder, EQUAL, "adaptation-gradient-usps-mnist")
    budgets = [1, 3, 10]
    own = [_of(rows, f"{GRADIENT}, ε = {budget}", exact=True) for budget in budgets]
    noise = [_of(rows, f"{GRADIENT}, noise alone, that of ε = {budget}") for budget in budgets]
    if not all(own) or not all(noise):
        return ""
    return (
        f"The private Wasserstein gradient in an encoder that both sides share, usps to mnist, ε = 1, 3, 10, mean of "
        f"{len(own[0])} seeds: {', '.join(map(_percent, own))}; its noise alone: {', '.join(map(_percent, noise))}."
    )


def _mistuned(folder: Path) -> str:
    rows = runs(folder, SLICED, "adaptation-mnist-usps")
    published, ten = _of(rows, "DP-DANN, σ = 17"), _of(rows, "DP-DANN, ε = 10")
    if not published or not ten:
        return ""
    proven = rounded(mean(published, "epsilon/upper/pld"), "upper", digits=2)
    return (
        f"DP-DANN, mnist to usps, seed 0: {_percent(published)} with σ = 17, a proven ε of {proven}, but "
        f"{_percent(ten)} at ε = 10: the settings at ε = 10 were not tuned, so that this is no result about DP-DANN."
    )


def _of(rows: Sequence[Row], label: str, *, exact: bool = False) -> list[Row]:
    return [row for row in rows if row["label"] == label or (not exact and row["label"].startswith(label))]


def _percent(rows: Sequence[Row]) -> str:
    return f"{100 * mean(rows, 'accuracy'):.1f} %"
