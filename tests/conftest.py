"""Shared fixtures; skips what this machine cannot run, with the reason."""

from __future__ import annotations

import os

import matplotlib
import pytest

matplotlib.use("agg")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("mirror") and not os.environ.get("WASSDP_MIRROR"):
            item.add_marker(pytest.mark.skip(reason="needs the real datasets: set WASSDP_MIRROR"))
        if item.get_closest_marker("gpu"):
            import torch

            if not torch.cuda.is_available():
                item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))
