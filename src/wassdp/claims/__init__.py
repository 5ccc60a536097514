"""What the papers print: one file per table or passage, found by listing. Printed values stand nowhere else.

A file's name is the printed thing's name with underscores (``wasserstein_dp_table_2``); it offers ``RECORDS``, a
tuple of `Record`. A claim is no proof: it is set beside what is computed. Statements that a computation can contradict
are in `wassdp.claims.verdicts`.
"""

from __future__ import annotations

import importlib
import pkgutil

from wassdp import checks
from wassdp.claims.record import Record

__all__ = ["Record", "load", "names"]


def names() -> tuple[str, ...]:
    """Names of all that is kept here.

    >>> "wasserstein-dp-table-2" in names()
    True
    """
    found = (item.name for item in pkgutil.iter_modules(__path__) if not item.ispkg and item.name != "record")
    return tuple(sorted(name.replace("_", "-") for name in found))


def load(name: str) -> tuple[Record, ...]:
    """The printed values of one table or passage.

    Raises:
        ValueError: there is no such table or passage.
    """
    checks.one_of("claim", name, names())
    records: tuple[Record, ...] = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").RECORDS
    return records
