"""Trainings on scikit-learn's digits, small enough for any test."""

from __future__ import annotations

from typing import Any

DIGITS: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "optimiser": {"learning_rate": 1.0},
    "epochs": 4,
    "batch": 256,
    "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-5},
}
"""A private one."""
WITHOUT_PRIVACY: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "optimiser": {"name": "momentum", "learning_rate": 1.0},
    "batch": 512,
}
"""One whose privacy a grid adds, and a test its epochs."""
