"""Benchmarks run by hand are not to break unseen: each one loads, and says in its first line what it compares."""

from __future__ import annotations

import importlib
from pathlib import Path

import pandas as pd
import pytest
from bench import engines
from bench.__main__ import names

KEPT = Path(__file__).parents[1] / "docs" / "results" / "benchmarks"


@pytest.mark.parametrize("name", names())
def test_a_benchmark_loads(name: str) -> None:
    module = importlib.import_module(f"bench.{name}")
    assert callable(module.main)
    assert module.__doc__


def test_the_faq_says_what_the_kept_benchmarks_of_a_gpu_say() -> None:
    keys = ["model", "engine"]
    here, there = (
        pd.read_csv(KEPT / name / "engines.csv").set_index(keys)["samples_per_second"] for name in ("", "h100")
    )
    ours = (there / here).xs("ghost_norms", level="engine")
    large = ours[[case.what for case in engines.CASES if case.batch == 256][1:]]
    hooks = there.xs("opacus_hooks", level="engine") / there.xs("ghost_norms", level="engine")
    images = hooks[[case.what for case in engines.CASES if case.batch == 256]]
    text = " ".join((KEPT.parents[1] / "faq.md").read_text().split())
    assert f"weights {large.min():.0f} to {large.max():.0f} times as many" in text
    assert f"for the smallest one {ours['26k CNN']:.1f} times as many" in text
    assert f"was {images.min():.1f} to {images.max():.1f} times as fast there" in text
    slow, fast = (pd.read_csv(KEPT / name / "generation.csv").set_index("setting")["step_ms"] for name in ("", "h100"))
    steps = slow / fast
    assert f"by DP-SWD was {steps.min():.1f} to {steps.max():.1f} times as fast there" in text
