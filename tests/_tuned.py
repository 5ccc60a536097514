"""A search small enough for any test: Gibbs draws on scikit-learn's digits."""

from __future__ import annotations

from typing import Any

CONFIG: dict[str, Any] = {
    "preset": "tried",
    "protocol": {"trials": 3, "seed": 5},
    "experiments": [
        {
            "name": "gibbs",
            "paper": "tangent-dp",
            "kind": "gibbs_accuracy",
            "parameters": {
                "problem": {"dataset": "digits", "cells": [4, 4]},
                "loss": "savage",
                "draw": "finite",
                "hypotheses": 60,
            },
            "grid": {"epsilon": [1, 10]},
            "space": {
                "base_std": {"low": 0.1, "high": 10, "log": True},
                "loss": {"values": ["savage", "zero_one"]},
                "hypotheses": {"low": 20, "high": 60, "integer": True},
            },
            "compared": {
                "task": "two-classes",
                "problem": "digits",
                "method": "Gibbs",
                "epsilon": "epsilon",
                "objective": {"metric": "accuracy"},
            },
            "seeds": [0, 1],
            "accountants": ["pld"],
            "tables": [{"name": "head-to-head-digits", "kind": "head_to_head"}],
        }
    ],
}
