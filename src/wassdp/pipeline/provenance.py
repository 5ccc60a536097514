"""Where a result comes from: code, versions, machine, time and memory."""

from __future__ import annotations

import datetime
import functools
import os
import platform
import resource
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import threadpoolctl

import wassdp

PACKAGES = ("dp-accounting", "numpy", "opacus", "pandas", "scikit-learn", "scipy", "torch", "torchvision")


@functools.cache
def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those packages that can change a figure."""
    known = {"python": platform.python_version(), "wassdp": wassdp.__version__}
    for name in PACKAGES:
        try:
            known[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return known


def commit(*more: Path) -> str | None:
    """The version-control commit of the package's working tree; None outside one.

    Args:
        more: other files and folders of that tree that the figures rest on.

    Returns:
        The commit, with ``+changes`` if the package or one of ``more`` was edited since.
    """
    here = Path(wassdp.__file__).parent
    try:
        head = _git(here, "rev-parse", "HEAD")
        changed = _git(here, "status", "--porcelain", "--untracked-files=no", "--", str(here), *map(str, more))
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+changes" if changed else "")


@functools.cache
def machine() -> str:
    """Architecture, processor count, and the kernels that the loaded linear-algebra libraries chose for them.

    Kernels are chosen at run time by the processor's model; they sum in different orders, so one
    commit's figures agree to the last bit between machines with equal kernels, and only to rounding otherwise.
    """
    kernels = sorted(
        {
            f"{library['internal_api']} {library['architecture']}"
            for library in threadpoolctl.threadpool_info()
            if library.get("architecture")
        }
    )
    return ", ".join((platform.machine(), f"{os.cpu_count()} processors", *kernels))


def now() -> str:
    """Current time, UTC, ISO 8601, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def peak_memory_mib() -> float:
    """Largest resident set of this process so far.

    The kernel's own figure where it is shown: ``getrusage`` starts at the peak of the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        row = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(row.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True, timeout=10
    ).stdout.strip()
