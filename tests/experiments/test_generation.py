"""The experiment kind: its parameters, its release, and runs that are stopped and go on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wassdp.accounting import accountant
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.data.base import Split, Splits
from wassdp.data.sets import celeba, digits
from wassdp.experiment import Context, Findings
from wassdp.experiments import generation
from wassdp.runs import validate_parameters

SLICED: dict[str, Any] = {"name": "sliced", "labels": "per_class", "batch": 20, "projections": 32}
GRADIENT: dict[str, Any] = {
    "name": "output_gradient",
    "labels": "per_class",
    "rows": "orthant",
    "row_scale": 0.15,
    "bases": 4,
    "points": 5,
    "smooth": 3,
}
SMALL: dict[str, Any] = {
    "dataset": "digits",
    "method": SLICED,
    "privacy": {"noise": 0.5, "delta": 1e-4},
    "optimiser": {"name": "adam", "learning_rate": 5e-3},
    "epochs": 3,
    "steps_per_epoch": 4,
    "batch": 50,
    "evaluation": {"samples": 100, "logistic_iterations": 10, "mlp_iterations": 5, "frechet": 20, "sheet_rows": 2},
}


def parameters(**changes: Any) -> generation.Parameters:
    found = validate_parameters("generation", SMALL | changes)
    assert isinstance(found, generation.Parameters)
    return found


def go(folder: Path, chosen: generation.Parameters, seed: int = 0) -> Findings:
    return generation.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def test_a_run_says_what_it_released_and_how_good_its_images_are(tmp_path: Path) -> None:
    found = go(tmp_path, parameters())
    named = {
        "accuracy_mlp",
        "accuracy_logistic",
        "frechet_sampled",
        "frechet_sampled_floor",
        "frechet_scattering",
        "clipped",
        "rows_released",
    }
    assert named <= set(found.metrics)
    assert (found.metrics["steps"], found.metrics["releases"], found.metrics["distance"]) == (12, 12, 1)
    assert [point.position for point in found.history if point.metric == "loss"] == [1, 2, 3]
    assert set(found.pictures) == {"samples"}
    assert isinstance(found.event, Composed)
    assert found.event.counts == (12,)
    assert found.accounted_at is not None
    assert parameters().measured_headline() == "accuracy_mlp"

    assert found.accounted_at.steps == (4, 8, 12)
    assert not (tmp_path / "checkpoint.pt").exists()


def test_a_run_is_judged_by_what_it_names_and_shows_that(tmp_path: Path) -> None:
    chosen = parameters(evaluation=SMALL["evaluation"] | {"classifiers": ["mlp_stopped"]})
    assert chosen.measured_headline() == "accuracy_mlp_stopped"
    assert parameters(evaluation=SMALL["evaluation"] | {"samples": 0}).measured_headline() is None
    assert [name for name in go(tmp_path, chosen).metrics if name.startswith("accuracy")] == ["accuracy_mlp_stopped"]


def test_the_event_follows_the_labels_the_rows_and_the_sampling(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str, float, int]] = [
        ({"labels": "per_class"}, "replace-one-inside-class", 1.0, 64),
        ({"labels": "joint"}, "replace-one", 1.0, 74),
        ({"labels": "outer", "projections": 40}, "replace-one", 1.0, 640),
        ({"labels": "joint", "rows": "raw", "label_scale": 2.0}, "replace-one", (64 + 8) ** 0.5, 74),
        ({"labels": "outer", "rows": "raw"}, "replace-one", 128**0.5, 640),
        ({"labels": "joint", "sampling": "poisson"}, "zero-out", 1.0, 74),
    ]
    for changes, adjacency, distance, dimension in cases:
        chosen = parameters(
            method=SLICED | changes, epochs=1, steps_per_epoch=1, evaluation={"samples": 0, "frechet": 0}
        )
        event = go(tmp_path, chosen).event
        assert event is not None
        (sampled,) = event.events  # type: ignore[attr-defined]
        assert isinstance(sampled, PoissonSampled if adjacency == "zero-out" else SampledWithoutReplacement)
        assert isinstance(sampled.event, SlicedProjections)
        assert (sampled.event.adjacency, sampled.event.dimension) == (adjacency, dimension)
        assert sampled.event.distance == pytest.approx(distance)


@pytest.mark.parametrize(
    "method",
    [
        SLICED,
        SLICED | {"labels": "joint", "sampling": "poisson"},
        SLICED | {"batch": None, "reuse": None, "labels": "outer"},
        GRADIENT,
        GRADIENT | {"labels": "outer", "batch": 100},
        {"name": "mean_embedding", "features": 20},
    ],
)
def test_metrics_and_sizes_of_classes_tell_what_was_released(method: dict[str, Any], tmp_path: Path) -> None:
    chosen = parameters(method=method, epochs=1, steps_per_epoch=3, evaluation={"samples": 0, "frechet": 0})
    found = go(tmp_path, chosen)
    labels = digits.load().train.labels
    counts = tuple(np.bincount(labels).tolist())
    told = chosen.method.released(found.metrics, (1, 8, 8), 10, len(labels), counts)
    assert isinstance(told, Composed)
    assert isinstance(found.event, Composed)
    assert (told.events, told.counts) == (found.event.events, found.event.counts)
    # The digits have no sizes of classes on record: nothing is guessed.
    assert chosen.released(found.metrics) == (None if method.get("labels") == "per_class" else told)
    unnoised = parameters(method=SLICED | {"labels": "joint"}, privacy=None)
    assert unnoised.released(found.metrics) is None


def test_a_release_made_once_costs_the_same_for_any_number_of_epochs(tmp_path: Path) -> None:
    method = SLICED | {"batch": None, "reuse": None, "step_directions": 8, "step_rows": 10}
    events = [go(tmp_path / str(epochs), parameters(method=method, epochs=epochs)).event for epochs in (1, 3)]
    assert events[0] == events[1]
    assert isinstance(events[0], Composed)
    assert events[0].steps == 1


def test_pooled_draws_are_counted(tmp_path: Path) -> None:
    method = {"name": "sliced", "labels": "per_class", "batch": 1, "draws": 6, "directions": "orthogonal"}
    found = go(tmp_path, parameters(method=method))
    assert isinstance(found.event, Composed)
    assert found.event.steps == 72
    assert found.metrics["rows_released"] == 10 * 72  # of ten classes
    assert found.accounted_at is not None
    assert found.accounted_at.steps == (24, 48, 72)


def test_a_budget_is_kept_and_used_up(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(privacy={"epsilon": 3, "delta": 1e-4}, epochs=1))
    assert found.event is not None
    epsilon = accountant.load("pld").epsilon(found.event, 1e-4).value
    assert 2.99 < epsilon <= 3


def test_the_baseline_releases_one_embedding(tmp_path: Path) -> None:
    method = {"name": "mean_embedding", "features": 100, "bandwidth": 2.0}
    found = go(tmp_path, parameters(method=method, privacy={"epsilon": 1, "delta": 1e-4}))
    assert isinstance(found.event, Composed)
    assert found.event.counts == (1,)
    assert isinstance(found.event.events[0], Gaussian)
    assert found.accounted_at is None
    assert accountant.load("pld").epsilon(found.event, 1e-4).value == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "adjacency", "dimension"),
    [
        ({}, "replace-one-inside-class", 64),
        ({"labels": "joint"}, "replace-one", 74),
        ({"labels": "outer"}, "replace-one", 640),
        ({"labels": "none", "view": {"name": "pooled", "factor": 2}, "smooth": 2}, "replace-one", 16),
        (
            {"batch": 20, "view": {"name": "cosine", "side": 4}, "rows": "clipped", "smooth": None},
            "replace-one-inside-class",
            16,
        ),
    ],
)
def test_gradients_are_sampled_gaussian_releases_of_as_many_bases(
    tmp_path: Path, changes: dict[str, Any], adjacency: str, dimension: int
) -> None:
    chosen = parameters(method=GRADIENT | changes, epochs=1, evaluation={"samples": 0, "frechet": 0})
    found = go(tmp_path, chosen)
    assert isinstance(found.event, Composed)
    assert (found.event.counts, found.event.adjacency) == ((4,), adjacency)
    (sampled,) = found.event.events
    assert isinstance(sampled, SampledWithoutReplacement)
    assert (sampled.rate == 1) == ("batch" not in changes)
    assert isinstance(sampled.event, Gaussian)
    assert sampled.event.noise_multiplier == found.metrics["noise"] == 0.5
    # Digits: 1437 training records, 138 of the rarest class.
    batch = changes.get("batch", sampled.records)
    assert found.metrics["noise_std"] == pytest.approx(0.5 * 5 / batch)
    assert (found.metrics["dimension"], found.metrics["projections"]) == (dimension, 4 * dimension)
    assert found.metrics["releases"] == 4
    assert found.accounted_at is None


def test_noise_per_gradient_is_far_below_noise_per_row(tmp_path: Path) -> None:
    """At one budget, with the same rows: the signal of a released number over its noise, by family."""
    rows = {"labels": "per_class", "rows": "orthant", "row_scale": 0.15}
    methods = [
        GRADIENT,
        rows | {"name": "sliced", "directions": "orthogonal", "batch": 1, "draws": 100},
        rows | {"name": "sliced", "directions": "orthogonal", "batch": None, "reuse": None},
    ]
    found = [
        go(
            tmp_path / str(place),
            parameters(
                method=method,
                privacy={"epsilon": 1, "delta": 1e-4},
                epochs=1,
                evaluation={"samples": 0, "frechet": 0},
            ),
        ).metrics["signal_to_noise"]
        for place, method in enumerate(methods)
    ]
    assert found[0] > 3 * found[1]
    assert found[0] > 3 * found[2]


def test_a_gradient_s_budget_is_kept_and_used_up(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(method=GRADIENT, privacy={"epsilon": 3, "delta": 1e-4}, epochs=1))
    assert found.event is not None
    epsilon = accountant.load("pld").epsilon(found.event, 1e-4).value
    assert 2.99 < epsilon <= 3


def test_without_privacy_nothing_is_accounted(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(privacy=None))
    assert (found.event, found.delta, found.accounted_at) == (None, None, None)
    assert found.metrics["noise"] == 0


def test_equal_seeds_give_equal_findings_and_others_do_not(tmp_path: Path) -> None:
    first, second, other = (go(tmp_path / str(place), parameters(), seed) for place, seed in enumerate((0, 0, 1)))
    assert (first.metrics, first.history, first.pictures) == (second.metrics, second.history, second.pictures)
    assert first.history != other.history


class Stopped(Exception):  # noqa: N818 -- reads as what happened
    """A kill between two epochs."""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "final_learning_rate": 1e-4,
            "optimiser": {"learning_rate": 5e-3, "averaging": {"name": "tail", "fraction": 1}},
        },
        {"method": SLICED | {"reuse": 3}},
        {"method": SLICED | {"reuse": None, "batch": 60}},
        {"method": GRADIENT},
        {"method": {"name": "mean_embedding", "features": 50}},
    ],
)
def test_a_stopped_run_goes_on_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    chosen = parameters(**changes)
    whole = go(tmp_path / "whole", chosen)
    record = Context.record

    def stopping(self: Context, axis: str, position: float, metrics: Any) -> None:
        record(self, axis, position, metrics)
        if position == 3:
            raise Stopped

    monkeypatch.setattr(Context, "record", stopping)
    with pytest.raises(Stopped):
        go(tmp_path / "parts", chosen)
    monkeypatch.setattr(Context, "record", record)
    assert (tmp_path / "parts" / "checkpoint.pt").exists()
    resumed = go(tmp_path / "parts", chosen)
    assert resumed.earlier_seconds > 0
    assert (resumed.metrics, resumed.history, resumed.pictures) == (whole.metrics, whole.history, whole.pictures)
    lines = (tmp_path / "parts" / "history.jsonl").read_text().splitlines()
    assert [re.search(r'"position": (\d+)', line)[1] for line in lines] == ["1", "2", "3", "3"]  # type: ignore[index]


def test_the_distance_teaches_the_generator_digits(tmp_path: Path) -> None:
    chosen = parameters(
        method=SLICED | {"projections": 64, "row_scale": 0.1, "public_noise": False},
        privacy=None,
        epochs=1,
        steps_per_epoch=300,
        evaluation={"samples": 1000, "logistic_iterations": 100, "mlp_iterations": 20, "frechet": 0},
    )
    assert go(tmp_path, chosen).metrics["accuracy_logistic"] > 0.6


def test_coloured_faces_are_compared_in_a_latent_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made pictures: the real ones have to be placed by hand."""
    drawing = np.random.default_rng(0)
    splits = [
        Split(
            inputs=drawing.integers(0, 256, (count, 3, 64, 64), dtype=np.uint8),
            labels=drawing.integers(0, 2, (count, 40)),
        )
        for count in (12, 5)
    ]
    monkeypatch.setattr(celeba, "load", lambda: Splits(train=splits[0], test=splits[1]))
    monkeypatch.setattr("wassdp.data.checksums", lambda name: {})
    chosen = parameters(
        dataset="celeba",
        method={"name": "sliced", "labels": "none", "view": {"name": "convolutional"}, "batch": 6, "projections": 50},
        privacy={"noise": 0.37, "delta": 1e-6},
        generator={"name": "transposed", "code": 32},
        epochs=2,
        steps_per_epoch=1,
        batch=6,
        evaluation={"frechet": 4, "sheet_rows": 2},
    )
    assert chosen.impossible() is None
    found = go(tmp_path, chosen)
    assert found.metrics["dimension"] == 8192
    assert "accuracy_mlp" not in found.metrics
    assert found.metrics["frechet_sampled"] > 0
    assert "frechet_sampled_floor" not in found.metrics  # of five test images one is left
    assert isinstance(found.event, Composed)
    assert found.event.adjacency == "replace-one"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch": 55}, "batch 55 is no multiple of 10 classes"),
        ({"dataset": "celeba"}, "celeba has no classes"),
        ({"method": SLICED | {"sampling": "poisson"}}, "fixed class sizes"),
        ({"privacy": {"noise": 1, "delta": 1e-3}}, "delta 0.001 is not below 1"),
        ({"generator": {"name": "transposed"}}, "gives 64 x 64, not 8 x 8"),
        ({"dataset": "celeba", "method": SLICED | {"labels": "none"}}, "delta 0.0001 is not below 1"),
        ({"method": SLICED | {"draws": 2}}, "draws = 2: draws that share directions need orthogonal ones"),
        (
            {"method": SLICED | {"directions": "orthogonal", "projections": 65}},
            "projections = 65: orthogonal directions must be at most, or a multiple of, dimension = 64",
        ),
        ({"method": SLICED | {"smooth": 4}}, "smooth = 4: needs labels outside the row"),
        ({"method": GRADIENT | {"smooth": 9}}, "smooth = 9: must be at most the sides of (1, 8, 8)"),
        ({"method": SLICED | {"batch": 2.5}}, "batch = 2.5: must be a whole number"),
        ({"method": SLICED | {"labels": "joint", "batch": 1439}}, "batch = 1439: must be at most records = 1438"),
        ({"method": GRADIENT | {"labels": "joint", "batch": 1439}}, "records = 1438: must be at least batch = 1439"),
        # Sizes of MNIST's classes are on record; of what is left where some are held out, they are not.
        ({"dataset": "mnist", "method": SLICED | {"batch": 5422}}, "batch = 5422: must be at most records = 5421"),
    ],
)
def test_what_cannot_be_run_leaves_with_its_reason(changes: dict[str, Any], reason: str) -> None:
    assert reason in str(parameters(**changes).impossible())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "adult"}, "dataset = 'adult': must be one of"),
        ({"method": SLICED | {"labels": "both"}}, "labels = 'both'"),
        ({"method": GRADIENT | {"bases": 0}}, "bases = 0"),
        ({"method": {"name": "gan"}}, "gan"),
        ({"privacy": {"delta": 1e-5}}, "noise and epsilon"),
        ({"privacy": {"delta": 1e-5, "noise": 1, "epsilon": 1}}, "noise and epsilon"),
        ({"method": {"name": "mean_embedding", "features": 3}}, "features = 3"),
    ],
)
def test_bad_values_are_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parameters(**changes)


