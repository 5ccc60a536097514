"""A figure that was edited after it was written is no figure of the run: no verb takes it."""

from __future__ import annotations

import base64
import json
import math
import shutil
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp.cli import main
from wassdp.pipeline import repair
from wassdp.publish.differences import differences, load
from wassdp.result import digest, load_outcome, load_result, save

EDITED = "was changed after it was written"
READERS = (["collect"], ["ledger"], ["track"], ["publish"], ["compare"])


@pytest.fixture
def folder(tree: ModuleType, tmp_path: Path) -> Path:
    tree.make(tmp_path / "results")
    return tmp_path / "results"


def edit(path: Path, change: Any) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value, indent=1))


def smaller(value: dict[str, Any]) -> None:
    value["guarantees"][0]["epsilon"] = 0.01


def arguments(verb: list[str], folder: Path) -> list[str]:
    if verb == ["compare"]:
        return [*verb, str(folder), str(folder)]
    target = ["--to", str(folder.parent / "docs")] if verb == ["publish"] else []
    return [*verb, "--results", str(folder), *target]


@pytest.mark.parametrize("verb", READERS, ids=" ".join)
def test_no_verb_takes_an_edited_budget(verb: list[str], folder: Path, capsys: Any) -> None:
    path = sorted(folder.glob("runs/*/result.json"))[0]
    edit(path, smaller)
    assert main(arguments(verb, folder)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert EDITED in line
    assert str(path) in line


@pytest.mark.parametrize("verb", READERS, ids=" ".join)
def test_a_file_that_was_cut_short_is_one_line(verb: list[str], folder: Path, capsys: Any) -> None:
    path = sorted(folder.glob("runs/*/result.json"))[0]
    path.write_bytes(path.read_bytes()[:300])
    assert main(arguments(verb, folder)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{path}: is not a result" in line


def test_an_edited_outcome_is_not_accounted_for(planned: Any, results: Path, tmp_path: Path, capsys: Any) -> None:
    text = (results / "runs" / planned.runs[0].run / "outcome.json").read_text()
    path = tmp_path / "outcome.json"
    path.write_text(text)
    edit(path, lambda value: value["metrics"].update(threshold_mean=1e-9))
    assert main(["account", "--outcome", str(path), "--out", str(tmp_path / "result.json")]) == 2
    assert EDITED in capsys.readouterr().err
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_is_none_is_refused_with_its_file(
    planned: Any, results: Path, tmp_path: Path, capsys: Any, number: float
) -> None:
    value = json.loads((results / "runs" / planned.runs[0].run / "outcome.json").read_text())
    value["spec"]["parameters"]["rate"] = number
    path = tmp_path / "outcome.json"
    path.write_text(json.dumps(value))
    assert main(["account", "--outcome", str(path), "--out", str(tmp_path / "result.json")]) == 2
    assert f"wassdp account: {path}: is not an outcome (" in capsys.readouterr().err


def test_a_result_names_the_outcome_behind_it(planned: Any, results: Path) -> None:
    for run in planned.runs:
        folder = results / "runs" / run.run
        outcome, result = load_outcome(folder / "outcome.json"), load_result(folder / "result.json")
        assert result.outcome == outcome.digest
        assert len({outcome.digest, result.digest}) == 2


def test_layout_does_not_count_and_every_field_does(folder: Path) -> None:
    path = sorted(folder.glob("runs/*/result.json"))[0]
    value = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(value.items()))))
    load_result(path)
    for key in value.keys() - {"digest"}:
        assert digest({**value, key: "another"}) != value["digest"], key


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_with_its_digest(
    tree: ModuleType, tmp_path_factory: pytest.TempPathFactory, value: float
) -> None:
    path = tmp_path_factory.getbasetemp() / "number.json"
    record = tree.result(tree.planned(1.0, 0)).model_copy(update={"metrics": {"score": value}})
    save(path, record)
    found = load_result(path).metrics["score"]
    assert (found, math.copysign(1, found)) == (value, math.copysign(1, value))


def undigested(folder: Path) -> None:
    """As results were published before there were digests."""
    for path in folder.glob("runs/*/result.json"):
        edit(path, lambda value: [value.pop(key) for key in ("digest", "outcome")])


