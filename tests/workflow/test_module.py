"""The workflow as a module of another one: what `snakedeploy` writes, for a checkout and for rules on a code host."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import _checkout

ROOT = Path(__file__).parents[2]
TAIL = {
    "preset": "small",
    "experiments": [
        {
            "name": "tail",
            "paper": "wasserstein-dp",
            "kind": "tail_bound",
            "figures": [{"name": "figure-3", "kind": "tail_bound"}],
        }
    ],
}
# What snakedeploy's template makes of a repository.
DEPLOYED = """
configfile: "config/config.yaml"


module wassdp:
    snakefile:
        {snakefile}
    config:
        config


use rule * from wassdp
"""

pytestmark = pytest.mark.workflow


def deployed(folder: Path, snakefile: str) -> Path:
    """A project whose workflow is the module."""
    (folder / "workflow").mkdir(parents=True)
    (folder / "config").mkdir()
    (folder / "workflow" / "Snakefile").write_text(DEPLOYED.format(snakefile=snakefile))
    (folder / "config" / "config.yaml").write_text(yaml.safe_dump(TAIL))
    return folder


def repository(folder: Path) -> Path:
    """A repository that holds the rules and no package: Snakemake reads each file of it as from a code host."""
    for part in ("workflow", "envs"):
        shutil.copytree(ROOT / part, folder / part)
    _checkout.committed(folder)
    subprocess.run(["git", "tag", "v1"], cwd=folder, check=True)
    return folder


def snakemake(project: Path, *arguments: str, path: str = "") -> str:
    """What Snakemake says in a project; ``path`` is where Python looks for packages before the installed ones."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *arguments],
        cwd=project,
        env=_checkout.environment() | ({"PYTHONPATH": path} if path else {}),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_rules_of_a_checkout_use_its_package(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    _checkout.copy(checkout, TAIL)
    said = snakemake(deployed(tmp_path / "project", repr(str(checkout / "workflow" / "Snakefile"))), "--dry-run")
    assert re.search(r"^generate +1$", said, flags=re.MULTILINE)
    assert not (tmp_path / "project" / ".snakemake" / "wassdp").exists()


def test_rules_of_a_code_host_use_the_installed_package_to_the_report(tmp_path: Path) -> None:
    rules = repository(tmp_path / "rules")
    source = f'gitfile("{rules}", path="workflow/Snakefile", tag="v1")'
    project = deployed(tmp_path / "project", source)
    snakemake(project, "results/report.html", path=str(ROOT / "src"))
    # Jobs see the package and nothing else of the place where it is installed.
    assert os.listdir(project / ".snakemake" / "wassdp") == ["wassdp"]
    assert (project / "results" / "figures" / "wasserstein-dp" / "figure-3.svg").is_file()
    assert "figure-3" in (project / "results" / "report.html").read_text()
    again = snakemake(project, "results/report.html", "--dry-run", path=str(ROOT / "src"))
    assert "Nothing to be done" in again


def test_linting_needs_no_library_of_the_package(tmp_path: Path) -> None:
    """Nor a plan: the catalogue lints a clone where Snakemake is and nothing else."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    _checkout.copy(checkout, TAIL)
    shutil.rmtree(checkout / "src" / "wassdp" / "pipeline")
    assert "good condition" in snakemake(checkout, "--lint")
    assert not (checkout / "results").exists()
