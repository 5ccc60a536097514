"""Start again after a kill with the same command.

Snakemake leaves its locks and its marks of unfinished outputs behind when it is killed, and then asks
for ``--unlock`` and ``--rerun-incomplete``. Neither question has more than one right answer here,
since it is known whether a pipeline is still alive.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

from filelock import FileLock, Timeout

PROCESS = "wassdp.process"
# An outcome that appeared although its job was not seen to end. It is whole (files appear whole or not
# at all), so the job takes it over if specification and code are still the same.
OUTCOME, FINISHED = "outcome.json", ".finished.json"


class Alive:
    """Held by the pipeline's main process for as long as it lives; the operating system frees it at any death.

    Args:
        folder: Snakemake's own folder, ``.snakemake`` in the working folder.
        results: the results folder, which another working folder may share; None: there is none.
    """

    def __init__(self, folder: Path, results: Path | None = None) -> None:
        self._folder, self._results = folder, results
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "wassdp.lock")
        self._shared = FileLock((folder if results is None else results) / ".wassdp.lock")

    @property
    def held(self) -> bool:
        """Whether this process is the pipeline's main one, so that no other writes here."""
        return self._lock.is_locked

    def holder(self) -> str:
        """Which process holds it, in words; empty if that is not known."""
        try:
            return f" (process {int((self._folder / PROCESS).read_text())})"
        except (OSError, ValueError):
            return ""

    def recover(self) -> list[Path]:
        """Clear what a killed pipeline left behind, unless another one is alive here.

        Returns:
            Outputs that were removed, since their job was not seen to end.
        """
        try:
            self._lock.acquire(blocking=False)
            if self._results is not None and self._results.is_dir():
                self._shared.acquire(blocking=False)
        except Timeout:
            self._lock.release()
            return []
        (self._folder / PROCESS).write_text(f"{os.getpid()}\n")
        for path in (self._folder / "locks").glob("*.lock"):
            path.unlink(missing_ok=True)
        removed = []
        marks = self._folder / "incomplete"
        for mark in sorted(path for path in marks.rglob("*") if path.is_file()):
            output = marked_output(mark.relative_to(marks))
            if output is None or _submitted(mark):
                continue
            target = self._folder.parent / output
            if target.exists():
                if target.name == OUTCOME:
                    target.replace(target.with_name(FINISHED))
                else:
                    target.unlink()
                removed.append(output)
            mark.unlink()
        return removed


def marked_output(mark: Path) -> Path | None:
    """The output that a mark of Snakemake names: its path in URL-safe base64, long ones in parts that begin with @.

    >>> marked_output(Path("cmVzdWx0cy9hLmpzb24="))
    PosixPath('results/a.json')
    """
    text = "".join(part.removeprefix("@") for part in mark.parts)
    try:
        return Path(base64.urlsafe_b64decode(text).decode())
    except ValueError:
        return None


def remembered(path: Path, folder: Path = Path(".snakemake")) -> bool:
    """Whether Snakemake has a record of how it made a file, by which it sees that its code has changed.

    Args:
        path: the file, as rules name it.
        folder: Snakemake's own folder.
    """
    return _record(path, folder).is_file()


def taken_for(path: Path, code: str, folder: Path = Path(".snakemake")) -> bool:
    """Whether Snakemake has a record that a file was made by the code of this hash, so that it sees no change.

    Args:
        path: the file, as rules name it.
        code: the hash, a parameter of the rule that makes it.
        folder: Snakemake's own folder.
    """
    try:
        return repr(code) in json.loads(_record(path, folder).read_bytes())["params"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _record(path: Path, folder: Path) -> Path:
    """Where Snakemake keeps what it knows of a file."""
    return folder / "metadata" / base64.urlsafe_b64encode(str(path).encode()).decode()


def _submitted(mark: Path) -> bool:
    """Whether the job runs under a scheduler that outlives the pipeline; Snakemake itself looks after those."""
    try:
        return json.loads(mark.read_text()).get("external_jobid") is not None
    except ValueError:
        return False
