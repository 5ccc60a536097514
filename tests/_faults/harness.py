"""A small set that runs, is disturbed, runs again, and is compared with one that nobody disturbed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _checkout

EPOCHS = 32
"""Of the training."""
CONFIGURATION = {
    "preset": "faults",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"steps": 3, "gradients": 4, "coordinates": 5, "clip": True},
            "grid": {"clip_quantile": [0.5, 0.75]},
            "accountants": ["pld", "wasserstein"],
            "figures": [
                {
                    "name": "figure-4",
                    "kind": "composition",
                    "options": {"clip": True, "published": {"WDP": "wasserstein"}},
                }
            ],
        },
        {
            "name": "training",
            "paper": "dp-sliced-wasserstein",
            "kind": "adaptation",
            "parameters": {
                "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
                "method": {"name": "source_only", "learning_rate": 0.002},
                "epochs": EPOCHS,
                "warm_up": 2,
                "batch": 128,
            },
            "accountants": ["pld"],
            "tables": [{"name": "training", "kind": "adaptation"}],
        },
    ],
}
PROFILE = ("--cores", "2", "--workflow-profile", "workflow/profiles/local")
AT_WORK = "jobs in all"
"""In the line that a pipeline says when its first job is about to begin."""
WAIT = 900.0
STEPS = {
    "data": ["data/*.json"],
    "run": ["runs/*/outcome.json"],
    "account": ["runs/*/result.json"],
    "collect": ["runs.csv", "history.csv", "pictures.csv"],
    "ledger": ["ledger.*", "claimed-*"],
    "figure": ["figures/**/*.*"],
    "table": ["tables/*.*"],
    "report": ["report.html"],
    "track": ["tracked.json", "mlflow*"],
}
"""Each rule, in the order of the work, and what it writes."""


@dataclass
class Row:
    """One fault, and what was observed; ``whole`` is false where something was lost or ended differently."""

    fault: str
    code: str
    said: str
    lost: str
    again: str
    times: int = 1
    whole: bool = True


@dataclass
class Place:
    """A folder with the small set.

    Args:
        folder: of the copy of this checkout.
        reference: what an undisturbed set holds (`contents`); None: not known yet.
        hide: texts that differ from place to place, with what is shown instead.
    """

    folder: Path
    reference: dict[str, Any] | None = None
    hide: dict[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", *PROFILE, *words]

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """The whole pipeline, to its end."""
        return self.do(*self.command(*words), **variables)

    def wassdp(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.do(sys.executable, "-m", "wassdp", *words, PYTHONPATH=str(self.folder / "src"), **variables)

    def do(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = _checkout.environment() | variables
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=WAIT
        )

    @contextmanager
    def started(self, *words: str, **variables: str) -> Iterator[Running]:
        """The pipeline while it runs; it ends with the block."""
        with tempfile.TemporaryFile("w+") as out:
            environment = _checkout.environment() | variables
            process = subprocess.Popen(
                self.command(*words),
                cwd=self.folder,
                env=environment,
                stdout=out,
                stderr=out,
                text=True,
                start_new_session=True,
            )
            try:
                yield Running(process, out)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def without(self, first: str) -> None:
        """Remove what ``first`` of `STEPS` and all after it wrote."""
        names = list(STEPS)
        for step in names[names.index(first) :]:
            for pattern in STEPS[step]:
                for path in self.results.glob(pattern):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        if first in ("data", "run"):
            for path in self.results.glob("runs/*/history.jsonl"):
                path.unlink()

    def told(self, *texts: str) -> str:
        """The lines of ours that people read, without what differs from one machine or run to the next."""
        lines = [line.strip() for text in texts for line in text.splitlines()]
        ours = [line for line in lines if re.match(r"wassdp( \w+)?: (?!rule )|results/.*log: ", line)]
        # Of a failed job the end of its log follows, where it has one.
        ours = [line for line in ours if not re.match(r"results/.*log:$", line)]
        found = dict.fromkeys(self.plain(re.sub(r"^wassdp( \w+)?: ", "", line)) for line in ours)
        return " / ".join(list(found)[:2])

    def plain(self, line: str) -> str:
        for text, shown in {f"{self.folder}/": "", str(self.folder): ".", **self.hide}.items():
            line = line.replace(text, shown)
        line = re.sub(r"process \d+", "process N", line)
        line = re.sub(r"\b[0-9a-f]{12}\b", "RUN", line)
        line = re.sub(r"/tmp/[\w./-]+?/", ".../", line)
        return line if len(line) <= 260 else f"{line[:259]}…"

    def whole_files(self) -> dict[Path, bytes]:
        """Outcomes and results that stand there."""
        found = [path for name in ("outcome", "result") for path in self.results.glob(f"runs/*/{name}.json")]
        return {path: path.read_bytes() for path in found}

    def epochs(self) -> int:
        """How many epochs the training has done."""
        curves = self.results.glob("runs/*/history.jsonl")
        return max((len(path.read_bytes().splitlines()) for path in curves), default=0)

    def kept(self, before: dict[Path, bytes], *, but: Sequence[Path] = ()) -> str:
        """Whether what was whole before is there, byte for byte."""
        # An outcome whose job was not seen to end is put aside until its job takes it over.
        gone = [
            path
            for path, content in before.items()
            if path not in but
            and not any(
                each.is_file() and each.read_bytes() == content for each in (path, path.with_name(".finished.json"))
            )
        ]
        return f"{len(gone)} files" if gone else "nothing"

    def again(self, *words: str) -> str:
        """The same command once more: does the set end as an undisturbed one?"""
        done = self.run(*words)
        if done.returncode:
            return f"exit code {done.returncode}: {self.told(done.stderr)}"
        return "equal" if contents(self.folder) == self.reference else "differs"


@dataclass
class Running:
    """A pipeline at work."""

    process: subprocess.Popen[str]
    out: Any

    def text(self) -> str:
        self.out.flush()
        return Path(f"/proc/self/fd/{self.out.fileno()}").read_text()

    def until(self, condition: Callable[[], Any]) -> bool:
        """Wait until something holds; false where the pipeline was over before."""
        end = time.monotonic() + WAIT
        while not condition():
            if self.process.poll() is not None:
                return bool(condition())
            if time.monotonic() > end:
                raise TimeoutError(self.text()[-2000:])
            time.sleep(0.01)
        return True

    def begun(self) -> bool:
        return self.until(lambda: AT_WORK in self.text())

    def end(self) -> int:
        return self.process.wait(WAIT)

    def below(self) -> list[int]:
        """Processes that it started, and those that these did."""
        parents: dict[int, list[int]] = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                pid, _, rest = path.read_text().partition(" (")
            except OSError:
                continue
            parents.setdefault(int(rest.rpartition(")")[2].split()[1]), []).append(int(pid))
        found, todo = [], [self.process.pid]
        while todo:
            children = parents.get(todo.pop(), [])
            found += children
            todo += children
        return found


def contents(folder: Path) -> dict[str, Any]:
    """All that a disturbance may not change: results without provenance, tables, figures, ledger, runs in MLflow."""
    found: dict[str, Any] = {}
    results = folder / "results"
    for path in sorted(results.glob("runs/*/result.json")):
        value = json.loads(path.read_text())
        found[path.parent.name] = {
            key: part for key, part in value.items() if key not in ("provenance", "digest", "outcome")
        }
    for pattern in ("figures/**/*.*", "tables/*.*", "ledger.md", "ledger.csv", "history.csv"):
        found |= {str(path.relative_to(results)): path.read_bytes() for path in sorted(results.glob(pattern))}
    found["report"] = (results / "report.html").stat().st_size > 100_000
    connection = sqlite3.connect(f"file:{results / 'mlflow.db'}?mode=ro", uri=True)
    query = "select value from tags join runs using (run_uuid) where key = 'wassdp.run' and lifecycle_stage = 'active'"
    try:
        found["tracked"] = sorted(value for (value,) in connection.execute(query))
    finally:
        connection.close()
    return found
