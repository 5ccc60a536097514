"""Made datasets, a local web server that can misbehave, and an isolated data folder."""

from __future__ import annotations

import hashlib
import http.server
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from wassdp.data.base import Archive, Dataset, File

CONTENT = {"first.bin": b"alpha" * 1000, "part/second.bin": b"beta" * 3000}


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def make_dataset(
    content: dict[str, bytes] = CONTENT, *, host: str | None = None, archive: Archive | None = None, **more: object
) -> Dataset:
    """A descriptor of made files, downloaded from ``host`` if that is given."""
    files = tuple(
        File(path=path, md5=md5(data), bytes=len(data), urls=(f"{host}/{path}",) if host else ())
        for path, data in content.items()
    )
    settings: dict[str, object] = {
        "name": "made",
        "title": "Made",
        "task": "tests",
        "origin": "files",
        "counts": {"train": 1},
        "shape": (1,),
        "classes": None,
        "licence": "none",
        "source": "https://example.org",
        "citation": "none",
        "folder": "made",
        "files": files,
        "archive": archive,
        **more,
    }
    return Dataset(**settings)  # type: ignore[arg-type]


def lay(folder: Path, content: dict[str, bytes] = CONTENT) -> None:
    """Write files under ``folder``."""
    for path, data in content.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


class Server(http.server.ThreadingHTTPServer):
    """Serves ``content`` by path, counts requests, and misbehaves for the paths in ``faults``."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content: dict[str, bytes] = dict(CONTENT)
        self.faults: dict[str, str] = {}
        self.requests: Counter[str] = Counter()
        self.delay = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = self.path.lstrip("/")
        self.server.requests[path] += 1
        time.sleep(self.server.delay)
        fault, body = self.server.faults.get(path), self.server.content.get(path)
        if body is None or fault == "missing":
            self.send_error(404)
            return
        if fault == "altered":
            body = body[:-1] + b"!"
        elif fault == "long":
            body += b"more"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault in ("cut", "hang") else body)
        if fault == "hang":
            self.wfile.flush()
            time.sleep(30)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield found
        found.shutdown()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, no mirror."""
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("WASSDP_MIRROR", raising=False)
    return tmp_path / "data"


@pytest.fixture
def mirror(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Make a mirror folder with the given files of the made dataset; the first one made is asked first."""

    def make(content: dict[str, bytes] = CONTENT) -> Path:
        known = [part for part in os.environ.get("WASSDP_MIRROR", "").split(os.pathsep) if part]
        place = tmp_path / f"mirror-{len(known)}"
        lay(place / "made", content)
        monkeypatch.setenv("WASSDP_MIRROR", os.pathsep.join([*known, str(place)]))
        return place

    return make


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that tests of the real datasets share; filled from WASSDP_MIRROR."""
    return tmp_path_factory.mktemp("real")


@pytest.fixture
def made() -> SimpleNamespace:
    """The made dataset: its ``content``, ``dataset(...)``, ``lay(folder, content)`` and ``md5(bytes)``."""
    return SimpleNamespace(content=CONTENT, dataset=make_dataset, lay=lay, md5=md5)


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Python processes that fetch the made dataset; what is left of them at the end is stopped."""
    processes: list[subprocess.Popen[str]] = []

    def start(host: str | None, body: str, **settings: object) -> subprocess.Popen[str]:
        script = f"HOST = {host!r}\nCONTENT = {CONTENT!r}\n{_PROLOGUE}\n{textwrap.dedent(body)}"
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", script],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                **settings,  # type: ignore[call-overload]
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


_PROLOGUE = """
import hashlib, os, resource, signal, sys
from pathlib import Path
from wassdp.data import storage
from wassdp.data.base import Dataset, DatasetUnavailable, File
DATASET = Dataset(
    name="made", title="Made", task="tests", origin="files", counts={}, shape=(), classes=None, licence="none",
    source="https://example.org", citation="none", folder="made",
    files=tuple(
        File(path=path, md5=hashlib.md5(data).hexdigest(), bytes=len(data), urls=(f"{HOST}/{path}",) if HOST else ())
        for path, data in CONTENT.items()
    ),
)
"""
