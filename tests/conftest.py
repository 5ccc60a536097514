"""Shared fixtures; skips what this machine cannot run, with the reason."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import matplotlib
import pytest

import shape_checker

shape_checker.install()
matplotlib.use("agg")
# The same examples on every machine and in every run, and none that fails because the machine is busy.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")


def shares(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in the order in which several workers get them, each an equal part of the list at the start.

    Each part begins with its share of the tests that take minutes: at the end one worker would be left alone with them.
    Those of a file stay together: they share fixtures, and two may not start Slurm at once. Who is done early takes
    from the end of another's part (`--dist worksteal`), which holds short ones only.
    """
    long: dict[Path, list[pytest.Item]] = {}
    short: list[pytest.Item] = []
    for item in items:
        (long.setdefault(item.path, []) if item.get_closest_marker("workflow") else short).append(item)
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        first = [item for file in list(long.values())[worker::workers] for item in file]
        size = (len(items) - len(ordered)) // (workers - worker)  # as xdist cuts them
        taken = max(0, size - len(first))
        ordered += [*first, *short[:taken]]
        short = short[taken:]
    return ordered


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items[:] = shares(items, config.workerinput["workercount"])
    for item in items:
        if item.get_closest_marker("mirror") and not os.environ.get("WASSDP_MIRROR"):
            item.add_marker(pytest.mark.skip(reason="needs the real datasets: set WASSDP_MIRROR"))
        if item.get_closest_marker("gpu"):
            import torch

            if not torch.cuda.is_available():
                item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def pytest_runtest_setup() -> None:
    shape_checker.begin_test()


@pytest.fixture(scope="session")
def tree() -> ModuleType:
    """`_tree`, which makes small results folders."""
    return _module("_tree")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for a file's tests; skips where there is none. Kept longer, its event loop would run under others."""
    with _module("_browser").started() as started:
        yield started


@pytest.fixture
def pretended_gpu() -> Iterator[None]:
    """One CUDA device for as long as a test lasts, pretended: see `_pretended_gpu`."""
    with _module("_pretended_gpu").pretended_gpu():
        yield


def _module(name: str) -> ModuleType:
    """A module beside this one; made once, and never as part of a package."""
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        assert found is not None
        assert found.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(found)
        found.loader.exec_module(sys.modules[name])
    return sys.modules[name]
