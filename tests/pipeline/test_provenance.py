"""Provenance names what a figure's last digits depend on."""

import os
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl

import _checkout
import wassdp
from wassdp.pipeline import provenance


def test_the_machine_names_the_kernels_of_the_loaded_linear_algebra():
    assert np.linalg.norm(np.ones(2)) > 0  # numpy, hence its linear algebra, is loaded
    described = provenance.machine().split(", ")
    assert described[1] == f"{os.cpu_count()} processors"
    chosen = {library.get("architecture") for library in threadpoolctl.threadpool_info()} - {None}
    assert chosen
    assert {kernel.split()[-1] for kernel in described[2:]} == chosen


def test_versions_are_those_that_can_change_a_figure():
    assert {"python", "wassdp", "numpy", "scipy", "torch"} <= provenance.versions().keys()


def test_a_commit_tells_of_changes_to_the_package_and_to_what_else_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, beside = tmp_path / "package" / "__init__.py", tmp_path / "beside" / "file.py"
    for path in (package, beside):
        path.parent.mkdir()
        path.write_text("first\n")
    first = _checkout.committed(tmp_path)
    monkeypatch.setattr(wassdp, "__file__", str(package))
    assert provenance.commit(beside.parent) == first
    beside.write_text("second\n")
    assert provenance.commit() == first
    assert provenance.commit(beside.parent) == f"{first}+changes"
    package.write_text("second\n")
    assert provenance.commit() == f"{first}+changes"