def test_results_without_a_digest_are_compared_and_marked(folder: Path, capsys: Any) -> None:
    first = load(folder)
    undigested(folder)
    second = load(folder)
    assert differences(first, second).undigested == (0, 4)
    assert main(["compare", str(folder), str(folder)]) == 0
    assert capsys.readouterr().out.count("without digest: 4 runs of the") == 2
    for verb in ("collect", "ledger"):
        assert main([verb, "--results", str(folder)]) == 2
        assert "has no digest" in capsys.readouterr().err
    assert main(["publish", "--results", str(folder), "--to", str(folder.parent / "docs")]) == 2


def test_a_result_of_another_run_is_not_collected(folder: Path, capsys: Any) -> None:
    first, second = sorted(folder.glob("runs/*/result.json"))[:2]
    first.write_bytes(second.read_bytes())
    assert main(["collect", "--results", str(folder)]) == 2
    assert f"{first}: belongs to run {second.parent.name}" in capsys.readouterr().err


def test_what_cannot_be_used_is_found_and_set_aside(planned: Any, results: Path, tmp_path: Path) -> None:
    ids = [run.run for run in planned.runs]
    specs = {run.run: run.spec for run in planned.runs}
    for run in ids:
        for name in ("outcome.json", "result.json"):
            (tmp_path / "runs" / run).mkdir(parents=True, exist_ok=True)
            (tmp_path / "runs" / run / name).write_bytes((results / "runs" / run / name).read_bytes())
    assert repair.damaged(tmp_path, specs) == {}

    places = [tmp_path / "runs" / run for run in ids]
    edit(places[0] / "result.json", smaller)
    (places[1] / "outcome.json").write_bytes(b'{"run": "\xff')
    other = load_outcome(places[2] / "outcome.json")
    save(places[2] / "outcome.json", other.model_copy(update={"metrics": {}}))  # a digest of its own
    (places[3] / "result.json").write_bytes((results / "runs" / ids[0] / "result.json").read_bytes())
    found = repair.damaged(tmp_path, specs)
    assert {path: reason.removeprefix(f"{path}: ").split(" (")[0] for path, reason in found.items()} == {
        places[0] / "result.json": EDITED,
        places[1] / "outcome.json": "is not an outcome",
        places[2] / "result.json": "stems from another outcome than the one beside it",
        places[3] / "result.json": f"belongs to another run, {ids[0]}",
    }
    repair.set_aside(found)
    assert repair.damaged(tmp_path, specs) == {}
    assert all(not path.exists() and path.with_name(path.name + repair.DAMAGED).exists() for path in found)


@pytest.fixture
def asked(planned: Any, configuration: Any, results: Path, tmp_path: Path, capsys: Any) -> Any:
    """What planning says of a copy of the results folder when other accountants are asked for."""
    shutil.copytree(results, tmp_path / "results")

    def asked(accountants: list[Any], *words: str) -> list[str]:
        value = configuration.model_dump(mode="json")
        value["experiments"][0]["accountants"] = accountants
        folder = tmp_path / "results"
        words = ("--check-results", str(folder), "--out", str(folder / "plan.json"), *words)
        assert main(["plan", "--json", json.dumps(value), *words]) == 0
        return capsys.readouterr().err.splitlines()

    return asked


@pytest.mark.parametrize(
    ("accountants", "name"),
    [
        (["pld", "bayesian"], "bayesian"),
        ([{"name": "pld", "delta": 1e-7}], "pld"),
        ([{"name": "wasserstein", "label": "tight"}, "pld"], "tight"),
    ],
)
def test_a_result_without_a_budget_that_is_asked_for_is_accounted_for_again(
    asked: Any, accountants: list[Any], name: str, tmp_path: Path
) -> None:
    paths = sorted((tmp_path / "results" / "runs").glob("*/result.json"))
    (line,) = asked(accountants)
    assert f"result.json: has no budget by {name}, which is asked for now (and 3 more results lack one); " in line
    assert line.endswith("accounted for again")
    assert all(path.exists() for path in paths), "named only"
    assert asked(accountants, "--set-aside") == [line]
    assert not any(path.exists() for path in paths)
    assert all(path.with_name("outcome.json").exists() for path in paths), "nothing is computed again"
    for path in paths:
        run = path.parent.name
        words = ["--plan", str(tmp_path / "results" / "plan.json"), "--outcome", str(path.with_name("outcome.json"))]
        assert main(["account", run, *words, "--out", str(path)]) == 0
    assert asked(accountants, "--set-aside") == []


