"""Pictures of a run travel from its findings to the collected tables, and look the same there."""

from __future__ import annotations

from pathlib import Path

from wassdp import config
from wassdp.generation import pictures
from wassdp.pipeline import account, collect, execute, plan
from wassdp.report import frames
from wassdp.result import load_outcome

VALUE = {
    "preset": "trial",
    "experiments": [
        {
            "name": "generation",
            "paper": "dp-sliced-wasserstein",
            "kind": "generation",
            "parameters": {
                "dataset": "digits",
                "method": {"name": "mean_embedding", "features": 10},
                "privacy": {"noise": 1.0, "delta": 1e-4},
                "epochs": 1,
                "steps_per_epoch": 1,
                "evaluation": {"samples": 0, "frechet": 0, "sheet_rows": 3},
            },
            "accountants": ["pld"],
        }
    ],
}


def test_a_sheet_of_samples_reaches_the_runs_that_a_figure_is_drawn_from(tmp_path: Path) -> None:
    configuration = config.validate(VALUE)
    planned = plan.plan(configuration)
    (run,) = planned.runs
    outcome = tmp_path / "runs" / run.run / "outcome.json"
    execute.execute(run.spec, outcome)
    account.account(outcome, outcome.with_name("result.json"), configuration.experiments[0].accountants)
    found = collect.results(planned, tmp_path)
    collect.write_csv(tmp_path / "pictures.csv", collect.picture_frame(found))
    frame = frames.with_pictures(collect.run_frame(planned, found), tmp_path / "pictures.csv")
    text = frame["picture/samples"].iloc[0]
    assert text == load_outcome(outcome).pictures["samples"]
    assert pictures.unpack(text).shape == (3 * 8, 10 * 8)
