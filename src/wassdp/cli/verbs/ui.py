"""``wassdp ui``: browse the runs in MLflow, on this machine only."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from pathlib import Path

HELP = "Browse the runs of a results folder in MLflow, on 127.0.0.1 until Ctrl-C."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")
    parser.add_argument("--port", type=int, default=5000, help="port (default: 5000)")


def run(arguments: argparse.Namespace) -> int:
    """Become the server; returns only if it cannot."""
    from wassdp.tracking.store import default_uri

    if not 1 <= arguments.port <= 65535:
        raise ValueError(f"port = {arguments.port}: must be a whole number from 1 to 65535")
    if not (arguments.results / "mlflow.db").is_file():
        raise FileNotFoundError(f"{arguments.results / 'mlflow.db'}: is not there yet; `wassdp track` makes it")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", arguments.port))
        except OSError:
            raise OSError(f"port {arguments.port} is in use; choose another with --port (make ui PORT=...)") from None
    # MLflow has two modes; runs are only to be seen in the one that the address asks for.
    print(f"http://127.0.0.1:{arguments.port}/#/experiments?workflowType=machine_learning (Ctrl-C ends it)")
    sys.stdout.flush()
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(arguments.port)]
    command += ["--workers", "1", "--backend-store-uri", default_uri(arguments.results)]
    command += ["--artifacts-destination", str(arguments.results.absolute() / "mlflow-artifacts")]
    # Background jobs would start worker processes of 235 MB each, and there is nothing for them to do.
    settings = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    os.execve(sys.executable, command, {**os.environ, **settings})
