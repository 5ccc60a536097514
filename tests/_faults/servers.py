"""No network, no tracking server, and one that dies again and again while it is written to."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from _faults.harness import WAIT, Place, Row, contents

NOWHERE = "http://127.0.0.1:9"
DEATHS = 4


def no_network(place: Place) -> Row:
    """A data set is asked for that is not here."""
    variables = {
        "https_proxy": NOWHERE,
        "http_proxy": NOWHERE,
        "WASSDP_MIRROR": "",
        "WASSDP_DATA": str(place.folder / "data"),
    }
    done = place.wassdp("data", "fetch", "german_credit", **variables)
    said = place.told(done.stderr)
    return Row(
        "no network, and a data set that is not here",
        str(done.returncode),
        said,
        "nothing",
        "–",
        whole=done.returncode != 0 and bool(said),
    )


def no_server(place: Place) -> Row:
    """The tracking server that the environment names does not answer."""
    place.without("collect")
    before = place.whole_files()
    done = place.run(MLFLOW_TRACKING_URI=NOWHERE)
    said, lost = place.told(done.stderr), place.kept(before)
    made = (place.results / "report.html").exists()
    again = place.again()
    return Row(
        "the tracking server does not answer",
        str(done.returncode),
        said,
        lost,
        again,
        whole=done.returncode == 1 and made and bool(said) and lost == "nothing" and again == "equal",
    )


def dying_server(place: Place) -> Row:
    """A server is killed at random moments while runs are written to it, and started again on the same database."""
    moments, said, codes = random.Random(4), set(), set()
    expected = contents(place.folder)["tracked"]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    uri = f"http://127.0.0.1:{port}"
    track = [sys.executable, "-m", "wassdp", "track", "--uri", uri]
    environment = {**os.environ, "PYTHONPATH": str(place.folder / "src")}
    for _ in range(DEATHS):
        with (
            served(place.folder, port) as server,
            subprocess.Popen(
                track, cwd=place.folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
            ) as tracker,
        ):
            log = place.folder / "server.log"
            start = log.read_text().count("POST")
            goal = start + moments.randint(1, 6)
            end = time.monotonic() + 120
            while tracker.poll() is None and log.read_text().count("POST") < goal and time.monotonic() < end:
                time.sleep(0.01)
            os.killpg(server.pid, signal.SIGKILL)
            _, text = tracker.communicate(timeout=WAIT)
            codes.add(tracker.returncode)
            said.add(place.told(text).replace(str(port), "PORT"))
    with served(place.folder, port):
        done = place.wassdp("track", "--uri", uri)
        tracked = _tracked(place, uri)
    again = "equal" if tracked == expected and done.returncode == 0 else "differs"
    shown = "; ".join(sorted(filter(None, said)))
    return Row(
        "the tracking server is killed while it is written to, then started again",
        " or ".join(map(str, sorted(codes))),
        place.plain(shown),
        "nothing",
        again,
        times=DEATHS,
        whole=again == "equal" and 1 in codes and bool(shown),
    )


def _tracked(place: Place, uri: str) -> list[str]:
    code = (
        "import sys\nfrom mlflow.tracking import MlflowClient\nclient = MlflowClient(sys.argv[1])\n"
        "ids = [item.experiment_id for item in client.search_experiments()]\n"
        "print(*sorted(run.data.tags.get('wassdp.run', '') for run in client.search_runs(ids, max_results=1000)))"
    )
    done = place.do(sys.executable, "-c", code, uri)
    return done.stdout.split()


@contextlib.contextmanager
def served(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """An MLflow server on this machine's own address; it ends with the block."""
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder}/server.db", "--artifacts-destination", f"{folder}/kept"]
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (folder / "server.log").open("ab") as log:
        server = subprocess.Popen(
            command, env={**os.environ, **quiet}, stdout=log, stderr=log, cwd=folder, start_new_session=True
        )
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            time.sleep(0.25)
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
