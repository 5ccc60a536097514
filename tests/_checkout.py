"""Copies of this checkout for tests that run the workflow as a user does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "workflow", "envs", "src")
UNFINISHED = ("*.pyc.*", ".*.json")
"""What another process may be writing among the compiled modules, which come along: dates of files stay as they are."""


def copy(folder: Path, configuration: dict[str, Any]) -> None:
    """Put what the workflow needs into an existing folder, with this configuration."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns(*UNFINISHED))
        else:
            shutil.copy(source, folder / part)
    write(folder, configuration)


def write(folder: Path, configuration: dict[str, Any]) -> None:
    """Replace the configuration of a copy."""
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration))


def committed(folder: Path) -> str:
    """Make a folder a Git repository of all that lies in it, and give its one commit."""
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def environment() -> dict[str, str]:
    """The environment without what would make a copied checkout use another copy of the package, or compile it anew."""
    others = ("PYTHONPATH", "MLFLOW_TRACKING_URI", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if key not in others}
    return kept | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
