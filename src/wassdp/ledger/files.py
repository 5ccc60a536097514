"""The ledger's files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wassdp.files import PACKED, find_table, write_text
from wassdp.ledger import claimed, text
from wassdp.ledger.rows import as_json, ledger
from wassdp.pipeline.collect import write_csv
from wassdp.pipeline.plan import Plan
from wassdp.report import style
from wassdp.result import Result

OWN = "ledger.csv"
"""The long form in a results folder; in a published one it is packed, in a thirtieth of the size."""
KEPT = OWN + PACKED


def write(folder: Path, plan: Plan, found: Mapping[str, Result], *, remarks: Mapping[str, str] | None = None) -> int:
    """Write ``ledger.md``, ``.csv`` and ``.json`` and its picture into ``folder``, each whole or not at all.

    Args:
        folder: where to.
        plan: whose runs.
        found: results by run.
        remarks: run to what is said of it. What is said of all runs stands on top, anything else in the runs' rows.

    Returns:
        The number of rows.
    """
    frame = ledger(plan, found)
    said = {} if remarks is None else remarks
    own = [_joined(said.get(run), remark) for run, remark in zip(frame["run"], frame["remark"], strict=True)]
    rows, remark = frame.assign(remark=own), None
    if len({said.get(run) for run in found}) == 1:
        remark = said.get(next(iter(found)))
    else:
        frame = rows
    write_csv(folder / OWN, rows)
    write_text(folder / "ledger.json", as_json(frame, preset=plan.preset, remark=remark))
    write_text(folder / "ledger.md", text.markdown(frame, preset=plan.preset, remark=remark))
    style.save(*claimed.draw(frame), folder / claimed.STEM)
    return len(frame)


def find(folder: Path) -> Path:
    """The long form of a results folder or of a published one, for `pandas.read_csv`; `OWN` if there is neither."""
    return find_table(folder, OWN)


def _joined(remark: str | None, own: str) -> str:
    """A CSV file has no head: what is said of all rows stands in each."""
    return "; ".join(filter(None, (remark, own)))
