from __future__ import annotations

import csv
import dataclasses
import io
from types import ModuleType
from typing import Any

import pytest

from wassdp.result import Point, Result, curve
from wassdp.tracking import content, progress

SHOWN = content.Shown("σ = 2, seed 0", "accuracy")


def made(tree: ModuleType, value: Result | None = None, **options: Any) -> content.Content:
    row = tree.planned(2.0, 0)
    value = tree.result(row, **options) if value is None else value
    return content.finished([row], value, b"raw", None, "quick", SHOWN)


def keys(found: content.Content) -> dict[str, list[tuple[int, float]]]:
    curves: dict[str, list[tuple[int, float]]] = {}
    for item in found.measurements:
        curves.setdefault(item.key, []).append((item.step, item.value))
    return curves


def test_what_an_attack_measured_is_a_metric_of_its_own(tree: ModuleType) -> None:
    """Beside what is proven, under the attack's name; 0, where an attack found nothing, is a figure too."""
    value = tree.result(tree.planned(2.0, 0))
    attacked = (tree.guarantee("lower", "one_run", 0.25), tree.guarantee("lower", "noise_scale_family", 0.0))
    curves = keys(made(tree, value.model_copy(update={"guarantees": (*value.guarantees, *attacked)})))
    assert curves["epsilon/lower/one_run"] == [(0, 0.25)]
    assert curves["epsilon/lower/noise_scale_family"] == [(0, 0.0)]
    assert curves["epsilon/upper/pld"] == keys(made(tree, value))["epsilon/upper/pld"]


def test_everything_that_a_reader_looks_for(tree: ModuleType) -> None:
    found = made(tree)
    value = tree.result(tree.planned(2.0, 0))
    assert found.name == SHOWN.name
    assert found.experiment == "wassdp/wasserstein-dp/training"
    assert found.parameters == {
        "kind": "dpsgd",
        "seed": "0",
        "parameters.noise.sigma": "2.0",
        "parameters.layers": "[8, 4]",
        "parameters.dataset": "mnist",
        "parameters.model.name": "mlp",
    }
    curves = keys(found)
    assert [step for step, _ in curves["accuracy/test"]] == [1, 2, 3]
    assert curves["accuracy/test"][-1][1] == value.metrics["accuracy"]
    assert curves["other/loss"] == [(0, value.metrics["loss"])]
    assert curves["other/delta"] == [(0, 1e-5)]
    assert curves["epsilon/upper/pld"] == [(k, k**0.5 / 2.0) for k in (1, 2, 3)]
    assert curves["epsilon/published/renyi"] == [(0, 0.5 * 3**0.5 / 2.0)]
    for tag, expected in {
        "experiment": "training",
        "paper": "wasserstein-dp",
        "kind": "dpsgd",
        "adjacency": "add-remove",
        "sampling": "poisson",
        "device": "cpu",
        "code": "0" * 16,
        "commit": "c" * 40,
        "seed": "0",
        "preset": "quick",
    }.items():
        assert found.tags[tag] == expected
    assert found.files["result.json"] == b"raw"
    assert found.end == found.start + 12500


def test_an_unbounded_budget_is_a_tag_and_never_a_number(tree: ModuleType) -> None:
    found = made(tree)
    assert found.tags["epsilon/upper/hopeless"] == "unbounded"
    # Its curve is finite at first and unbounded at the end: as a metric it would show the finite value.
    assert not any("hopeless" in key for key in keys(found))
    rows = list(csv.DictReader(io.StringIO(found.files["history.csv"].decode())))
    assert [row["value"] for row in rows if row["metric"] == "epsilon/upper/hopeless"] == ["1.0", "1.0", "inf"]


def test_axes_that_do_not_count_steps_go_to_the_file(tree: ModuleType) -> None:
    found = made(tree)
    assert not any("renyi/order" in item.key for item in found.measurements)
    assert b"renyi,order,1.5,0.1" in found.files["history.csv"]


def with_history(tree: ModuleType, *points: Point, **metrics: float) -> content.Content:
    value = tree.result(tree.planned(2.0, 0))
    return made(tree, value.model_copy(update={"history": points, "metrics": metrics}))


def test_the_latest_value_of_a_key_is_the_final_figure(tree: ModuleType) -> None:
    rising = curve("accuracy", "epoch", [1, 2], [0.9, 0.8])
    assert keys(with_history(tree, *rising, accuracy=0.8))["accuracy/test"] == [(1, 0.9), (2, 0.8)]
    best = keys(with_history(tree, *rising, accuracy=0.9))
    assert best["accuracy/test"] == [(0, 0.9)]
    assert best["other/accuracy/epoch"] == [(1, 0.9), (2, 0.8)]


