"""The experiment kind: its parameters, its release, and runs that are killed and go on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from _digits_run import DIGITS
from wassdp import data
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.experiment import Context, Findings
from wassdp.experiments import classification
from wassdp.runs import specification, validate_parameters


def parameters(**changes: Any) -> classification.Parameters:
    found = validate_parameters("classification", DIGITS | changes)
    assert isinstance(found, classification.Parameters)
    return found


def go(folder: Path, chosen: classification.Parameters, seed: int = 0) -> Findings:
    return classification.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "mnits"}, "dataset = 'mnits': did you mean mnist\\? must be one of cifar10, digits, .*mnist"),
        ({"dataset": "adult"}, "dataset = 'adult': must be one of"),
        ({"model": {"name": "resnet"}}, r"model.name = 'resnet': must be one of .*linear"),
        (
            {"model": {"name": "cnn_tiny", "options": {"activation": "tanhh"}}},
            "model: options.activation = 'tanhh': .*tanh",
        ),
        ({"model": {"name": "linear", "options": {"depth": 2}}}, "options.depth = 2: unknown key .*of linear: none"),
        ({"optimiser": {"name": "adamw", "learning_rate": 1.0}}, "optimiser.name = 'adamw': .*'sgd'"),
        ({"optimiser": {"learning_rate": 0}}, "optimiser.learning_rate = 0: .*greater than 0"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": -1, "delta": 1e-5}}, "privacy.noise_multiplier = -1"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": float("nan"), "delta": 1e-5}}, "noise_multiplier = nan"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": 1, "delta": 1.0}}, "privacy.delta = 1.0: .*less than 1"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": 1, "detla": 1e-5}}, "privacy.*detla|delta"),
        ({"privacy": {"clip_norm": 1, "delta": 1e-5}}, "noise_multiplier and epsilon: at least one must"),
        ({"engine": "hooks"}, "engine = 'hooks': must be one of .*opacus_hooks"),
        ({"epochs": 0}, "epochs = 0"),
        ({"batch": -1}, "batch = -1"),
        ({"micro_batch": 0}, "micro_batch = 0"),
        ({"bacth": 3}, "bacth = 3: unknown key"),
    ],
)
def test_bad_parameters_are_named_with_what_is_allowed(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        parameters(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch": 2000}, "batch 2000 is more than the 1438 records of digits"),
        ({"privacy": {"clip_norm": 1, "noise_multiplier": 1, "delta": 1e-3}}, "delta 0.001 is not below 1 in 1438"),
        ({"model": {"name": "cnn_small"}}, "model cnn_small on digits: .*at least 16"),
        ({"batch": 1e-6}, "steps, more than"),
        ({"dataset": "mnist", "model": {"name": "model_a"}}, "model model_a with privacy: normalisation 'batch' mixes"),
    ],
)
def test_impossible_combinations_give_their_reason(changes: dict[str, Any], reason: str) -> None:
    assert re.search(reason, parameters(**changes).impossible() or "")


def test_possible_combinations_give_none() -> None:
    assert parameters().impossible() is None
    assert parameters(dataset="mnist", model={"name": "cnn_small"}).impossible() is None
    assert parameters(dataset="cifar10", model={"name": "cnn_small"}, privacy=None).impossible() is None


def test_defaults_are_part_of_the_specification() -> None:
    short = parameters(model={"name": "cnn_tiny"})
    full = parameters(model={"name": "cnn_tiny", "options": {"activation": "tanh", "normalisation": "none"}})
    assert specification("classification", short, 0) == specification("classification", full, 0)
    assert parameters(**short.model_dump(mode="json")) == short


def test_the_code_of_what_is_loaded_by_name_counts() -> None:
    from wassdp.code import chosen as loaded
    from wassdp.code import closure
    from wassdp.pipeline.run_codes import run_code

    chosen = parameters()
    assert {"wassdp.models.linear", "wassdp.data.sets.digits", "wassdp.training.engines.ghost_norms"} <= loaded(chosen)
    calibrated = parameters(privacy={"clip_norm": 1, "epsilon": 3, "delta": 1e-5})
    assert "wassdp.accounting.accountants.upper.pld" in loaded(calibrated)
    # Accounting afterwards is another job: its code must not make a training with given noise run again.
    assert "wassdp.accounting.accountants.upper.pld" not in closure(
        ["wassdp.experiments.classification", *loaded(chosen)]
    )
    assert "wassdp.training.poisson" in closure(["wassdp.experiments.classification"])
    hashes = {run_code("classification", each) for each in (chosen, calibrated, parameters(privacy=None))}
    assert len(hashes) == 3


def test_the_event_is_what_the_loop_did(tmp_path: Path) -> None:
    chosen = parameters()
    found = go(tmp_path, chosen)
    rate = 256 / 1438
    assert chosen.steps_per_epoch == round(1 / rate) == 6
    releases = Composed(
        events=(PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency="add-remove"), rate=rate),), counts=(24,)
    )
    assert found.event == qualified(releases, notes=chosen.notes(classification.UNNOISED))
    assert found.delta == 1e-5
    assert found.accounted_at is not None
    assert found.accounted_at.positions == (1.0, 2.0, 3.0, 4.0)
    assert found.accounted_at.steps == (6, 12, 18, 24)
    metrics = found.metrics
    assert (metrics["steps"], metrics["records"], metrics["weights"]) == (24, 1438, 650)
    assert (metrics["noise_multiplier"], metrics["sampling_rate"]) == (2.0, rate)
    assert metrics["batch_min"] < metrics["batch_mean"] < metrics["batch_max"]
    # Mean of 24 binomial batches: 6 standard errors.
    assert metrics["batch_mean"] == pytest.approx(256, abs=6 * (256 * (1 - rate) / 24) ** 0.5)
    curves = {(point.metric, point.position): point.value for point in found.history}
    assert curves["accuracy", 4.0] == metrics["accuracy"]
    assert {name for name, _ in curves} == {
        *("accuracy", "test_loss", "train_loss", "batch_min", "batch_mean", "batch_max"),
        *(f"predicted/{taken_for}" for taken_for in range(10)),
    }
    assert found.device == "cpu (1 thread)"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl"]


def test_live_progress_holds_the_budget_that_the_final_accounting_gives(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(epochs=2))
    lines = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    assert [(line["axis"], line["position"]) for line in lines] == [("epoch", 1), ("epoch", 2)]
    assert found.event is not None
    final = accountant.load("pld").epsilon(found.event, 1e-5)
    assert lines[-1]["metrics"]["epsilon/upper/pld"] == pytest.approx(final.value, rel=1e-9)
    assert lines[-1]["metrics"]["accuracy"] == found.metrics["accuracy"]


def test_a_run_without_privacy_releases_nothing_private(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(privacy=None))
    assert found.event is None
    assert found.delta is None
    assert found.accounted_at is None
    assert "noise_multiplier" not in found.metrics


def test_a_calibrated_run_keeps_its_budget_and_uses_it(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(privacy={"clip_norm": 0.5, "epsilon": 3.0, "delta": 1e-5}))
    assert found.event is not None
    spent = accountant.load("pld").epsilon(found.event, 1e-5).value
    assert 2.99 < spent <= 3.0


def test_the_privacy_section_may_have_a_learning_rate_of_its_own(tmp_path: Path) -> None:
    private = {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-5}
    own = parameters(epochs=1, optimiser={"learning_rate": 0.1}, privacy=private | {"learning_rate": 1.0})
    shared = parameters(epochs=1, optimiser={"learning_rate": 1.0}, privacy=private)
    assert (own.chosen_optimiser.learning_rate, shared.chosen_optimiser.learning_rate) == (1.0, 1.0)
    assert parameters(optimiser={"learning_rate": 0.1}, privacy=None).chosen_optimiser.learning_rate == 0.1
    assert go(tmp_path / "own", own).metrics == go(tmp_path / "shared", shared).metrics


def test_seeds_matter_and_repeat(tmp_path: Path) -> None:
    first, again, other = (
        go(tmp_path / name, parameters(epochs=1), seed) for name, seed in [("a", 1), ("b", 1), ("c", 2)]
    )
    assert (first.metrics, first.history) == (again.metrics, again.history)
    assert first.metrics["test_loss"] != other.metrics["test_loss"]


def test_digits_are_learnt_at_a_budget_of_three(tmp_path: Path) -> None:
    # The quick set's setting; on three random splits it gave 94.4 to 95.6 % when it was chosen.
    chosen = parameters(epochs=20, batch=512, privacy={"clip_norm": 0.5, "epsilon": 3.0, "delta": 1e-5})
    assert go(tmp_path, chosen).metrics["accuracy"] >= 0.90


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_end_bit_by_bit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """kill -9 in the middle of a run, twice, then the same again: as if nothing had happened."""
    from wassdp.pipeline.execute import execute

    caplog.set_level("INFO")
    spec = specification("classification", parameters(model={"name": "cnn_tiny"}, epochs=12), 3)
    whole, broken = tmp_path / "whole" / "outcome.json", tmp_path / "broken" / "outcome.json"
    history = broken.with_name("history.jsonl")
    command = [sys.executable, "-m", "wassdp", "train", "--spec", json.dumps(spec), "--out", str(broken)]
    for lines in (3, 7):
        process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not history.exists() or len(history.read_text().splitlines()) < lines:
            assert process.poll() is None, "the run ended before it was killed"
            assert time.monotonic() < deadline, "the run made no progress"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not broken.exists()
    execute(spec, broken)
    # Of the seven lines, one may repeat an epoch, and the last epoch may not have been saved yet.
    found = re.search(r"resumed after epoch (\d+) of 12", caplog.text)
    assert found is not None
    assert int(found[1]) >= 5
    execute(spec, whole)

    resumed, undisturbed = (json.loads(path.read_text()) for path in (broken, whole))
    assert resumed.pop("provenance")["seconds"] > 0
    assert undisturbed.pop("provenance")["seconds"] > 0
    # The digest covers where an outcome comes from.
    assert resumed.pop("digest") != undisturbed.pop("digest")
    assert resumed == undisturbed
    # An epoch is passed twice only where a kill fell between its report and its checkpoint.
    assert len(history.read_text().splitlines()) <= 12 + 2
    assert {path.name for path in broken.parent.iterdir()} == {path.name for path in whole.parent.iterdir()}


@pytest.mark.parametrize("change", ["code", "seed", "damage"])
def test_a_checkpoint_that_does_not_belong_here_is_named_and_not_used(
    tmp_path: Path, change: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wassdp.training.checkpoint import Checkpoint

    chosen = parameters(epochs=2)
    expected = go(tmp_path / "clean", chosen)
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "remove", lambda self: None)
        context = Context(folder=tmp_path / "run", code="other" if change == "code" else "a", device="cpu")
        classification.run(chosen, seed=9 if change == "seed" else 0, context=context)
    file = tmp_path / "run" / "checkpoint.pt"
    if change == "damage":
        file.write_bytes(file.read_bytes()[:-1])
    found = go(tmp_path / "run", chosen)
    assert f"{file}: ignored" in caplog.text
    assert (found.metrics, found.history, found.event) == (expected.metrics, expected.history, expected.event)
    assert found.earlier_seconds == 0


@pytest.mark.parametrize(
    "changes",
    [
        *({"engine": name} for name in ("functional", "ghost_norms", "opacus_hooks")),
        {"model": {"name": "cnn_tiny"}, "engine": "ghost_norms"},
        {"privacy": None},
        {"optimiser": {"name": "adam", "learning_rate": 0.01, "averaging": {"name": "tail", "fraction": 0.5}}},
    ],
)
def test_a_gpu_does_the_same_things(changes: dict[str, Any], ends_alike: Callable[..., None]) -> None:
    ends_alike(classification, parameters(epochs=2, **changes))


@pytest.mark.gpu
def test_a_gpu_trains_as_well_as_a_processor(tmp_path: Path) -> None:
    chosen = parameters(epochs=30, batch=512, privacy={"clip_norm": 0.5, "epsilon": 3.0, "delta": 1e-5})
    found = classification.run(chosen, seed=0, context=Context(folder=tmp_path, code="a", device="cuda"))
    assert found.device.startswith("cuda (")
    assert found.metrics["accuracy"] >= 0.90


@pytest.mark.mirror
@pytest.mark.slow
def test_mnist_is_learnt_within_two_epochs(tmp_path: Path) -> None:
    chosen = parameters(
        dataset="mnist",
        model={"name": "cnn_small"},
        optimiser={"learning_rate": 0.5},
        epochs=2,
        batch=512,
        privacy={"clip_norm": 0.1, "epsilon": 2.2, "delta": 1e-5},
    )
    assert data.descriptor("mnist").counts["train"] == chosen.records == 60_000
    assert go(tmp_path, chosen).metrics["accuracy"] >= 0.90
