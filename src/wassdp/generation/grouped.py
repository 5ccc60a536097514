"""What releases of the rows of several groups have in common: groups are classes with public labels."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.qualified import qualified
from wassdp.generation.rows import Prepared, Recipe
from wassdp.mechanisms.base import Mechanism

LABELS_PUBLIC = "labels are public: a neighbour has one record replaced inside its class, class sizes fixed"


@dataclass(frozen=True, kw_only=True)
class GroupedRelease(Mechanism):
    """A release of the rows of one group, or of each of several.

    Several are classes with public labels. A record stands in one group, and what the others release does not depend
    on it.

    Args:
        recipe: how images become rows.
        groups: number of records of each group, public; one number unless labels are public.

    Raises:
        ValueError: there is no group, or there are several of rows that hold their labels.
    """

    recipe: Recipe
    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.groups:
            raise ValueError("groups = (): must name the records of at least one group")
        if self.labels_public and self.recipe.entry != "image":
            raise ValueError(f"groups = {self.groups!r}: the entry {self.recipe.entry} keeps labels private")

    @property
    def labels_public(self) -> bool:
        """Whether there are several groups."""
        return len(self.groups) > 1

    def check(self, groups: list[Prepared]) -> None:
        """Refuse groups with other numbers of records.

        Raises:
            ValueError: they have.
        """
        if tuple(map(len, groups)) != self.groups:
            raise ValueError(f"groups: must hold {self.groups} records, not {tuple(map(len, groups))}")

    def qualified(self, releases: Composed) -> Composed:
        """``releases``, said to have public labels where they have."""
        return qualified(releases, notes=(LABELS_PUBLIC,)) if self.labels_public else releases
