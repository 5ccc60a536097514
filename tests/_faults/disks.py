"""A disk that is full, or becomes so at each step of the work; a folder that cannot be written."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from _faults.harness import Place, Row

MIB = 160
FILLING = "filling"


def possible() -> bool:
    """Whether a small file system can be mounted here."""
    try:
        with tempfile.TemporaryDirectory() as name, small(Path(name)):
            return True
    except (OSError, subprocess.SubprocessError):
        return False


@contextmanager
def small(folder: Path, mib: int = MIB) -> Iterator[None]:
    """A file system of ``mib`` MiB in memory over a folder, for as long as the block lasts."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "none", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Fill the disk of ``folder`` with one file."""
    with (folder / FILLING).open("ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass


def at_step(step: str, folder: Path, finished: Callable[[], Place]) -> Row:
    """The disk becomes full as a step begins, then it has room again."""
    with on_small_disk(folder, finished) as place:
        place.without(step)
        before = place.whole_files()
        with place.started() as pipeline:
            began = pipeline.begun()
            fill(place.folder)
            code = pipeline.end()
            text = pipeline.text()
        (place.folder / FILLING).unlink()
        lost, said = place.kept(before), place.told(text)
        return row(f"the disk is full as the step `{step}` begins", code, said, lost, place.again(), began)


def at_the_start(folder: Path, finished: Callable[[], Place]) -> Row:
    """The disk is full before the pipeline starts."""
    with on_small_disk(folder, finished) as place:
        place.without("run")
        fill(place.folder)
        done = place.run()
        (place.folder / FILLING).unlink()
        said = place.told(done.stderr)
        return row("the disk is full before the start", done.returncode, said, "nothing", place.again())


def read_only(folder: Path, finished: Callable[[], Place]) -> Row:
    """The results folder is on a file system that is mounted read-only."""
    with on_small_disk(folder, finished, part="results") as place:
        place.without("run")
        with remounted(place.results):
            done = place.run()
        said = place.told(done.stderr)
        return row("results on a read-only file system", done.returncode, said, "nothing", place.again())


def read_only_midway(folder: Path, finished: Callable[[], Place]) -> Row:
    """It becomes so while the pipeline is at work."""
    with on_small_disk(folder, finished, part="results") as place:
        place.without("run")
        before = place.whole_files()
        with place.started() as pipeline:
            began = pipeline.begun()
            with remounted(place.results):
                code, text = pipeline.end(), pipeline.text()
        lost, said = place.kept(before), place.told(text)
        return row("results become read-only while the pipeline is at work", code, said, lost, place.again(), began)


def row(fault: str, code: int, said: str, lost: str, again: str, began: bool = True) -> Row:
    """What has to be so: it fails, says why, loses nothing, and goes on."""
    whole = began and code != 0 and bool(said) and lost == "nothing" and again == "equal"
    return Row(fault, str(code), said, lost, again, whole=whole)


@contextmanager
def remounted(mount: Path) -> Iterator[None]:
    """Read-only for as long as the block lasts."""
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(mount)], check=True)


@contextmanager
def on_small_disk(folder: Path, finished: Callable[[], Place], *, part: str = ".") -> Iterator[Place]:
    """A finished set, it or a part of it on a small disk."""
    place = finished()
    with tempfile.TemporaryDirectory(prefix="faults-") as aside:
        shutil.copytree(folder / part, aside, symlinks=True, dirs_exist_ok=True)
        with small(folder / part):
            shutil.copytree(aside, folder / part, symlinks=True, dirs_exist_ok=True)
            yield place
