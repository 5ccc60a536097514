"""The ledger's three files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wassdp.files import write_text
from wassdp.pipeline.collect import write_csv
from wassdp.pipeline.plan import Plan
from wassdp.report import ledger, ledger_text
from wassdp.result import Result


def write(folder: Path, plan: Plan, found: Mapping[str, Result], *, remark: str | None = None) -> int:
    """Write ``ledger.md``, ``ledger.csv`` and ``ledger.json`` into ``folder``, each whole or not at all.

    Args:
        folder: where to.
        plan: whose runs.
        found: results by run.
        remark: a line about all of them.

    Returns:
        The number of rows.
    """
    frame = ledger.ledger(plan, found)
    rows = frame.assign(remark=[_joined(remark, own) for own in frame["remark"]]) if remark else frame
    write_csv(folder / "ledger.csv", rows)
    write_text(folder / "ledger.json", ledger.as_json(frame, preset=plan.preset, remark=remark))
    write_text(folder / "ledger.md", ledger_text.markdown(frame, preset=plan.preset, remark=remark))
    return len(frame)


def _joined(remark: str, own: str) -> str:
    """A CSV file has no head: what is said of all rows stands in each."""
    return f"{remark}; {own}" if own else remark
