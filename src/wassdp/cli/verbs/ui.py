"""``wassdp ui``: browse the runs in MLflow, on this machine only."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
import urllib.request
from pathlib import Path

HELP = "Browse the runs of a results folder in MLflow, on 127.0.0.1 until Ctrl-C."
EMPTY = (
    'If a page looks empty or speaks of traces: close what covers it, choose "Model training" at the top left, and\n'
    '"Runs" on the left. Curves are under the name of a run, "Model metrics"; figures and tables are artifacts of the\n'
    'run "figures and tables", the first of each list.'
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")
    parser.add_argument("--port", type=int, default=5000, help="port (default: 5000)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C, and say where, once that can be opened."""
    from wassdp.tracking.store import connect, default_uri

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
    print("starting MLflow, which takes some seconds; Ctrl-C ends it", flush=True)
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(arguments.port)]
    command += ["--workers", "1", "--backend-store-uri", default_uri(arguments.results)]
    command += ["--artifacts-destination", str(arguments.results.absolute() / "mlflow-artifacts")]
    # Background jobs would start worker processes of 235 MB each, and there is nothing for them to do.
    settings = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    address = f"http://127.0.0.1:{arguments.port}"
    before = signal.signal(signal.SIGTERM, _interrupt)
    # What it says on its way is shown where it ends by itself.
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(command, env=os.environ | settings, stdout=said, stderr=said) as server,
    ):
        try:
            held = connect(default_uri(arguments.results), arguments.results).experiments()
            _wait(server, f"{address}/health")
            if server.poll() is None:
                print("\n".join([*_links(address, held), "", EMPTY]), flush=True)
            code = server.wait()
            said.seek(0)
            print(said.read().decode(errors="replace")[-4000:], file=sys.stderr)
            return code or 1
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()
            signal.signal(signal.SIGTERM, before)


def _links(address: str, held: dict[str, tuple[str, int]]) -> list[str]:
    """A line for each experiment with runs: name, number of runs, link."""
    from wassdp.tracking import view

    found = {name.removeprefix("wassdp/"): value for name, value in held.items() if value[1]}
    width = max(map(len, found), default=0)
    return [
        f"{name:<{width}}  {count:>4} {'run ' if count == 1 else 'runs'}  {view.link(address, identifier)}"
        for name, (identifier, count) in sorted(found.items())
    ] or [f"no runs yet: {address}/#/experiments?workflowType=machine_learning"]


def _wait(server: subprocess.Popen[bytes], address: str, *, seconds: float = 120.0) -> None:
    """Until the server answers, or has ended."""
    end = time.monotonic() + seconds
    while server.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


def _interrupt(number: int, frame: types.FrameType | None) -> None:
    raise KeyboardInterrupt
