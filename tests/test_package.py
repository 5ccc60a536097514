"""What is handed out: a wheel and a source distribution that install and answer, a container of the pinned versions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from pathlib import Path

import pytest
import yaml

from wassdp.cli import main
from wassdp.version import RELEASED, __version__

ROOT = Path(__file__).parents[1]
FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "CHANGELOG.md", "CITATION.cff", "constraints.txt")
PARTS = (*FILES, "src", "tests")
BUILD = "import setuptools.build_meta as b; b.build_wheel('dist'); b.build_sdist('dist')"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both, built from a copy that is no repository, by the setuptools that is here."""
    copy = tmp_path_factory.mktemp("build")
    for name in PARTS:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(place, copy / name)
    subprocess.run([sys.executable, "-c", BUILD], cwd=copy, check=True, capture_output=True)
    return copy / "dist"


@pytest.mark.slow
def test_both_hold_every_module_and_what_modules_read(built: Path) -> None:
    source = ROOT / "src"
    wanted = {str(path.relative_to(source)) for path in source.rglob("*.py") if "__pycache__" not in path.parts}
    wanted |= {"wassdp/py.typed", "wassdp/__init__.pyi", "wassdp/publish/comparison.html"}
    (wheel,), (archive,) = built.glob("*.whl"), built.glob("*.tar.gz")
    assert wheel.name == f"wassdp-{__version__}-py3-none-any.whl"
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {f"src/{name}" for name in wanted} <= names
    assert {*FILES, "PKG-INFO"} <= names
    # What is no part of the package: a few tests without what they need would be worse than none.
    assert {name.partition("/")[0] for name in names} - {"", *FILES, "PKG-INFO", "setup.cfg"} == {"src"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_what_is_installed_from_them_answers(kind: str, built: Path, tmp_path: Path) -> None:
    (given,) = built.glob(kind)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", "here", str(given)], cwd=tmp_path, check=True
    )
    asked = ["epsilon", "gaussian", "--noise-multiplier", "2", "--delta", "1e-5", "--json"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "here")}
    command = [sys.executable, "-m", "wassdp", *asked]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)
    where = [sys.executable, "-c", "import wassdp; print(wassdp.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert found.startswith(str(tmp_path))


def test_the_citation_and_the_changelog_are_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], citation["date-released"]) == (__version__, RELEASED)
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    titles = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert titles[:2] == ["Unreleased", f"{__version__} ({RELEASED})"]


def test_the_notes_of_the_release_count_what_there_is() -> None:
    notes = (ROOT / "CHANGELOG.md").read_text().partition(f"## {__version__} ")[2].partition("### ")[0]
    words = " ".join(notes.split())
    assert len(words) < 3000  # two minutes
    counted = {
        "eleven published formulas": (11, "src/wassdp/accounting/accountants/published/[a-z]*.py"),
        "Eight published sets": (8, "docs/results/*/plan.json.xz"),
        "eight printed or reported budgets": (8, "src/wassdp/audit/budgets/[a-z]*.py"),
    }
    for said, (number, pattern) in counted.items():
        assert said in words
        assert len(list(ROOT.glob(pattern))) == number, said
    assert all((ROOT / path).exists() for path in re.findall(r"\]\(([^)#:]+)\)", notes))


def test_the_container_has_the_pinned_versions_and_an_extra_that_exists() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    (installs,) = [line for line in lines if "pip install" in line]
    assert "--constraint constraints.txt" in installs
    extras = re.search(r"\.\[([a-z,]+)\]", installs)
    assert extras is not None
    declared = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{name} = \[", declared, flags=re.MULTILINE) for name in extras[1].split(","))
    python = yaml.safe_load((ROOT / "envs" / "gpu.yaml").read_text())["dependencies"][0].partition("=")[2]
    assert any(line.startswith(f"FROM docker.io/library/python:{python}-") for line in lines)


def test_the_catalogue_is_told_what_the_workflow_has() -> None:
    """What `scripts/generate-catalog.py` of snakemake/snakemake-workflow-catalog looks for in a release."""
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    rules = [path.read_text() for path in (ROOT / "workflow" / "rules").glob("*.smk")]
    assert usage["software-stack-deployment"]["conda"] == any("conda:" in text for text in rules)
    assert usage["software-stack-deployment"]["apptainer"] == any("container:" in text for text in rules)
    assert usage["report"] == any("report(" in text for text in rules)
    # A folder `workflow` without its Snakefile is skipped; without config/README.md there is no standardised usage.
    assert 'include: "workflow/Snakefile"' in (ROOT / "Snakefile").read_text()
    assert "configfile:" in (ROOT / "workflow" / "Snakefile").read_text()
    assert re.search(r"snakemake.*workflow", (ROOT / "README.md").read_text(), flags=re.IGNORECASE | re.DOTALL)
    assert (ROOT / "config" / "config.yaml").resolve() == ROOT / "config.yaml"


@pytest.mark.parametrize(("page", "runs"), [("config/README.md", 8), ("CONTRIBUTING.md", 6)])
def test_configurations_that_pages_show_are_some(page: str, runs: int, tmp_path: Path) -> None:
    """The first is that which the catalogue shows."""
    (shown,) = re.findall(r"^ *```yaml\n(.*?)^ *```", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "mine.yaml").write_text(textwrap.dedent(shown))
    words = ["--config", str(tmp_path / "mine.yaml"), "--out", str(tmp_path / "plan.json")]
    assert main(["plan", "--strict", *words]) == 0
    assert len(json.loads((tmp_path / "plan.json").read_text())["runs"]) == runs
