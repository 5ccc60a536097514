"""What the gradients paper says of its figures with a fairness penalty, as entries over runs of the same seeds.

Two sentences come back at every figure: the penalty brings the groups closer as its weight α rises, and privacy does
not change the results much. "Much" is read here as more than a twentieth: of the penalised loss, of the groups'
distance without penalty and noise, and of 1 for shares and indices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean

from wassdp.claims.measurement import Row, Rows, mean, number
from wassdp.claims.paired_seeds import paired
from wassdp.claims.recomputed import Entry, Relation

SET = "dp-wasserstein-gradients"
OPEN = "the optimiser and the initial weights"
WITHOUT = "no noise"
SLIGHT = 0.05

Figure = Callable[[Row], float]


@dataclass(frozen=True, kw_only=True)
class Panels:
    """Panels of a figure.

    Args:
        experiment: its name.
        shares: columns printed above the panels that lie in [0, 1], or near 1.
        unfair: how far the groups are apart by the printed indices, 0 if they are alike, by name.
        weights: values of α that the figure has; empty: all that were run.
        budgets: the same of ε, beside no noise.
    """

    experiment: str
    shares: tuple[str, ...] = ("accuracy",)
    unfair: Mapping[str, Figure] = field(default_factory=dict)
    weights: Collection[float] = ()
    budgets: Collection[float] = ()

    def penalty(self, rows: Rows) -> list[Entry]:
        """Distance of the groups and printed indices, for each budget and each next value of α."""
        figures = {"distance of the groups": column("distance")} | dict(self.unfair)
        return [entry for name, figure in figures.items() for entry in self.over_weights(rows, name, figure, "at most")]

    def loss(self, rows: Rows) -> list[Entry]:
        """The penalised loss, for each α and each budget, against that without noise."""
        cells = self._cells(rows)
        entries = []
        for (weight, privacy), runs in cells.items():
            if privacy != WITHOUT:
                pair = paired(cells[weight, WITHOUT], runs, column("objective"))
                name, digit = f"α = {weight:g}, {privacy}: penalised loss", SLIGHT * abs(pair.before)
                entries.append(_entry(name, pair.before, pair.after, pair.spread, "at most", digit))
        return entries

    def over_weights(
        self, rows: Rows, name: str, figure: Figure, relation: Relation, *, slack: float = 0.0
    ) -> list[Entry]:
        """One figure at each next α against the one before, for each budget, up to a share of that at the first α."""
        cells = self._cells(rows)
        entries = []
        for privacy in dict.fromkeys(privacy for _, privacy in cells):
            weights = sorted(weight for weight, own in cells if own == privacy)
            digit = slack * fmean(figure(row) for row in cells[weights[0], privacy])
            for low, high in pairwise(weights):
                pair = paired(cells[low, privacy], cells[high, privacy], figure)
                about = f"{privacy}, α = {high:g} against {low:g}: {name}"
                entries.append(_entry(about, pair.before, pair.after, pair.spread, relation, digit))
        return entries

    def privacy(self, rows: Rows) -> list[Entry]:
        """Loss, distance and printed shares, for each α and each budget against no noise."""
        cells = self._cells(rows)
        apart = mean(cells[min(weight for weight, _ in cells), WITHOUT], "distance")
        judged = [
            ("distance of the groups", "distance", SLIGHT * apart),
            *((name.replace("_", " "), name, SLIGHT) for name in self.shares),
        ]
        entries = self.loss(rows)
        for (weight, privacy), runs in cells.items():
            for name, own, digit in judged if privacy != WITHOUT else ():
                pair = paired(cells[weight, WITHOUT], runs, column(own))
                about = f"α = {weight:g}, {privacy}: {name}"
                entries.append(_entry(about, pair.before, pair.after, pair.spread, "is", digit))
        return entries

    def _cells(self, rows: Rows) -> dict[tuple[float, str], list[Row]]:
        """Runs by α and budget; budgets by their ε alone."""
        cells: dict[tuple[float, str], list[Row]] = {}
        for row in rows[self.experiment]:
            weight, budget = number(row, "parameters.alpha"), row["parameters.privacy.epsilon"]
            if self.weights and weight not in self.weights:
                continue
            if budget and self.budgets and float(budget) not in self.budgets:
                continue
            privacy = f"ε = {float(budget):g}" if budget else WITHOUT
            cells.setdefault((weight, privacy), []).append(row)
        return cells


def column(name: str) -> Figure:
    """The figure of a column."""
    return lambda row: number(row, name)


def off_one(name: str) -> Figure:
    """How far a quotient of rates is from 1, either way."""
    return lambda row: abs(1 - number(row, name))


def of_each(
    experiments: Collection[str], judged: Callable[[Panels, Rows], list[Entry]]
) -> Callable[[Rows], list[Entry]]:
    """Entries of several experiments, all that was run of each; their names begin with its own.

    Args:
        experiments: their names.
        judged: `Panels.penalty`, `Panels.loss` or `Panels.privacy`.
    """

    def entries(rows: Rows) -> list[Entry]:
        found = {name: judged(Panels(experiment=name), rows) for name in experiments}
        return [replace(entry, name=f"{name}, {entry.name}") for name, own in found.items() for entry in own]

    return entries


def _entry(name: str, before: float, after: float, spread: float, relation: Relation, digit: float) -> Entry:
    return Entry(name=name, printed=before, found=after, digit=digit, spread=spread, relation=relation)
