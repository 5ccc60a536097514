"""``audit: {canaries: N}`` asked of every kind, as the presets run it: a run that is attacked, or one line before work.

A run that takes the key is one of those that `ATTACKED` names, each of which a test really attacks; nothing takes it
and stays silent.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wassdp import config, runs
from wassdp.adaptation import methods as adaptations
from wassdp.experiment import PrivateParameters
from wassdp.experiments import KINDS
from wassdp.generation import methods as generations

ROOT = Path(__file__).parents[2]
PRESETS = ("config.yaml", "workflow/presets/paper.yaml")
CANARIES = {"canaries": 60}
SWAPPED = {
    "fair_learning": ("statistical_parity", "equality_of_odds", "renyi"),
    "generation": ("mean_embedding", "output_gradient", "sliced"),
    "adaptation": ("dp_dann", "dp_swd", "dp_wasserstein_gradient"),
}
ATTACKED = {("classification", "private"): "tests/audit/trainings/test_one_run.py"} | {
    (kind, name): "tests/audit/trainings/test_swapped_canaries.py" for kind, names in SWAPPED.items() for name in names
}
"""What takes canaries, and where such a run is attacked."""
WITHOUT = {
    ("classification", "not private"): "audit: the run is not private",
    ("fair_learning", "not private"): "audit: the run is not private",
    ("fair_learning", "repaired"): "audit: canaries attack the training alone, not the histograms",
    ("generation", "not private"): "audit: the run is not private",
    ("generation", "moments"): "audit with method moments: has no canaries, must be mean_embedding or ",
    ("adaptation", "swd"): "audit with method swd: the method is not private",
    ("adaptation", "dann"): "audit with method dann: the method is not private",
    ("adaptation", "source_only"): "audit with method source_only: the method is not private",
    ("adaptation", "published_dp_swd"): "audit with method published_dp_swd: the divisor is the batch's largest norm",
}
"""What has the key and cannot be attacked so, and the beginning of its line."""
CONTROL = "a control releases noise alone"


def choice(kind: str, value: dict[str, Any]) -> tuple[str, str]:
    """Kind and method of a run, as the tables above name it."""
    if kind == "adaptation":
        return kind, value["method"]["name"]
    if value["privacy"] is None:
        return kind, "not private"
    if kind == "generation":
        return kind, value["method"]["name"]
    if kind == "fair_learning":
        return kind, "repaired" if value.get("barycentre") else value["penalty"]
    return kind, "private"


@functools.cache
def planned() -> dict[str, list[dict[str, Any]]]:
    """Parameters of the presets' runs by kind, without those that are attacked already."""
    found: dict[str, list[dict[str, Any]]] = {}
    for preset in PRESETS:
        for experiment in config.read(ROOT / preset).experiments:
            for point in runs.points(experiment):
                parameters = runs.parameters_at(experiment, point)
                if parameters.impossible() is None and getattr(parameters, "audit", None) is None:
                    found.setdefault(experiment.kind, []).append(parameters.model_dump(mode="json"))
    return found


def with_key(kind: str) -> Iterator[tuple[tuple[str, str], str | None]]:
    """Every run of the presets, asked for canaries: what it is, and its line."""
    for value in planned().get(kind, []):
        yield choice(kind, value), runs.validate_parameters(kind, value | {"audit": CANARIES}).impossible()


KEYED = [name for name in KINDS.names() if "audit" in KINDS.load(name).Parameters.model_fields]


def test_the_key_is_known_where_the_tables_say() -> None:
    assert set(KEYED) == {kind for kind, _ in (*ATTACKED, *WITHOUT)}
    assert all(issubclass(KINDS.load(kind).Parameters, PrivateParameters) for kind in KEYED)
    for kind, names in (("generation", generations.METHODS.names()), ("adaptation", adaptations.METHODS.names())):
        assert {method for other, method in (*ATTACKED, *WITHOUT) if other == kind} == {*names} | (
            {"not private"} if kind == "generation" else set()
        )
    for place in ATTACKED.values():
        assert (ROOT / place).is_file()


@pytest.mark.parametrize("kind", KEYED)
def test_a_run_is_attacked_or_says_in_one_line_why_not(kind: str) -> None:
    accepted = set()
    for which, line in with_key(kind):
        if line is None:
            assert which in ATTACKED
            accepted.add(which)
        else:
            assert "\n" not in line
            assert line.startswith("audit")
            assert (which in ATTACKED and CONTROL in line) or line.startswith(WITHOUT.get(which, "-")), (which, line)
    assert accepted


@pytest.mark.parametrize("kind", [name for name in KINDS.names() if name not in KEYED])
def test_a_kind_without_the_key_refuses_it_in_one_line(kind: str) -> None:
    value = next(iter(planned().get(kind, [{}])))
    with pytest.raises(ValueError, match="audit") as caught:
        runs.validate_parameters(kind, value | {"audit": CANARIES})
    assert "\n" not in str(caught.value)
    if issubclass(KINDS.load(kind).Parameters, PrivateParameters):
        assert "what stands beside every private run is lower/noise_scale_family" in str(caught.value)
