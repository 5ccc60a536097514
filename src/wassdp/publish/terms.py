"""What the figures of a sentence rest on: δ and neighbouring relation of its budgets, and how settings were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wassdp.accounting.rounding import rounded
from wassdp.claims import Pick
from wassdp.report.frames import relation
from wassdp.report.picked import Runs
from wassdp.selection import NONE, NOT_RECORDED

MOST = 3
"""Terms of one kind that a sentence names; beyond these the ledger does."""


def terms(picks: Mapping[str, Pick], runs: Runs) -> str:
    """A sentence to stand behind the one with the figures; empty where they have neither budget nor accuracy.

    Args:
        picks: the figures.
        runs: reads the runs that they are of.

    Raises:
        ValueError: runs are not there.
    """
    told = [_budgets(picks.values(), runs), _choices(picks.values(), runs)]
    found = "; ".join(filter(None, told))
    return f"({found[0].upper()}{found[1:]}.)" if found else ""


def _budgets(picks: Iterable[Pick], runs: Runs) -> str:
    found: dict[str, list[str]] = {}
    for pick in picks:
        kind, _, accountant = pick.column.removeprefix("epsilon/").partition("/")
        if pick.column.startswith("epsilon/") and accountant:
            rows = runs(pick.runs)
            columns = [f"{name}/{kind}/{accountant}" for name in ("delta", "adjacency", "sampling")]
            for delta, adjacency, sampling in rows[columns].dropna().drop_duplicates().itertuples(index=False):
                deltas = found.setdefault(relation(adjacency, sampling), [])
                if (shown := rounded(float(delta), "published", digits=3)) not in deltas:
                    deltas.append(shown)
    if not found:
        return ""
    if len(found) > MOST or any(len(deltas) > MOST for deltas in found.values()):
        return "δ and neighbouring relation of each budget: in the ledger"
    return "; ".join(f"{each}, δ = {' or '.join(deltas)}" for each, deltas in found.items())


def _choices(picks: Iterable[Pick], runs: Runs) -> str:
    """How the settings with an accuracy were chosen: optimistic where test accuracies had a part in it."""
    facts: dict[str, None] = {}
    for pick in picks:
        if not pick.column.startswith(("epsilon/", "delta/")):
            facts |= dict.fromkeys(runs(pick.runs)["selection"].fillna(NOT_RECORDED).astype(str))
    facts.pop(NONE, None)
    return f"settings chosen by: {' / '.join(facts)}" if facts else ""
