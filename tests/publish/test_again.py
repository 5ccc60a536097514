"""A published folder's ledger, tables and figures once more, from the results that it holds."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from _digits_run import WITHOUT_PRIVACY
from wassdp import config, runs
from wassdp.cli import main
from wassdp.files import write_json
from wassdp.pipeline import plan as plans
from wassdp.pipeline import stored
from wassdp.publish.again import completed
from wassdp.result import Result, curve, save
from wassdp.selection import READ, by_validation

CONFIG = {
    "preset": "small",
    "experiments": [
        {
            "name": "digits",
            "paper": "wasserstein-dp",
            "kind": "classification",
            "parameters": WITHOUT_PRIVACY | {"epochs": 2},
            "grid": {"privacy": [{"clip_norm": 0.5, "epsilon": 1, "delta": 1.0e-5}]},
            "seeds": [0, 1, 2],
            "accountants": ["pld"],
            "figures": [
                {"name": "budget", "kind": "budget_over_epochs"},
                {"name": "accuracy", "kind": "accuracy_over_epsilon"},
                {"name": "once-more", "kind": "budget_over_epochs"},
            ],
            "tables": [],
            "search": "about forty trials",
            "remarks": [{"text": "a small set", "where": {"dataset": "digits"}}],
        }
    ],
}
LATER = ("search", "remarks", "seeds", "configured_runs")
"""What plans written before it was recorded do not have."""


@pytest.fixture
def published(tree: ModuleType, tmp_path: Path) -> Path:
    """A published folder of two of three seeds, as older versions wrote it."""
    plan = plans.plan(config.validate(CONFIG))
    folder = tmp_path / "docs" / "small"
    value = plan.model_dump(mode="json")
    value["runs"] = value["runs"][:2]
    value["experiments"][0] = {key: item for key, item in value["experiments"][0].items() if key not in LATER}
    write_json(folder / "plan.json", value)
    for row, epsilon in zip(plan.runs, (1.01, 1.01927), strict=False):
        result = Result(
            run=row.run,
            spec=row.spec,
            guarantees=(tree.guarantee("upper", "pld", epsilon),),
            delta=1e-5,
            metrics={"accuracy": 0.9, "records": 1438.0},
            history=curve("epsilon/upper/pld", "epoch", [1, 2], [0.7, epsilon]),
            provenance=tree.provenance(),
            accounting_code="1" * 16,
        )
        save(folder / "runs" / row.run / "result.json", result)
    origin = {"published": "2026-01-01", "commit": "c" * 40, "changed_files": 0, "dirty": False, "missing": []}
    origin |= {"seconds": 25.0, "machines": ["m"], "devices": ["cpu"]}
    write_json(folder / "provenance.json", origin)
    (folder / "ledger.md").write_text("| run | ε ≤ 1.019 |\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_but_the_results_is_made_again(published: Path, tmp_path: Path) -> None:
    before = contents(published)
    assert main(["publish", "--again", str(published)]) == 0
    after = contents(published)
    assert {f"runs/{run}/result.json": raw for run, _, raw in stored.stored(published)} == {
        name: value for name, value in before.items() if name.startswith("runs/")
    }
    ledger = after["ledger.md"].decode()
    assert "Proven by `pld`; δ = 1e-05; δ × records 0.014;" in ledger
    assert "| – | – | 1.02 |" in ledger
    assert "| 2 of ? |" in ledger
    assert "Search: not recorded." in ledger
    assert {f"figures/wasserstein-dp/budget.{suffix}" for suffix in ("svg", "png", "csv")} <= set(after)
    assert b"delta_times_records" in lzma.decompress(after["runs.csv.xz"])
    readme = after["README.md"].decode()
    assert "made again from these results on" in readme
    assert "published 2026-01-01 from commit `cccccccccccc`" in readme
    assert "| paper | experiment | no claim |" in readme
    assert readme.count("Budget spent after each epoch of training") == 1
    assert "Its caption is that of Budget.\n\nOnce more, of experiment digits:" in readme
    assert " \n" not in readme


def test_pages_alone_leave_figures_and_tables_as_they_are(published: Path) -> None:
    assert main(["publish", "--again", str(published)]) == 0
    first = json.loads((published / "provenance.json").read_text())["made_again"]
    drawn = published / "figures" / "wasserstein-dp" / "budget.svg"
    drawn.write_text("drawn before")
    (published / "ledger.md").unlink()
    for _ in range(2):
        assert main(["publish", "--again", str(published), "--pages"]) == 0
        assert drawn.read_text() == "drawn before"
        assert "| – | – | 1.02 |" in (published / "ledger.md").read_text()
        text = (published / "README.md").read_text()
        assert "Ledger and pages were made again" in text
        assert f"Tables and figures are those of {first['at']}" in text


def test_a_remark_stands_on_top_until_it_is_taken_away(published: Path) -> None:
    remark = "The noise of these runs was drawn in float32."
    assert main(["publish", "--again", str(published), "--remark", remark]) == 0
    for name in ("README.md", "ledger.md"):
        assert (published / name).read_text().splitlines()[2] == f"**{remark}**"
    (part,) = json.loads((published / "provenance.json").read_text())["parts"]
    assert part["remark"] == remark
    assert main(["publish", "--again", str(published)]) == 0
    assert (published / "README.md").read_text().splitlines()[2] == f"**{remark}**"
    assert main(["publish", "--again", str(published), "--remark", ""]) == 0
    assert not any(remark.encode() in text for text in contents(published).values())


def test_a_configuration_says_what_an_older_plan_does_not(published: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "config.yaml"
    chosen.write_text(json.dumps(CONFIG))
    assert main(["publish", "--again", str(published), "--config", str(chosen)]) == 0
    text = (published / "ledger.md").read_text()
    assert "Search, in no ε here: about forty trials." in text
    assert "A small set." in text
    assert "| 2 of 3 |" in text
    assert "The plan was cut by hand: it has 2 of 3 configured runs." in text
    assert plans.read(published / "plan.json.xz").experiments[0].search == "about forty trials"


def test_an_experiment_named_after_another_takes_what_is_said_of_that(published: Path, tmp_path: Path) -> None:
    plan = plans.read(published / "plan.json")
    renamed = named(plan, "digits-seeds")
    assert completed(renamed, config.validate(CONFIG), {}).experiments[0].search == "about forty trials"
    other = named(plan, "others")
    assert completed(other, config.validate(CONFIG), {}) == other


def test_another_file_does_not_take_back_that_test_accuracies_were_read(published: Path) -> None:
    """Its experiment may be of other runs: a name with more words is matched by how it begins."""
    renamed = named(plans.read(published / "plan.json"), "digits-10")
    (experiment,) = renamed.experiments
    looked = experiment.model_copy(update={"selection": READ, "search": "ten trials, then a look"})
    read = renamed.model_copy(update={"experiments": (looked,)})
    found = completed(read, config.validate(CONFIG), {}).experiments[0]
    assert (found.selection, found.search) == (READ, "ten trials, then a look")
    known = looked.model_copy(update={"selection": by_validation(10, known=True)})
    kept = completed(renamed.model_copy(update={"experiments": (known,)}), config.validate(CONFIG), {}).experiments[0]
    assert kept.selection == by_validation(10, known=True)


def test_runs_are_shown_in_every_experiment_that_asks_for_them_and_in_none_that_is_no_more(published: Path) -> None:
    plan = plans.read(published / "plan.json")
    first, second = plan.runs
    seeds = named(plan, "digits-seeds")
    both = plan.model_copy(
        update={"runs": (second, *seeds.runs), "experiments": (*plan.experiments, *seeds.experiments)}
    )
    held = {run: result for run, (_, result) in stored.read(published, [first.run, second.run]).items()}
    found = completed(both, config.validate(CONFIG), held)
    assert [each.name for each in found.experiments] == ["digits"]
    assert [row.run for row in found.runs] == [first.run, second.run]
    # Without the first one's result, the experiment of seeds alone has its run, and stays; so where the result has no
    # budget that the experiment asks for.
    others = tuple(each.model_copy(update={"accountant": "rdp"}) for each in held[first.run].guarantees)
    bare = held[first.run].model_copy(update={"guarantees": others})
    for known in ({second.run: held[second.run]}, held | {first.run: bare}):
        kept = completed(both, config.validate(CONFIG), known)
        assert [each.name for each in kept.experiments] == ["digits", "digits-seeds"]
        assert [(row.experiment, row.run) for row in kept.runs] == [
            ("digits", second.run),
            ("digits-seeds", first.run),
            ("digits-seeds", second.run),
        ]


def named(plan: plans.Plan, name: str) -> plans.Plan:
    """The plan, its experiment called otherwise."""
    return plan.model_copy(
        update={
            "experiments": (plan.experiments[0].model_copy(update={"name": name}),),
            "runs": tuple(row.model_copy(update={"experiment": name}) for row in plan.runs),
        }
    )


def test_what_cannot_be_made_leaves_everything_as_it_was(published: Path, tmp_path: Path, capsys: Any) -> None:
    value = json.loads((published / "plan.json").read_text())
    value["experiments"][0]["figures"][0]["options"] = {"show": ["upper/none"]}
    write_json(published / "plan.json", value)
    before = contents(published)
    assert main(["publish", "--again", str(published)]) == 2
    assert "figures.budget of digits: show = 'upper/none'" in capsys.readouterr().err
    assert contents(published) == before
    assert main(["publish", "--again", str(tmp_path)]) == 2
    assert "is no published folder" in capsys.readouterr().err
    assert main(["publish", "--remark", "x", "--results", str(published)]) == 2
    assert "remark: is for --again" in capsys.readouterr().err


def test_plans_record_seeds_and_runs_of_the_configuration() -> None:
    chosen = config.validate(CONFIG)
    (experiment,) = plans.plan(chosen, runs.expand(chosen)).experiments
    assert (experiment.seeds, experiment.configured_runs) == ((0, 1, 2), 3)
    assert experiment.remarks[0].concerns({"parameters": {"dataset": "digits"}})
    assert not experiment.remarks[0].concerns({"parameters": {"dataset": "mnist"}})