def _one_of(generator: np.random.Generator, **choices: list[Any]) -> dict[str, Any]:
    return {name: values[generator.integers(len(values))] for name, values in choices.items()}


def _any_method(generator: np.random.Generator) -> dict[str, Any]:
    """A method of releasing rows or gradients, with settings that need not go together."""
    views = [{"name": "pixels"}, {"name": "pooled", "factor": 2}, {"name": "cosine", "side": 4}]
    shared = _one_of(
        generator,
        labels=["joint", "outer", "per_class", "none"],
        rows=["clipped", "orthant", "raw"],
        view=views,
        smooth=[None, None, 2, 5, 9],
    )
    if generator.random() < 0.4:
        return {"name": "output_gradient", **shared} | _one_of(
            generator, bases=[1, 2], points=[1, 7], batch=[None, 1, 60]
        )
    return {"name": "sliced", **shared} | _one_of(
        generator,
        directions=["iid", "orthogonal"],
        sampling=["without-replacement", "poisson"],
        projections=[None, None, 16, 64, 65],
        batch=[None, 1, 0.5, 60],
        draws=[1, 1, 3],
        reuse=[None, 1],
        step_directions=[None, 5],
        step_rows=[None, 5],
    )


def test_what_the_run_table_lets_through_runs_whatever_the_settings(tmp_path: Path) -> None:
    generator, ran, left = np.random.default_rng(0), 0, 0
    for number in range(240):
        chosen = parameters(
            method=_any_method(generator),
            privacy=_one_of(generator, one=[None, SMALL["privacy"]])["one"],
            epochs=1,
            steps_per_epoch=1,
            evaluation={"samples": 0, "frechet": 0, "sheet_rows": 1},
        )
        if chosen.impossible() is not None:
            left += 1
            continue
        (folder := tmp_path / str(number)).mkdir()
        go(folder, chosen)
        ran += 1
    assert min(ran, left) > 40


