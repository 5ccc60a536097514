"""How steps over all runs grow with their number: three times as many should take three times as long, not nine.

The runs are really computed, the cheapest that there are. Each step is a process of its own, and its time is that of
the processor, its own and the system's. The peer is the same step over a third of the runs: a ratio of 3 is growth in
proportion, one below that the start of a process, 9 the square of the number.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench._checkout import checkout
from wassdp import config
from wassdp.pipeline import account, execute
from wassdp.pipeline import plan as plans

RUNS, SEEDS = 600, 5
STEPS = {
    "wassdp plan": ["-m", "wassdp", "plan", "--out", "results/plan.json"],
    "snakemake --dry-run": ["-m", "snakemake", "--cores", "1", "--dry-run", "--quiet"],
    "wassdp collect": ["-m", "wassdp", "collect"],
    "wassdp ledger": ["-m", "wassdp", "ledger"],
    "wassdp track": ["-m", "wassdp", "track"],
}


def main() -> list[dict[str, Any]]:
    """Rows: step and number of runs, processor seconds, those of a third of the runs, their ratio."""
    with tempfile.TemporaryDirectory() as name:
        some, many = (_seconds(Path(name) / str(runs), runs) for runs in (RUNS, 3 * RUNS))
    return [
        {
            "what": f"{step}, {3 * RUNS} runs",
            "seconds": many[step],
            "peer": f"the same, {RUNS} runs",
            "peer_seconds": some[step],
            "ratio": many[step] / some[step],
        }
        for step in STEPS
    ]


def _seconds(folder: Path, runs: int) -> dict[str, float]:
    """Processor seconds of each step, over so many runs."""
    multipliers = [(place + 1) / 100 for place in range(runs // SEEDS)]
    checkout(folder, "scale", steps=5, seeds=SEEDS, grid={"noise_multiplier": multipliers})
    chosen = config.read(folder / "config.yaml")
    taken = {}
    for step, words in STEPS.items():
        if step == "wassdp collect":
            _compute(folder / "results", chosen)
        taken[step] = _processor_seconds(words, folder)
    return taken


def _compute(results: Path, chosen: config.Config) -> None:
    for run in plans.read(results / "plan.json").runs:
        place = results / "runs" / run.run
        execute.execute(run.spec, place / "outcome.json")
        account.account(place / "outcome.json", place / "result.json", chosen.experiments[0].accountants)


def _processor_seconds(words: list[str], folder: Path) -> float:
    environment = {key: value for key, value in os.environ.items() if key != "MLFLOW_TRACKING_URI"}
    environment |= {"OMP_NUM_THREADS": "1", "MLFLOW_DISABLE_TELEMETRY": "true"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=folder, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
