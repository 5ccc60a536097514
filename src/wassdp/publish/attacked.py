"""Lower bounds beside results that are older than attacks, without computing a run again.

A result keeps no event. Where a kind can tell it from the run's parameters and metrics, and the exact accountant gives
the result's own proven budget for it, it is the event of that run, and its noise is attacked as that of a new run is
(`wassdp.audit.noise_scale`). Results stay as they are; what was attacked is kept beside them, in ``attacked.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wassdp.accounting import accountant, consistency
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.audit import noise_scale
from wassdp.experiment import Parameters
from wassdp.files import read_object, write_json
from wassdp.pipeline import stored
from wassdp.result import Result, is_control
from wassdp.runs import parse

FILE = "attacked.json"
SAME = 1e-3  # relative: the accuracy of the exact accountant's budgets
LATER = (
    "attacked later than the run, whose result keeps no event: the event is that of its parameters and metrics, for "
    "which the exact accountant gives the same proven budget"
)
TODAY = "noise of a release at the run's own scale, drawn by today's code"


def read(folder: Path) -> dict[str, Any]:
    """What was attacked of a published folder: run to the SHA-256 of its result and the bound, or null."""
    path = folder / FILE
    return read_object(path) if path.is_file() else {}


def beside(
    draft: Path, raw: Mapping[str, bytes], results: Mapping[str, Result], *, known: Mapping[str, Any]
) -> dict[str, Result]:
    """The results with a lower bound each where one can be had; what had to be attacked is written to ``draft``.

    Args:
        draft: the folder to be.
        raw: run to the bytes of its result.
        results: run to result.
        known: from `read`, of bounds that need no computing.
    """
    kept, found = {}, {}
    for run, result in results.items():
        found[run] = result
        if not _older(result):
            continue
        digest = stored.sha256(raw[run])
        entry = known.get(run, {})
        # Where a run's event was not known, today's kinds may tell it.
        if entry.get("result") != digest or entry["bound"] is None:
            bound = lower(result)
            entry = {"result": digest, "bound": None if bound is None else bound.model_dump(mode="json")}
        kept[run] = entry
        if entry["bound"] is not None:
            bound = Guarantee.model_validate(entry["bound"])
            found[run] = result.model_copy(update={"guarantees": (*result.guarantees, bound)})
    if kept:
        write_json(draft / FILE, kept)
    return found


def _older(result: Result) -> bool:
    kinds = {item.kind for item in result.guarantees}
    return "upper" in kinds and "lower" not in kinds and not is_control(result) and result.delta is not None


def lower(result: Result) -> Guarantee | None:
    """The lower bound of an older result, 0 with its reason where there is none; None where its event is not known.

    Raises:
        ContradictionError: the bound lies above one that the result has as proven.
    """
    try:
        _, parameters, _ = parse(result.spec)
    except ValueError:
        return None  # a kind or a key of an older version
    event = _event(parameters, result)
    if event is None or result.delta is None:
        return None
    found = noise_scale.guarantee(parameters.in_reach(event), result.delta, parameters.reach())
    consistency.refuse_contradicted([found], result.guarantees)
    notes = [note.replace(noise_scale.ATTACKED, TODAY) for note in found.assumptions]
    return found.model_copy(update={"assumptions": (*notes, LATER)})


def _event(parameters: Parameters, result: Result) -> Event | None:
    """What the run released, if the exact accountant says the same of it as the result does."""
    event = parameters.released(result.metrics)
    proven = [item for item in result.guarantees if item.label == f"upper/{consistency.EXACT}"]
    if event is None or not proven:
        return None
    exact = accountant.load(consistency.EXACT)
    for item in proven:
        again = exact.epsilon(event, item.delta)
        if again.bounded != item.bounded or abs(again.value - item.value) > SAME * item.value:
            return None
    return event
