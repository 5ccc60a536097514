"""The core alone tells a budget, in an environment that holds nothing else; what needs more says which extra has it."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

import wassdp
from wassdp.cli import VERBS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SLICED = "wassdp.sliced_wasserstein"


def closure(requirements):
    """Distributions that ``requirements`` bring, with what they require themselves; no extras."""
    found = {}
    left = list(requirements)
    while left:
        requirement = left.pop()
        name = re.match(r"[\w.-]+", requirement)[0]
        if name in found or "extra ==" in requirement:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            assert ";" in requirement, f"{name} is not installed"  # for another Python or another system
        else:
            left += found[name].requires or ()
    return found.values()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs Python in an environment of the core's requirements and nothing else; links stand for an installation."""
    folder = tmp_path_factory.mktemp("core")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "wassdp").symlink_to(ROOT / "src" / "wassdp")
    for distribution in closure(PROJECT["project"]["dependencies"]):
        for name in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            (site / name).symlink_to(distribution.locate_file(name))

    def run(*arguments):
        return subprocess.run(
            [folder / "bin" / "python", *arguments], cwd=folder, env={}, capture_output=True, text=True, timeout=120
        )

    return run


def test_the_core_tells_a_budget_on_the_command_line(python):
    words = "epsilon gaussian --noise-multiplier 2 --delta 1e-5 --accountant pld --accountant zcdp"
    asked = python("-m", "wassdp", *words.split())
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "pld         upper  1.9931" in asked.stdout
    assert "zcdp        upper  2.16572" in asked.stdout


def test_the_core_tells_a_budget_in_python_and_imports_nothing_of_the_extras(python):
    asked = python(
        "-c",
        "import wassdp; event = wassdp.Gaussian(noise_multiplier=2.0, adjacency='add-remove');"
        "print(wassdp.compare(event, 1e-5)['pld'].epsilon)",
    )
    event = wassdp.Gaussian(noise_multiplier=2.0, adjacency="add-remove")
    assert asked.stdout.split() == [repr(wassdp.compare(event, 1e-5)["pld"].epsilon)], asked.stderr


@pytest.mark.parametrize("package", ["torch", "pandas", "snakemake", "mlflow", "matplotlib", "yaml"])
def test_the_core_has_no_package_of_an_extra(python, package):
    assert f"No module named '{package}'" in python("-c", f"import {package}").stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("plan", "pipeline"),
        ("ledger", "pipeline"),
        ("curve gaussian --noise-multiplier 2 --out curve.svg", "pipeline"),
        ("data fetch mnist", "train"),
    ],
)
def test_a_verb_without_its_extra_says_so_in_one_line(python, words, extra):
    asked = python("-m", "wassdp", *words.split())
    assert asked.returncode == 1, asked
    assert asked.stdout == ""
    (line,) = asked.stderr.splitlines()
    assert line.startswith(f"wassdp {words.split()[0]}: "), line
    assert f"pip install 'wassdp[{extra}]'" in line


WINDOWS = """
import os, signal, sys
for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "pidfd_open", "sched_getaffinity", "setsid", "O_DIRECTORY"):
    delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "pthread_kill", "setitimer"):
    delattr(signal, name)
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="cp1252")
from wassdp.cli import main
"""


@pytest.mark.parametrize(
    "words",
    [
        "epsilon gaussian --noise-multiplier 2 --delta 1e-5",
        "epsilon dpsgd --noise-multiplier 1 --records 60000 --batch 256 --epochs 1 --delta 1e-5 --accountant rdp",
        "calibrate laplace --epsilon 2 --delta 1e-5",
        "epsilon --help",
    ],
)
def test_the_core_needs_nothing_that_windows_lacks(python, words):
    """Modules and functions of Unix are taken away, and the console has a code page without Greek letters."""
    asked = python("-c", f"{WINDOWS}\nsys.exit(main({words.split()!r}))")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout


def test_every_verb_helps_without_an_extra(python):
    code = """
import contextlib
from wassdp.cli import VERBS, main
for verb in VERBS.names():
    with contextlib.suppress(SystemExit):
        main([verb, "--help"])
"""
    asked = python("-c", code)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.count("usage: wassdp ") == len(VERBS.names())


def test_a_distance_without_its_extra_says_so(python):
    asked = python("-c", f"import wassdp; {SLICED}")
    assert asked.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: {SLICED}: torch is not installed: pip install 'wassdp[train]'"
    )


def test_importing_the_package_loads_no_library():
    code = "import sys, wassdp; dir(wassdp); print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "pandas", "scipy", "numpy", "pydantic"} & set(loaded)


@pytest.mark.parametrize("name", wassdp.__all__)
def test_the_package_offers_what_it_lists(name):
    assert name in dir(wassdp)
    assert getattr(wassdp, name) is not None


@pytest.mark.slow
def test_names_of_the_package_are_typed(tmp_path):
    user = tmp_path / "user.py"
    user.write_text("import wassdp\n\nreveal_type(wassdp.Gaussian(adjacency='add-remove'))\nwassdp.Gauss\n")
    # In the checkout, whose cache a check of the whole package has filled: by itself this takes a minute.
    said = subprocess.run([sys.executable, "-m", "mypy", user], cwd=ROOT, capture_output=True, text=True).stdout
    assert 'Missing named argument "noise_multiplier" for "Gaussian"' in said
    assert 'Module has no attribute "Gauss"' in said
    assert 'Revealed type is "wassdp.accounting' in said


def test_the_package_has_nothing_else():
    with pytest.raises(AttributeError, match=r"module 'wassdp' has no attribute 'Gauss'"):
        wassdp.Gauss  # noqa: B018


def test_an_installation_holds_every_file_of_the_package():
    package = ROOT / "src" / "wassdp"
    others = {
        str(path.relative_to(package))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    others = {name for name in others if not name.endswith(".py")}
    assert others == set(PROJECT["tool"]["setuptools"]["package-data"]["wassdp"])
