"""Two settings of a set are never called alike, wherever their plans were made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from _digits_run import WITHOUT_PRIVACY
from wassdp import config
from wassdp.cli import main
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan, PlannedRun
from wassdp.publish.settings import distinct
from wassdp.result import Result, curve, save
from wassdp.runs import identify


def configuration(epochs: int, *, seeds: tuple[int, ...] = (0, 1), **more: Any) -> dict[str, Any]:
    return {
        "preset": "small",
        "experiments": [
            {
                "name": "training",
                "paper": "wasserstein-dp",
                "kind": "classification",
                "parameters": WITHOUT_PRIVACY | {"epochs": epochs},
                "grid": {
                    "privacy": [{"clip_norm": 0.5, "noise_multiplier": sigma, "delta": 1.0e-5} for sigma in (2, 4)]
                },
                "seeds": list(seeds),
                "accountants": ["pld"],
                "figures": [{"name": "budget", "kind": "budget_over_epochs"}],
                **more,
            }
        ],
    }


def planned(epochs: int, **more: Any) -> Plan:
    return plans.plan(config.validate(configuration(epochs, **more)))


def finished(tree: ModuleType, folder: Path, plan: Plan) -> Plan:
    """A results folder in which all runs of a plan are finished; more epochs cost more."""
    plans.write(folder / "plan.json", plan)
    for row in plan.runs:
        epsilon = float(row.spec["parameters"]["epochs"])
        result = Result(
            run=row.run,
            spec=row.spec,
            guarantees=(tree.guarantee("upper", "pld", epsilon),),
            delta=1e-5,
            metrics={"accuracy": 0.9, "records": 1438.0},
            history=curve("epsilon/upper/pld", "epoch", [1, 2], [0.5 * epsilon, epsilon]),
            provenance=tree.provenance(),
            accounting_code="1" * 16,
        )
        save(folder / "runs" / row.run / "result.json", result)
    return plan


def merge(target: Path, *sources: Path) -> int:
    return main(["publish", "--to", str(target), "--merge", *map(str, sources)])


def settings(plan: Plan) -> dict[str, set[str]]:
    """Label to the settings that are called so."""
    found: dict[str, set[str]] = {}
    for row in plan.runs:
        found.setdefault(row.label, set()).add(json.dumps(row.spec["parameters"], sort_keys=True))
    return found


@pytest.mark.parametrize("seeds", [(0, 1), (2, 3)])
def test_settings_that_two_plans_call_alike_are_told_apart(tree: ModuleType, tmp_path: Path, seeds: Any) -> None:
    """Of other seeds too, which would be taken for more seeds of one setting."""
    one = finished(tree, tmp_path / "a", planned(1))
    two = finished(tree, tmp_path / "b", planned(10, seeds=seeds))
    assert settings(one).keys() == settings(two).keys()
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    folder = tmp_path / "docs" / "wasserstein-dp"
    found = plans.read(folder / "plan.json.xz")
    assert len(settings(found)) == 4
    assert all(len(own) == 1 for own in settings(found).values())
    ledger = pd.read_csv(ledger_files.find(folder))
    said = {label: set(own["epsilon_of_one_run"]) for label, own in ledger.groupby("label")}
    assert {label: {float(re.findall(r"epochs (\d+)", label)[0])} for label in said} == said
    assert set(ledger["seeds_present"]) == {2}
    # One after the other, and once more, gives the same.
    assert merge(tmp_path / "later", tmp_path / "a") == 0
    for _ in range(2):
        assert merge(tmp_path / "later", tmp_path / "b") == 0
        assert settings(plans.read(tmp_path / "later" / "wasserstein-dp" / "plan.json.xz")) == settings(found)


def test_more_seeds_join_the_setting_that_was_told_apart(tree: ModuleType, tmp_path: Path) -> None:
    finished(tree, tmp_path / "a", planned(1))
    finished(tree, tmp_path / "b", planned(10))
    finished(tree, tmp_path / "c", planned(10, seeds=(2, 3)))
    assert merge(tmp_path / "docs", *(tmp_path / name for name in "abc")) == 0
    ledger = pd.read_csv(ledger_files.find(tmp_path / "docs" / "wasserstein-dp"))
    seeds = {label: own["seed"].nunique() for label, own in ledger.groupby("label")}
    assert seeds == {f"linear, epochs {epochs}, σ = {sigma}": n for epochs, n in ((1, 2), (10, 4)) for sigma in (2, 4)}


def test_other_seeds_and_the_same_run_twice_are_one_setting(tree: ModuleType, tmp_path: Path) -> None:
    one = finished(tree, tmp_path / "a", planned(1))
    finished(tree, tmp_path / "b", planned(1, seeds=(1, 2)))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    found = plans.read(tmp_path / "docs" / "wasserstein-dp" / "plan.json.xz")
    assert settings(found) == settings(one)
    assert len(found.runs) == 6


def test_what_a_configuration_calls_its_settings_stays(tree: ModuleType, tmp_path: Path) -> None:
    finished(tree, tmp_path / "a", planned(1, label="ours, σ = {privacy.noise_multiplier}"))
    finished(tree, tmp_path / "b", planned(10, label="ours, σ = {privacy.noise_multiplier}"))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    found = settings(plans.read(tmp_path / "docs" / "wasserstein-dp" / "plan.json.xz"))
    assert set(found) == {f"ours, σ = {sigma}, epochs {epochs}" for sigma in (2, 4) for epochs in (1, 10)}


def without(row: PlannedRun, name: str) -> PlannedRun:
    """The run as it was before there was a parameter, which has its default."""
    parameters = {key: value for key, value in row.spec["parameters"].items() if key != name}
    assert parameters != row.spec["parameters"]
    spec = row.spec | {"parameters": parameters}
    return row.model_copy(update={"spec": spec, "run": identify(spec)})


def test_one_seed_twice_is_refused_and_nothing_is_written(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    plan = finished(tree, tmp_path / "a", planned(1))
    older = tuple(without(row, "micro_batch") for row in plan.runs)
    finished(tree, tmp_path / "b", plan.model_copy(update={"runs": older}))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 2
    (line,) = capsys.readouterr().err.splitlines()
    first = plan.runs[0]
    said = f"experiment training: label {first.label!r}, seed {first.seed}: is that of two runs, {first.run} and "
    assert f"{said}{older[0].run}, which nothing tells apart; give one of the two experiments a `label:`" in line
    assert not (tmp_path / "docs").exists()
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    before = {path: path.read_bytes() for path in (tmp_path / "docs").rglob("*") if path.is_file()}
    assert merge(tmp_path / "docs", tmp_path / "b") == 2
    assert {path: path.read_bytes() for path in (tmp_path / "docs").rglob("*") if path.is_file()} == before


def test_one_seed_twice_may_be_called_in_two_ways(tree: ModuleType, tmp_path: Path) -> None:
    """What the refusal asks for is then done."""
    plan = finished(tree, tmp_path / "a", planned(1))
    older = planned(1, label="older, σ = {privacy.noise_multiplier}")
    older = older.model_copy(update={"runs": tuple(without(row, "micro_batch") for row in older.runs)})
    finished(tree, tmp_path / "b", older)
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    found = plans.read(tmp_path / "docs" / "wasserstein-dp" / "plan.json.xz")
    assert settings(found) == settings(plan) | settings(older)


def test_a_parameter_that_came_later_makes_no_other_setting(tree: ModuleType, tmp_path: Path) -> None:
    older = planned(1)
    older = older.model_copy(update={"runs": tuple(without(row, "micro_batch") for row in older.runs)})
    finished(tree, tmp_path / "a", older)
    finished(tree, tmp_path / "b", planned(1, seeds=(2,)))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    ledger = pd.read_csv(ledger_files.find(tmp_path / "docs" / "wasserstein-dp"))
    assert set(ledger["seeds_present"]) == {3}


def test_a_set_that_is_made_again_by_a_configuration(tree: ModuleType, tmp_path: Path) -> None:
    """It calls its own runs as its grid has them, beside others that are called so already."""
    finished(tree, tmp_path / "a", planned(1, label="{epochs} epochs"))
    finished(tree, tmp_path / "b", planned(10))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    (tmp_path / "config.json").write_text(json.dumps(configuration(1)))
    folder = tmp_path / "docs" / "wasserstein-dp"
    assert main(["publish", "--again", str(folder), "--config", str(tmp_path / "config.json")]) == 0
    assert all(len(own) == 1 for own in settings(plans.read(folder / "plan.json.xz")).values())
    assert len(settings(plans.read(folder / "plan.json.xz"))) == 4


def test_a_set_of_an_earlier_version_is_mended_when_it_is_made_again(tree: ModuleType, tmp_path: Path) -> None:
    finished(tree, tmp_path / "a", planned(1))
    finished(tree, tmp_path / "b", planned(10))
    assert merge(tmp_path / "docs", tmp_path / "a", tmp_path / "b") == 0
    folder = tmp_path / "docs" / "wasserstein-dp"
    kept = plans.read(folder / "plan.json.xz")
    alike = kept.model_copy(update={"runs": (*planned(1).runs, *planned(10).runs)})
    plans.keep(folder / "plan.json.xz", alike)
    assert len(settings(kept)) == 2 * len(settings(alike))
    assert main(["publish", "--again", str(folder), "--pages"]) == 0
    assert settings(plans.read(folder / "plan.json.xz")) == settings(kept)
    # Put back, it stays as it is told there.
    assert main(["restore", str(folder), "--results", str(tmp_path / "back")]) == 0
    assert settings(plans.read(tmp_path / "back" / "plan.json")) == settings(kept)
    assert len(dict(item[::2] for item in stored.stored(tmp_path / "back"))) == 8


def test_published_sets_call_no_two_settings_alike() -> None:
    for path in plans.kept(Path(__file__).parents[2] / "docs" / "results"):
        plan = plans.read(path)
        assert distinct(plan) is plan, path
