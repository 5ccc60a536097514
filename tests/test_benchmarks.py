"""Benchmarks run by hand are not to break unseen: each one loads, and says in its first line what it compares."""

from __future__ import annotations

import importlib

import pytest
from bench.__main__ import names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_loads(name: str) -> None:
    module = importlib.import_module(f"bench.{name}")
    assert callable(module.main)
    assert module.__doc__