def test_a_result_with_every_budget_that_is_asked_for_is_left_alone(asked: Any) -> None:
    assert asked(["pld"], "--set-aside") == []
    assert asked([], "--set-aside") == []


@pytest.fixture
def same(configuration: Any) -> list[Any]:
    """The accountants that the results folder was made with."""
    return list(configuration.model_dump(mode="json")["experiments"][0]["accountants"])


def test_results_that_other_code_accounted_for_are_accounted_for_again(
    asked: Any, same: list[Any], planned: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    """Snakemake finds nothing to do in a folder that another filled: an old *upper* would pass for today's."""
    assert asked(same) == []
    paths = [tmp_path / "results" / "runs" / run.run / "result.json" for run in planned.runs[1:3]]
    for path in paths:
        save(path, load_result(path).model_copy(update={"accounting_code": "0" * 16}))
    (line,) = asked(same)
    assert line.endswith("was accounted for by other code than today's (and 1 more were); accounted for again")
    with monkeypatch.context() as patch:
        patch.setattr("wassdp.pipeline.resume.remembered", lambda path: True)
        assert asked(same, "--set-aside") == [], "Snakemake sees to it"
    assert all(path.exists() for path in paths)
    assert asked(same, "--set-aside") == [line]
    assert not any(path.exists() for path in paths)
    assert all(path.with_name("result.json.earlier").exists() for path in paths)


@pytest.mark.parametrize("accounted", [True, False])
def test_outcomes_of_other_code_are_named_and_stay(
    asked: Any, same: list[Any], planned: Any, tmp_path: Path, accounted: bool
) -> None:
    folders = [tmp_path / "results" / "runs" / run.run for run in planned.runs[1:3]]
    for folder in folders:
        outcome = load_outcome(folder / "outcome.json")
        provenance = outcome.provenance.model_copy(update={"code": "0" * 16})
        outcome = save(folder / "outcome.json", outcome.model_copy(update={"provenance": provenance}))
        if accounted:
            update = {"provenance": provenance, "outcome": outcome.digest}
            save(folder / "result.json", load_result(folder / "result.json").model_copy(update=update))
        else:
            (folder / "result.json").unlink()
    (line,) = asked(same, "--set-aside")
    assert "outcome.json: was computed by other code than today's (and 1 more were); Snakemake knows nothing" in line
    assert all((folder / "outcome.json").exists() for folder in folders)
    first, second = asked([*same, "bayesian"], "--set-aside")
    assert first.endswith("accounted for again")
    assert second == line, "today's budgets, of a training of other code"


def test_other_options_under_a_name_are_not_what_was_asked_for(asked: Any, same: list[Any], tmp_path: Path) -> None:
    """Another accountant under its name is refused (`tests/test_config.py`)."""
    for place, choice in enumerate(same):
        name = choice["label"] or choice["name"]
        (line,) = asked([*same[:place], {**choice, "delta": 1e-9}, *same[place + 1 :]])
        assert f"has no budget by {name}, which is asked for now (and 3 more" in line
    for path in (tmp_path / "results" / "runs").glob("*/result.json"):  # older than the record of accountants
        save(path, load_result(path).model_copy(update={"accountants": None}))
    assert same[0]["name"] == "pld"
    assert asked([{**same[0], "options": {"accuracy": 0.05}}]) == []


def test_tables_of_other_runs_or_results_are_collected_again(
    asked: Any, same: list[Any], planned: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    words = ["--results", str(folder)]
    assert asked(same) == []
    assert main(["collect", *words]) == 0
    assert asked(same) == []
    path = folder / "runs" / planned.runs[0].run / "result.json"
    before = path.read_bytes()
    save(path, load_result(path).model_copy(update={"metrics": {}}))
    assert len(asked(same)) == 3
    path.write_bytes(before)
    assert asked(same) == []
    part = json.loads((folder / "plan.json").read_text())
    part["preset"] = "another"
    (tmp_path / "part.json").write_text(json.dumps(part))
    assert main(["collect", *words, "--plan", str(tmp_path / "part.json")]) == 0
    assert asked(same) == [], "the same facts"
    part["facts"] = "0" * 16
    (tmp_path / "part.json").write_text(json.dumps(part))
    assert main(["collect", *words, "--plan", str(tmp_path / "part.json")]) == 0
    lines = asked(same, "--set-aside")
    assert [line.split(": ", 1)[1].split(": ", 1)[1] for line in lines] == [
        "was collected of other results, or for another plan; it is computed again"
    ] * 3
    assert not (folder / "runs.csv").exists()


def test_a_result_that_is_damaged_too_is_set_aside_once(asked: Any, planned: Any, tmp_path: Path) -> None:
    path = tmp_path / "results" / "runs" / planned.runs[0].run / "outcome.json"
    save(path, load_outcome(path).model_copy(update={"metrics": {}}))  # a digest of its own
    first, second = asked(["pld", "bayesian"], "--set-aside")
    assert "stems from another outcome" in first
    assert "(and 2 more results lack one)" in second


def test_the_line_of_a_run_leaves_in_one_piece(planned: Any, results: Path, tmp_path: Path, monkeypatch: Any) -> None:
    pieces: list[str] = []
    monkeypatch.setattr("sys.stdout", SimpleNamespace(write=pieces.append, flush=lambda: None))
    outcome = results / "runs" / planned.runs[0].run / "outcome.json"
    assert main(["account", "--outcome", str(outcome), "--out", str(tmp_path / "result.json")]) == 0
    (line,) = pieces
    assert line.endswith("\n"), "another job's line would come between the line and its end"


def test_a_table_of_all_runs_that_was_changed_is_named_and_set_aside(tree: ModuleType, tmp_path: Path) -> None:
    tree.make(tmp_path)
    assert repair.tables(tmp_path) == {}, "of an earlier version"
    assert main(["collect", "--results", str(tmp_path)]) == 0
    assert repair.tables(tmp_path) == {}
    path = tmp_path / "history.csv"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))  # still a table that can be read
    found = repair.tables(tmp_path)
    assert list(found) == [path]
    assert f"{path}: was changed after it was collected" in found[path]
    repair.set_aside(found)
    assert not path.exists()
    assert repair.tables(tmp_path) == {}
    assert main(["collect", "--results", str(tmp_path)]) == 0
    assert path.read_bytes() == whole


