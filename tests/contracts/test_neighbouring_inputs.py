"""What an event calls public is equal for neighbouring inputs, for every kind of experiment.

A clip norm, a noise, a number of steps or of records that some private record can move is a release of its own. Every
kind is run on data that differ in one record, an extreme one; whatever its event holds must stay the same, unless the
event says that nothing is proved because of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wassdp import experiment, noise
from wassdp.accounting import accountant
from wassdp.accounting.event import Event, encode
from wassdp.data.base import Split, Splits
from wassdp.data.sets import biased, circle_gaussian, digits, mnist, weibull_gradients
from wassdp.experiments import KINDS
from wassdp.runs import validate_parameters

NOTHING_RELEASED = {
    "attacked_budget": "attacks releases of others, of records that it makes itself",
    "claim_check": "puts a published statement to the test",
    "gibbs_bounds": "states bounds on one known data set",
    "gibbs_deletion": "shows two posteriors whole",
    "gibbs_noisy_sgd": "compares iterates with a posterior, gradients are not clipped",
    "gibbs_sampling": "estimates radii of one known data set",
    "gradient_sensitivity": "searches for the worst neighbours among points that it makes itself",
    "mechanism_orders": "evaluates formulas",
    "membership": "attacks many models, none of which is kept",
    "sliced_sensitivity": "draws directions, no records",
    "smoothed_distance": "draws points, none of which is clipped",
    "tail_bound": "evaluates formulas",
}
"""Kinds whose runs have no event, and why."""

NO_RECORDS = {"sliced_noise": "accounts for a printed noise, no record is read"}
"""Kinds whose event is told by the parameters alone, and why."""

DRAWN_OTHERWISE = {
    "gibbs_accuracy": "draws one of many outcomes",
    "synthetic_gradients": "accounts for steps, and draws no noise for them",
    **NO_RECORDS,
}
"""Kinds whose release is not a sum with noise, and why."""

MEASURED = {"distances"}
"""Fields of an event that are measured on private records, as data-dependent accountants want them."""
SCALED_BY_EXPOSED = {"noise_std", "clip_norm", "threshold"}
"""Fields that what is exposed may move, where the event says that something is."""
Change = Callable[[np.ndarray, np.ndarray], None]
"""Turns the first record, of inputs and labels, into another one, in place."""


def _blank(inputs: np.ndarray, labels: np.ndarray) -> None:
    inputs[0] = 0


def _full(inputs: np.ndarray, labels: np.ndarray) -> None:
    inputs[0] = 16 if inputs.dtype == np.uint8 else 1e6 * inputs[0] + 1


def _relabelled(inputs: np.ndarray, labels: np.ndarray) -> None:
    labels[0] = (labels[0] + 1) % 2


LABELLED: dict[str, Change] = {"blank": _blank, "full": _full, "relabelled": _relabelled}
INSIDE = {name: LABELLED[name] for name in ("blank", "full")}
"""Neighbours under *replace one inside its class*, where labels are public."""


@dataclass(frozen=True)
class Case:
    """A private run of a kind, and the neighbours that its relation knows."""

    kind: str
    name: str
    parameters: dict[str, Any]
    changes: dict[str, Change] = field(default_factory=lambda: LABELLED)
    exposed: bool = False

    def __str__(self) -> str:
        return f"{self.kind}-{self.name}"


def _classification(**changes: Any) -> dict[str, Any]:
    return {
        "dataset": "digits",
        "model": {"name": "linear"},
        "optimiser": {"learning_rate": 1.0},
        "epochs": 1,
        "batch": 20,
        "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4},
    } | changes


def _published(**changes: Any) -> dict[str, Any]:
    return {
        "dataset": "mnist",
        "model": {"name": "linear"},
        "epochs": 1,
        "batch": 10,
        "learning_rate": 0.05,
        "privacy": {"noise_multiplier": 0.01, "leave_out": 3, "delta": 1e-4},
    } | changes


def _adaptation(method: dict[str, Any]) -> dict[str, Any]:
    return {
        "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 20},
        "method": {"learning_rate": 2e-3, "weight": 0.1, "delta": 1e-4} | method,
        "epochs": 1,
        "batch": 20,
    }


def _generation(method: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "dataset": "digits",
        "method": method,
        "privacy": {"noise": 0.5, "delta": 1e-4},
        "epochs": 1,
        "steps_per_epoch": 2,
        "batch": 10,
        "evaluation": {"samples": 0, "frechet": 0, "sheet_rows": 1},
    } | changes


def _fair(**changes: Any) -> dict[str, Any]:
    return {
        "task": "classification",
        "alpha": 0.5,
        "privacy": {"epsilon": 5},
        "clipping": {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1},
        "steps": 3,
        "learning_rate": 0.1,
        "records": 200,
        "test_records": 100,
    } | changes


def _synthetic(**changes: Any) -> dict[str, Any]:
    return {"clip": True, "clip_quantile": 0.5, "steps": 2, "gradients": 5, "coordinates": 20} | changes


WITHIN = {"name": "output_gradient", "labels": "joint", "rows": "clipped", "bases": 1, "points": 2}
MOMENTS = {"name": "moments", "radius": 4, "gram_radius": 4, "side": 4, "directions": 5, "shares": [0.2, 0.3, 0.5]}
ROWS = {"name": "sliced", "projections": 16, "labels": "joint"}

CASES = (
    Case("classification", "noise", _classification()),
    Case("classification", "budget", _classification(privacy={"clip_norm": 0.5, "epsilon": 3, "delta": 1e-4})),
    Case(
        "classification",
        "budget-ends-it",
        _classification(epochs=4, privacy={"clip_norm": 0.5, "epsilon": 3, "noise_multiplier": 1.0, "delta": 1e-4}),
    ),
    Case(
        "classification",
        "released-moments",
        _classification(
            features={
                "normalisation": {"name": "channel", "noise_multiplier": 8.0, "clip_mean": 1.0, "clip_square": 1.0}
            }
        ),
    ),
    Case("classification", "attacked", _classification(audit={"canaries": 50, "canary": "gradient"})),
    Case(
        "final_model",
        "digits",
        {"dataset": "digits", "records": 40, "steps": 2, "learning_rate": 1.0, "models": 60}
        | {"privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4}},
    ),
    Case("classification", "photographs", _classification(features={"normalisation": {"name": "photographs"}})),
    Case("published_classification", "published", _published()),
    Case("published_classification", "range", _published(inputs="range")),
    Case("adaptation", "dp_dann", _adaptation({"name": "dp_dann", "sigma": 3.0})),
    Case(
        "adaptation",
        "published_dp_swd",
        _adaptation({"name": "published_dp_swd", "sigma": 3.0, "projections": 8}),
        exposed=True,
    ),
    Case("adaptation", "dp_swd", _adaptation({"name": "dp_swd", "epsilon": 5, "projections": 8, "radius": 1.0})),
    Case(
        "adaptation",
        "dp_swd-both",
        _adaptation({"name": "dp_swd", "sigma": 3.0, "projections": 8, "radius": 1.0, "gradient": "both"}),
        exposed=True,
    ),
    Case(
        "adaptation",
        "dp_wasserstein_gradient",
        _adaptation({"name": "dp_wasserstein_gradient", "epsilon": 5, "output_norm": 0.5, "jacobian_norm": 1.0}),
    ),
    Case("generation", "sliced", _generation(ROWS | {"batch": 20})),
    Case("generation", "per-class", _generation(ROWS | {"labels": "per_class", "batch": None}), INSIDE),
    Case("generation", "poisson", _generation(ROWS | {"batch": 20, "sampling": "poisson"}), {"blank": _blank}),
    Case("generation", "raw", _generation(ROWS | {"batch": 20, "rows": "raw"}, privacy={"epsilon": 5, "delta": 1e-4})),
    Case("generation", "output-gradient", _generation(WITHIN)),
    Case("generation", "output-gradient-per-class", _generation(WITHIN | {"labels": "per_class"}), INSIDE),
    Case("generation", "mean-embedding", _generation({"name": "mean_embedding", "features": 20})),
    Case("generation", "moments", _generation(MOMENTS, epochs=0, steps_per_epoch=0)),
    Case("fair_learning", "parity", _fair()),
    Case("fair_learning", "odds", _fair(penalty="equality_of_odds"), INSIDE),
    Case("fair_learning", "renyi", _fair(penalty="renyi")),
    Case("fair_learning", "barycentre", _fair(barycentre={"noise_multiplier": 4})),
    Case("fair_learning", "regression", _fair(task="regression")),
    Case("fair_learning", "representation", _fair(task="representation", hidden=4)),
    Case(
        "circle_matching",
        "both-sides",
        {"privacy": {"epsilon": 5}, "records": 50, "batch": 10, "widths": [4], "steps": 3, "projections": 2},
        INSIDE,
    ),
    Case(
        "gibbs_accuracy",
        "finite",
        {"problem": {"dataset": "digits"}, "loss": "savage", "epsilon": 1, "draw": "finite", "hypotheses": 20},
    ),
    Case("synthetic_gradients", "published", _synthetic(), INSIDE, exposed=True),
    Case("synthetic_gradients", "published-unclipped", _synthetic(clip=False), INSIDE, exposed=True),
    Case("synthetic_gradients", "public", _synthetic(threshold="population"), INSIDE),
)


def test_every_kind_is_looked_at() -> None:
    looked = {case.kind for case in CASES}
    missing = set(KINDS.names()) - looked - {*NOTHING_RELEASED, *NO_RECORDS}
    assert not missing, f"give {sorted(missing)} a Case here, or a reason in NOTHING_RELEASED or NO_RECORDS"
    assert sorted({*looked, *NOTHING_RELEASED, *NO_RECORDS}) == sorted(KINDS.names())
    assert not looked & set(NOTHING_RELEASED)


RECORDS = {"loss", "objective", "clipped", "signal_to_noise", "train_loss", "batch_min", "batch_mean", "batch_max"}
"""Figures that some kind computes from private records, and those of other kinds that are called alike."""
EXEMPT = {("generation", "loss")}  # of what was released, by generated images


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_no_figure_of_private_records_is_declared(kind: str) -> None:
    declared = getattr(KINDS.load(kind).Parameters, "publishable", lambda _: False)
    assert not {name for name in RECORDS if declared(name)} - {name for exempt, name in EXEMPT if exempt == kind}
    if kind in ("adaptation", "gibbs_accuracy"):
        assert not declared("accuracy"), "that of the private records"
    if kind in ("adaptation", "fair_learning", "circle_matching"):
        assert not declared("distance")


@pytest.mark.parametrize("kind", KINDS.names())
def test_a_headline_is_a_metric_of_its_kind(kind: str) -> None:
    parameters = KINDS.load(kind).Parameters
    assert parameters.headline is None or f"``{parameters.headline}``" in (KINDS.load(kind).run.__doc__ or "")


@pytest.mark.parametrize("kind", NOTHING_RELEASED)
def test_a_kind_that_releases_nothing_expects_no_event(kind: str) -> None:
    assert KINDS.load(kind).Parameters.expected_event is experiment.Parameters.expected_event
    assert not issubclass(KINDS.load(kind).Parameters, experiment.PrivateParameters)


@pytest.mark.parametrize("kind", NO_RECORDS)
def test_a_kind_without_records_reads_none(kind: str) -> None:
    assert KINDS.load(kind).Parameters.datasets is experiment.Parameters.datasets


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_an_event_calls_public_is_equal_for_neighbours(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[str, list[float]] = {}
    found = {}
    for name, change in {"as it is": _unchanged, **case.changes}.items():
        with _listened(monkeypatch) as drawn[name]:
            found[name] = _run(case, change, tmp_path / name, monkeypatch)
    own = found.pop("as it is")
    if case.kind not in DRAWN_OTHERWISE:
        assert drawn["as it is"], "a release draws its noise from the noise module"
    for name, deviations in drawn.items():
        # What the code really adds, not only what the event says of it.
        assert case.exposed or deviations == drawn["as it is"], name
    assert own.event is not None
    assert any(part.exposed for part in own.event.within()) == case.exposed
    if case.exposed:
        assert accountant.load("pld").epsilon(own.event, 1e-4).epsilon is None
    for name, other in found.items():
        assert other.event is not None
        assert _public(own.event, exposed=case.exposed) == _public(other.event, exposed=case.exposed), name
        assert (own.delta, own.accounted_at) == (other.delta, other.accounted_at), name
        figures = [_described(case.kind, findings) for findings in (own, other)]
        assert figures[0] == figures[1], name


def test_an_attack_on_many_trainings_is_no_release_of_one() -> None:
    (case,) = (case for case in CASES if case.kind == "final_model")
    assert validate_parameters(case.kind, case.parameters).impossible() is None
    measuring = validate_parameters(case.kind, case.parameters | {"release": True})
    assert "the budget is that of one" in (measuring.impossible() or "")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.kind not in ("synthetic_gradients", "final_model")], ids=str
)
def test_a_run_to_be_released_holds_releases_and_evaluation_alone(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = case.parameters | {"release": True}
    if case.kind == "published_classification":
        measuring = validate_parameters(case.kind, value)
        assert "leave_out" in (measuring.impossible() or "")
        value["privacy"] = value["privacy"] | {"leave_out": 0}
    saved = _saved(monkeypatch)
    found = _run(dataclasses.replace(case, parameters=value), _unchanged, tmp_path, monkeypatch)
    assert found.event is not None
    assert experiment.LEFT_OUT in {note for part in found.event.within() for note in part.notes}
    rows = [json.loads(line)["metrics"] for file in tmp_path.glob("history.jsonl") for line in file.open()]
    held = {*found.metrics, *(point.metric for point in found.history), *(name for row in rows for name in row)}
    declared = KINDS.load(case.kind).Parameters.publishable
    for name in held | saved:
        spent = name.startswith("epsilon/")  # reported beside the figures of an epoch
        assert spent or declared(name), (
            f"{case}: release: true keeps {name}; leave it out, or add it to public_figures or evaluation_figures of "
            "Parameters if no private record enters it without noise"
        )
    if case.kind in ("adaptation", "gibbs_accuracy"):
        assert "accuracy" not in held, "that of the private records"


@pytest.mark.parametrize("case", [case for case in CASES if case.kind != "synthetic_gradients"], ids=str)
def test_what_is_not_to_be_released_says_what_carries_no_noise(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "release" not in validate_parameters(case.kind, case.parameters).model_dump()
    found = _run(case, _unchanged, tmp_path, monkeypatch)
    assert found.event is not None
    notes = "; ".join(note for part in found.event.within() for note in part.notes)
    if case.name in ("mean-embedding", "moments"):
        assert not notes, "it measures nothing beside the release"
    else:
        assert "without noise" in notes or "not covered" in notes
    for name in ("pld", "rdp"):
        chosen = accountant.load(name)
        if chosen.supports(found.event) is None:
            said = chosen.epsilon(found.event, 1e-4).assumptions
            assert all(note in said for part in found.event.within() for note in part.notes)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("classification", _classification(privacy=None)),
        ("published_classification", _published(privacy=None)),
        ("adaptation", _adaptation({}) | {"method": {"name": "source_only", "learning_rate": 1e-3}}),
        ("generation", _generation(ROWS, privacy=None)),
        ("fair_learning", _fair(privacy=None)),
        ("circle_matching", {"privacy": None}),
        ("gibbs_accuracy", {"problem": {"dataset": "digits"}, "loss": "savage", "epsilon": 1, "draw": "mala"}),
    ],
)
def test_only_a_private_run_can_be_released(kind: str, value: dict[str, Any]) -> None:
    assert validate_parameters(kind, value).impossible() is None
    assert "not private" in (validate_parameters(kind, value | {"release": True}).impossible() or "")


def _unchanged(inputs: np.ndarray, labels: np.ndarray) -> None:
    """The data as they are."""


def _run(case: Case, change: Change, folder: Path, monkeypatch: pytest.MonkeyPatch) -> experiment.Findings:
    """A run on small data whose first private record was changed; features are cached for it alone."""
    folder.mkdir(exist_ok=True)
    chosen = validate_parameters(case.kind, case.parameters)
    context = experiment.Context(folder=folder, code="a", device="cpu")
    with monkeypatch.context() as patched:
        patched.setenv("WASSDP_DATA", str(folder / "data"))
        _images(patched, digits, change, private="test" if case.kind == "adaptation" else "train")
        _images(patched, mnist, change, private="train")
        _drawn(patched, change)
        assert chosen.impossible() is None
        found: experiment.Findings = KINDS.load(case.kind).run(chosen, seed=0, context=context)
    return found


def _images(patched: pytest.MonkeyPatch, module: Any, change: Change, *, private: str) -> None:
    """60 training and 40 test images."""
    generator = np.random.default_rng(0)
    parts = {}
    for name, size in (("train", 60), ("test", 40)):
        shape, maximum = module.DATASET.shape, module.DATASET.maximum
        inputs = generator.integers(0, maximum + 1, (size, *shape), dtype=np.uint8)
        labels = np.arange(size, dtype=np.int64) % 10
        if name == private:
            change(inputs, labels)
        parts[name] = Split(inputs=inputs, labels=labels)
    patched.setattr(module, "DATASET", dataclasses.replace(module.DATASET, counts={"train": 60, "test": 40}))
    patched.setattr(module, "load", lambda *_: Splits(**parts, classes=tuple("0123456789")))


def _drawn(patched: pytest.MonkeyPatch, change: Change) -> None:
    """Samples that are drawn: of each call, the first record changed; the test sets of fair learning are not private,
    but their change does no harm."""
    fair, circle, weibull = biased.sample, circle_gaussian.sample, weibull_gradients.draw

    def fair_sample(*arguments: Any, **named: Any) -> Any:
        found = fair(*arguments, **named)
        change(found.features, found.labels)
        return found

    def circle_sample(*arguments: Any, **named: Any) -> Any:
        found = circle(*arguments, **named)
        for side in found:
            change(side, np.zeros(len(side), dtype=np.int64))
        return found

    def rows(*arguments: Any, **named: Any) -> Any:
        found = weibull(*arguments, **named)
        change(found, np.zeros(len(found), dtype=np.int64))
        return found

    patched.setattr(biased, "sample", fair_sample)
    patched.setattr(circle_gaussian, "sample", circle_sample)
    patched.setattr(weibull_gradients, "draw", rows)


def _described(kind: str, findings: experiment.Findings) -> dict[str, float]:
    """The metrics that the kind declares to describe the release."""
    patterns = getattr(KINDS.load(kind).Parameters, "public_figures", ())
    return {
        name: value
        for name, value in findings.metrics.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }


def _public(event: Event, *, exposed: bool) -> Any:
    """An encoded event without what it says to depend on the data."""
    private = MEASURED | (SCALED_BY_EXPOSED if exposed else set())

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(item) for key, item in value.items() if key not in private or value.get("type") is None}
        return [kept(item) for item in value] if isinstance(value, list) else value

    return kept(encode(event))


@contextlib.contextmanager
def _listened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The deviation of every noise that is drawn meanwhile."""
    deviations: list[float] = []
    rounded = noise.rounded

    def noted(x: Any, *, std: float, generator: Any) -> Any:
        deviations.append(std)
        return rounded(x, std=std, generator=generator)

    with monkeypatch.context() as patched:
        patched.setattr(noise, "rounded", noted)
        yield deviations


def _saved(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of all figures that any checkpoint holds, filled as a run goes on."""
    checkpoint = importlib.import_module("wassdp.training.checkpoint").Checkpoint
    found: set[str] = set()
    save = checkpoint.save

    def noted(self: Any, state: dict[str, Any]) -> None:
        progress = state["progress"]
        found.update(name for row in progress["epochs"] + progress["rows"] for name in row)
        assert not progress["tensors"]
        save(self, state)

    monkeypatch.setattr(checkpoint, "save", noted)
    return found
