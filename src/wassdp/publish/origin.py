"""Where published results come from, in sum; each result file says it for itself."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wassdp.pipeline import provenance
from wassdp.result import Result


def working_tree(results: Path, target: Path) -> dict[str, Any]:
    """When and from what this is published: the commit around ``results``, and its changes, published results aside."""
    try:
        root = _git(results, "rev-parse", "--show-toplevel")
        commit: str | None = _git(results, "rev-parse", "HEAD")
        paths = ["."]
        if target.resolve().is_relative_to(Path(root).resolve()):
            paths.append(f":(exclude){target.resolve().relative_to(Path(root).resolve())}")
        changed: int | None = len(_git(Path(root), "status", "--porcelain", "--", *paths).splitlines())
    except (OSError, subprocess.SubprocessError):
        commit, changed = None, None
    return {
        "published": provenance.now(),
        "commit": commit,
        "changed_files": changed,
        "dirty": None if changed is None else changed > 0,
    }


def statistics(results: Sequence[Result]) -> dict[str, Any]:
    """Commits, code hashes, versions, machines and time of ``results``."""
    origins = [result.provenance for result in results]
    versions: dict[str, set[str]] = {}
    for origin in origins:
        for package, version in origin.versions.items():
            versions.setdefault(package, set()).add(version)
    codes: dict[str, set[str]] = {}
    for result in results:
        codes.setdefault(str(result.spec.get("kind")), set()).add(result.provenance.code)
    return {
        "runs": len(results),
        "run_commits": sorted({origin.commit for origin in origins if origin.commit is not None}),
        "code": {kind: sorted(hashes) for kind, hashes in sorted(codes.items())},
        "accounting_code": sorted({result.accounting_code for result in results}),
        "versions": {package: sorted(values) for package, values in sorted(versions.items())},
        "datasets": dict(sorted({item for origin in origins for item in origin.datasets.items()})),
        "machines": sorted({origin.machine for origin in origins}),
        "devices": sorted({origin.device for origin in origins}),
        "seconds": round(sum(origin.seconds for origin in origins), 3),
        "peak_memory_mib": round(max(origin.peak_memory_mib for origin in origins), 1),
        "first_started": min(origin.started for origin in origins),
        "last_started": max(origin.started for origin in origins),
    }


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout.strip()
