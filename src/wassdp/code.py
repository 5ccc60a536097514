"""Which code a run depends on, as a hash that changes exactly when that code does.

Snakemake notices an edited command line, not an edited package. So every job's parameters carry a
hash of the syntax trees, docstrings and comments left out, of all modules of this package that the
job can reach through import statements (those inside functions included), starting from its verb of the command
line and from the modules that its specification names.

Printed values (`wassdp.claims`) and datasets are loaded by names that stand in no import statement. A module that
imports `wassdp.claims` reaches those printed values whose name stands in it as a string; the other names are told by
the caller, who knows the job's options.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import wassdp
from wassdp import syntax
from wassdp.sections import sections

ROOT = Path(wassdp.__file__).parent
CLAIMS, DATA = f"{wassdp.__name__}.claims", f"{wassdp.__name__}.data"
FOLDERS = {CLAIMS: "printed", DATA: "sets"}


def code_hash(*modules: str, names: Iterable[str] = (), within: str = wassdp.__name__) -> str:
    """Hash (16 hex digits) of the given modules of this package and all that they reach (`closure`).

    Args:
        modules: where to begin.
        names: as for `closure`.
        within: only modules of this package count.

    Raises:
        ValueError: a module is not part of this package.
    """
    return _hash(frozenset(modules), frozenset(names), within)


@functools.cache
def _hash(modules: frozenset[str], names: frozenset[str], within: str) -> str:
    found = sorted(name for name in closure(modules, names) if f"{name}.".startswith(f"{within}."))
    text = "\n".join(f"{name} {_syntax(name).fingerprint}" for name in found)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def verb_modules(verb: str) -> tuple[str, str]:
    """What ``python -m wassdp VERB`` loads before anything else."""
    return f"{wassdp.__name__}.__main__", f"{wassdp.__name__}.cli.verbs.{verb}"


def chosen(value: Any) -> frozenset[str]:
    """Modules of what was chosen: of every section inside ``value``, and those that it loads by name.

    Args:
        value: a `wassdp.sections.Section`, or anything that may hold some.
    """
    return frozenset().union(*({type(section).__module__, *section.modules()} for section in sections(value)))


def closure(modules: Iterable[str], names: Iterable[str] = ()) -> frozenset[str]:
    """The given modules and every module of this package that they reach.

    Args:
        modules: where to begin.
        names: strings that the job is told; a module that imports `wassdp.claims` or `wassdp.data` may load the
            file so named.
    """
    found = _reached(frozenset(modules))
    named = [
        module
        for package in (CLAIMS, DATA)
        if package in found
        for name in names
        if (module := _named(package, name)) is not None
    ]
    return found | _reached(frozenset(named))


def keep(modules: Iterable[str]) -> None:
    """Read the given modules of this package now: hashes in this process and in its forks are of what they now hold."""
    for name in modules:
        _imports(name)


@functools.cache
def _reached(modules: frozenset[str]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(modules)
    for name in waiting:
        if _path(name) is None:
            raise ValueError(f"module = {name!r}: must be a module of {wassdp.__name__}")
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(name))
    return frozenset(found)


@functools.cache
def _syntax(name: str) -> syntax.Syntax:
    path = _path(name)
    assert path is not None, f"{name} was checked by closure()"
    return syntax.read(path.read_bytes())


@functools.cache
def _imports(name: str) -> tuple[str, ...]:
    """Modules of this package that a module imports, with the packages that contain them, and claims that it names."""
    read = _syntax(name)
    targets = set(read.imported)
    if CLAIMS in targets:
        targets.update(filter(None, (_named(CLAIMS, text) for text in read.texts)))
    inside = {target for target in targets if target.split(".")[0] == wassdp.__name__}
    parents = {
        ".".join(target.split(".")[:end]) for target in inside | {name} for end in range(1, target.count(".") + 1)
    }
    return tuple(sorted(target for target in inside | parents if _path(target) is not None))


def _named(package: str, name: str) -> str | None:
    """The module that a package loads by a name, whose hyphens are the file's underscores; None if there is none."""
    module = f"{package}.{FOLDERS[package]}.{name.replace('-', '_')}"
    return module if name.replace("-", "_").isidentifier() and _path(module) is not None else None


@functools.cache
def _path(name: str) -> Path | None:
    parts = name.split(".")
    if parts[0] != wassdp.__name__:
        return None
    base = ROOT.joinpath(*parts[1:])
    if base.is_dir() and (base / "__init__.py").exists():
        return base / "__init__.py"
    return base.with_suffix(".py") if len(parts) > 1 and base.with_suffix(".py").exists() else None
