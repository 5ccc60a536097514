"""A training of any family, killed again and again, ends as the undisturbed one, bit by bit."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from _digits_run import DIGITS
from wassdp.accounting.event import encode
from wassdp.experiment import Context, Findings
from wassdp.experiments import KINDS
from wassdp.runs import validate_parameters
from wassdp.training.checkpoint import Checkpoint

GENERATION: dict[str, Any] = {
    "dataset": "digits",
    "privacy": {"noise": 0.5, "delta": 1e-4},
    "optimiser": {"name": "adam", "learning_rate": 5e-3, "averaging": {"name": "tail", "fraction": 0.5}},
    "final_learning_rate": 1e-3,
    "epochs": 3,
    "steps_per_epoch": 2,
    "batch": 20,
    "evaluation": {"samples": 0, "frechet": 20, "sheet_rows": 2},
}
PUBLISHED: dict[str, Any] = {
    "dataset": "digits",
    "model": {"name": "linear"},
    "inputs": "range",
    "epochs": 3,
    "batch": 300,
    "learning_rate": 0.05,
    "privacy": {"noise_multiplier": 0.01, "leave_out": 3, "measure_every": 2, "delta": 1e-5},
}
ADAPTATION: dict[str, Any] = {
    "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 20},
    "epochs": 3,
    "warm_up": 1,
    "batch": 256,
}
METHOD: dict[str, Any] = {"learning_rate": 2e-3, "weight": 0.1}
NOISY = METHOD | {"sigma": 3.0, "delta": 1e-4}
FAIR: dict[str, Any] = {
    "clipping": {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1},
    "alpha": 0.5,
    "steps": 12,
    "learning_rate": 0.01,
    "records": 400,
    "test_records": 300,
}
CIRCLE: dict[str, Any] = {"records": 300, "batch": 60, "widths": (8,), "steps": 12, "pictures": 2, "projections": 5}

FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "DP-SGD": (
        "classification",
        DIGITS
        | {"optimiser": {"name": "adam", "learning_rate": 0.01, "averaging": {"name": "exponential", "decay": 0.9}}},
    ),
    "DP-SGD under attack": ("classification", DIGITS | {"audit": {"canaries": 1000}}),
    "SGD without privacy": ("classification", DIGITS | {"privacy": None}),
    "DP-SGD to be released": ("classification", DIGITS | {"release": True}),
    "the published step": ("published_classification", PUBLISHED),
    "adaptation by a discriminator": ("adaptation", ADAPTATION | {"method": METHOD | {"name": "dann"}}),
    "adaptation by noisy projections": (
        "adaptation",
        ADAPTATION | {"method": NOISY | {"name": "dp_swd", "projections": 20, "radius": 5.0, "dropout_epochs": 1}},
    ),
    "adaptation by a Wasserstein gradient": (
        "adaptation",
        ADAPTATION | {"method": NOISY | {"name": "dp_wasserstein_gradient", "output_norm": 0.5, "jacobian_norm": 1.0}},
    ),
    "a generator on new releases": (
        "generation",
        GENERATION | {"method": {"name": "sliced", "labels": "per_class", "batch": 20, "projections": 32, "reuse": 4}},
    ),
    "a generator on one release": (
        "generation",
        GENERATION | {"method": {"name": "mean_embedding", "features": 50, "view": {"name": "pixels"}}},
    ),
    "fair classification": (
        "fair_learning",
        FAIR | {"task": "classification", "privacy": {"epsilon": 5.0, "accountant": "gdp"}, "optimiser": "momentum"},
    ),
    "a fair representation": (
        "fair_learning",
        FAIR | {"task": "representation", "privacy": None, "hidden": 4, "optimiser": "adam", "projections": 5},
    ),
    "a matching": ("circle_matching", CIRCLE | {"privacy": None}),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_run_that_is_killed_at_every_report_and_after_every_save_is_the_undisturbed_one(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    kind, settings = FAMILIES[family]
    parameters = validate_parameters(kind, settings)

    def go(folder: str) -> Findings:
        context = Context(folder=tmp_path / folder, code="a", device="cpu")
        findings: Findings = KINDS.load(kind).run(parameters, seed=2, context=context)
        return findings

    whole = go("whole")
    record, save, once = Context.record, Checkpoint.save, set[float]()

    def killed_at_a_report(self: Context, axis: str, position: float, metrics: Any) -> None:
        record(self, axis, position, metrics)
        if position not in once:
            once.add(position)
            raise KeyboardInterrupt

    def killed_after_a_save(self: Checkpoint, state: dict[str, Any]) -> None:
        save(self, state)
        raise KeyboardInterrupt

    reported = positions(tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr(Context, "record", killed_at_a_report)
        patched.setattr(Checkpoint, "save", killed_after_a_save)
        for _ in range(2 * len(reported)):
            with pytest.raises(KeyboardInterrupt):
                go("cut")
            assert (tmp_path / "cut" / "checkpoint.pt").exists() or len(once) == 1
    resumed = go("cut")
    assert resumed.earlier_seconds > 0
    assert dataclasses.replace(resumed, earlier_seconds=0.0, event=None) == dataclasses.replace(whole, event=None)
    events = [None if run.event is None else encode(run.event) for run in (resumed, whole)]
    assert events[0] == events[1]
    assert not (tmp_path / "cut" / "checkpoint.pt").exists()
    # Killed between its report and its checkpoint, an epoch is passed twice; without a checkpoint, a run begins anew.
    assert positions(tmp_path / "cut") == sorted(reported * 2)[1:]


def positions(folder: Path) -> list[float]:
    """Where along the run its figures were reported, in order."""
    return [json.loads(line)["position"] for line in (folder / "history.jsonl").read_text().splitlines()]
