"""A published set's results back into a results folder, so that the workflow goes on from them."""

from __future__ import annotations

from pathlib import Path

from wassdp.files import write_bytes, write_json
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.publish import sets


def restore(folder: Path, results: Path) -> tuple[list[str], list[str]]:
    """Write the results of a published folder to ``results``, to the byte, and where they come from beside them.

    The outcomes behind published results are not published, so nothing is left to account: the workflow takes a run
    whose result is as ``restored.json`` has it as done, and says so where it lacks a budget that is asked for. Delete
    its folder to have it computed.

    Args:
        folder: a published folder, of any version.
        results: the results folder; results of other runs in it stay.

    Returns:
        The runs that were written, and those that stood there already, to the byte.

    Raises:
        ValueError: a run has another result there; nothing was written.
    """
    found = sets.read(folder)
    there = {run: raw for run, _, raw in stored.stored(results, list(found.raw))}
    names = {row.run: row.title for row in found.plan.runs}
    other = [run for run, raw in there.items() if raw != found.raw[run]]
    if other:
        more = f", and so have {len(other) - 1} more" if len(other) > 1 else ""
        path = results / "runs" / other[0]
        raise ValueError(f"run {other[0]} ({names[other[0]]}): has another result in {path}{more}; delete it first")
    new = [run for run in found.raw if run not in there]
    # Before the results: one that nothing vouches for would look damaged to a workflow that is started after a kill.
    earlier = [
        {**part, "results": {run: digest for run, digest in part["results"].items() if run not in found.raw}}
        for part in stored.parts(results)
    ]
    write_json(results / stored.RESTORED, {"parts": [*filter(lambda part: part["results"], earlier), *found.parts]})
    for run in new:
        write_bytes(results / "runs" / run / "result.json", found.raw[run])
    if not (results / "plan.json").exists():
        plans.write(results / "plan.json", found.plan.trimmed())
    return new, list(there)
