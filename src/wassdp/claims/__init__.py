"""What the papers print and state: a file of `printed` per table or passage, one of `verdicts` per statement.

Those that matter most, with the published runs that show what they are worth, are files of `foremost`;
what was found in each published set is a file of `findings`.

A file's name is the claim's name with underscores (``wasserstein_dp_table_2``). Printed values stand nowhere else: such
a file offers ``RECORDS``, a tuple of `PrintedValue`. A claim is no proof: it is set beside what is computed. A
statement that a computation can contradict is a file of `wassdp.claims.verdicts`, with ``CLAIM``, a `Claim`; one about
experiments, which finished results can contradict, a file of `wassdp.claims.measured`.
"""

from __future__ import annotations

from wassdp import complaints
from wassdp.claims.claim import Claim
from wassdp.claims.inequality import Inequality
from wassdp.claims.measurement import Measured
from wassdp.claims.recomputed import Entry, Recomputed
from wassdp.claims.record import PrintedValue
from wassdp.claims.selected import Above, Below, Comparison, Finding, NotAbove, Pick, Printed, SelectedClaim, Shown
from wassdp.claims.verdict import Counterexample, Verdict
from wassdp.plugins import Plugins

__all__ = [
    "FINDINGS",
    "FOREMOST",
    "MEASURED",
    "PAPERS",
    "PRINTED",
    "VERDICTS",
    "Above",
    "Below",
    "Claim",
    "Comparison",
    "Counterexample",
    "Entry",
    "Finding",
    "Inequality",
    "Measured",
    "NotAbove",
    "Pick",
    "Printed",
    "PrintedValue",
    "Recomputed",
    "SelectedClaim",
    "Shown",
    "Verdict",
    "claim",
    "foremost_claims",
    "found_in",
    "load",
    "printed_value",
]
LISTED = "`wassdp claims --list`"
PRINTED = Plugins("wassdp.claims.printed", "claim", joint="-")
VERDICTS = Plugins("wassdp.claims.verdicts", "claim", joint="-", listed=LISTED)
MEASURED = Plugins("wassdp.claims.measured", "claim", joint="-", listed=LISTED)
PAPERS = Plugins("wassdp.claims.papers", "paper", joint="-")
FINDINGS = Plugins("wassdp.claims.findings", "set", joint="-")
FOREMOST = Plugins("wassdp.claims.foremost", "claim", joint="-")


def load(name: str) -> tuple[PrintedValue, ...]:
    """The printed values of one table or passage.

    Raises:
        ValueError: there is no such table or passage.

    >>> load("wasserstein-dp-table-2")[0].paper
    'wasserstein-dp'
    """
    records: tuple[PrintedValue, ...] = PRINTED.offer(name, "RECORDS")
    return records


def claim(name: str) -> Claim:
    """A statement that can be put to the test.

    Raises:
        ValueError: there is no such statement, or its file's is no `Claim`.

    >>> claim("tangent-theorem-3-2").where
    'Theorem 3.2'
    """
    folder = MEASURED if name in MEASURED.names() else VERDICTS
    statement = folder.offer(name, "CLAIM")
    if not isinstance(statement, Claim):
        shown = complaints.shown(statement)
        raise ValueError(f"{folder.module(name)}: CLAIM = {shown}: must be an object of a class derived from Claim")
    return statement


def names() -> tuple[str, ...]:
    """All statements, those about experiments too."""
    return tuple(sorted({*VERDICTS.names(), *MEASURED.names()}))


def printed_value(value: Printed) -> PrintedValue:
    """The printed value that is named.

    Raises:
        ValueError: there is no such table, or no such value in it.

    >>> printed_value(Printed(table="wasserstein-dp-table-2", row="mnist", column="WDP")).delta
    1e-10
    """
    for record in load(value.table):
        if (record.row, record.column) == (value.row, value.column):
            return record
    raise ValueError(f"printed value = {value.row}, {value.column}: does not stand in {value.table}")


def foremost_claims() -> dict[str, SelectedClaim]:
    """The claims that matter most by name, in the order of their places."""
    claims = {name: FOREMOST.offer(name, "CLAIM") for name in FOREMOST.names()}
    return dict(sorted(claims.items(), key=lambda item: item[1].place))


def found_in(set_name: str) -> tuple[Finding, ...]:
    """What was found in the published set of this name; nothing where nobody wrote it down.

    >>> len(found_in("attacks")) > 0, found_in("quick")
    (True, ())
    """
    if set_name not in FINDINGS.names():
        return ()
    found: tuple[Finding, ...] = FINDINGS.offer(set_name, "FINDINGS")
    return found
