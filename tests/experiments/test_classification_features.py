"""Trainings on scattering features, with averaging, normalisation that is released, and a budget that ends the run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from wassdp.accounting import accountant
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.numerics import exact
from wassdp.audit import noise_scale
from wassdp.data.images import image_of
from wassdp.experiment import Context, Findings
from wassdp.experiments import classification
from wassdp.features.moments import ReleasedNormalisation
from wassdp.runs import identify, specification, validate_parameters

GROUPS = {"normalisation": {"name": "group", "groups": 9}}
CHANNELS = {"normalisation": {"name": "channel", "noise_multiplier": 8.0, "clip_mean": 1.0, "clip_square": 1.0}}
FEATURES = {"normalisation": {"name": "feature", "noise_multiplier": 8.0, "clip_mean": 1.0, "clip_square": 1.0}}
DIGITS: dict[str, Any] = {
    "dataset": "digits",
    "features": GROUPS,
    "model": {"name": "linear"},
    "optimiser": {"learning_rate": 4.0},
    "epochs": 4,
    "batch": 256,
    "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-5},
}


def parameters(**changes: Any) -> classification.Parameters:
    found = validate_parameters("classification", DIGITS | changes)
    assert isinstance(found, classification.Parameters)
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("WASSDP_DATA", str(store))


def go(folder: Path, chosen: classification.Parameters, seed: int = 0) -> Findings:
    return classification.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"features": {"scales": 3}},
            "features scattering of digits: scales = 3: needs images of more than 8 pixels a side, these have 8 x 8",
        ),
        (
            {"features": {"normalisation": {"name": "group", "groups": 7}}},
            "normalisation.groups = 7: must divide the 81",
        ),
        (
            {"augmentation": {"copies": 2}, "engine": "functional"},
            "augmentation beside features scattering: views of images are drawn anew in each step",
        ),
        (
            {"features": None, "augmentation": {"copies": 2}, "engine": "ghost_norms"},
            "engine ghost_norms with augmentation: sees single images; must be functional",
        ),
        (
            {"features": None, "augmentation": {"copies": 2, "crop": 8}, "engine": "functional"},
            "augmentation.crop = 8: must be below the 8 pixels of a side",
        ),
        (
            {"features": {"name": "patches", "side": 8}},
            "features patches of digits: side = 8: needs images of at least 9 pixels a side, these have 8 x 8",
        ),
        (
            {"features": {"normalisation": {"name": "photographs", "damped": 324}}},
            "normalisation.damped = 324: must be below the 324 features",
        ),
        (
            {"dataset": "cifar10", "features": {"deskew": True}},
            "features scattering of cifar10: deskew: is for grey images, these have 3 channels",
        ),
        ({"model": {"name": "scattering_cnn"}}, "model scattering_cnn on digits: .*height and width at least 4"),
    ],
)
def test_impossible_combinations_give_their_reason(changes: dict[str, Any], reason: str) -> None:
    assert re.search(reason, parameters(**changes).impossible() or "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": {"name": "wavelets"}}, "features.name = 'wavelets'"),
        ({"features": {"scales": 0}}, "features.scales = 0"),
        ({"features": {"normalisation": {"name": "batch"}}}, "features.normalisation.name = 'batch': must be one of"),
        ({"features": {"name": "patches", "filters": 0}}, "features.filters = 0"),
        (
            {"features": {"name": "patches", "scales": 2}},
            "features.scales = 2: unknown key; allowed: normalisation, unit_norm, name, filters, ",
        ),
        ({"features": {"normalisation": {"name": "channel"}}}, "features.normalisation.*noise_multiplier"),
        ({"optimiser": {"learning_rate": 1.0, "averaging": {"name": "tail"}}}, "optimiser.averaging.*fraction"),
        (
            {"optimiser": {"learning_rate": 1.0, "averaging": {"name": "exponential", "decay": 1.0}}},
            "optimiser.averaging.*decay = 1.0",
        ),
    ],
)
def test_bad_sections_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        parameters(**changes)
    assert "\n" not in str(caught.value)


def test_sections_that_are_not_there_leave_the_ids_of_runs_alone() -> None:
    plain = parameters(features=None).model_dump(mode="json")
    assert "features" not in plain
    assert "averaging" not in plain["optimiser"]
    assert set(parameters().model_dump(mode="json")["features"]) == {
        "name",
        "scales",
        "angles",
        "normalisation",
        *("unit_norm",),
    }
    # A digits run of the published set, whose id dates from before there were features.
    published = {
        "dataset": "digits",
        "engine": "opacus_hooks",
        "model": {"name": "linear"},
        "optimiser": {"name": "momentum", "learning_rate": 1.0},
        "epochs": 20,
        "batch": 512,
        "privacy": None,
    }
    assert identify(specification("classification", parameters(**published, features=None), 0)) == "7ccb23d3524c"


def test_the_shapes_of_the_papers_models() -> None:
    grey = {"dataset": "mnist", "model": {"name": "scattering_cnn"}}
    colour = {
        "dataset": "cifar10",
        "model": {"name": "scattering_cnn", "options": {"size": "large"}},
        "features": {"normalisation": {"name": "group", "groups": 27}},
    }
    assert parameters(**grey).impossible() is None
    assert parameters(**colour).impossible() is None
    assert parameters().features is not None
    assert parameters().features.output_shape((3, 32, 32)) == (243, 8, 8)  # type: ignore[union-attr]


def test_digits_are_learnt_from_features_at_a_budget_of_three(tmp_path: Path) -> None:
    tight = {"clip_norm": 0.5, "epsilon": 3.0, "delta": 1e-5}
    found = go(tmp_path, parameters(epochs=10, batch=512, privacy=tight))
    assert found.metrics["weights"] == 10 * (81 * 2 * 2 + 1)
    assert found.metrics["accuracy"] >= 0.8


def test_the_confusion_counts_are_the_test_set(tmp_path: Path) -> None:
    from wassdp.data.sets import digits

    found = go(tmp_path, parameters())
    counts = np.zeros((10, 10))
    for point in found.history:
        if point.metric.startswith("predicted/"):
            assert point.axis == "class"
            assert point.value is not None
            counts[int(point.position), int(point.metric.removeprefix("predicted/"))] += point.value
    labels = digits.load().test.labels
    assert counts.sum(axis=1).tolist() == np.bincount(labels, minlength=10).tolist()
    assert counts.trace() / len(labels) == pytest.approx(found.metrics["accuracy"])


def test_normalisation_by_channel_is_part_of_the_release(tmp_path: Path) -> None:
    chosen = parameters(features=CHANNELS)
    found = go(tmp_path, chosen)
    rate = 256 / 1438
    releases = Composed(
        events=(
            PoissonSampled(event=Gaussian(noise_multiplier=8.0, adjacency="add-remove"), rate=1.0),
            PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency="add-remove"), rate=rate),
        ),
        counts=(1, 24),
    )
    assert found.event == qualified(releases, notes=chosen.notes(classification.UNNOISED))
    assert chosen.released(found.metrics) == releases
    assert found.accounted_at is not None
    assert found.accounted_at.steps == (7, 13, 19, 25)
    last = json.loads((tmp_path / "history.jsonl").read_text().splitlines()[-1])
    total = accountant.load("pld").epsilon(found.event, 1e-5).value
    assert last["metrics"]["epsilon/upper/pld"] == pytest.approx(total, rel=1e-9)
    without = go(tmp_path / "without", parameters())
    assert without.event is not None
    assert total > accountant.load("pld").epsilon(without.event, 1e-5).value
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl", "without"]


def test_calibration_covers_normalisation_too(tmp_path: Path) -> None:
    budget = {"clip_norm": 0.5, "epsilon": 3.0, "delta": 1e-5}
    found = go(tmp_path, parameters(features=CHANNELS, privacy=budget))
    assert found.event is not None
    assert 2.99 < accountant.load("pld").epsilon(found.event, 1e-5).value <= 3.0
    with pytest.raises(ValueError, match=r"epsilon = 0.1: normalising the features alone spends 0\.\d+") as caught:
        go(tmp_path, parameters(features=CHANNELS, privacy=budget | {"epsilon": 0.1}))
    assert "\n" not in str(caught.value)


def test_normalisation_by_channel_follows_the_seed_and_repeats(tmp_path: Path) -> None:
    first, again, other = (
        go(tmp_path / name, parameters(features=CHANNELS, epochs=1), seed)
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert (first.metrics, first.history) == (again.metrics, again.history)
    assert first.metrics["test_loss"] != other.metrics["test_loss"]


def test_a_budget_beside_the_noise_ends_the_run(tmp_path: Path) -> None:
    both = {"clip_norm": 0.5, "noise_multiplier": 2.0, "epsilon": 1.5, "delta": 1e-5}
    chosen = parameters(privacy=both, epochs=50)
    found = go(tmp_path, chosen)
    assert found.event is not None
    steps = int(found.metrics["steps"])
    pld = accountant.load("pld")
    assert found.event.steps == steps < chosen.steps  # type: ignore[attr-defined]
    assert pld.epsilon(found.event, 1e-5).value <= 1.5
    one_more = Composed(events=found.event.events, counts=(steps + 1,))  # type: ignore[attr-defined]
    assert pld.epsilon(one_more, 1e-5).value > 1.5
    assert found.accounted_at is not None
    assert found.accounted_at.steps[-1] == steps
    assert found.accounted_at.positions[-1] == steps / chosen.steps_per_epoch
    accuracies = [point for point in found.history if point.metric == "accuracy"]
    assert accuracies[-1].position == steps / chosen.steps_per_epoch
    assert accuracies[-1].value == found.metrics["accuracy"]
    roomy = go(tmp_path / "roomy", parameters(privacy=both | {"epsilon": 100.0}, epochs=2))
    assert roomy.metrics["steps"] == 12
    with pytest.raises(ValueError, match=r"epsilon = 0\.01: one step with noise_multiplier 2\.0 already spends more"):
        go(tmp_path, parameters(privacy=both | {"epsilon": 0.01}))


def test_the_budget_spent_is_recorded_after_every_epoch(tmp_path: Path) -> None:
    found = go(tmp_path, parameters(epochs=15))
    lines = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    spent = [line["metrics"]["epsilon/upper/pld"] for line in lines]
    assert [line["position"] for line in lines] == list(range(1, 16))
    assert spent == sorted(spent)
    assert found.event is not None
    first = accountant.load("pld").epsilon(found.event.first(6), 1e-5).value  # type: ignore[attr-defined]
    assert spent[0] == pytest.approx(first, rel=1e-9)


@pytest.mark.parametrize("averaging", [{"name": "exponential", "decay": 0.9}, {"name": "tail", "fraction": 0.5}])
def test_averages_change_what_is_evaluated_and_not_what_is_released(tmp_path: Path, averaging: dict[str, Any]) -> None:
    plain, averaged = (
        go(tmp_path / name, parameters(optimiser={"learning_rate": 4.0, "averaging": chosen}))
        for name, chosen in (("plain", None), ("averaged", averaging))
    )
    assert plain.event == averaged.event
    assert plain.metrics["test_loss"] != averaged.metrics["test_loss"]
    losses = [[point.value for point in each.history if point.metric == "train_loss"] for each in (plain, averaged)]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("each", ["channel", "feature"])
def test_released_moments_may_be_those_of_every_feature(tmp_path: Path, each: str) -> None:
    section = CHANNELS["normalisation"] | {"name": each, "groups": 27, "noise_multiplier": 20.0}
    chosen = parameters(features={"normalisation": section}, privacy={"clip_norm": 0.5, "epsilon": 8, "delta": 1e-5})
    assert go(tmp_path, chosen).metrics["accuracy"] > 0.5


def test_what_photographs_say_costs_nothing_and_helps(tmp_path: Path) -> None:
    section = {"name": "patches", "filters": 64, "side": 4, "normalisation": {"name": "photographs", "damped": 20}}
    plain = parameters(epochs=10)
    found = go(tmp_path / "photographs", parameters(features=section, epochs=10))
    assert found.event == go(tmp_path / "plain", plain).event
    undamped = section | {"normalisation": {"name": "photographs"}}
    worse = go(tmp_path / "undamped", parameters(features=undamped, epochs=10))
    # Not the accuracy alone, in which one of few test records may make them equal.
    assert found.metrics["test_loss"] < worse.metrics["test_loss"]
    assert found.metrics["accuracy"] >= worse.metrics["accuracy"] > 0.5


def test_scattering_features_may_be_those_that_photographs_normalise(tmp_path: Path) -> None:
    section = {"name": "scattering", "normalisation": {"name": "photographs", "groups": 27, "damped": 20}}
    found = go(tmp_path / "photographs", parameters(features=section, epochs=10))
    assert found.event == go(tmp_path / "plain", parameters(epochs=10)).event
    assert found.metrics["accuracy"] > 0.5


def test_damping_follows_released_moments(tmp_path: Path) -> None:
    damped = {"normalisation": CHANNELS["normalisation"] | {"damped": 10}}
    found, without = (go(tmp_path / name, parameters(features=each)) for name, each in (("a", damped), ("b", CHANNELS)))
    assert found.event == without.event
    assert found.metrics["test_loss"] != without.metrics["test_loss"]
    dumped = parameters(features=CHANNELS).model_dump(mode="json")["features"]["normalisation"]
    assert "damped" not in dumped


def test_trainings_on_views_of_images_release_what_others_do(tmp_path: Path) -> None:
    chosen = {"features": None, "engine": "functional", "model": {"name": "cnn_tiny"}, "epochs": 2}
    plain = go(tmp_path / "plain", parameters(**chosen))
    several = go(tmp_path / "several", parameters(**chosen, augmentation={"copies": 3, "crop": 1, "flip": False}))
    assert several.event == plain.event
    assert several.metrics["weights"] == plain.metrics["weights"]
    assert several.metrics["test_loss"] != plain.metrics["test_loss"]
    assert "augmentation" not in parameters(**chosen).model_dump(mode="json")


def test_a_run_on_features_resumes_bit_by_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wassdp.training.checkpoint import Checkpoint

    chosen = parameters(
        features=CHANNELS, optimiser={"learning_rate": 4.0, "averaging": {"name": "exponential", "decay": 0.9}}
    )
    expected = go(tmp_path / "clean", chosen)
    save, saved = Checkpoint.save, []

    def stopping(self: Checkpoint, state: dict[str, Any]) -> None:
        save(self, state)
        saved.append(state)
        if len(saved) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", stopping)
        with pytest.raises(KeyboardInterrupt):
            go(tmp_path / "broken", chosen)
    found = go(tmp_path / "broken", chosen)
    assert found.earlier_seconds > 0
    assert (found.metrics, found.history, found.event) == (expected.metrics, expected.history, expected.event)


@pytest.mark.parametrize("section", [GROUPS, FEATURES])
def test_a_gpu_does_the_same_things(section: dict[str, Any], ends_alike: Callable[..., None]) -> None:
    ends_alike(classification, parameters(epochs=2, features=section))


@pytest.mark.parametrize("clip_norm", [10.0, 1e6])
def test_the_attack_counts_moments_as_far_as_an_image_moves_them(clip_norm: float) -> None:
    """Features of norm 1 move means that are clipped at 10 by a tenth of what their noise is for."""
    moments = {"name": "feature", "noise_multiplier": 0.5, "clip_mean": clip_norm, "clip_square": clip_norm}
    chosen = parameters(features={"normalisation": moments | {"groups": 9}}, epochs=1)
    metrics = {"noise_multiplier": 20.0, "sampling_rate": chosen.rate, "steps": float(chosen.steps)}
    event = chosen.released(metrics)
    assert isinstance(event, Composed)
    known = chosen.in_reach(event)
    (first, *steps), (moved, *left) = event.flat(), known.flat()
    assert left == steps
    assert first == (PoissonSampled(event=Gaussian(noise_multiplier=0.5, adjacency="add-remove"), rate=1.0), 1)
    assert moved[0].rate == 1
    assert moved[0].event.noise_multiplier >= 0.5 * clip_norm * (1 - 1e-5)
    attacked = noise_scale.guarantee(known, 1e-5, chosen.reach())
    # What is proven where the moments are counted by what features of norm 1 move them.
    noise = Gaussian(noise_multiplier=0.5 * clip_norm * (1 - 1e-6), adjacency="add-remove")
    honest = PoissonSampled(event=noise, rate=1.0)
    proven = exact.epsilon(Composed(events=(honest, event.events[1]), counts=(1, event.counts[1])), 1e-5).upper
    assert attacked.epsilon is not None
    assert attacked.epsilon <= proven
    assert noise_scale.guarantee(event, 1e-5, chosen.reach()).value > proven
    assert any("moves the features' moments by" in remark for remark in attacked.assumptions)


def test_without_released_moments_the_whole_run_is_attacked() -> None:
    plain = parameters(features=GROUPS)
    event = plain.released({"noise_multiplier": 2.0, "sampling_rate": 0.1, "steps": 3.0})
    assert event is not None
    assert plain.in_reach(event) is event
    assert "moments" not in plain.reach().how


@pytest.mark.parametrize("name", ["feature", "channel"])
def test_what_an_image_moves_of_the_moments_is_what_their_sums_differ_by(name: str) -> None:
    """With and without it, in the sums themselves, in units of what each is clipped to."""
    choice = {"name": name, "noise_multiplier": 0.0, "clip_mean": 0.4, "clip_square": 0.02, "groups": 9}
    features = parameters(features={"normalisation": choice}).features
    assert features is not None
    moments = features.normalisation
    assert isinstance(moments, ReleasedNormalisation)
    examples = features.of_crafted(image_of("digits"))
    apart = []
    for example in examples:
        sums = (moments._clipped_sum(example[None], 0.4, 2), moments._clipped_sum(example[None].square(), 0.02, 2))
        moved = [float(torch.linalg.vector_norm(total)) / norm for total, norm in zip(sums, (0.4, 0.02), strict=True)]
        apart.append(float(np.hypot(*moved)) / 2**0.5)
    assert max(apart) * (1 - 2e-6) <= moments.reached(examples) <= max(apart)
    assert torch.equal(examples, features.of_crafted(image_of("digits")))


@pytest.mark.parametrize("deskew", [False, True])
def test_an_image_moves_the_published_moments_all_the_way(deskew: bool) -> None:
    choice = {"name": "feature", "groups": 27, "noise_multiplier": 30.0, "clip_mean": 0.8, "clip_square": 0.03}
    features = {"normalisation": choice} | ({"deskew": True} if deskew else {})
    chosen = parameters(dataset="mnist", features=features)
    assert chosen._moved == 1 - 2**-20
