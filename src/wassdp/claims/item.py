"""One numbered item of a paper, or one that is named: what it is, where it stands, and what of it is here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "definition",
    "proposition",
    "property",
    "lemma",
    "theorem",
    "corollary",
    "remark",
    "equation",
    "algorithm",
    "table",
    "figure",
    "sentence",
    "appendix",
]


@dataclass(frozen=True, kw_only=True)
class Item:
    """A statement, table or figure of a paper.

    Args:
        name: as the paper calls it: ``Theorem 2``. Claims about it have an item that begins so.
        kind: what it is.
        title: what it is about, in a few words.
        code: where it is implemented: ``module:name`` of this package.
        experiments: names in presets whose runs are about it.
        missing: what is not here, and why; empty if nothing is missing.
    """

    name: str
    kind: Kind
    title: str
    code: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    missing: str = ""

    def covers(self, name: str) -> bool:
        """Whether a claim with this item is about this one.

        >>> item = Item(name="Lemma 2", kind="lemma", title="sensitivity")
        >>> [item.covers(name) for name in ("Lemma 2", "Lemma 2, for images", "Lemma 21", "Lemma 1")]
        [True, True, False, False]
        """
        return re.fullmatch(rf"{re.escape(self.name)}(?:[^\w.].*)?", name) is not None
