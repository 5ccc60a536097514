"""WG Figure 5, on the disparate impact, word for word."""

from __future__ import annotations

import itertools
from pathlib import Path

from wassdp.claims.fair_figures import SET, Panels, column
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.plain_tables import experiment_rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-classification")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "disparate impact", column("disparate_impact"), "at most")


def _again(folder: Path) -> dict[str, float]:
    """Means over the seeds, by the budget that was asked for and α."""
    values: dict[str, dict[float, list[float]]] = {}
    for row in experiment_rows(folder, "dp-wasserstein-gradients", "fair-classification"):
        asked = row["parameters.privacy.epsilon"]
        own = values.setdefault(f"ε = {float(asked):g}" if asked else "no noise", {})
        own.setdefault(float(row["parameters.alpha"]), []).append(float(row["disparate_impact"]))
    found = {}
    for privacy, own in values.items():
        weights = sorted(own)
        for before, after in itertools.pairwise(weights):
            name = f"{privacy}, α = {after:g} against {before:g}: disparate impact"
            found[name] = sum(own[after]) / len(own[after])
    return found


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1: 'a progressive reduction of biases, as seen in the decreasing values of the disparate impact'",
    statement="word for word: the disparate impact, P(G = 1 | A = 0) / P(G = 1 | A = 1) by (17), falls at each next α",
    formula="DI(α') ≤ DI(α) at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
    again=_again,
)
