"""Finished runs of other folders into published ones, and back: nothing is lost, and nothing is said of other runs."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import _checkout
from _digits_run import WITHOUT_PRIVACY
from wassdp import config
from wassdp.cli import main
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.pipeline.plan import Plan
from wassdp.publish.joint_plan import joint_plan
from wassdp.result import Result, curve, save

NOISE = "The noise of these runs was drawn in single precision."


def configuration(seeds: list[int], *, name: str = "digits", paper: str = "wasserstein-dp") -> dict[str, Any]:
    return {
        "preset": "small",
        "experiments": [
            {
                "name": name,
                "paper": paper,
                "kind": "classification",
                "parameters": WITHOUT_PRIVACY | {"epochs": 2},
                "grid": {"privacy": [{"clip_norm": 0.5, "epsilon": 1, "delta": 1.0e-5}]},
                "seeds": seeds,
                "accountants": ["pld"],
                "figures": [{"name": f"{name}-budget", "kind": "budget_over_epochs"}],
                "search": "about forty trials",
            }
        ],
    }


def finished(tree: ModuleType, folder: Path, *, seeds: list[int], done: int | None = None, **more: str) -> Plan:
    """A results folder in which the first ``done`` runs are finished."""
    plan = plans.plan(config.validate(configuration(seeds, **more)))
    plans.write(folder / "plan.json", plan)
    for row in plan.runs[:done]:
        finish(tree, folder, row)
    return plan


def finish(
    tree: ModuleType, folder: Path, row: Any, *, accuracy: float = 0.9, seconds: float = 12.5, code: str = "0" * 16
) -> None:
    result = Result(
        run=row.run,
        spec=row.spec,
        guarantees=(tree.guarantee("upper", "pld", 1.0),),
        delta=1e-5,
        metrics={"accuracy": accuracy, "records": 1438.0},
        history=curve("epsilon/upper/pld", "epoch", [1, 2], [0.7, 1.0]),
        provenance=tree.provenance().model_copy(update={"seconds": seconds, "code": code}),
        accounting_code="1" * 16,
    )
    save(folder / "runs" / row.run / "result.json", result)


def merge(target: Path, *words: str | Path) -> int:
    return main(["publish", "--to", str(target), "--merge", *map(str, words)])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def results(folder: Path) -> dict[str, bytes]:
    return {run: raw for run, _, raw in stored.stored(folder)}


def test_seeds_of_another_machine_join_the_folder_of_their_paper(tree: ModuleType, tmp_path: Path) -> None:
    here, there, target = tmp_path / "here", tmp_path / "there", tmp_path / "docs"
    finished(tree, here, seeds=[0, 1, 2], done=2)
    finished(tree, there, seeds=[2, 3])
    assert merge(target, here, "--remark", NOISE) == 0
    folder = target / "wasserstein-dp"
    assert results(folder) == results(here)
    assert f"**{NOISE}**" in (folder / "README.md").read_text()
    assert "| 2 of 3 |" in (folder / "ledger.md").read_text()

    assert merge(target, there) == 0
    assert results(folder) == results(here) | results(there)
    plan = plans.read(folder / "plan.json.xz")
    (experiment,) = plan.experiments
    assert (plan.preset, experiment.seeds, experiment.configured_runs) == ("wasserstein-dp", (0, 1, 2, 3), 4)
    assert "| 4 of 4 |" in (folder / "ledger.md").read_text()
    assert [path.name for path in target.iterdir()] == ["wasserstein-dp"]
    assert {f"figures/wasserstein-dp/digits-budget.{suffix}" for suffix in ("svg", "png", "csv")} <= set(
        contents(folder)
    )


def test_a_folder_outside_any_checkout_is_named(
    tree: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    outside, inside, target = tmp_path / "outside", tmp_path / "checkout" / "results", tmp_path / "docs"
    finished(tree, outside, seeds=[0])
    finished(tree, inside, seeds=[1])
    _checkout.committed(inside.parent)
    assert merge(target, outside) == 0
    expected = f"{outside}: lies in no Git checkout: its results will be published from an unknown commit"
    assert [line for line in caplog.messages if "checkout" in line] == [expected]
    assert "from an unknown commit" in (target / "wasserstein-dp" / "README.md").read_text()
    caplog.clear()
    assert merge(target, inside) == 0
    assert "checkout" not in caplog.text


def test_a_remark_stays_with_the_runs_that_it_concerns(tree: ModuleType, tmp_path: Path) -> None:
    finished(tree, tmp_path / "here", seeds=[0])
    old = plans.read(tmp_path / "here" / "plan.json").runs[0].run
    finished(tree, tmp_path / "there", seeds=[1, 2])
    target = tmp_path / "docs"
    folder = target / "wasserstein-dp"
    assert merge(target, tmp_path / "here", "--remark", NOISE) == 0
    assert merge(target, tmp_path / "there") == 0
    first, second = json.loads((folder / "provenance.json").read_text())["parts"]
    assert (first["remark"], list(first["results"])) == (NOISE, [old])
    assert (second["remark"], second["runs"], second["seconds"]) == (None, 2, 25.0)
    kept = json.loads((folder / "ledger.json").read_text())
    rows = [dict(zip(kept["columns"], row, strict=True)) for row in kept["rows"]]
    assert {row["run"] for row in rows if NOISE in kept["texts"]["remark"][row["remark"]]} == {old}
    assert len({row["run"] for row in rows}) == 3
    readme = (folder / "README.md").read_text()
    assert f"1 runs, computed in 12 s on x86_64, 2 processors; published {first['published']}" in readme
    assert readme.count(NOISE) == 1
    assert NOISE not in readme.splitlines()[2]
    assert f"- [1] {NOISE[0].upper()}{NOISE[1:].rstrip('.')}." in (folder / "ledger.md").read_text()


def test_contradicting_results_are_refused_by_name(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    first, second, target = tmp_path / "a", tmp_path / "b", tmp_path / "docs"
    finished(tree, first, seeds=[0, 1])
    plan = finished(tree, second, seeds=[0, 1, 2])
    finish(tree, second, plan.runs[1], accuracy=0.8)
    assert merge(target, first, "--remark", NOISE) == 0
    before = contents(target)
    assert merge(target, second) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"run {plan.runs[1].run} ({plan.runs[1].title}): has another result in wasserstein-dp" in line
    assert contents(target) == before
    assert merge(target, second, "--overwrite") == 0
    # The first run is the same in both, and stays what it was.
    folder = target / "wasserstein-dp"
    assert results(folder) == results(second)
    assert stored.remarks(folder) == {plan.runs[0].run: NOISE}


def test_a_seed_of_which_only_some_runs_are_of_the_merged_code_is_named(
    tree: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Two rows a seed. The merge renews both of seed 1, one of seed 0; without hashes in its plan nobody knows."""
    rows = {"privacy": [{"clip_norm": 0.5, "epsilon": epsilon, "delta": 1.0e-5} for epsilon in (1, 2)]}
    two_rows = configuration([0, 1])
    two_rows["experiments"][0] |= {"grid": rows}
    plan = plans.plan(config.validate(two_rows))
    old, new, kept, target = (tmp_path / name for name in ("old", "new", "kept", "docs"))
    for folder, told in ((old, plan), (new, plan), (kept, plan.trimmed())):
        plans.write(folder / "plan.json", told)
    for row in plan.runs:
        finish(tree, old, row)
        if row.seed == 1 or row is plan.runs[0]:
            for folder in (new, kept):
                finish(tree, folder, row, accuracy=0.8, code=plan.jobs[row.run].code)
    assert merge(target, old) == 0
    assert "older code" not in caplog.text
    assert merge(target, kept, "--overwrite") == 0
    assert "older code" not in caplog.text
    assert merge(target, new, "--overwrite") == 0
    (line,) = [line for line in caplog.text.splitlines() if "older code" in line]
    assert "digits, seed 0: 1 of 2 runs (" in line
    assert "ε = 2" in line


