"""What of the four papers is here: every item, its code, its experiments and their results, its verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from wassdp import checks
from wassdp.claims import PAPERS
from wassdp.claims.checking import Checked
from wassdp.claims.item import Item
from wassdp.files import RUNS, find_table, table_rows
from wassdp.report import seed_counts

COLUMNS = (
    "paper",
    "item",
    "kind",
    "title",
    "implemented",
    "experiments",
    "published",
    "seeds",
    "missing",
    "claim",
    "verdict",
    "statement",
    "formula",
    "place",
    "figure",
    "counterexample",
)
SEARCHED = ("figure", "counterexample")  # columns that depend on how many cases were tried
NO_RESULT = "no published result"


@dataclass(frozen=True)
class Published:
    """Finished runs: by experiment, their sets and their settings' seeds; and how many it is to have.

    Args:
        places: published sets by experiment.
        seeds: by experiment, of each setting.
        configured: numbers of seeds and of runs by experiment.
    """

    places: Mapping[str, frozenset[str]]
    seeds: Mapping[str, Mapping[str, frozenset[str]]]
    configured: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, configured: Mapping[str, tuple[int, int]]) -> Published:
        """From published sets, folders with a table of runs each."""
        places: dict[str, set[str]] = {}
        found: dict[str, dict[str, set[str]]] = {}
        for path in (find_table(place, RUNS) for place in sorted(folder.iterdir())):
            for row in table_rows(path) if path.is_file() else ():
                places.setdefault(row["experiment"], set()).add(path.parent.name)
                found.setdefault(row["experiment"], {}).setdefault(row["label"], set()).add(row["seed"])
        frozen = {name: {key: frozenset(seeds) for key, seeds in own.items()} for name, own in found.items()}
        return cls({name: frozenset(sets) for name, sets in places.items()}, frozen, configured)

    def sets(self, experiments: Iterable[str]) -> list[str]:
        """Published sets that have runs of these experiments."""
        return sorted({name for experiment in experiments for name in self.places.get(experiment, ())})

    def counted(self, experiment: str) -> str:
        """Seeds with results, of those configured, as of its settings."""
        seeds, runs = self.configured.get(experiment, (None, None))
        own = [len(each) for each in self.seeds.get(experiment, {}).values()]
        return seed_counts.counted(own, seeds=seeds, runs=runs).removesuffix(" of ?")


def frame(checked: Sequence[Checked], published: Published) -> pd.DataFrame:
    """One row per item and claim about it; an item without a claim has one row.

    A claim belongs to the item of its paper with the longest name that covers its own; one that no item covers is an
    item of its own.

    Raises:
        ValueError: a claim's paper is none of `wassdp.claims.papers`: no page would show it.
    """
    for each in checked:
        checks.one_of(f"paper of claim {each.name}", each.claim.paper, PAPERS.names())
    rows = []
    for paper in PAPERS.names():
        items: list[Item] = list(PAPERS.offer(paper, "TITLE", "ITEMS"))
        own: dict[str, list[Checked]] = {item.name: [] for item in items}
        for each in (each for each in checked if each.claim.paper == paper):
            covering = [item.name for item in items if item.covers(each.claim.item)]
            name = max(covering, key=len, default=each.claim.item)
            if not covering:
                items.append(Item(name=name, kind="sentence", title=each.claim.statement))
            own.setdefault(name, []).append(each)
        rows += [row for item in items for row in _rows(paper, item, own[item.name], published)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(paper: str, item: Item, checked: Sequence[Checked], published: Published) -> Iterator[dict[str, str]]:
    about = {
        "paper": paper,
        "item": item.name,
        "kind": item.kind,
        "title": item.title,
        "implemented": ", ".join(item.code),
        "experiments": ", ".join(item.experiments),
        "published": ", ".join(published.sets(item.experiments)),
        "seeds": ", ".join(f"{name}: {published.counted(name)}" for name in item.experiments),
        "missing": item.missing,
    }
    if not checked:
        yield about | dict.fromkeys(COLUMNS[len(about) :], "")
    for each in checked:
        example = each.verdict.counterexample
        yield about | {
            "claim": each.name,
            "verdict": each.verdict.status,
            "statement": each.claim.statement,
            "formula": each.claim.formula,
            "place": each.claim.place,
            "figure": each.verdict.figure,
            "counterexample": "" if example is None else example.words,
        }


def unexplained(table: pd.DataFrame) -> list[str]:
    """Items that have neither a verdict nor a reason why not. Results that are not there give no verdict."""
    judged = table[~table["verdict"].isin(("", "not measured here"))]
    explained = pd.concat([judged, table[table["missing"] != ""]])
    known = set(zip(explained["paper"], explained["item"], strict=True))
    every = dict.fromkeys(zip(table["paper"], table["item"], strict=True))
    return [f"{paper}: {item}" for paper, item in every if (paper, item) not in known]
