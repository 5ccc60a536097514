"""A run that is judged on validation records reads no test record, and trains on none that judges it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from _digits_run import DIGITS
from wassdp import data
from wassdp.adaptation.tasks import Digits
from wassdp.data import held_out
from wassdp.data.base import Split, Splits
from wassdp.experiment import Context, Findings, JudgedParameters
from wassdp.experiments import KINDS
from wassdp.features import choice
from wassdp.features.moments import ReleasedNormalisation
from wassdp.features.scattering import Scattering
from wassdp.noise import seeded
from wassdp.runs import validate_parameters

ADAPTATION = {"epochs": 2, "warm_up": 1, "batch": 128}
ADAPTATION |= {"task": {"name": "digits", "source": "digits", "target": "digits", "rotation": 20, "margin": 1}}
GENERATION = {
    "dataset": "digits",
    "method": {"name": "mean_embedding", "features": 50, "bandwidth": 1},
    "privacy": {"epsilon": 10, "delta": 1e-4},
    "epochs": 1,
    "steps_per_epoch": 2,
    "evaluation": {"samples": 200, "frechet": 0, "mlp_iterations": 2},
}
FAIR = {"dataset": "german_credit", "sensitive": "sex", "task": "classification", "alpha": 0.5, "steps": 3}
FAIR |= {"learning_rate": 1, "clipping": {"loss_norm": 1, "output_norm": 1, "jacobian_norm": 1}}
FAIR |= {"privacy": {"epsilon": 3}, "delta": 1e-5}
GIBBS = {"problem": {"dataset": "digits", "cells": [4, 4]}, "loss": "savage", "epsilon": 1, "draw": "finite"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "classification": ("accuracy", DIGITS | {"epochs": 1}),
    "generation": ("accuracy_logistic", GENERATION),
    "fair_learning": ("disparate_impact", FAIR),
    "gibbs_accuracy": ("accuracy", GIBBS | {"hypotheses": 50}),
}


def go(kind: str, folder: Path, chosen: dict[str, Any]) -> Findings:
    module = KINDS.load(kind)
    parameters = validate_parameters(kind, chosen)
    assert parameters.impossible() is None
    found: Findings = module.run(parameters, seed=0, context=Context(folder=folder, code="a", device="cpu"))
    return found


def other_tests(splits: Splits) -> Splits:
    """The same training records; test records of which nothing is as it was."""
    test = splits.test
    turned = Split(
        inputs=test.inputs[::-1].copy(),
        labels=np.roll(test.labels, 1),
        sensitive=None if test.sensitive is None else 1 - test.sensitive,
    )
    return replace(splits, test=turned)


@pytest.fixture
def tests_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    load = data.load
    monkeypatch.setattr(data, "load", lambda *given, **options: other_tests(load(*given, **options)))


def mirrored(kind: str) -> Any:
    return pytest.param(kind, marks=pytest.mark.mirror) if kind == "fair_learning" else kind


@pytest.mark.parametrize("kind", [mirrored(kind) for kind in CASES])
def test_no_test_record_is_read(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    metric, chosen = CASES[kind]
    before = go(kind, tmp_path / "a", chosen | {"judged_on": "validation"})
    tested = go(kind, tmp_path / "b", chosen)
    request.getfixturevalue("tests_changed")
    assert go(kind, tmp_path / "c", chosen | {"judged_on": "validation"}).metrics == before.metrics
    assert go(kind, tmp_path / "d", chosen).metrics[metric] != tested.metrics[metric]


def test_the_account_is_of_the_records_that_are_trained_on(tmp_path: Path) -> None:
    records = data.descriptor("digits").counts["train"]
    found = go("classification", tmp_path, DIGITS | {"epochs": 1, "judged_on": "validation"})
    assert found.metrics["records"] == held_out.trained_on("digits", records, "validation") < records
    assert found.metrics["sampling_rate"] == DIGITS["batch"] / found.metrics["records"]


def test_adaptation_is_judged_on_target_records_that_take_no_part(tmp_path: Path) -> None:
    chosen = ADAPTATION | {"method": {"name": "source_only", "learning_rate": 2e-3}}
    chosen["task"] = ADAPTATION["task"] | {"source": "digits", "target": "usps"}
    parameters = validate_parameters("adaptation", chosen | {"judged_on": "validation"})
    assert parameters.sizes == (1438, 7291 - 7291 // 6)
    for task in (chosen["task"] | {"split": "test"}, {"name": "office31", "source": "amazon", "target": "dslr"}):
        other = validate_parameters("adaptation", chosen | {"judged_on": "validation", "task": task})
        assert "judged_on validation" in (other.impossible() or "")


@pytest.mark.mirror
def test_adaptation_holds_out_target_records_and_no_test_record() -> None:
    usps = data.load("usps")
    domains = Digits(name="digits", source="digits", target="usps").load(torch.device("cpu"), "validation")
    trained, kept_back = held_out.places("usps", len(usps.train))
    assert domains.held_out is not None
    assert np.array_equal(domains.target.targets, usps.train.labels[trained])
    assert np.array_equal(domains.held_out.targets, usps.train.labels[kept_back])
    assert len(domains.target.inputs) == len(trained)


def test_features_are_those_of_the_split_and_moments_of_what_is_trained_on(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "data"))
    recipe = Scattering.model_validate({"name": "scattering", "scales": 1})
    whole, _ = choice.of("digits", recipe, noise=seeded(0), folder=tmp_path)
    parts = choice.of("digits", recipe, noise=seeded(0), folder=tmp_path, judged_on="validation")
    for part, places in zip(parts, held_out.places("digits", len(whole)), strict=True):
        assert np.array_equal(part, whole[places])
    moments = {"name": "feature", "noise_multiplier": 1e-9, "clip_mean": 1e3, "clip_square": 1e3, "floor": 1e-9}
    measured = recipe.model_copy(update={"unit_norm": False, "normalisation": ReleasedNormalisation(**moments)})
    trained, _ = choice.of("digits", measured, noise=seeded(0), folder=tmp_path, judged_on="validation")
    assert np.abs(np.asarray(trained, dtype=float).mean(axis=0)).max() < 1e-3


def test_kinds_that_learn_and_measure_can_be_judged_so() -> None:
    for kind in ("adaptation", *CASES):
        assert issubclass(KINDS.load(kind).Parameters, JudgedParameters)


def test_what_is_released_is_not_judged_on_training_records() -> None:
    """Figures of those that are held out have no noise, and the budget is that of the others."""
    for release, judged_on in ((True, "validation"), (True, "test"), (False, "validation")):
        chosen = validate_parameters("classification", DIGITS | {"release": release, "judged_on": judged_on})
        said = "judged without noise" in (chosen.impossible() or "")
        assert said == (release and judged_on == "validation")