def test_rows_without_an_account_release_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="draws = 2"):
        go(tmp_path, parameters(method=SLICED | {"draws": 2}))
    with pytest.raises(ValueError, match="orthogonal directions"):
        go(tmp_path, parameters(method=SLICED | {"directions": "orthogonal", "projections": 65}))


def test_gradients_teach_the_generator_digits_within_a_budget(tmp_path: Path) -> None:
    chosen = parameters(
        method=GRADIENT,
        privacy={"epsilon": 10, "delta": 1e-4},
        epochs=1,
        steps_per_epoch=300,
        evaluation={"samples": 1000, "logistic_iterations": 100, "mlp_iterations": 20, "frechet": 0},
    )
    assert go(tmp_path, chosen).metrics["accuracy_logistic"] > 0.6


BASIS = SLICED | {"directions": "orthogonal", "projections": 64, "batch": 1, "draws": 30}


@pytest.mark.parametrize(
    "method",
    [
        SLICED,
        SLICED | {"labels": "joint"},
        SLICED | {"labels": "outer", "rows": "raw"},
        SLICED | {"labels": "joint", "sampling": "poisson"},
        SLICED | {"order": 1.0, "reuse": None, "batch": 60},
        BASIS,
        BASIS | {"step_directions": 20, "step_rows": 10},
        SLICED | {"view": {"name": "cosine", "side": 4}},
        *(GRADIENT | {"labels": labels} for labels in ("per_class", "joint", "outer")),
        {"name": "mean_embedding", "features": 50},
    ],
)
def test_a_gpu_does_the_same_things(method: dict[str, Any], ends_alike: Callable[..., None]) -> None:
    ends_alike(generation, parameters(method=method))
