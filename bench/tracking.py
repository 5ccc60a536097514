"""What it takes to bring 40 finished runs with curves of 100 points into MLflow, and to see that nothing changed.

The peer is MLflow's own way, ``mlflow.start_run`` and ``mlflow.log_metric``, which a job would use
directly: the same parameters, tags, points and artifacts into the same kind of database. Each side
is a process of its own and its time includes Python's start and MLflow's import; the peer's database
is made beforehand, ours in the first call.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SEEDS, POINTS, PEER_RUNS = 40, 100, 6

PEER = """
import json, sys
from pathlib import Path
import mlflow
from wassdp.pipeline import plan as plans
from wassdp.tracking.track import Folder

results = Path(sys.argv[1])
plan = plans.read(results / "plan.json")
folder = Folder(results, plan)
mlflow.set_tracking_uri(sys.argv[2])
mlflow.set_experiment("peer")
for run in list(folder.rows)[: int(sys.argv[3])]:
    content = folder.finished(run)
    with mlflow.start_run(run_name=content.name):
        for key, value in content.parameters.items():
            mlflow.log_param(key, value)
        for key, value in content.tags.items():
            mlflow.set_tag(key, value)
        for item in content.measurements:
            mlflow.log_metric(item.key, item.value, step=item.step)
        mlflow.log_artifact(str(folder.run_folder(run) / "result.json"))
        mlflow.log_text(content.files["history.csv"].decode(), "history.csv")
        for path in folder.figures(run).values():
            mlflow.log_artifact(str(path), "figures")
"""


def main() -> list[dict[str, Any]]:
    """Rows: what is measured, seconds here, seconds of the peer, their ratio."""
    with tempfile.TemporaryDirectory() as name:
        results = Path(name)
        tree = _tree()
        plan = tree.make(results, sigmas=(1.0,), seeds=tuple(range(SEEDS)), epochs=POINTS)
        points = sum(1 for point in json.loads(_result(results, plan).read_text())["history"])
        track = [sys.executable, "-m", "wassdp", "track", "--results", str(results)]
        first, again = _seconds(track), _seconds(track)
        tree.finish(results, plan.runs[0], epochs=POINTS, shift=0.01)
        one = _seconds(track)
        peer_uri = f"sqlite:///{results}/peer.db"
        _seconds([sys.executable, "-c", f"import mlflow; mlflow.MlflowClient('{peer_uri}').search_experiments()"])
        none, some = (
            _seconds([sys.executable, "-c", PEER, str(results), peer_uri, str(runs)], cwd=results)
            for runs in (0, PEER_RUNS)
        )
        theirs = none + (some - none) * SEEDS / PEER_RUNS
    measured = {
        f"{SEEDS} new runs, {points} points each, new database": first,
        "the same again, nothing changed": again,
        "the same again, one run changed": one,
    }
    return [
        {
            "what": what,
            "seconds": seconds,
            "peer": f"mlflow.log_metric one by one (from {PEER_RUNS} runs)",
            "peer_seconds": theirs,
            "ratio": seconds / theirs,
        }
        for what, seconds in measured.items()
    ]


def _result(results: Path, plan: Any) -> Path:
    return results / "runs" / str(plan.runs[0].run) / "result.json"


def _tree() -> Any:
    spec = importlib.util.spec_from_file_location("_tree", ROOT / "tests" / "_tree.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _seconds(command: list[str], cwd: Path | None = None) -> float:
    begin = time.perf_counter()
    environment = {key: value for key, value in os.environ.items() if key != "MLFLOW_TRACKING_URI"}
    environment |= {"OMP_NUM_THREADS": "1", "MLFLOW_DISABLE_TELEMETRY": "true"}
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=cwd)
    return time.perf_counter() - begin
