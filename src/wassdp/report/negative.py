"""Results that came out against a method, from published sets: sentences whose figures are read, not written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wassdp.accounting.rounding import rounded, worst
from wassdp.claims.measurement import Row, mean, number, runs
from wassdp.files import RUNS, find_table

SLICED, EQUAL = "dp-sliced-wasserstein", "equal-budgets"
GRADIENT = "Wasserstein gradient, private encoder"


def sentences(folder: Path) -> list[str]:
    """All of them that the published sets in ``folder`` bear out or not: figures stand as they are.

    Raises:
        ValueError: a set is there, and has no run of a setting that a sentence is about.
    """
    found = [
        *(_against_source_only(folder, task) for task in ("usps-mnist", "mnist-usps")),
        _noise_alone(folder),
        _mistuned(folder),
    ]
    return [text for text in found if text]


def _against_source_only(folder: Path, task: str) -> str:
    labels = ("source only, dropout in 1 epoch", "DP-SWD, as published")
    alone, private = (_of(folder, SLICED, f"adaptation-{task}", label, seed="0") for label in labels)
    if not alone or not private:
        return ""
    return (
        f"DP-SWD as published, {task.replace('-', ' to ')}, seed 0: {_percent(private)}; training on the source alone, "
        f"with the authors' dropout in one epoch: {_percent(alone)}."
    )


def _noise_alone(folder: Path) -> str:
    experiment = "adaptation-gradient-usps-mnist"
    budgets = [1, 3, 10]
    own = [_of(folder, EQUAL, experiment, f"{GRADIENT}, ε = {budget}", exact=True) for budget in budgets]
    noise = [_of(folder, EQUAL, experiment, f"{GRADIENT}, noise alone, that of ε = {budget}") for budget in budgets]
    if not all(own) or not all(noise):
        return ""
    return (
        f"The private Wasserstein gradient in an encoder that both sides share, usps to mnist, ε = 1, 3, 10, mean of "
        f"{len(own[0])} seeds: {', '.join(map(_percent, own))}; its noise alone: {', '.join(map(_percent, noise))}."
    )


def _mistuned(folder: Path) -> str:
    labels = ("DP-DANN, σ = 17", "DP-DANN, ε = 10")
    published, ten = (_of(folder, SLICED, "adaptation-mnist-usps", label) for label in labels)
    if not published or not ten:
        return ""
    proven = rounded(worst((number(row, "epsilon/upper/pld") for row in published), "upper"), "upper", digits=2)
    return (
        f"DP-DANN, mnist to usps: {_percent(published)} with σ = 17 ({_seeds(published)}), a proven ε of {proven}, but "
        f"{_percent(ten)} at ε = 10 ({_seeds(ten)}): the settings at ε = 10 were not tuned, so that this is no result "
        f"about DP-DANN."
    )


def _of(
    folder: Path, published: str, experiment: str, label: str, *, exact: bool = False, seed: str | None = None
) -> list[Row]:
    """Runs of a setting; none where its set is not there, as among results of one's own."""
    found = [
        row
        for row in runs(folder, published, experiment)
        if (row["label"] == label or (not exact and row["label"].startswith(label))) and seed in (None, row["seed"])
    ]
    if not found and find_table(folder / published, RUNS).is_file():
        raise ValueError(f"label = {label!r}: is of no run of {experiment} in {published}, as a negative result needs")
    return found


def _seeds(rows: Sequence[Row]) -> str:
    return f"seed {rows[0]['seed']}" if len(rows) == 1 else f"mean of {len(rows)} seeds"


def _percent(rows: Sequence[Row]) -> str:
    return f"{100 * mean(rows, 'accuracy'):.1f} %"
