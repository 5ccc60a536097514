"""Generated images with noise beside those of the same reading without: DP-SWD's Figures 4 and 5.

The paper leaves open how labels enter the distance and whether rows are scaled; each reading stands for itself, a mean
over its seeds, beside its own without noise: after as many steps where that was run, else after a tenth of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wassdp.claims.measurement import Row, Rows, labelled, mean, number
from wassdp.claims.paired_seeds import paired
from wassdp.claims.recomputed import Entry, Relation

SET = "dp-sliced-wasserstein"
OPEN = (
    "how labels enter the distance, and whether rows are scaled; each reading stands for itself, a mean over its seeds"
)
FRECHET, BUDGET = "frechet_scattering", ", ε = 10"


def experiments(data: str) -> tuple[tuple[str, str], ...]:
    """All steps, and a tenth of them, in each reading."""
    return tuple((SET, f"generation-readings-{part}{data}") for part in ("", "tenth-"))


def beside_no_noise(data: str, column: str, relation: Relation, *, share: float = 1.0) -> Callable[[Rows], list[Entry]]:
    """A figure of each setting with noise, against a share of that of its reading without; means over seeds."""

    def entries(rows: Rows) -> list[Entry]:
        names = [name for _, name in experiments(data)]
        plain = _grouped((name, row["method"], row) for name in names for row in labelled(rows[name], "SWD"))
        private = _grouped((name, row["label"], row) for name in names for row in labelled(rows[name], "DP-SWD"))
        (_, tenth), part = names, "" if share == 1 else f"{share:g} of "
        found = []
        for (name, label), noisy in private.items():
            method = noisy[0]["method"].removeprefix("DP-")
            public = plain.get((name, method)) or plain.get((tenth, method), [])
            found.append(
                Entry(
                    name=f"{label}, {_steps(noisy)}, {_seeds(noisy)}: {column} against {part}{_against(public, noisy)}",
                    printed=share * mean(public, column),
                    found=mean(noisy, column),
                    spread=_spread(public, noisy, column, share),
                    relation=relation,
                )
            )
        return found

    return entries


def _grouped(named: Iterable[tuple[str, str, Row]]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for name, setting, row in named:
        groups.setdefault((name, setting), []).append(row)
    return groups


def _against(public: Sequence[Row], noisy: Sequence[Row]) -> str:
    """What the runs without noise are, with their steps where they had fewer."""
    fewer = f" after {_steps(public)} only" if public and _steps(public) != _steps(noisy) else ""
    return f"SWD's{fewer}, {_seeds(public)}"


def _steps(runs: Sequence[Row]) -> str:
    return f"{number(runs[0], 'steps'):,.0f} steps"


def _seeds(runs: Sequence[Row]) -> str:
    return "1 seed" if len(runs) == 1 else f"{len(runs)} seeds"


def _spread(public: Sequence[Row], noisy: Sequence[Row], column: str, share: float) -> float:
    """What the seeds may make of the difference; 0, as not known, where the sides have other seeds or one alone."""
    if len(noisy) < 2 or {row["seed"] for row in public} != {row["seed"] for row in noisy}:
        return 0.0
    before, after = (
        [{"seed": row["seed"], "figure": repr(factor * number(row, column))} for row in rows]
        for factor, rows in ((share, public), (1.0, noisy))
    )
    return paired(before, after, lambda row: float(row["figure"])).spread


def proven_or_published(data: str) -> tuple[tuple[str, str], ...]:
    """Runs at equal proven budgets, DP-MERF's among them, and the readings at the published noise."""
    return (("equal-budgets", f"generation-{data}"), *experiments(data))


def beside_merf(data: str) -> Callable[[Rows], list[Entry]]:
    """Entries: how far images of DP-SWD are from real ones, against DP-MERF's, each the mean over its seeds."""

    def entries(rows: Rows) -> list[Entry]:
        (_, budgets), *_ = proven_or_published(data)
        merf = [row for row in rows[budgets] if row["label"] == f"DP-MERF{BUDGET}"]
        settings = _grouped(
            (name, row["label"], row)
            for _, name in proven_or_published(data)
            for row in labelled(rows[name], "DP-SWD")
            if row["label"].endswith(BUDGET) or ", σ = " in row["label"]
        )
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
