"""The authors' training end to end on small made data: its parameters, its event, its checkpoints, every dataset."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from wassdp.accounting.accountant import load
from wassdp.accounting.event import decode, encode
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.data.base import File, Split, Splits
from wassdp.data.sets import mnist, svhn
from wassdp.data.vision_package import torchvision
from wassdp.experiment import Context, Findings
from wassdp.experiments import published_classification as kind
from wassdp.runs import specification, validate_parameters

RECORDS, BATCH = 70, 32
SMALL: dict[str, Any] = {
    "dataset": "mnist",
    "model": {"name": "model_a"},
    "epochs": 3,
    "batch": BATCH,
    "learning_rate": 0.05,
    "privacy": {"noise_multiplier": 0.01, "leave_out": 3, "delta": 1e-5},
}


def parameters(**changes: Any) -> kind.Parameters:
    found = validate_parameters("published_classification", SMALL | changes)
    assert isinstance(found, kind.Parameters)
    return found


def privacy(**changes: Any) -> dict[str, Any]:
    return SMALL["privacy"] | changes


def go(folder: Path, chosen: kind.Parameters, seed: int = 0) -> Findings:
    return kind.run(chosen, seed=seed, context=Context(folder=folder, code="a", device="cpu"))


def event(findings: Findings) -> MeasuredGradients:
    assert isinstance(findings.event, MeasuredGradients)
    return findings.event


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """MNIST with 70 training images: light where the class says so."""
    generator = np.random.default_rng(0)

    def split(size: int) -> Split:
        labels = np.arange(size, dtype=np.int64) % 10
        inputs = generator.integers(0, 60, (size, 28, 28), dtype=np.uint8)
        for image, label in zip(inputs, labels, strict=True):
            image[2 * label : 2 * label + 8, 4:24] += 150
        return Split(inputs=inputs, labels=labels)

    splits = Splits(train=split(RECORDS), test=split(40), classes=tuple("0123456789"))
    monkeypatch.setattr(mnist, "DATASET", dataclasses.replace(mnist.DATASET, counts={"train": RECORDS, "test": 40}))
    monkeypatch.setattr(mnist, "load", lambda: splits)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "adult"}, "dataset = 'adult': must be one of"),
        ({"model": {"name": "model_a", "options": {"normalisation": "layer"}}}, "options.normalisation = 'layer'"),
        ({"batch": 1}, "batch = 1"),
        ({"batch": 10.5}, "batch = 10.5"),
        ({"epochs": 0}, "epochs = 0"),
        ({"learning_rate": 0}, "learning_rate = 0"),
        ({"inputs": "imagenet"}, "inputs = 'imagenet': .*'published' or 'range'"),
        ({"privacy": {"noise_multiplier": -1}}, "privacy.noise_multiplier = -1"),
        ({"privacy": {}}, "privacy.noise_multiplier: is missing"),
        ({"privacy": {"noise_multiplier": 1, "keep": 0}}, "privacy.keep = 0"),
        ({"privacy": {"noise_multiplier": 1, "measure_every": 0}}, "privacy.measure_every = 0"),
        ({"privacy": {"noise_multiplier": 1, "epsilon": 1}}, "privacy.epsilon = 1: unknown key"),
        ({"bacth": 3}, "bacth = 3: unknown key"),
        ({"setting": {"epochs": 2}}, "setting: epochs is given beside it too"),
        ({"setting": 3}, "setting = 3: must be a section"),
    ],
)
def test_bad_parameters_are_named_with_what_is_allowed(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        parameters(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch": 60_001}, "batch 60001 is more than the 60000 records of mnist"),
        ({"dataset": "usps"}, "no published input constants for usps"),
        ({"batch": 59_998}, "last batch of a pass has 2 records: too few to leave out 3"),
        ({"privacy": {"noise_multiplier": 1, "delta": 1e-3}}, "delta 0.001 is not below 1 in 60000"),
        ({"dataset": "digits", "inputs": "range", "privacy": None}, "model model_a on digits: .*at least 16"),
    ],
)
def test_impossible_combinations_give_their_reason(changes: dict[str, Any], reason: str) -> None:
    assert re.search(reason, parameters(**changes).impossible() or "")


@pytest.mark.parametrize("dataset", ["mnist", "fashion_mnist", "cifar10", "svhn"])
def test_the_papers_settings_are_possible(dataset: str) -> None:
    name, batch = ("model_a", 1024) if "mnist" in dataset else ("model_b", 512)
    chosen = parameters(dataset=dataset, model={"name": name}, batch=batch, privacy={"noise_multiplier": 0.01})
    assert chosen.impossible() is None
    assert chosen.privacy is not None
    published = {"clip_norm": 1.0, "keep": 0.1, "leave_out": 8, "measure_every": 1, "delta": 1e-5}
    assert chosen.privacy.model_dump() == published | {"noise_multiplier": 0.01}
    assert chosen.model.options == {"normalisation": "batch"}
    assert chosen.inputs == "published"


def test_parameters_that_go_together_are_the_same_run_as_alone() -> None:
    together = {key: SMALL[key] for key in ("dataset", "model", "privacy")}
    rest = {key: item for key, item in SMALL.items() if key not in together}
    found = validate_parameters("published_classification", rest | {"setting": together})
    assert specification("published_classification", found, 0) == specification(
        "published_classification", parameters(), 0
    )


@pytest.mark.usefixtures("made")
class TestRun:
    def test_the_event_is_what_the_loop_did(self, tmp_path: Path) -> None:
        found = go(tmp_path, parameters())
        released = event(found)
        # 70 records in batches of 32: two whole ones and the rest, in each of three passes.
        assert released.distances.shape == (9, 3)
        assert released.steps_per_pass == 3
        assert (released.rate, released.sampling, released.adjacency) == (32 / 70, "shuffled", "replace-one")
        np.testing.assert_array_equal(released.noise_std, np.full(9, 0.01))
        assert (released.distances > 0).all()
        assert released.coordinates == found.metrics["weights"] == 573_834
        assert released.notes == (kind.RELEASE, kind.PUBLIC)
        assert (released.exposed, released.measured_every) == ((), 1)
        assert found.accounted_at is not None
        assert (found.accounted_at.positions, found.accounted_at.steps) == ((1.0, 2.0, 3.0), (3, 6, 9))
        assert (found.delta, found.metrics["steps"], found.metrics["records"]) == (1e-5, 9, 70)
        curves = {(point.metric, point.position): point.value for point in found.history}
        assert curves["accuracy", 3.0] == found.metrics["accuracy"]
        assert {name for name, _ in curves} == {"accuracy", "test_loss", "train_loss"}
        assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl"]

    def test_all_accountants_of_the_table_account_for_it(self, tmp_path: Path) -> None:
        released = event(go(tmp_path, parameters()))
        again = decode(encode(released))
        for name, options in (
            ("moments", {"orders": [16], "sensitivity": "clip_norm"}),
            ("bayesian", {"orders": [16]}),
            ("wasserstein", {"beta": 32}),
            ("wasserstein_text", {"beta": 32}),
            ("pld", {}),
        ):
            here, there = (load(name, **options).epsilon(each, 1e-5) for each in (released, again))
            assert here == there
            assert here.sampling == "shuffled"
            assert here.kind == ("upper" if name == "pld" else "published")
            assert kind.PUBLIC in here.assumptions

    def test_a_later_delta_costs_more_and_the_run_is_the_same(self, tmp_path: Path) -> None:
        released = event(go(tmp_path, parameters()))
        coded, printed = (load("wasserstein", beta=32).epsilon(released, delta).value for delta in (1e-5, 1e-10))
        assert printed - coded == pytest.approx(np.log(1e5) / 32, rel=1e-9)

    def test_measuring_does_not_change_the_training(self, tmp_path: Path) -> None:
        """Only the random stream does: without noise and mask nothing is drawn that could matter."""
        free = {"noise_multiplier": 0.0, "keep": 1.0}
        found = [
            go(tmp_path / str(count), parameters(epochs=2, privacy=privacy(**free, leave_out=count)))
            for count in (0, 3)
        ]
        assert event(found[0]).distances.shape == (6, 0)
        assert found[0].metrics["test_loss"] == pytest.approx(found[1].metrics["test_loss"], rel=1e-4)

    def test_distances_may_be_measured_now_and_then(self, tmp_path: Path) -> None:
        released = event(go(tmp_path, parameters(privacy=privacy(measure_every=2))))
        rows = released.distances
        for start in (0, 3, 6):
            np.testing.assert_array_equal(rows[start], rows[start + 1])
            assert not np.array_equal(rows[start], rows[start + 2])
        assert released.measured_every == 2

    def test_running_statistics_are_exposed(self, tmp_path: Path) -> None:
        chosen = parameters(epochs=1, model={"name": "model_a", "options": {"normalisation": "batch-running"}})
        released = event(go(tmp_path, chosen))
        assert released.exposed
        assert not load("pld").epsilon(released, 1e-5).bounded

    def test_public_constants_need_no_assumption(self, tmp_path: Path) -> None:
        assert event(go(tmp_path, parameters(epochs=1, inputs="range"))).notes == (kind.RELEASE,)

    @pytest.mark.parametrize("normalisation", ["group", "none"])
    def test_other_normalisations_run(self, tmp_path: Path, normalisation: str) -> None:
        chosen = parameters(epochs=1, model={"name": "model_a", "options": {"normalisation": normalisation}})
        assert event(go(tmp_path, chosen)).exposed == ()

    def test_without_privacy_nothing_is_released_and_the_classes_are_learnt(self, tmp_path: Path) -> None:
        found = go(tmp_path, parameters(epochs=12, privacy=None))
        assert (found.event, found.delta, found.accounted_at) == (None, None, None)
        assert found.metrics["accuracy"] >= 0.9

    def test_seeds_matter_and_repeat(self, tmp_path: Path) -> None:
        first, again, other = (
            go(tmp_path / name, parameters(epochs=1), seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))
        )
        assert (first.metrics, first.history) == (again.metrics, again.history)
        np.testing.assert_array_equal(event(first).distances, event(again).distances)
        assert first.metrics["test_loss"] != other.metrics["test_loss"]

    def test_an_interrupted_run_goes_on_to_the_same_end_bit_by_bit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = go(tmp_path / "whole", parameters())
        with monkeypatch.context() as patched:
            record = Context.record

            def stop(context: Context, axis: str, position: float, metrics: Any) -> None:
                record(context, axis, position, metrics)
                if position == 2:
                    raise KeyboardInterrupt

            patched.setattr(Context, "record", stop)
            with pytest.raises(KeyboardInterrupt):
                go(tmp_path / "broken", parameters())
        assert (tmp_path / "broken" / "checkpoint.pt").exists()
        resumed = go(tmp_path / "broken", parameters())
        assert resumed.earlier_seconds > 0
        assert (resumed.metrics, resumed.history) == (whole.metrics, whole.history)
        assert encode(event(resumed)) == encode(event(whole))

    def test_another_specifications_checkpoint_is_not_used(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        from wassdp.training.checkpoint import Checkpoint

        with monkeypatch.context() as patched:
            patched.setattr(Checkpoint, "remove", lambda self: None)
            go(tmp_path, parameters(epochs=1), seed=9)
        assert go(tmp_path, parameters(epochs=1)).earlier_seconds == 0
        assert "ignored, its specification" in caplog.text

    def test_an_outcome_stays_small(self, tmp_path: Path) -> None:
        """6000 steps of 28 distances must fit below 2 MB: four bytes each, in base64."""
        released = event(go(tmp_path, parameters(epochs=1)))
        assert released.distances.dtype == np.float32
        wide = dataclasses.replace(
            released,
            distances=np.zeros((6000, 28), dtype=np.float32),
            noise_std=np.ones(6000),
            clip_norm=np.ones(6000),
        )
        assert len(json.dumps(encode(wide))) < 2**20


def test_svhn_runs_on_files_of_its_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real files cannot be had where tests run; made ones of the same form go through the same reader."""
    generator = np.random.default_rng(0)
    files = []
    for part, size in (("train", 24), ("test", 11)):
        pictures = generator.integers(0, 256, (32, 32, 3, size), dtype=np.uint8)
        labels = (np.arange(size) % 10 + 1).astype(np.uint8)
        buffer = io.BytesIO()
        savemat(buffer, {"X": pictures, "y": labels[:, None]})
        content = buffer.getvalue()
        place = tmp_path / "data" / "svhn" / f"{part}_32x32.mat"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        files.append(File(path=place.name, md5=hashlib.md5(content).hexdigest(), bytes=len(content)))
    monkeypatch.setenv("WASSDP_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("WASSDP_MIRROR", raising=False)
    counts = {"train": 24, "test": 11}
    monkeypatch.setattr(svhn, "DATASET", dataclasses.replace(svhn.DATASET, files=tuple(files), counts=counts))
    checks = {file.path.split("_")[0]: ["", file.path, file.md5] for file in files}
    monkeypatch.setattr(torchvision("datasets").SVHN, "split_list", checks)
    found = go(tmp_path / "run", parameters(dataset="svhn", model={"name": "model_b"}, epochs=1, batch=12))
    assert event(found).distances.shape == (2, 3)
    assert event(found).notes == (kind.RELEASE,)  # ImageNet's constants tell nothing about SVHN
    assert found.metrics["weights"] == 874_058


@pytest.mark.usefixtures("made")
def test_a_pretended_gpu_ends_as_the_processor_does(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    expected = go(tmp_path / "processor", parameters())
    request.getfixturevalue("pretended_gpu")
    context = Context(folder=tmp_path / "gpu", code="a", device="cuda")
    found = kind.run(parameters(), seed=0, context=context)
    assert found.device.startswith("cuda")
    # Evaluation takes images in another layout there, which rounds losses of test images otherwise, and nothing else.
    loss = {"test_loss": pytest.approx(expected.metrics["test_loss"], rel=1e-6)}
    assert found.metrics == {**expected.metrics, **loss}
    told, known = ([point for point in each.history if point.metric != "test_loss"] for each in (found, expected))
    assert told == known
    assert encode(event(found)) == encode(event(expected))
