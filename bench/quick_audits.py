"""What attacks cost in the quick set, in processor seconds: of the noise of every private run, canaries, final models.

Events are those of a finished quick set (``make run``), each attacked as by its own job, which finds nothing kept. Runs
with canaries and final models are computed again, one thread each; of those with canaries the same runs without them
are the peer, and what attacks cost is the difference. The last row is the sum.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from wassdp.accounting.event import decode
from wassdp.audit import noise_scale
from wassdp.experiment import Context, Parameters
from wassdp.experiments import KINDS
from wassdp.result import Outcome, load_outcome
from wassdp.runs import parse, validate_parameters

RUNS = Path(__file__).parents[1] / "results" / "runs"


def main() -> list[dict[str, Any]]:
    """Rows: what is attacked, how many runs, seconds of their attacks, and of the runs with and without.

    Raises:
        FileNotFoundError: there is no finished set.
    """
    torch.set_num_threads(1)
    outcomes = [load_outcome(path) for path in sorted(RUNS.glob("*/outcome.json"))]
    if not outcomes:
        raise FileNotFoundError(f"{RUNS}: no outcomes there; `make run` first")
    noise = [_of_noise(outcome) for outcome in outcomes if outcome.event is not None and outcome.delta is not None]
    rows = [{"attacked": "the noise of every private run", "runs": len(noise), "seconds": sum(noise)}]
    for outcome in outcomes:
        rows += list(_again(outcome))
    return [*rows, {"attacked": "all", "runs": len(noise), "seconds": sum(row["seconds"] for row in rows)}]


def _of_noise(outcome: Outcome) -> float:
    assert outcome.event is not None, "such outcomes are left out"
    assert outcome.delta is not None, "such outcomes are left out"
    event, reach = decode(outcome.event), parse(outcome.spec)[1].reach()
    noise_scale.drawn.cache_clear()
    begin = time.process_time()
    noise_scale.guarantee(event, outcome.delta, reach)
    return time.process_time() - begin


def _again(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """A row for a run that is an attack, or has canaries."""
    kind, parameters, seed = parse(outcome.spec)
    canaries = getattr(parameters, "audit", None)
    if canaries is None and kind != "final_model":
        return
    spent = _seconds(kind, parameters, seed, outcome.run)
    row = {"runs": 1, "seconds_of_the_run": spent}
    if canaries is None:
        yield row | {"attacked": f"{parameters.models:,} final models a world", "seconds": spent}  # type: ignore[attr-defined]
        return
    plain = validate_parameters(kind, parameters.model_dump(mode="json", exclude={"audit"}))
    without = _seconds(kind, plain, seed, outcome.run)
    what = f"{canaries.canaries:,} canaries in {kind.replace('_', ' ')}"
    yield row | {"attacked": what, "seconds": max(spent - without, 0.0), "without_canaries": without}


def _seconds(kind: str, parameters: Parameters, seed: int | None, run: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        KINDS.load(kind).run(
            parameters, seed=seed, context=Context(folder=Path(folder), code="bench", device="cpu", run=run)
        )
        return time.process_time() - begin
