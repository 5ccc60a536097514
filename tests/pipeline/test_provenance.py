"""Provenance names what a figure's last digits depend on."""

import os

import numpy as np
import threadpoolctl

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
