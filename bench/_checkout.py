"""A folder with the workflow and one experiment of cheap runs, for what is measured over whole pipelines."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


def checkout(folder: Path, name: str, *, steps: int, seeds: int, **experiment: Any) -> None:
    """Copy the workflow to ``folder`` and write a configuration of one experiment.

    Args:
        folder: to be filled; made if it is missing.
        name: of preset and experiment.
        steps: of a run.
        seeds: number of seeds.
        experiment: further keys of the experiment.
    """
    for part in ("workflow", "envs", "src"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", folder)
    whole = {
        "name": name,
        "paper": "wasserstein-dp",
        "kind": "synthetic_gradients",
        "parameters": {"steps": steps, "gradients": 3, "coordinates": 2, "clip": True, "clip_quantile": 0.5},
        "seeds": list(range(seeds)),
        "accountants": ["wasserstein"],
        **experiment,
    }
    (folder / "config.yaml").write_text(yaml.safe_dump({"preset": name, "experiments": [whole]}))
