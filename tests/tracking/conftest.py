"""Tracking stores for tests: real SQLite databases, read back through MLflow's client."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wassdp.cli import main
from wassdp.tracking import store as stores

Dump = dict[str, list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that MLflow has initialised (which takes seconds) and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    stores.connect(stores.default_uri(folder), folder)
    return folder / "mlflow.db"


@pytest.fixture
def results(tmp_path: Path, empty_database: Path) -> Path:
    """A results folder with nothing but an empty database; its name holds a space and an accent."""
    folder = tmp_path / "my résults"
    folder.mkdir()
    shutil.copy(empty_database, folder / "mlflow.db")
    return folder


FIGURES = "figures/wasserstein-dp/training"  # what stands for a run id where an experiment's figures are held


def read_back(uri: str) -> Dump:
    """Run id to everything that the store holds of it, MLflow's own random ids left out."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    found: Dump = {}
    for experiment in client.search_experiments(filter_string="name LIKE 'wassdp/%'"):
        for run in client.search_runs([experiment.experiment_id], max_results=1000):
            entry: dict[str, Any] = {
                "experiment": experiment.name,
                "about": experiment.tags,
                "info": (run.info.run_name, run.info.status, run.info.start_time, run.info.end_time),
                "params": run.data.params,
                "tags": run.data.tags,
                "latest": run.data.metrics,
                "inputs": [(each.dataset.name, each.dataset.digest) for each in run.inputs.dataset_inputs],
                "metrics": {
                    key: sorted(
                        (item.step, item.value, item.timestamp)
                        for item in client.get_metric_history(run.info.run_id, key)
                    )
                    for key in run.data.metrics
                },
            }
            if client.list_artifacts(run.info.run_id):
                root = Path(client.download_artifacts(run.info.run_id, ""))
                entry["artifacts"] = {
                    str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in sorted(root.rglob("*"))
                    if path.is_file()
                }
            found.setdefault(run.data.tags[stores.RUN_TAG], []).append(entry)
    return found


def identifiers(uri: str) -> dict[str, list[str]]:
    """Run id to MLflow's ids of the active runs that carry it."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    found: dict[str, list[str]] = {}
    for experiment in client.search_experiments(filter_string="name LIKE 'wassdp/%'"):
        for run in client.search_runs([experiment.experiment_id]):
            found.setdefault(run.data.tags[stores.RUN_TAG], []).append(run.info.run_id)
    return found


def in_child(work: Callable[[], int], *, silent: bool = True) -> int | None:
    """Exit code of ``work`` in a forked process (negative: the signal that ended it)."""

    def body() -> None:
        if silent:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
        sys.stdout.flush()
        os._exit(work())

    child = multiprocessing.get_context("fork").Process(target=body)
    child.start()
    child.join(timeout=300)
    return child.exitcode


def track(folder: Path, *more: str) -> int:
    return main(["track", "--results", str(folder), *more])


@contextlib.contextmanager
def served(folder: Path, *options: str, **environment: str) -> Iterator[str]:
    """The address of an MLflow server that keeps everything in ``folder``; it ends with the block."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder}/server.db"]
    command += ["--artifacts-destination", (folder / "server-artifacts").as_uri(), *options]
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    said = folder / "server.log"
    with said.open("w") as log:
        server = subprocess.Popen(
            command,
            env={**os.environ, **quiet, **environment},
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,
        )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, said.read_text()[-2000:]
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=120)


class Tools:
    """The functions of this file, for tests that cannot import it."""

    read_back = staticmethod(read_back)
    identifiers = staticmethod(identifiers)
    in_child = staticmethod(in_child)
    served = staticmethod(served)
    FIGURES = FIGURES
    track = staticmethod(track)
    uri = staticmethod(stores.default_uri)


@pytest.fixture
def tools() -> type[Tools]:
    return Tools
