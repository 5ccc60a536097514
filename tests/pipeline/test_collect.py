import math

import pandas as pd
import pytest

from wassdp.pipeline import collect, plan
from wassdp.report import frames


def test_a_plan_round_trips(planned, results):
    assert plan.read(results / "plan.json") == planned


def test_one_row_per_run(planned, results):
    frame = collect.run_frame(planned, collect.results(planned, results))
    assert list(frame["run"]) == [run.run for run in planned.runs]
    assert set(frame["parameters.clip"]) == {True, False}
    unclipped = frame[~frame["parameters.clip"]]
    assert (unclipped["epsilon/upper/pld"] == math.inf).all(), "unbounded is infinite, never a small number"


def test_one_row_per_point(planned, results):
    found = collect.results(planned, results)
    frame = collect.history_frame(found)
    assert len(frame) == sum(len(result.history) for result in found.values())
    assert set(frame["run"]) == set(found)


def test_csv_files_read_back_as_written(planned, results, tmp_path):
    frame = collect.run_frame(planned, collect.results(planned, results))
    collect.write_csv(tmp_path / "runs.csv", frame)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "runs.csv", dtype={"run": str}), frame, check_dtype=False)


def test_a_missing_run_is_named_unless_a_partial_table_is_asked_for(planned, tmp_path):
    with pytest.raises(ValueError, match=planned.runs[0].run):
        collect.results(planned, tmp_path)
    assert collect.results(planned, tmp_path, partial=True) == {}


def test_pictures_have_a_table_of_their_own_and_come_back_beside_their_runs(planned, results, tmp_path):
    found = collect.results(planned, results)
    first = next(iter(found))
    found[first] = found[first].model_copy(update={"pictures": {"samples": "AAAA", "more": "BBBB"}})
    runs = collect.run_frame(planned, found)
    assert not [column for column in runs if column.startswith("picture")], "a table that people read"
    collect.write_csv(tmp_path / "pictures.csv", collect.picture_frame(found))
    joined = frames.with_pictures(runs, tmp_path / "pictures.csv")
    assert list(joined["run"]) == list(runs["run"])
    own = joined["run"] == first
    assert set(joined.loc[own, "picture/samples"]) == {"AAAA"}
    assert set(joined.loc[own, "picture/more"]) == {"BBBB"}
    assert joined.loc[~own, ["picture/samples", "picture/more"]].isna().all(axis=None)


def test_runs_without_pictures_stay_as_they_are(planned, results, tmp_path):
    found = collect.results(planned, results)
    runs = collect.run_frame(planned, found)
    pd.testing.assert_frame_equal(frames.with_pictures(runs, tmp_path / "none.csv"), runs)
    collect.write_csv(tmp_path / "pictures.csv", collect.picture_frame(found))
    pd.testing.assert_frame_equal(frames.with_pictures(runs, tmp_path / "pictures.csv"), runs)


def test_what_a_budget_says_of_itself_stands_beside_it(planned, results):
    found = collect.results(planned, results)
    frame = collect.run_frame(planned, found).set_index("run")
    for run, result in found.items():
        assert result.guarantees
        for item in result.guarantees:
            facts = frame.loc[run, [f"{fact}/{item.label}" for fact in ("epsilon", "delta", "adjacency", "sampling")]]
            assert facts.tolist() == [item.value, item.delta, item.adjacency, item.sampling]
            assert frame.loc[run, f"assumptions/{item.label}"] == "; ".join(item.assumptions)


def test_settings_have_labels_and_seeds_share_them(planned, results):
    frame = collect.run_frame(planned, collect.results(planned, results))
    assert frame.groupby("label")["parameters.clip"].nunique().tolist() == [1, 1]
    assert not frame["label"].str.contains("seed").any()
