"""What the papers print: one file of `printed` per table or passage. Printed values stand nowhere else.

A file's name is the printed thing's name with underscores (``wasserstein_dp_table_2``); it offers ``RECORDS``, a
tuple of `Record`. A claim is no proof: it is set beside what is computed. Statements that a computation can contradict
are in `wassdp.claims.verdicts`.
"""

from __future__ import annotations

from wassdp.claims.record import Record
from wassdp.plugins import Plugins

__all__ = ["PRINTED", "Record", "load", "names"]
PRINTED = Plugins("wassdp.claims.printed", "claim", joint="-")


def names() -> tuple[str, ...]:
    """Names of all that is kept here.

    >>> "wasserstein-dp-table-2" in names()
    True
    """
    return PRINTED.names()


def load(name: str) -> tuple[Record, ...]:
    """The printed values of one table or passage.

    Raises:
        ValueError: there is no such table or passage.
    """
    records: tuple[Record, ...] = PRINTED.load(name).RECORDS
    return records
