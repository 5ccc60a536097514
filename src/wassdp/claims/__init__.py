"""What the papers print and state: a file of `printed` per table or passage, one of `verdicts` per statement.

A file's name is the claim's name with underscores (``wasserstein_dp_table_2``). Printed values stand nowhere else: such
a file offers ``RECORDS``, a tuple of `PrintedValue`. A claim is no proof: it is set beside what is computed. A
statement that a computation can contradict is a file of `wassdp.claims.verdicts`, with ``CLAIM``, a `Claim`.
"""

from __future__ import annotations

from wassdp.claims.record import PrintedValue
from wassdp.claims.verdict import Claim, Verdict
from wassdp.plugins import Plugins

__all__ = ["PRINTED", "VERDICTS", "Claim", "PrintedValue", "Verdict", "claim", "load"]
PRINTED = Plugins("wassdp.claims.printed", "claim", joint="-")
VERDICTS = Plugins("wassdp.claims.verdicts", "claim", joint="-")


def load(name: str) -> tuple[PrintedValue, ...]:
    """The printed values of one table or passage.

    Raises:
        ValueError: there is no such table or passage.

    >>> load("wasserstein-dp-table-2")[0].paper
    'wasserstein-dp'
    """
    records: tuple[PrintedValue, ...] = PRINTED.load(name).RECORDS
    return records


def claim(name: str) -> Claim:
    """A statement that can be put to the test.

    Raises:
        ValueError: there is no such statement.

    >>> claim("tangent-theorem-3-2").where
    'TDP Theorem 3.2'
    """
    statement: Claim = VERDICTS.load(name).CLAIM
    return statement