def test_the_same_run_on_another_machine_is_no_contradiction(tree: ModuleType, tmp_path: Path) -> None:
    plan = finished(tree, tmp_path / "a", seeds=[0])
    finished(tree, tmp_path / "b", seeds=[0])
    finish(tree, tmp_path / "b", plan.runs[0], seconds=99.0)
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    assert merge(tmp_path / "docs", tmp_path / "b") == 0
    assert results(tmp_path / "docs" / "wasserstein-dp") == results(tmp_path / "a")


def test_experiments_go_where_they_are_published(tree: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / "docs"
    finished(tree, tmp_path / "a", seeds=[0])
    assert merge(target, tmp_path / "a", "--set", "equal-budgets") == 0
    assert [path.name for path in target.iterdir()] == ["equal-budgets"]
    finished(tree, tmp_path / "b", seeds=[1])
    finished(tree, tmp_path / "c", seeds=[0, 1], done=1, name="other", paper="tangent-dp")
    assert merge(target, tmp_path / "b", tmp_path / "c") == 0
    assert sorted(path.name for path in target.iterdir()) == ["equal-budgets", "tangent-dp"]
    assert results(target / "equal-budgets") == results(tmp_path / "a") | results(tmp_path / "b")
    assert results(target / "tangent-dp") == results(tmp_path / "c")


@pytest.mark.parametrize("name", [".", "..", "../evil", "a/b", "A B", "", "x" * 101, "a\n"])
def test_a_set_whose_name_is_none_is_refused(name: str, tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    target = tmp_path / "docs"
    finished(tree, tmp_path / "a", seeds=[0])
    assert merge(target, tmp_path / "a", "--set", "kept") == 0
    before = contents(tmp_path)
    capsys.readouterr()
    assert merge(target, tmp_path / "a", "--set", name) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"set = {name!r}: must be lower-case words joined by hyphens" in line
    assert contents(tmp_path) == before


def test_what_is_merged_is_no_place_to_write(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    results_folder, target = tmp_path / "results", tmp_path / "docs"
    finished(tree, results_folder, seeds=[0])
    finished(tree, tmp_path / "upper" / "a", seeds=[0])
    assert merge(target, results_folder, "--set", "kept") == 0
    before = contents(tmp_path)
    for to, source, name in (
        (tmp_path, results_folder, "results"),
        (tmp_path, tmp_path / "upper" / "a", "upper"),
        (results_folder, results_folder, "runs"),
        (target, target / "kept", "kept"),
    ):
        assert merge(to, source, "--set", name) == 2
        assert f"{to / name}: must not be {source}, contain it or lie inside it" in capsys.readouterr().err
        assert contents(tmp_path) == before


def test_a_results_folder_that_is_no_source_is_not_replaced(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    finished(tree, tmp_path / "results", seeds=[0])
    finished(tree, tmp_path / "a", seeds=[1])
    before = contents(tmp_path)
    for words in (["--set", "results"], []):  # where its experiment is published already, as it seems
        assert merge(tmp_path, tmp_path / "a", *words) == 2
        assert f"{tmp_path / 'results'}: must be a published folder, empty or absent" in capsys.readouterr().err
        assert contents(tmp_path) == before


def test_runs_of_two_experiments_are_added_to_the_one_that_is_chosen(
    tree: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    both = configuration([0])
    both["experiments"] += [both["experiments"][0] | {"name": "twin", "figures": []}]
    plan = plans.plan(config.validate(both))
    assert {row.experiment for row in plan.runs} == {"digits", "twin"}
    assert len({row.run for row in plan.runs}) == 1
    plans.write(tmp_path / "a" / "plan.json", plan)
    finish(tree, tmp_path / "a", plan.runs[0])
    target = tmp_path / "docs"
    assert merge(target, tmp_path / "a", "--only", "twins") == 2
    assert "only = 'twins': must be an experiment with finished runs: digits, twin" in capsys.readouterr().err
    assert not target.exists()
    assert merge(target, tmp_path / "a", "--only", "twin") == 0
    there = plans.read(target / "wasserstein-dp" / "plan.json.xz")
    assert [row.experiment for row in there.runs] == [item.name for item in there.experiments] == ["twin"]
    assert merge(target, tmp_path / "a") == 0
    assert {row.experiment for row in plans.read(target / "wasserstein-dp" / "plan.json.xz").runs} == {"digits", "twin"}
    other = tmp_path / "both"
    assert merge(other, tmp_path / "a", "--only", "twin", "--only", "digits") == 0
    assert {row.experiment for row in plans.read(other / "wasserstein-dp" / "plan.json.xz").runs} == {"digits", "twin"}


def test_two_experiments_of_one_name(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    finished(tree, tmp_path / "a", seeds=[0])
    finished(tree, tmp_path / "b", seeds=[1], paper="tangent-dp")
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    before = contents(tmp_path / "docs")
    assert merge(tmp_path / "docs", tmp_path / "b") == 2
    assert (
        "experiment digits: two are called so, with the paper wasserstein-dp and tangent-dp" in capsys.readouterr().err
    )
    assert contents(tmp_path / "docs") == before


def asking(name: str, *, task: str = "classification", kind: str = "head_to_head", **options: Any) -> Plan:
    """A plan of one experiment that asks for a comparison, or for a figure of another kind, under one name."""
    value = configuration([0], name=name)
    (experiment,) = value["experiments"]
    compared = {"task": task, "problem": name, "method": "DP-SGD", "epsilon": "privacy.epsilon"}
    experiment["accountants"] = ["pld", "rdp"]
    experiment["compared"] = compared | {"objective": {"metric": "accuracy"}}
    experiment["figures"] = [{"name": "all-methods", "kind": kind, "options": options}]
    return plans.plan(config.validate(value))


def test_a_comparison_that_two_plans_ask_for_is_made_once() -> None:
    one, two = asking("digits"), asking("others")
    both = joint_plan(one, two)
    assert [len(each.figures) for each in both.experiments] == [1, 0]
    assert joint_plan(both, two) == both


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({}, {"task": "two-classes"}),
        ({}, {"kind": "budget_over_epochs"}),
        ({"kind": "budget_over_epochs"}, {"kind": "budget_over_epochs"}),
        ({}, {"accountant": "upper/rdp"}),
    ],
)
def test_two_figures_of_one_name_are_refused(one: dict[str, Any], two: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="all-methods: is made by experiment digits and by others"):
        joint_plan(asking("digits", **one), asking("others", **two))


def test_options_of_other_ways_are_refused(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    finished(tree, tmp_path / "a", seeds=[0])
    for words in (["--set", "x"], ["--overwrite"], ["--remark", "x"], ["--config", "x"]):
        assert main(["publish", "--results", str(tmp_path / "a"), *words]) == 2
        assert f"{words[0].strip('-')}: is for --" in capsys.readouterr().err
    assert merge(tmp_path / "docs", tmp_path / "a", "--again", "x") == 2
    assert merge(tmp_path / "docs", tmp_path / "nowhere") == 2
    assert "nowhere': no such folder; must be a results folder or a published folder" in capsys.readouterr().err


def test_restored_results_are_the_published_ones(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    source, target, back = tmp_path / "a", tmp_path / "docs", tmp_path / "back"
    plan = finished(tree, source, seeds=[0, 1])
    path = source / "runs" / plan.runs[0].run / "result.json"
    assert merge(target, source, "--remark", NOISE) == 0
    folder = target / "wasserstein-dp"
    for _ in range(2):
        assert main(["restore", str(folder), "--results", str(back)]) == 0
        assert results(back) == results(source)
    assert "0 runs put back" in capsys.readouterr().out
    assert plans.read(back / "plan.json").runs == plan.runs
    assert main(["ledger", "--results", str(back)]) == 0
    assert f"**{NOISE}**" in (back / "ledger.md").read_text()
    assert main(["collect", "--results", str(back)]) == 0
    assert main(["compare", str(folder), str(back)]) == 0
    # What is said of restored results goes with them when they are published again.
    assert merge(tmp_path / "again", back) == 0
    assert stored.remarks(tmp_path / "again" / "wasserstein-dp") == {row.run: NOISE for row in plan.runs}

    finish(tree, back, plan.runs[0], accuracy=0.1)
    before = contents(back)
    assert main(["restore", str(folder), "--results", str(back)]) == 2
    assert f"run {plan.runs[0].run} ({plan.runs[0].title}): has another result in" in capsys.readouterr().err
    assert contents(back) == before
    assert path.is_file()


def test_several_sets_are_restored_into_one_folder(tree: ModuleType, tmp_path: Path) -> None:
    finished(tree, tmp_path / "a", seeds=[0])
    finished(tree, tmp_path / "b", seeds=[1], name="other", paper="tangent-dp")
    assert merge(tmp_path / "docs", tmp_path / "a", "--remark", NOISE) == 0
    assert merge(tmp_path / "docs", tmp_path / "b") == 0
    for name in ("wasserstein-dp", "tangent-dp", "wasserstein-dp"):
        assert main(["restore", str(tmp_path / "docs" / name), "--results", str(tmp_path / "back")]) == 0
    assert results(tmp_path / "back") == results(tmp_path / "a") | results(tmp_path / "b")
    assert len(stored.parts(tmp_path / "back")) == 2
    assert set(stored.remarks(tmp_path / "back")) == set(results(tmp_path / "a"))


@pytest.mark.parametrize("packed", [True, False])
def test_results_are_compared_by_setting_where_a_parameter_is_new(
    tree: ModuleType, tmp_path: Path, packed: bool, capsys: Any
) -> None:
    finished(tree, tmp_path / "a", seeds=[0, 1])
    other = tmp_path / "b"
    plan = finished(tree, other, seeds=[0, 1], done=0)
    rows = []
    for row in plan.runs:
        spec = row.spec | {"parameters": row.spec["parameters"] | {"new": True}}
        rows.append(row.model_copy(update={"run": f"{row.seed:012x}", "spec": spec}))
        finish(tree, other, rows[-1])
    plans.write(other / "plan.json", plan.model_copy(update={"runs": tuple(rows)}))
    if packed:
        assert merge(tmp_path / "docs", other) == 0
        other = tmp_path / "docs" / "wasserstein-dp"
    assert main(["compare", str(tmp_path / "a"), str(other)]) == 0
    said = capsys.readouterr().out
    assert said.count("the same setting under other parameters") == 1
    assert "identical: " in said
    assert "1 shared groups (first set: 2 runs, second set: 2 runs)" in said
    (tmp_path / "a" / "plan.json").unlink()
    assert main(["compare", str(tmp_path / "a"), str(other)]) == 3
    assert "only in the first set" in capsys.readouterr().out


def test_published_results_that_were_lost_or_changed_are_refused(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    plan = finished(tree, tmp_path / "a", seeds=[0, 1])
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    folder = tmp_path / "docs" / "wasserstein-dp"
    whole = results(folder)
    first, second = (row.run for row in plan.runs)
    changed = whole | {second: whole[second].replace(b"0.9", b"0.8")}
    for left, reason in (({first: whole[first]}, f"lacks the result of run {second}"), (changed, "was changed after")):
        for name, archive in stored.packed(left).items():
            (folder / name).write_bytes(archive)
        before = contents(folder)
        for words in (
            ["restore", str(folder), "--results", str(tmp_path / "back")],
            ["publish", "--again", str(folder)],
        ):
            assert main(words) == 2
            assert reason in capsys.readouterr().err
        assert main(["compare", str(folder), str(tmp_path / "a")]) == 2
        assert contents(folder) == before
    assert not (tmp_path / "back").exists()


def test_restored_runs_are_planned_as_done(tree: ModuleType, tmp_path: Path, capsys: Any) -> None:
    """Without a digest too, as most published results are; one that was lost since is computed."""
    plan = finished(tree, tmp_path / "a", seeds=[0, 1])
    for row in plan.runs:
        path = tmp_path / "a" / "runs" / row.run / "result.json"
        value = json.loads(path.read_text())
        path.write_text(json.dumps({key: item for key, item in value.items() if key != "digest"}))
    (tmp_path / "a" / "provenance.json").write_text(json.dumps({"published": "2026", "commit": None, "dirty": None}))
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    back = tmp_path / "back"
    assert main(["restore", str(tmp_path / "docs" / "wasserstein-dp"), "--results", str(back)]) == 0
    (tmp_path / "config.yaml").write_text(json.dumps(configuration([0, 1, 2])))

    def phases() -> list[str]:
        words = ["--config", str(tmp_path / "config.yaml"), "--check-results", str(back), "--set-aside"]
        assert main(["plan", *words, "--out", str(back / "plan.json")]) == 0
        assert "it is computed again" not in capsys.readouterr().err
        return [job.phase for job in plans.read(back / "plan.json").jobs.values()]

    assert phases() == ["restored", "restored", "train"]
    (back / "runs" / plan.runs[1].run / "result.json").unlink()
    assert phases() == ["restored", "train", "train"]
    finish(tree, back, plan.runs[0], accuracy=0.8)
    assert phases() == ["train", "train", "train"], "another result than the one that was put back"


def test_a_restored_run_without_a_budget_that_is_asked_for_now_is_named(
    tree: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    plan = finished(tree, tmp_path / "a", seeds=[0, 1])
    assert merge(tmp_path / "docs", tmp_path / "a") == 0
    back, more = tmp_path / "back", configuration([0, 1])
    assert main(["restore", str(tmp_path / "docs" / "wasserstein-dp"), "--results", str(back)]) == 0
    capsys.readouterr()
    for accountants, named in ((["pld"], 1), (["pld", "rdp", "gdp"], 2)):
        more["experiments"][0]["accountants"] = accountants
        words = ["--json", json.dumps(more), "--check-results", str(back), "--set-aside"]
        assert main(["plan", *words, "--out", str(back / "plan.json")]) == 0
        said = capsys.readouterr().err.splitlines()
        assert len(said) == named
        assert f"{plan.runs[0].run}/result.json: was computed or accounted for by other code than today's" in said[-1]
        assert "(and 1 more were); it is used as it was published; delete its folder" in said[-1]
        assert [job.phase for job in plans.read(back / "plan.json").jobs.values()] == ["restored", "restored"]
    assert f"{plan.runs[0].run}/result.json: has no budget by rdp, gdp, which is asked for now" in said[0]
    assert "(and 1 more results lack one); it was published, without the outcome to account for" in said[0]
    assert results(back) == results(tmp_path / "a")
