"""What ``wassdp plan`` shows: labels for people, every parameter for whoever asks."""

import json

import pytest

from wassdp.cli import main
from wassdp.pipeline import durations, job, plan

EXPERIMENT = {
    "name": "orders",
    "paper": "wasserstein-dp",
    "kind": "mechanism_orders",
    "parameters": {"mechanism": "laplace", "largest_order": 5.0},
    "grid": {"scale": [1.0, 2.0], "least_order": [1.0, 6.0]},
}


@pytest.fixture
def shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where nothing is known of how long runs take

    def shown(*words: str) -> list[str]:
        text = json.dumps({"preset": "trial", "experiments": [EXPERIMENT]})
        assert main(["plan", "--json", text, *words]) == 0
        return capsys.readouterr().out.splitlines()

    return shown


def test_runs_are_shown_by_their_labels(shown):
    *rows, last = shown()
    told = [row.split(None, 2)[-1] for row in rows[:2]]
    assert told == ["orders: Laplace, scale 1, seed 0", "orders: Laplace, scale 2, seed 0"]
    assert rows[2].startswith("excluded: orders: Laplace, scale 1, least order 6: ")
    assert last == "trial: 2 runs, 2 combinations excluded"
    assert not any("=" in row for row in rows[:2])


def test_how_long_is_an_estimate_and_says_from_what(shown, tmp_path):
    row = durations.of_run("another", "mechanism_orders", "0123456789ab", 90)
    (tmp_path / durations.FILE.parent).mkdir(parents=True)
    durations.keep([row], tmp_path / durations.FILE)
    *_, runs, last = shown()
    assert runs == "trial: 2 runs, 2 combinations excluded"
    assert last == "about 3 min of one processor, an estimate: 2 by the mean of their kind in 1 published run"


def test_every_parameter_of_the_grid_can_be_asked_for(shown):
    rows = shown("--settings")
    assert rows[0].split(None, 2)[-1] == "orders scale=1 least_order=1 seed=0"
    assert rows[2].startswith("excluded: orders scale=1 least_order=6: ")


def test_a_plan_has_names_for_programs_and_titles_for_job_lines(shown, tmp_path):
    shown("--out", str(tmp_path / "plan.json"))
    planned = plan.read(tmp_path / "plan.json").runs[0]
    assert planned.name == "orders scale=1 least_order=1 seed=0"
    assert job.read(tmp_path / "plan.json", planned.run).name == planned.title == "orders: Laplace, scale 1, seed 0"
