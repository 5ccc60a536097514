"""Other results for a sentence about experiments: what is changed, what never is, and when there is none."""

from __future__ import annotations

import csv

import pytest

from wassdp.claims import Entry, altered

NAME = ("a set", "an experiment")


def rows(*accuracies):
    return {
        NAME: [
            {"run": str(place), "seed": str(place % 2), "label": f"setting {place // 2}", "accuracy": str(accuracy)}
            for place, accuracy in enumerate(accuracies)
        ]
    }


def better(tables):
    """The second setting is at least as accurate as the first; seeds have to be there."""
    settings: dict[str, list[float]] = {}
    for row in tables[NAME]:
        assert int(row["seed"]) in (0, 1)
        settings.setdefault(row["label"], []).append(float(row["accuracy"]))
    first, second = (sum(own) / len(own) for own in settings.values())
    return [Entry(name="accuracy", printed=first, found=second, relation="at least")]


def printed(tables):
    """Each run is as accurate as printed."""
    stated = (0.5, 0.7, 0.9)
    return [
        Entry(name=row["run"], printed=own, found=float(row["accuracy"]), digit=0.01)
        for own, row in zip(stated, tables[NAME], strict=True)
    ]


def told(tables):
    return [{key: value for key, value in row.items() if key != "accuracy"} for row in tables[NAME]]


def test_a_contradiction_is_one_change_of_what_came_out():
    tables = rows(0.5, 0.6, 0.7, 0.8)
    other = altered.contradicting(better, tables, exceptions=0)
    assert not better(other)[0].agrees()
    assert told(other) == told(tables)
    assert [float(row["accuracy"]) for row in other[NAME]] == [1.0, 1.2, 0.7, 0.8]


def test_a_figure_that_other_code_computes_anew_is_left_for_the_one_beside_it():
    def proven(tables):
        (row,) = tables[NAME]
        stated, found = float(row["stated"]), float(row["accuracy"])
        return [Entry(name="x", printed=stated, found=found, relation="at most", again=lambda: 0.5)]

    (row,) = altered.contradicting(proven, {NAME: [{"accuracy": "0.5", "stated": "0.6"}]}, exceptions=0)[NAME]
    assert row == {"accuracy": "0.5", "stated": "0.3"}


def test_exceptions_have_to_be_exceeded():
    tables = rows(0.5, 0.7, 0.9)
    other = altered.contradicting(printed, tables, exceptions=2)
    assert [entry.agrees() for entry in printed(other)] == [False, False, False]


def test_settings_are_made_alike_and_printed_figures_met_one_by_one():
    worse = rows(0.9, 0.8, 0.7, 0.6)
    other = altered.agreeing(better, worse, exceptions=0)
    assert better(other)[0].agrees()
    assert told(other) == told(worse)
    met = altered.agreeing(printed, rows(0.9, 0.1, 0.4), exceptions=0)
    assert [float(row["accuracy"]) for row in met[NAME]] == pytest.approx([0.5, 0.7, 0.9])


def test_what_no_change_brings_about_is_an_error():
    deaf = [Entry(name="x", printed=1.0, found=1.0)], [Entry(name="x", printed=1.0, found=2.0)]
    with pytest.raises(ValueError, match="tables: no change of a column, a setting or a row contradicts"):
        altered.contradicting(lambda tables: [deaf[0][0] for _ in tables[NAME]], rows(0.5), exceptions=0)
    with pytest.raises(ValueError, match="tables: no change brings one of 1 figures to what is stated: x: stated 1"):
        altered.agreeing(lambda tables: [deaf[1][0] for _ in tables[NAME]], rows(0.5), exceptions=0)


def test_tables_are_written_as_published_sets_have_them(tmp_path):
    tables = {("s", "one"): [{"a": "1"}], ("s", "two"): [{"b": "2"}], ("s", "figure-9"): [{"c": "3"}]}
    altered.write(tables, [("s", "figure-9")], tmp_path)
    with (tmp_path / "s" / "runs.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [{"a": "1", "b": ""}, {"a": "", "b": "2"}]
    assert (tmp_path / "s" / "figures" / "altered" / "figure-9.csv").read_text().split() == ["c", "3"]
