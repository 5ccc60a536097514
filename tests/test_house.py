"""The shape of the package: imports go one way and stand at the top, files are small, plug-ins have own folders."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import wassdp
from wassdp.code import _imports
from wassdp.plugins import Plugins

ROOT = Path(wassdp.__file__).parent
FILES = {path.relative_to(ROOT): path.read_text() for path in sorted(ROOT.rglob("*.py"))}
MODULES = {".".join(("wassdp", *path.with_suffix("").parts)).removesuffix(".__init__") for path in FILES}
# Each may import what stands beside or below it.
FLOORS = (
    {"__main__", "cli"},
    {"protocol", "publish", "tracking"},
    {"ledger"},
    {"pipeline"},
    {"schema", "runs", "config", "explained"},
    {"report", "experiments"},
    {"audit"},
    {"adaptation", "generation", "fairness"},
    {"features"},
    {"training", "claims"},
    {"tangent", "mechanisms", "models"},
    {"labels", "metric_words", "experiment", "selection"},
    {"distances", "data", "ranges", "result"},
    {"accounting", "code"},
    {"noise", "sections", "syntax"},
    {"plugins"},
    {"checks", "complaints", "doubles", "extras", "files", "finite", "full_precision"}
    | {"processes", "version", "yaml_files"},
)
UPWARDS = {
    "wassdp.pipeline.forks -> wassdp.cli": "a fork does a command line",
}


def floor(module: str) -> int:
    top = module.split(".")[1] if "." in module else ""
    return next((number for number, names in enumerate(FLOORS) if top in names), len(FLOORS))


def functions_imports(text: str) -> int:
    return sum(
        isinstance(inside, ast.Import | ast.ImportFrom)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inside in ast.walk(node)
    )


def circles() -> Iterator[list[str]]:
    """Modules that import each other in a loop; a package and its own modules are one house."""
    graph = {
        module: {other for other in _imports(module) if not f"{module}.".startswith(f"{other}.")} for module in MODULES
    }
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> Iterator[list[str]]:
        if module in path:
            yield path[path.index(module) :]
        elif module not in done:
            for other in sorted(graph[module]):
                yield from walk(other, [*path, module])
            done.add(module)

    for module in sorted(graph):
        yield from walk(module, [])


def test_no_import_circles() -> None:
    assert [" -> ".join(circle) for circle in circles()] == []


def test_imports_go_one_way() -> None:
    wrong = {
        f"{module} -> {'.'.join(other.split('.')[:2])}"
        for module in MODULES
        for other in _imports(module)
        if floor(other) < floor(module) and "." in module
    }
    assert wrong == set(UPWARDS)


def test_every_folder_has_a_floor() -> None:
    tops = {path.parts[0].removesuffix(".py") for path in FILES} - {"__init__"}
    assert tops == set().union(*FLOORS)


def test_imports_stand_at_the_top() -> None:
    late = {str(path): functions_imports(text) for path, text in FILES.items() if path.parts[0] != "cli"}
    assert sum(late.values()) < 20, {path: number for path, number in late.items() if number}


def test_files_stay_small() -> None:
    assert {str(path): count for path, text in FILES.items() if (count := len(text.splitlines())) >= 400} == {}


@pytest.mark.parametrize("path", [path for path, text in FILES.items() if "Plugins(" in text], ids=str)
def test_every_file_of_a_folder_of_plugins_is_one(path: Path) -> None:
    packages = {
        value.package
        for value in vars(__import__(module_of(path), fromlist=["_"])).values()
        if isinstance(value, Plugins)
    }
    for package in packages:
        folder = ROOT.joinpath(*package.split(".")[1:])
        assert [file.name for file in folder.glob("_*.py") if file.name != "__init__.py"] == []


def module_of(path: Path) -> str:
    return ".".join(("wassdp", *path.with_suffix("").parts)).removesuffix(".__init__")