def recorded(folder: Path, path: Path, code: str) -> None:
    """Snakemake's record of how it made a file."""
    name = base64.urlsafe_b64encode(str(path).encode()).decode()
    (folder / "metadata").mkdir(parents=True, exist_ok=True)
    (folder / "metadata" / name).write_text(json.dumps({"params": [repr(code)]}))


def test_an_outcome_of_other_code_that_snakemake_takes_for_todays_is_named(
    asked: Any, same: list[Any], planned: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    """The code was edited while a pipeline was at work, and edited back."""
    monkeypatch.chdir(tmp_path)
    run = planned.runs[1].run
    place = tmp_path / "results" / "runs" / run
    outcome = load_outcome(place / "outcome.json")
    provenance = outcome.provenance.model_copy(update={"code": "0" * 16})
    outcome = save(place / "outcome.json", outcome.model_copy(update={"provenance": provenance}))
    update = {"provenance": provenance, "outcome": outcome.digest}
    save(place / "result.json", load_result(place / "result.json").model_copy(update=update))
    for code, lines in (("0" * 16, 0), (planned.jobs[run].code, 1)):
        recorded(tmp_path / ".snakemake", place / "outcome.json", code)
        said = asked(same, "--set-aside")
        assert len(said) == lines
    assert f"{place / 'outcome.json'}: was computed by other code than today's; Snakemake knows nothing" in said[0]
