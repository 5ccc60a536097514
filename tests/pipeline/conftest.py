"""Small real runs: a composition over synthetic gradients."""

from __future__ import annotations

import pytest

from wassdp import config
from wassdp.pipeline import account, execute, plan

VALUE = {
    "preset": "trial",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {
                "steps": 3,
                "gradients": 4,
                "coordinates": 20,
                "clip_quantile": 0.5,
                "threshold": "population",  # public, so that clipped runs have a finite budget
            },
            "grid": {"clip": [True, False]},
            "seeds": [0, 1],
            "accountants": ["pld", {"name": "wasserstein", "label": "loose", "options": {"beta": 0.5}}],
        }
    ],
}


@pytest.fixture(scope="session")
def configuration():
    return config.validate(VALUE)


@pytest.fixture(scope="session")
def planned(configuration):
    return plan.plan(configuration)


@pytest.fixture(scope="session")
def results(planned, configuration, tmp_path_factory):
    """A results folder with every run of the plan."""
    folder = tmp_path_factory.mktemp("results")
    for run in planned.runs:
        where = folder / "runs" / run.run
        execute.execute(run.spec, where / "outcome.json")
        account.account(where / "outcome.json", where / "result.json", configuration.experiments[0].accountants)
    plan.write(folder / "plan.json", planned)
    return folder
