"""Methods of the comparison that are called alike say in what their configurations differ."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from wassdp.publish import told
from wassdp.publish.comparison_rows import SET, rows

SETS = Path(__file__).parents[2] / "docs" / "results"


def settings(*budgets: float, **features: Any) -> list[dict[str, Any]]:
    return [{"features": features, "privacy": {"epsilon": budget}} for budget in budgets]


def test_only_what_all_settings_of_an_experiment_share_tells_it_apart() -> None:
    small, large = settings(1, 3, scales=2), settings(1, 8, scales=3)
    assert told.methods(["linear", "linear"], [small, large]) == ["linear, scales 2", "linear, scales 3"]
    assert told.methods(["linear", "linear"], [settings(1, 3), settings(3, 8)]) == ["linear", "linear"]
    assert told.methods(["linear"], [small]) == ["linear"]
    assert told.methods(["linear", "linear"], [small, settings(1, scales=2, extra=4)]) == ["linear", "linear, extra 4"]


def test_features_are_said_as_the_configuration_has_them() -> None:
    damped = {"features": {"normalisation": {"name": "photographs", "damped": 1000}}}
    assert told.features(damped) == "damped, by moments of photographs"
    assert told.features({"features": {"deskew": False, "normalisation": None}}) == ""
    assert told.features({}) == ""


def test_no_two_experiments_of_the_published_comparison_have_a_method_in_common() -> None:
    experiments = defaultdict(set)
    for row, _ in rows(SETS):
        if row["set"] == SET:
            experiments[row["task"], row["data"], row["method"]].add(row["experiment"])
    assert {method: found for method, found in experiments.items() if len(found) > 1} == {}
