"""Generated images with noise beside those of the same reading without: DP-SWD's Figures 4 and 5.

The paper leaves open how labels enter the distance and whether rows are scaled; each reading stands for itself, beside
its own without noise: after as many steps where that was run, else after a tenth of them.
"""

from __future__ import annotations

from collections.abc import Callable

from wassdp.claims.measurement import Row, Rows, labelled, mean, number
from wassdp.claims.recomputed import Entry, Relation

SET = "dp-sliced-wasserstein"
OPEN = "how labels enter the distance, and whether rows are scaled; each reading stands for itself, over its seeds"
FRECHET, BUDGET = "frechet_scattering", ", ε = 10"


def experiments(data: str) -> tuple[tuple[str, str], ...]:
    """All steps, and a tenth of them, in each reading."""
    return tuple((SET, f"generation-readings-{part}{data}") for part in ("", "tenth-"))


def beside_no_noise(data: str, column: str, relation: Relation, *, share: float = 1.0) -> Callable[[Rows], list[Entry]]:
    """Entries: a figure of each run with noise, against a share of that of its reading without, a mean over seeds."""

    def entries(rows: Rows) -> list[Entry]:
        (_, whole), (_, tenth) = experiments(data)
        plain: dict[tuple[str, str], list[Row]] = {}
        for name in (whole, tenth):
            for row in labelled(rows[name], "SWD"):
                plain.setdefault((name, row["method"]), []).append(row)

        def without(name: str, row: Row) -> list[Row]:
            method = row["method"].removeprefix("DP-")
            return plain.get((name, method)) or plain.get((tenth, method), [])

        return [
            Entry(
                name=f"{row['label']}, {number(row, 'steps'):,.0f} steps: {column}",
                printed=share * mean(without(name, row), column),
                found=number(row, column),
                relation=relation,
            )
            for name in (whole, tenth)
            for row in labelled(rows[name], "DP-SWD")
        ]

    return entries


def proven_or_published(data: str) -> tuple[tuple[str, str], ...]:
    """Runs at equal proven budgets, DP-MERF's among them, and the readings at the published noise."""
    return (("equal-budgets", f"generation-{data}"), *experiments(data))


def beside_merf(data: str) -> Callable[[Rows], list[Entry]]:
    """Entries: how far images of DP-SWD are from real ones, against DP-MERF's, each the mean over its seeds."""

    def entries(rows: Rows) -> list[Entry]:
        (_, budgets), *_ = proven_or_published(data)
        merf = [row for row in rows[budgets] if row["label"] == f"DP-MERF{BUDGET}"]
        settings: dict[tuple[str, str], list[Row]] = {}
        for _, name in proven_or_published(data):
            for row in labelled(rows[name], "DP-SWD"):
                if row["label"].endswith(BUDGET) or ", σ = " in row["label"]:
                    settings.setdefault((name, row["label"]), []).append(row)
        return [
            Entry(
                name=f"{label}, {number(same[0], 'steps'):,.0f} steps: Fréchet distance against DP-MERF's",
                printed=mean(merf, FRECHET),
                found=mean(same, FRECHET),
                relation="at most",
            )
            for (_, label), same in settings.items()
        ]

    return entries
