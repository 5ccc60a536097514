"""Adaptation end to end on scikit-learn's digits, upright and turned: parameters, event, curves, checkpoints."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wassdp import code
from wassdp.accounting import accountant
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.qualified import Qualified
from wassdp.data.sets import digits
from wassdp.experiment import Context, Findings
from wassdp.experiments import adaptation as kind
from wassdp.runs import validate_parameters

SMALL: dict[str, Any] = {
    "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
    "method": {"name": "swd", "learning_rate": 2e-3, "weight": 0.1, "projections": 20},
    "epochs": 2,
    "warm_up": 1,
    "batch": 128,
}
STEPS = 1438 // 128
PRIVATE = {"learning_rate": 2e-3, "weight": 0.1, "sigma": 3.0, "delta": 1e-4}
METHODS: dict[str, dict[str, Any]] = {
    "source_only": {"learning_rate": 2e-3},
    "swd": SMALL["method"],
    "dann": {"learning_rate": 2e-3, "weight": 0.1},
    "dp_dann": PRIVATE,
    "published_dp_swd": PRIVATE | {"projections": 20},
    "dp_swd": PRIVATE | {"projections": 20, "radius": 5.0, "dropout_epochs": 1},
    "dp_wasserstein_gradient": PRIVATE | {"output_norm": 0.5, "jacobian_norm": 1.0},
}


def parameters(**changes: Any) -> kind.Parameters:
    found = validate_parameters("adaptation", SMALL | changes)
    assert isinstance(found, kind.Parameters)
    return found


def method(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name} | METHODS[name] | changes


def go(folder: Path, chosen: kind.Parameters, seed: int = 0) -> Findings:
    return kind.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_trains_and_says_what_it_released(name: str, tmp_path: Path) -> None:
    found = go(tmp_path, parameters(method=method(name)))
    assert found.metrics["accuracy"] > 0.2  # ten classes
    assert found.metrics["records"] == 359
    assert found.metrics["steps"] == (0 if name == "source_only" else STEPS)
    curves = {point.metric for point in found.history}
    assert {"accuracy", "target_loss", "source_loss"} <= curves
    distances = [point.position for point in found.history if point.metric in ("distance", "discriminator_loss")]
    assert distances == ([] if name == "source_only" else [2])  # after the epochs of cross-entropy alone
    if "delta" not in METHODS[name]:
        assert found.event is None
        assert found.delta is None
        return
    assert isinstance(found.event, Qualified)
    assert found.event.steps == STEPS
    assert decode(encode(found.event)) == found.event
    assert found.delta == 1e-4
    assert found.metrics["sigma"] == 3.0
    bounded = accountant.load("pld").epsilon(found.event, found.delta).bounded
    assert bounded == (name != "published_dp_swd")
    told = parameters(method=method(name)).released(found.metrics)
    assert told == (found.event if bounded else None)


def test_seeds_differ_and_one_seed_does_not(tmp_path: Path) -> None:
    chosen = parameters(epochs=1, warm_up=0)
    first, again, other = (go(tmp_path / str(place), chosen, seed) for place, seed in enumerate((0, 0, 1)))
    assert first.history == again.history
    assert first.history != other.history


def test_a_budget_sets_the_noise(tmp_path: Path) -> None:
    chosen = parameters(method=method("dp_dann", sigma=None, epsilon=5.0))
    found = go(tmp_path, chosen)
    assert found.event is not None
    spent = accountant.load("pld").epsilon(found.event, 1e-4).epsilon
    assert spent is not None
    assert 4.99 < spent <= 5.0
    assert chosen.released(found.metrics) == found.event
    assert "wassdp.accounting.accountants.upper.pld" in code.chosen(chosen)
    assert "wassdp.accounting.accountants.upper.pld" not in code.chosen(parameters(method=method("dp_dann")))


def test_another_number_of_records_than_is_accounted_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digits, "DATASET", dataclasses.replace(digits.DATASET, counts={"train": 1438, "test": 358}))
    with pytest.raises(ValueError, match="target has 359 records, not 358"):
        go(tmp_path, parameters())


def test_divergence_names_the_step(tmp_path: Path) -> None:
    chosen = parameters(method=method("source_only"))
    beyond = chosen.method.model_copy(update={"learning_rate": 1e30})  # than a configuration may ask for
    with pytest.raises(FloatingPointError, match=r"epoch \d+, step \d+ of 11"):
        go(tmp_path, chosen.model_copy(update={"method": beyond}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": {"name": "svhn"}}, "task"),
        ({"task": {"name": "digits", "source": "mnist", "target": "svhn"}}, "target = 'svhn'"),
        ({"method": {"name": "mmd", "learning_rate": 1}}, "method"),
        ({"method": {"name": "swd", "learning_rate": 0, "weight": 1}}, "learning_rate = 0"),
        ({"method": {"name": "swd", "learning_rate": 1, "weight": 1, "momentum": 1}}, "momentum"),
        ({"method": method("published_dp_swd", sigma=-1)}, "sigma = -1"),
        ({"method": method("dp_swd", gradient="private")}, "gradient = 'private'"),
        ({"method": method("dp_swd", epsilon=1.0)}, "exactly one must be given"),
        ({"epochs": 0}, "epochs = 0"),
        ({"batch": 0}, "batch = 0"),
        ({"bacth": 1}, "bacth = 1: unknown key"),
    ],
)
def test_bad_parameters_are_named_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        parameters(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch": 400}, "batch 400 is more than the 359 records of the target"),
        ({"batch": 1439}, "batch 1439 is more than the 1438 records of the source"),
        ({"warm_up": 2}, "warm_up 2 leaves none of 2 epochs"),
        ({"method": method("dp_swd", delta=0.01)}, "delta 0.01 is not below 1 in 359 records"),
        ({"method": method("dp_dann", dropout_epochs=1)}, "with dropout in all epochs"),
        ({"task": {"name": "digits", "source": "usps", "target": "usps"}}, "source and target are both usps"),
    ],
)
def test_impossible_combinations_give_their_reason(changes: dict[str, Any], reason: str) -> None:
    assert re.search(reason, parameters(**changes).impossible() or "")


def test_only_the_method_that_is_chosen_is_imported() -> None:
    """So that a run's code is that of its own method, and a method is added without a word elsewhere."""
    program = (
        "import sys; from wassdp.runs import validate_parameters;"
        f"validate_parameters('adaptation', {SMALL!r});"
        "print(*(name for name in sys.modules if name.startswith('wassdp.adaptation.methods.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["wassdp.adaptation.methods.swd"]
    assert "wassdp.adaptation.methods.swd" in code.chosen(parameters())


@pytest.mark.parametrize("every", [2, 3, 9])
def test_evaluating_less_often_changes_nothing_else(tmp_path: Path, every: int) -> None:
    whole = go(tmp_path / "whole", parameters(epochs=4))
    rarely = go(tmp_path / "rarely", parameters(epochs=4, evaluate_every=every))
    assert rarely.metrics == whole.metrics
    evaluated = {2: [2, 4], 3: [3, 4], 9: [4]}[every]
    figures = ("accuracy", "target_loss")
    assert set(rarely.history) == {
        point for point in whole.history if point.metric not in figures or point.position in evaluated
    }


@pytest.mark.parametrize("name", METHODS)
def test_a_gpu_does_the_same_things(name: str, ends_alike: Callable[..., None]) -> None:
    ends_alike(kind, parameters(method=method(name)))