def test_one_metric_along_two_axes(tree: ModuleType) -> None:
    found = keys(
        with_history(
            tree, *curve("loss", "epoch", [1, 2], [0.9, 0.8]), *curve("loss", "step", [10, 20], [0.9, 0.8]), loss=0.8
        )
    )
    assert found["other/loss"] == [(0, 0.8)]
    assert found["other/loss/epoch"] == [(1, 0.9), (2, 0.8)]
    assert found["other/loss/step"] == [(10, 0.9), (20, 0.8)]


def test_a_gap_in_a_curve_is_left_out(tree: ModuleType) -> None:
    found = keys(with_history(tree, *curve("gap", "epoch", [1, 2, 3], [float("inf"), 5.0, 4.0])))
    assert found["other/gap"] == [(2, 5.0), (3, 4.0)]


def test_fractional_and_repeated_positions_are_no_steps(tree: ModuleType) -> None:
    found = keys(
        with_history(tree, *curve("half", "epoch", [0.5, 1.0], [1, 2]), *curve("twice", "epoch", [1, 1], [1, 2]))
    )
    assert not any("half" in key or "twice" in key for key in found)


def test_two_figures_of_one_name_are_refused(tree: ModuleType) -> None:
    with pytest.raises(ValueError, match="two figures called delta"):
        with_history(tree, delta=1.0)
    with pytest.raises(ValueError, match="differ only in characters"):
        with_history(tree, **{"a,b": 1.0, "a;b": 2.0})


def test_a_result_of_another_run_is_refused(tree: ModuleType) -> None:
    value = tree.result(tree.planned(2.0, 0))
    with pytest.raises(ValueError, match="another specification"):
        content.finished([tree.planned(2.0, 1)], value, b"", None, "quick", SHOWN)


def test_the_digest_tells_contents_apart(tree: ModuleType) -> None:
    first = made(tree)
    assert first.digest == made(tree).digest
    others = [
        made(tree, code="f" * 16),
        made(tree, shift=1e-12),
        made(tree, epochs=4),
        dataclasses.replace(first, name="another"),
        dataclasses.replace(first, start=first.start + 1),
        dataclasses.replace(first, files={**first.files, "result.json": b"other"}),
        dataclasses.replace(first, datasets=(content.Read("digits", "0", "{}", "{}"),)),
    ]
    assert len({item.digest for item in (first, *others)}) == 1 + len(others)


def test_a_run_shared_by_two_experiments_names_both(tree: ModuleType) -> None:
    first, second = tree.planned(2.0, 0), tree.planned(2.0, 0, experiment="other", paper="another")
    found = content.finished([first, second], tree.result(first), b"", None, "quick", SHOWN)
    assert found.experiment == "wassdp/wasserstein-dp/training"
    assert found.tags["experiment"] == "training, other"
    assert found.tags["paper"] == "wasserstein-dp, another"


def progress_of(tree: ModuleType, tmp_path: Any, *, until: int, start: float) -> progress.TrackingProgress:
    path = tmp_path / "history.jsonl"
    path.write_text(tree.history_lines(tree.result(tree.planned(2.0, 0)), until=until, start=start))
    found = progress.read(path)
    assert found is not None
    return found


def test_times_come_from_what_was_recorded(tree: ModuleType, tmp_path: Any) -> None:
    row = tree.planned(2.0, 0)
    going = progress_of(tree, tmp_path, until=3, start=tree.STARTED_SECONDS + 1)
    found = content.finished([row], tree.result(row), b"", going, "quick", SHOWN)
    base = 1000 * tree.STARTED_SECONDS + 1000
    assert found.start == base
    assert [item.timestamp for item in found.measurements if item.key == "accuracy/test"] == [
        base,
        base + 1000,
        base + 2000,
    ]
    live = content.running([row], going, "quick", SHOWN)
    assert live.start == found.start
    assert live.end is None
    assert set(live.measurements) <= set(found.measurements)
    assert set(live.parameters.items()) <= set(found.parameters.items())


def test_lines_of_an_earlier_job_are_of_no_interest(tree: ModuleType, tmp_path: Any) -> None:
    row = tree.planned(2.0, 0)
    old = progress_of(tree, tmp_path, until=3, start=tree.STARTED_SECONDS - 1000)
    assert content.finished([row], tree.result(row), b"raw", old, "quick", SHOWN) == made(tree)


def test_long_parameters_are_cut(tree: ModuleType) -> None:
    row = tree.planned(2.0, 0)
    value = {**row.spec, "parameters": {**row.spec["parameters"], "many": list(range(5000))}}
    row = row.model_copy(update={"spec": value})
    result = tree.result(row).model_copy(update={"spec": value})
    text = content.finished([row], result, b"", None, "quick", SHOWN).parameters["parameters.many"]
    assert len(text) <= content.LONGEST_PARAMETER
    assert text.endswith("… (see result.json)")
