"""What the code imports is what ``pyproject.toml`` declares: nothing undeclared, nothing unused."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import yaml

from wassdp import extras

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OWN_FOLDERS = ("tests", "docs/_extensions")
OWN_FILES = [path for folder in OWN_FOLDERS for path in (ROOT / folder).glob("*.py")]
OWN_PACKAGES = [path.parent for path in (ROOT / "tests").glob("*/__init__.py")]
OWN = {"wassdp", "bench", *(path.stem for path in [*OWN_FILES, *OWN_PACKAGES])}
# What brings the folders and files of the package that import more than the core; the rest imports no more.
EXTRAS = {
    "train": (
        "adaptation",
        "audit",
        "data",
        "distances",
        "experiments",
        "fairness",
        "features",
        "finite.py",
        "full_precision.py",
        "generation",
        "mechanisms",
        "models",
        "noise",
        "tangent",
        "training",
    ),
    "pipeline": (
        "cli",
        "config.py",
        "pipeline",
        "protocol",
        "publish",
        "ledger",
        "report",
        "schema.py",
        "tracking",
        "yaml_files.py",
    ),
}
# Types of a library without its own: a distribution called after it.
STUBS = re.compile(r"^types-|-stubs$")
# What a run of the pipeline takes.
RUN = ("", *EXTRAS)
LOADS = "import_module("
BY_NAME = ("import_module", "importorskip")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*groups):
    """Names of the distributions that the groups require; ``""`` is what every installation has."""
    optional = PROJECT["optional-dependencies"]
    listed = [line for group in groups for line in (optional[group] if group else PROJECT["dependencies"])]
    return {normal(re.split(r"[<>=~! \[;]", line, maxsplit=1)[0]) for line in listed}


def distributions(modules):
    """The distributions that bring ``modules``: of several the one that is declared, else the first.

    A module that is not installed, as those of the benchmarks' peers may be, has its distribution's name.
    """
    installed, known = packages_distributions(), declared("", *PROJECT["optional-dependencies"])
    found = set()
    for module in set(modules) - OWN - set(sys.stdlib_module_names):
        names = [normal(name) for name in installed.get(module, [module])]
        found.add(next((name for name in names if name in known), names[0]))
    return found


def imports(text):
    """Top-level names that a Python file imports by statement, or by a literal name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in BY_NAME and isinstance(node.args[0].value, str):
                yield node.args[0].value.split(".")[0]


def imported(folder):
    return {name for path in (ROOT / folder).rglob("*.py") for name in imports(path.read_text())}


def part(path):
    """The extra that a file of the package belongs to; ``""`` is the core."""
    top = path.relative_to(ROOT / "src" / "wassdp").parts[0]
    return next((extra for extra, tops in EXTRAS.items() if top in tops), "")


def imported_by(extra, read=imports):
    """What the package's files that belong to ``extra`` import."""
    paths = [path for path in (ROOT / "src" / "wassdp").rglob("*.py") if part(path) == extra]
    return {name for path in paths for name in read(path.read_text())}


def imported_by_rules():
    """Snakemake's language is no Python; its import statements are."""
    paths = [ROOT / "workflow" / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
    statement = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
    return {name for path in paths for name in statement.findall(path.read_text())}


def by_a_computed_name(text):
    """Names that stand as strings in a file that imports what they name."""
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return {value for value in strings if isinstance(value, str) and value.isidentifier()} if LOADS in text else set()


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_what_a_part_imports_its_extra_declares(extra):
    used = distributions(imported_by(extra) | (imported_by_rules() if extra == "pipeline" else set()))
    assert used <= declared("", extra), f"undeclared: {sorted(used - declared('', extra))}"


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_what_an_extra_declares_its_part_imports(extra):
    used = distributions(imported_by(extra) | imported_by(extra, by_a_computed_name) | imported_by_rules())
    assert declared(extra) <= used, f"imported nowhere: {sorted(declared(extra) - used)}"


@pytest.mark.parametrize("extra", EXTRAS)
def test_advice_names_what_the_extra_declares(extra):
    assert distributions(extras.IMPORTED[extra]) == declared(extra)


@pytest.mark.parametrize(("folder", "group"), [("tests", "dev"), ("bench", "peers"), ("docs", "docs")])
def test_what_tests_benchmarks_and_documentation_import_is_in_their_extra(folder, group):
    used = distributions(imported(folder))
    allowed = declared(*RUN, group)
    assert used <= allowed, f"undeclared: {sorted(used - allowed)}"


def test_what_benchmarks_require_they_import():
    assert declared("peers") <= distributions(imported("bench"))


def test_what_the_documentation_requires_it_imports_or_loads_by_name():
    named = re.findall(r'"(\w+)"', (ROOT / "docs" / "conf.py").read_text())
    assert declared("docs") <= distributions({*imported("docs"), *named}) | {"ziamath"}
    assert 'files("ziamath")' in (ROOT / "docs" / "_extensions" / "formulas.py").read_text()


def test_what_developers_install_is_imported_by_tests_or_is_a_tool_in_use():
    commands = "\n".join((ROOT / name).read_text() for name in ("Makefile", ".pre-commit-config.yaml"))
    libraries = declared(*RUN, "dev")
    unused = []
    for name in declared("dev") - distributions(imported("tests")):
        stubbed = STUBS.search(name) and STUBS.sub("", name) in libraries
        # `pytest -n` is what pytest-xdist adds.
        command = "pytest -n" if name == "pytest-xdist" else name
        if not stubbed and not re.search(rf"(?<![\w-]){re.escape(command)}\b", commands):
            unused.append(name)
    assert not unused


def test_what_a_cluster_needs_is_its_profiles_executor():
    profile = yaml.safe_load((ROOT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text())
    assert declared("cluster") == {f"snakemake-executor-plugin-{profile['executor']}"}


def test_no_requirement_is_declared_twice():
    assert not declared("") & declared(*EXTRAS)
    assert not declared(*RUN) & declared("dev", "peers", "cluster")


def test_every_requirement_has_a_pinned_version():
    pins = {normal(line.split("==")[0]) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert declared("", *PROJECT["optional-dependencies"]) <= pins


@pytest.mark.parametrize(
    ("path", "lacks"), [("gpu", set()), ("cpu", {"llvmlite", "numba", "opacus", "torch", "torchvision"})]
)
def test_environments_hold_what_is_declared(path, lacks):
    listed = yaml.safe_load((ROOT / "envs" / f"{path}.yaml").read_text())["dependencies"]
    (pip,) = [item["pip"] for item in listed if isinstance(item, dict)]
    assert {normal(each.split("==")[0].partition("[")[0]) for each in pip} == declared(*RUN) - lacks


def test_whoever_can_run_the_pipeline_can_make_its_report():
    """Snakemake asks for what its report takes in an extra of its own: without it the last job fails."""
    takes = {line.split(";")[0] for line in requires("snakemake") if 'extra == "reports"' in line}
    assert takes
    texts = [(ROOT / "pyproject.toml").read_text(), *(path.read_text() for path in (ROOT / "envs").glob("*.yaml"))]
    named = [set(re.findall(r"snakemake(?:\[(\w+)\])?[>=]=", text)) for text in texts]
    assert named == [{"reports"}] * 3


def test_a_name_is_read_off_every_way_to_import():
    text = "import a.b\nfrom c.d import e\nfrom . import f\nh.import_module('i.j')\ndef g():\n    import_module(k)\n"
    assert set(imports(text)) == {"a", "c", "i"}
