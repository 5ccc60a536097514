"""Where published results come from, in sum; each result file says it for itself."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wassdp.pipeline import provenance
from wassdp.result import Result


def working_tree(results: Path, target: Path) -> dict[str, Any]:
    """Commit of the working tree around ``results``, and whether it differs from it, published results aside."""
    try:
        root = _git(results, "rev-parse", "--show-toplevel")
        commit = _git(results, "rev-parse", "HEAD")
        paths = ["."]
        if target.resolve().is_relative_to(Path(root).resolve()):
            paths.append(f":(exclude){target.resolve().relative_to(Path(root).resolve())}")
        changed = _git(Path(root), "status", "--porcelain", "--", *paths)
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "changed_files": None}
    return {"commit": commit, "changed_files": len(changed.splitlines())}


def summary(found: Mapping[str, Result], tree: Mapping[str, Any]) -> dict[str, Any]:
    """Commit, code hashes, versions, machines and time of ``found`` published from ``tree`` (`working_tree`)."""
    origins = [result.provenance for result in found.values()]
    versions: dict[str, set[str]] = {}
    for origin in origins:
        for package, version in origin.versions.items():
            versions.setdefault(package, set()).add(version)
    codes: dict[str, set[str]] = {}
    for result in found.values():
        codes.setdefault(str(result.spec.get("kind")), set()).add(result.provenance.code)
    return {
        "published": provenance.now(),
        "commit": tree["commit"],
        "changed_files": tree["changed_files"],
        "dirty": None if tree["changed_files"] is None else tree["changed_files"] > 0,
        "runs": len(found),
        "run_commits": sorted({origin.commit for origin in origins if origin.commit is not None}),
        "code": {kind: sorted(hashes) for kind, hashes in sorted(codes.items())},
        "accounting_code": sorted({result.accounting_code for result in found.values()}),
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
