"""Tune, freeze, final: what is chosen is the best on validation records, and nothing can be changed unseen."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from filelock import FileLock

from _tuned import CONFIG
from wassdp import data
from wassdp.accounting.guarantee import Guarantee
from wassdp.cli import main
from wassdp.config import read, validate
from wassdp.pipeline import plan as plans
from wassdp.pipeline import readings
from wassdp.protocol import trials
from wassdp.protocol.freeze import check, store_of
from wassdp.protocol.study import least_proven, studies
from wassdp.runs import expand
from wassdp.selection import READ, by_validation

PRESETS = Path(__file__).parents[2] / "workflow" / "presets"


@pytest.fixture
def value() -> dict[str, Any]:
    return copy.deepcopy(CONFIG)


@pytest.fixture
def written(tmp_path: Path, value: dict[str, Any]) -> Path:
    """The configuration's file."""
    path = tmp_path / "tried.yaml"
    path.write_text(yaml.safe_dump(value))
    return path


@pytest.fixture(scope="module")
def tuned_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    (folder / "tried.yaml").write_text(yaml.safe_dump(CONFIG))
    assert main(["tune", str(folder / "tried.yaml"), "--runs", str(folder / "runs")]) == 0
    return folder


@pytest.fixture
def tuned(tuned_once: Path, tmp_path: Path) -> Path:
    shutil.copytree(tuned_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "tried.yaml"


def stored(configuration: Path) -> dict[str, list[trials.Trial]]:
    return {path.name: trials.read(path) for path in sorted(store_of(configuration).glob("*.jsonl"))}


def freeze(configuration: Path) -> Path:
    assert main(["freeze", str(configuration)]) == 0
    return store_of(configuration) / "frozen.yaml"


def test_every_method_has_as_many_trials_at_every_budget(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", str(tuned)]) == 0
    assert capsys.readouterr().out.count("3 of 3 trials are there") == 2
    found = stored(tuned)
    assert [len(done) for done in found.values()] == [3, 3]
    for study in studies(read(tuned)):
        for trial in found[study.file(store_of(tuned)).name]:
            assert trial.metrics == {"accuracy": trial.value}
            assert trial.epsilon is not None
            assert 0.999 * study.point["epsilon"] < trial.epsilon <= study.point["epsilon"]
            assert trial.delta == 1e-5
            assert trial.seconds is not None
            assert trial.run is not None


def test_a_trial_is_a_run_that_is_judged_on_validation_records(tuned: Path, tmp_path: Path) -> None:
    (first, *_) = stored(tuned).values()
    spec = json.loads((tmp_path / "runs" / str(first[0].run) / "outcome.json").read_text())["spec"]
    assert spec["parameters"]["judged_on"] == "validation"
    assert spec["seed"] == 5
    assert {name: spec["parameters"][name] for name in first[0].setting} == first[0].setting


def test_a_killed_search_goes_on_to_the_same_end(tuned: Path, tmp_path: Path) -> None:
    whole = {path: path.read_bytes() for path in store_of(tuned).glob("*.jsonl")}
    for place, (path, content) in enumerate(whole.items()):
        path.write_bytes(content[: content.index(b"\n") + 30] if place else b"")
    assert main(["tune", str(tuned), "--runs", str(tmp_path / "other")]) == 0
    for path, content in whole.items():
        chosen = [(each.setting, each.value, each.run) for each in trials.read(path)]
        assert chosen == [
            tuple(json.loads(line)[key] for key in ("setting", "value", "run")) for line in content.splitlines()
        ]


@pytest.mark.slow
def test_processes_side_by_side_come_to_the_same_end(tuned: Path, tmp_path: Path) -> None:
    before = {name: [each.setting for each in done] for name, done in stored(tuned).items()}
    other = tmp_path / "store"
    assert main(["tune", str(tuned), "--store", str(other), "--runs", str(tmp_path / "b"), "--jobs", "2"]) == 0
    assert {path.name: [each.setting for each in trials.read(path)] for path in other.glob("*.jsonl")} == before


def test_a_study_of_another_process_is_left_to_it(written: Path, tmp_path: Path, capsys) -> None:
    study = studies(read(written))[0]
    store_of(written).mkdir()
    with FileLock(store_of(written) / f".{study.name}.jsonl.lock"):
        assert main(["tune", str(written), "--runs", str(tmp_path / "runs")]) == 1
    assert "another process" in capsys.readouterr().out
    assert len(stored(written)) == 1


def test_what_is_frozen_is_the_best_of_every_budget(tuned: Path) -> None:
    frozen = read(freeze(tuned))
    (experiment,) = frozen.experiments
    assert frozen.frozen is not None
    assert experiment.selection == "validation, 3 trials"
    assert not experiment.grid
    assert not experiment.space
    for study, setting in zip(studies(read(tuned)), experiment.settings, strict=True):
        done = trials.read(study.file(store_of(tuned)))
        best = max(trial.value for trial in done if trial.value is not None)
        (first, *_) = [trial for trial in done if trial.value == best]
        assert setting == study.point | first.setting
    rows = expand(frozen).runs
    assert [(row.seed, row.spec["parameters"]["epsilon"]) for row in rows] == [(0, 1), (1, 1), (0, 10), (1, 10)]
    assert all("judged_on" not in row.spec["parameters"] for row in rows)
    planned = plans.plan(frozen).experiments[0]
    assert planned.selection == "validation, 3 trials"


def test_a_frozen_file_counts_only_unchanged(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = freeze(tuned)
    text = path.read_text()
    path.write_text(text.replace("seeds:\n  - 0", "seeds:\n  - 7"))
    assert path.read_text() != text
    for passed_on in ([], ["--cores", "8", "--", "--profile", "x"]):
        assert main(["final", str(path), *passed_on]) == 2
        assert "was changed after it was frozen" in capsys.readouterr().err
    value = yaml.safe_load(text)
    value["experiments"][0]["settings"][0]["base_std"] *= 1.01
    with pytest.raises(ValueError, match="was changed after it was frozen"):
        validate(value)


def test_trials_count_only_unchanged(tuned: Path) -> None:
    path = freeze(tuned)
    store = sorted(store_of(tuned).glob("*.jsonl"))[0]
    store.write_text(store.read_text().replace('"number":0', '"number": 0'))
    with pytest.raises(ValueError, match="is not as it was when frozen"):
        check(path)


def test_nothing_is_frozen_before_all_trials_are_there(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = sorted(store_of(tuned).glob("*.jsonl"))[0]
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    assert main(["freeze", str(tuned)]) == 2
    assert "has 2 of 3 trials" in capsys.readouterr().err


def test_trials_of_an_earlier_space_are_counted(tuned: Path, value: dict[str, Any], tmp_path: Path) -> None:
    value["experiments"][0]["space"]["base_std"]["high"] = 20
    tuned.write_text(yaml.safe_dump(value))
    assert main(["tune", str(tuned), "--runs", str(tmp_path / "runs")]) == 0
    (experiment,) = read(freeze(tuned)).experiments
    assert experiment.selection == "validation, 9 trials"


def test_trials_of_an_experiment_under_another_name_are_counted(
    tuned: Path, value: dict[str, Any], tmp_path: Path
) -> None:
    value["experiments"][0]["name"] = "gibbs-again"
    tuned.write_text(yaml.safe_dump(value))
    assert main(["tune", str(tuned), "--runs", str(tmp_path / "runs")]) == 0
    (experiment,) = read(freeze(tuned)).experiments
    assert experiment.selection == "validation, 9 trials"
    assert "after 6 trials of other spaces or experiments" in str(experiment.search)


def doctored(tuned: Path, **changed: Any) -> str:
    """Trials of a study as if its second one had come to something else, digests and all; the study's title."""
    study = studies(read(tuned))[0]
    path = study.file(store_of(tuned))
    done = trials.read(path)
    path.unlink()
    for trial in done:
        trials.append(path, trial.model_copy(update=changed if trial.number == 1 else {}))
    return study.title


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"epsilon": 1.01}, "epsilon = 1.01: must be at most its budget, 1"),
        ({"value": 0.99}, "value = 0.99: must be 0.[0-9]+, as its outcome in .* has it"),
        ({"run": "0" * 12}, "run = '000000000000': must be [0-9a-f]{12}, the run of its setting"),
        ({"setting": {"base_std": 1.0, "loss": "savage", "hypotheses": 20}}, "run = .* the run of its setting"),
    ],
)
def test_a_trial_that_its_setting_did_not_come_to_is_not_frozen(
    tuned: Path, tmp_path: Path, changed: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    title = doctored(tuned, **changed)
    assert main(["freeze", str(tuned), "--runs", str(tmp_path / "runs")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(f"{title}, trial 1: {named}", line)


def test_what_is_frozen_agrees_with_the_outcomes_that_are_there(tuned: Path, tmp_path: Path) -> None:
    assert main(["freeze", str(tuned), "--runs", str(tmp_path / "runs")]) == 0


def test_a_trial_takes_no_outcome_of_another_run(tuned: Path, tmp_path: Path) -> None:
    """Though it lies where that of its own would be, and is of the same code."""
    study = studies(read(tuned))[0]
    done = trials.read(study.file(store_of(tuned)))
    places = [tmp_path / "runs" / str(trial.run) / "outcome.json" for trial in done]
    shutil.copy(places[1], places[0])
    assert study.next([], tmp_path / "runs").model_dump(exclude={"seconds", "peak_memory_mib", "commit"}) == done[
        0
    ].model_dump(exclude={"seconds", "peak_memory_mib", "commit"})


def test_fewer_trials_than_there_are_are_refused(
    tuned: Path, value: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    value["protocol"]["trials"] = 2
    tuned.write_text(yaml.safe_dump(value))
    for verb in ("tune", "freeze"):
        assert main([verb, str(tuned)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "protocol.trials = 2: must be at least 3, since gibbs epsilon=1 has so many" in line


def test_an_experiment_that_is_named_twice_is_searched_once(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", str(tuned), "--experiment", "gibbs", "--experiment", "gibbs", "--jobs", "2"]) == 0
    assert len(studies(read(tuned), ["gibbs", "gibbs"])) == 2
    assert "another process" not in capsys.readouterr().out


def read_once(tuned: Path, value: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """Two experiments are frozen and read, then the space of the second is another one; what was frozen."""
    other = copy.deepcopy(value["experiments"][0]) | {"name": "other"}
    other.pop("tables")
    value["experiments"].append(other)
    tuned.write_text(yaml.safe_dump(value))
    assert main(["tune", str(tuned), "--runs", str(tmp_path / "runs")]) == 0
    first = freeze(tuned)
    readings.begin(first.parent, check(first), commit=None, now="now")
    before = yaml.safe_load(first.read_text())
    other["space"]["base_std"]["high"] = 20
    tuned.write_text(yaml.safe_dump(value))
    assert main(["tune", str(tuned), "--runs", str(tmp_path / "runs")]) == 0
    return before


def test_after_a_reading_what_changed_says_that_tests_were_read_and_the_rest_stays(
    tuned: Path, value: dict[str, Any], tmp_path: Path
) -> None:
    before = read_once(tuned, value, tmp_path)
    for _ in range(2):  # the second time, what is in place follows what was read
        made = yaml.safe_load(freeze(tuned).read_text())
        assert made["frozen"]["follows"] == before["frozen"]["digest"]
        assert made["experiments"][0] == before["experiments"][0]
        assert made["experiments"][1]["selection"] == READ
    with pytest.raises(ValueError, match="test records were read before"):
        readings.begin(store_of(tuned), made["frozen"]["digest"], commit=None, now="now")


def test_a_search_that_test_accuracies_had_a_part_in_says_so(
    tuned: Path, value: dict[str, Any], tmp_path: Path
) -> None:
    """From the first freezing on, or told later, when test records were read for what is frozen."""
    value["experiments"][0]["selection"] = READ
    tuned.write_text(yaml.safe_dump(value))
    fact = by_validation(3, known=True)
    assert read(freeze(tuned)).experiments[0].selection == fact
    del value["experiments"][0]["selection"]
    before = read_once(tuned, value, tmp_path)
    assert before["experiments"][0]["selection"] == by_validation(3)
    value["experiments"][0]["selection"] = READ
    tuned.write_text(yaml.safe_dump(value))
    for _ in range(2):
        made = yaml.safe_load(freeze(tuned).read_text())
        assert made["experiments"][0] == before["experiments"][0] | {"selection": fact}
        assert made["experiments"][1]["selection"] == READ


@pytest.mark.parametrize("lost", ["frozen.yaml", "trials", "other frozen"])
def test_after_a_reading_all_say_so_where_what_was_read_is_not_in_place(
    tuned: Path, value: dict[str, Any], tmp_path: Path, lost: str
) -> None:
    read_once(tuned, value, tmp_path)
    frozen = store_of(tuned) / "frozen.yaml"
    if lost == "frozen.yaml":
        frozen.unlink()
    elif lost == "trials":
        path = next(store_of(tuned).glob("gibbs.*.jsonl"))
        path.write_text(path.read_text().replace('"number":0', '"number": 0'))
    else:  # sound, but read by nobody
        record = store_of(tuned) / readings.NAME
        record.write_text(record.read_text().replace(check(frozen), "0" * 64))
    assert [each.selection for each in read(freeze(tuned)).experiments] == [READ, READ]


def test_more_trials_after_a_reading_say_so_even_where_the_choice_stays(tuned: Path, value: dict[str, Any]) -> None:
    first = freeze(tuned)
    readings.begin(first.parent, check(first), commit=None, now="now")
    kept = yaml.safe_load(first.read_text())["experiments"][0]["settings"]
    value["protocol"]["trials"] = 4
    tuned.write_text(yaml.safe_dump(value))
    for study in studies(validate(value)):  # as bad as the worst: the best stays the best
        path = study.file(store_of(tuned))
        done = trials.read(path)
        worst = min(done, key=lambda trial: trial.value if trial.value is not None else 2)
        trials.append(path, worst.model_copy(update={"number": 3}))
    made = yaml.safe_load(freeze(tuned).read_text())["experiments"][0]
    assert (made["settings"], made["selection"]) == (kept, READ)


def test_more_trials_of_one_experiment_leave_the_others_as_they_were_read(
    tuned: Path, value: dict[str, Any], tmp_path: Path
) -> None:
    before = read_once(tuned, value, tmp_path)["experiments"]
    for path in store_of(tuned).glob("other.*.jsonl"):
        if path.name not in {f"{study.name}.jsonl" for study in studies(read(tuned))}:
            done = trials.read(path)
            trials.append(path, done[0].model_copy(update={"number": len(done)}))
    with pytest.raises(ValueError, match="is not as it was"):
        check(store_of(tuned) / "frozen.yaml")
    made = yaml.safe_load(freeze(tuned).read_text())["experiments"]
    assert (made[0], made[1]["selection"]) == (before[0], READ)


def test_a_setting_that_cannot_be_run_is_a_failed_trial(value: dict[str, Any], written: Path, tmp_path: Path) -> None:
    # More than there are of both classes, which nobody knows before they are read, but fewer than there are of all.
    value["experiments"][0]["space"] = {"problem.records": {"values": [2, 1000]}}
    written.write_text(yaml.safe_dump(value))
    assert main(["tune", str(written), "--runs", str(tmp_path / "runs")]) == 0
    done = [trial for each in stored(written).values() for trial in each]
    failed = [trial for trial in done if trial.state == "failed"]
    assert failed
    assert all("records = 1000" in trial.reason for trial in failed if trial.setting["problem.records"] == 1000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": None}, "experiments.gibbs.space: needs protocol"),
        ({"protocol": {"trials": 0}}, "protocol.trials = 0: "),
        ({"protocol": {"trails": 3}}, "protocol.trials: is missing; protocol.trails = 3: unknown key"),
    ],
)
def test_a_search_that_is_none_is_named(value: dict[str, Any], change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(value | change)


def test_a_key_that_does_not_exist_is_named_before_any_trial(value: dict[str, Any]) -> None:
    value["experiments"][0]["space"]["base_sdt"] = {"low": 1, "high": 2}
    with pytest.raises(ValueError, match=r"experiments.gibbs.parameters.base_sdt .*did you mean base_std"):
        studies(validate(value))


@pytest.mark.parametrize(
    ("space", "named"),
    [
        ({"draw": {"values": ["finite", "mala"]}, "loss": {"values": ["zero_one", "savage"]}}, None),
        ({"draw": {"values": ["finite", "mala"]}, "loss": {"values": ["logistic", "savage"]}}, "space.draw = 'mala'"),
        ({"loss": {"values": ["savage", "logistic"]}}, "space.loss = 'logistic'"),
        ({"loss": {"values": ["logistic", "savage"]}}, "space.loss = 'logistic'"),
        ({"chains": {"low": 2, "high": 4, "integer": True}, "loss": {"values": ["logistic", "squared"]}}, "space"),
    ],
)
def test_a_value_that_a_method_cannot_have_is_named_before_any_trial(
    value: dict[str, Any], space: dict[str, Any], named: str | None
) -> None:
    experiment = value["experiments"][0]
    experiment["space"] = space
    experiment["parameters"] |= {"draw": "mala"}
    experiment["parameters"].pop("hypotheses")
    if named is None:
        assert len(studies(validate(value))) == 2
        return
    with pytest.raises(ValueError, match=f"experiments.gibbs.{named}.*a trial .* would fail .*unbounded") as caught:
        studies(validate(value))
    assert "\n" not in str(caught.value)


def test_more_records_than_there_are_are_named_before_any_trial(value: dict[str, Any]) -> None:
    value["experiments"][0]["space"] = {"problem.records": {"values": [40, 10_000_000]}}
    named = r"space\.problem\.records = 10000000: a trial of it would fail \(.*digits has 1438 training records\)"
    with pytest.raises(ValueError, match=named):
        studies(validate(value))


def alone(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The preset of generation with one experiment, and that experiment, to be changed."""
    config = yaml.safe_load((PRESETS / "head_to_head_generation.yaml").read_text())
    config["experiments"] = [each for each in config["experiments"] if each["name"] == name]
    return config, config["experiments"][0]


def test_whole_numbers_of_which_a_method_has_even_ones_alone_are_no_range() -> None:
    config, merf = alone("generation-dp-merf")
    assert len(studies(validate(config))) == 4
    merf["space"]["method.features"] = {"low": 1000, "high": 2000, "integer": True}
    with pytest.raises(ValueError, match=r"method\.features = 1001: .*multiple of 2"):
        studies(validate(config))


def test_two_values_that_a_method_can_have_alone_but_not_together_are_named() -> None:
    config, moments = alone("generation-moments")
    moments["space"]["method.directions"] = {"values": [60, 2]}
    named = r"space: method\.directions = 2 with method\.halvings = 3: a trial of both would fail \(.*must be at most 2"
    with pytest.raises(ValueError, match=named):
        studies(validate(config))
    moments["space"]["method.halvings"] = {"values": [1, 2]}
    assert len(studies(validate(config))) == 4


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*_*.yaml")))
def test_no_space_of_ours_holds_what_a_method_cannot_have(path: Path) -> None:
    assert studies(read(path))


def test_no_test_record_enters_a_trial(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = str(tmp_path / "runs")
    assert main(["tune", str(written), "--store", str(tmp_path / "a"), "--runs", runs]) == 0
    load = data.load

    def without_tests(*given: Any, **options: Any) -> Any:
        whole = load(*given, **options)
        return type(whole)(train=whole.train, test=whole.train.rows([0]), classes=whole.classes, columns=whole.columns)

    monkeypatch.setattr(data, "load", without_tests)
    assert main(["tune", str(written), "--store", str(tmp_path / "b"), "--runs", f"{runs}-2"]) == 0
    values = [
        [trial.value for path in sorted((tmp_path / name).glob("*.jsonl")) for trial in trials.read(path)]
        for name in "ab"
    ]
    assert values[0] == values[1]


def test_a_reading_is_on_record_and_a_second_one_needs_a_reason(tmp_path: Path) -> None:
    def begin(digest: str = "d", **options: Any) -> int:
        return readings.begin(tmp_path, digest, commit="c", now="now", **options)

    assert begin() == 1
    assert begin() == 1  # it did not finish: the same reading goes on
    with pytest.raises(ValueError, match=r"reading 1, did not finish\); --again REASON"):
        begin("other")
    readings.finish(tmp_path, 1, "d", now="then", results={"a": "b"})
    with pytest.raises(ValueError, match=r"reading 1, finished then\); --again REASON"):
        begin()
    assert begin(again="a fault in the figure") == 2
    first, second = readings.read(tmp_path)
    assert (first["finished"], first["results"], first["reason"]) == ("then", {"a": "b"}, None)
    assert second["reason"] == "a fault in the figure"


def test_a_reading_is_finished_by_its_number_and_digest(tmp_path: Path) -> None:
    readings.begin(tmp_path, "a", commit=None, now="now")
    readings.begin(tmp_path, "b", commit=None, now="now", again="a fault in the figure")
    readings.finish(tmp_path, 1, "a", now="then", results={"r": "x"})
    assert [each["finished"] for each in readings.read(tmp_path)] == ["then", None]
    readings.finish(tmp_path, 1, "a", now="later", results={})
    assert readings.read(tmp_path)[0]["results"] == {"r": "x"}
    for number, digest in ((2, "a"), (3, "b"), (0, "b")):
        with pytest.raises(ValueError, match=f"reading {number}: must be on record, of the configuration {digest}"):
            readings.finish(tmp_path, number, digest, now="then", results={})


def test_readings_are_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        begun = [
            pool.submit(readings.begin, tmp_path, f"{each}", commit=None, now="now", again="a fault")
            for each in range(8)
        ]
        assert sorted(each.result() for each in begun) == list(range(1, 9))
        ended = [
            pool.submit(readings.finish, tmp_path, each.result(), f"{digest}", now="then", results={})
            for digest, each in enumerate(begun)
        ]
    assert not any(each.result() for each in ended)
    assert all(each["finished"] for each in readings.read(tmp_path))


def test_a_pipeline_runs_what_was_frozen_through_final_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "searched, not run" in str(readings.refusal({"protocol": {}}))
    frozen = {"frozen": {"digest": "d"}}
    assert "wassdp final" in str(readings.refusal(frozen))
    monkeypatch.setenv(readings.READING, "d")
    assert readings.refusal(frozen) is None
    assert readings.refusal({"preset": "any"}) is None


@pytest.mark.slow
@pytest.mark.workflow
def test_the_test_records_are_read_once_and_the_table_says_what_was_chosen_by(tuned: Path, tmp_path: Path) -> None:
    frozen = freeze(tuned)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "wassdp", "final", str(frozen), "--snakefile", str(root / "Snakefile")]
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "WASSDP_DATA": str(tmp_path / "data")}
    (tmp_path / "config.yaml").write_text("preset: any\nexperiments: []\n")  # the report reads the Snakefile's own
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "4 runs to compute" in done.stdout
    for chatter in ("Using workflow specific profile", "Job stats", "Building DAG", "localrule", "rule account:"):
        assert chatter not in done.stdout + done.stderr, "the screen is for runs"
    (reading,) = readings.read(frozen.parent)
    assert reading["finished"]
    assert len(reading["results"]) == 4
    table = (tmp_path / "results" / "tables" / "head-to-head-digits.md").read_text()
    assert "validation, 3 trials" in table
    assert "Settings chosen by: validation, 3 trials" in (tmp_path / "results" / "ledger.md").read_text()
    again = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert again.returncode == 2
    assert "test records were read before" in again.stderr


def test_a_budget_at_a_larger_delta_than_the_runs_is_not_the_least() -> None:
    """Of a trial's budgets; such an accountant proves less, not more."""
    about: dict[str, Any] = {"accountant": "pld", "kind": "upper", "bounded": True, "adjacency": "add-remove"}
    about |= {"sampling": "poisson", "source": "a test"}
    here, loose = Guarantee(**about, epsilon=3.6, delta=1e-5), Guarantee(**about, epsilon=1.2, delta=0.01)
    assert least_proven((loose, here), 1e-5) == 3.6
    assert least_proven((loose,), 1e-5) is None
    assert least_proven((loose, here), 0.01) == 1.2
