"""Each module of the package is edited in turn: every output whose process loads it is made anew."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wassdp
from wassdp import code, config
from wassdp.pipeline import codes
from wassdp.runs import expand

ROOT = Path(wassdp.__file__).parent
FILES = {".".join(("wassdp", *path.relative_to(ROOT).with_suffix("").parts)) for path in ROOT.rglob("*.py")}
MODULES = tuple(sorted(name.removesuffix(".__init__") for name in FILES))
LINEAR = {"dataset": "digits", "model": {"name": "linear"}, "optimiser": {"learning_rate": 1}, "batch": 512}
# One run of every kind that loads something by name, as small as it can be.
EXPERIMENTS: list[dict[str, Any]] = [
    {
        "name": "training",
        "kind": "classification",
        "parameters": LINEAR | {"epochs": 1, "privacy": {"clip_norm": 0.5, "noise_multiplier": 2, "delta": 1e-5}},
        "accountants": ["pld", {"name": "moments", "options": {"orders": [16]}}],
        "figures": [{"name": "confusion", "kind": "confusion_matrix", "options": {"accountant": "upper/pld"}}],
        "tables": [{"name": "claimed", "kind": "epochs_to_accuracy", "options": {"frameworks": {"WDP": 2}}}],
    },
    {
        "name": "calibrated",
        "kind": "classification",
        "parameters": LINEAR | {"epochs": 1, "privacy": {"clip_norm": 0.5, "epsilon": 8, "delta": 1e-5}},
        "accountants": ["pld"],
        "figures": [{"name": "course", "kind": "accuracy_over_epochs"}],
    },
    {
        "name": "adaptation",
        "kind": "adaptation",
        "parameters": {
            "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
            "method": {
                "name": "dp_swd",
                "learning_rate": 0.002,
                "weight": 1,
                "epsilon": 10,
                "delta": 1e-4,
                "radius": 5,
            },
            "epochs": 2,
            "warm_up": 1,
            "batch": 128,
        },
        "accountants": ["pld"],
        "tables": [{"name": "adapted", "kind": "adaptation"}],
    },
    {
        "name": "generated",
        "kind": "generation",
        "parameters": {
            "dataset": "digits",
            "method": {"name": "sliced", "labels": "per_class", "batch": 20, "projections": 32},
            "privacy": {"noise": 0.5, "delta": 1e-4},
            "optimiser": {"name": "adam", "learning_rate": 0.005},
            "epochs": 1,
            "steps_per_epoch": 1,
            "batch": 50,
            "evaluation": {"samples": 0, "frechet": 0},
        },
    },
    {
        "name": "fair",
        "kind": "fair_learning",
        "parameters": {
            "task": "classification",
            "privacy": {"epsilon": 1},
            "clipping": {"loss_norm": 5, "output_norm": 1, "jacobian_norm": 1},
            "alpha": 0.5,
            "steps": 3,
            "learning_rate": 0.5,
            "records": 400,
            "test_records": 300,
        },
        "accountants": ["gdp"],
        "figures": [{"name": "outputs", "kind": "fair_outputs"}],
    },
    {
        "name": "claims",
        "kind": "claim_check",
        "parameters": {"claim": "tangent-theorem-3-1", "tried": 3},
    },
    {
        "name": "drawn",
        "kind": "gibbs_accuracy",
        "parameters": {
            "problem": {"dataset": "digits", "cells": [4, 4]},
            "loss": "savage",
            "epsilon": 1,
            "draw": "finite",
            "hypotheses": 20,
        },
        "accountants": ["tangent"],
    },
    {
        "name": "tail",
        "kind": "tail_bound",
        "figures": [{"name": "tail", "kind": "tail_bound"}],
    },
]
CONFIG = {"preset": "codes", "experiments": [{"paper": "wasserstein-dp"} | each for each in EXPERIMENTS]}

GIVEN_NOISE = "training: outcome"
# Large libraries are loaded once; each command line then runs in a fork of its own, which writes down what it loaded.
PROGRAM = """
import json, os, runpy, sys, warnings
import matplotlib, numpy, pandas, scipy.stats, sklearn.datasets, torch
for number, words in enumerate(json.load(open("commands.json"))):
    child = os.fork()
    if not child:
        sys.argv = ["wassdp", *words]
        warnings.simplefilter("ignore")  # runpy's, on a module that is loaded under another name
        status = 0
        try:
            runpy.run_module("wassdp", run_name="__main__")
        except SystemExit as left:
            status = left.code
        loaded = sorted(name for name in sys.modules if name.split(".")[0] == "wassdp")
        json.dump([status, loaded], open(f"loaded-{number}.json", "w"))
        os._exit(0)
    os.waitpid(child, 0)
"""


class Workflow:
    """A configuration's outputs: the hash of each, and the command line that makes it."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.config = config.validate(value)
        self.table = expand(self.config)
        self.codes = codes.Codes(self.config, self.table)

    def hashes(self) -> dict[str, str]:
        """Output to hash, as the rules ask for them."""
        found = {f"{run.experiment}: outcome": self.codes.run(run) for run in self.table.runs}
        for experiment in self.config.experiments:
            (run,) = {run.id: run for run in self.table.runs if run.experiment == experiment.name}.values()
            found[f"{experiment.name}: result"] = self.codes.account(run, experiment.accountants)
            for section, choices in (("figures", experiment.figures), ("tables", experiment.tables)):
                for item in choices:
                    found[f"{section[:-1]} {item.name}"] = self.codes.output(section, experiment, item)
        return found | {
            "data": self.codes.dataset("digits"),
            "collect": self.codes.collect(),
            "ledger": self.codes.ledger(),
            "track": self.codes.track(),
        }

    def commands(self) -> dict[str, list[str]]:
        """Output to command line, in an order in which each finds what it needs. The plan is made at every start."""
        found = {
            "data": ["data", "fetch", "digits", "--manifest", "results/data.json"],
            "plan": ["plan", "--json", self.config.model_dump_json(), "--out", "results/plan.json"],
        }
        experiments = {experiment.name: experiment for experiment in self.config.experiments}
        for run in self.table.runs:
            outcome = f"results/runs/{run.id}/outcome.json"
            found[f"{run.experiment}: outcome"] = ["run", "--spec", json.dumps(run.spec), "--out", outcome]
            choices = json.dumps([choice.model_dump() for choice in experiments[run.experiment].accountants])
            found[f"{run.experiment}: result"] = [
                *("account", "--outcome", outcome, "--accountants", choices),
                *("--out", f"results/runs/{run.id}/result.json"),
            ]
        found |= {"collect": ["collect"], "ledger": ["ledger"], "track": ["track"]}
        for experiment in self.config.experiments:
            for verb, choices in (("figure", experiment.figures), ("table", experiment.tables)):
                for choice in choices:
                    found[f"{verb} {choice.name}"] = [
                        *(verb, "--experiment", experiment.name, "--kind", choice.kind),
                        *("--options", json.dumps(choice.options), "--out", f"results/{verb}/{choice.name}"),
                    ]
        return found


@pytest.fixture(scope="module")
def workflow() -> Workflow:
    return Workflow(CONFIG)


@pytest.fixture(scope="module")
def loaded(workflow: Workflow, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Output to the modules that its process loaded."""
    folder, commands = tmp_path_factory.mktemp("loaded"), workflow.commands()
    (folder / "commands.json").write_text(json.dumps(list(commands.values())))
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True)
    found = {}
    for number, output in enumerate(commands):
        status, modules = json.loads((folder / f"loaded-{number}.json").read_text())
        assert status == 0, f"{output}: {done.stderr[-2000:]}"
        found[output] = set(modules)
    (given,) = (run.id for run in workflow.table.runs if run.experiment == "training")
    outcome = json.loads((folder / "results" / "runs" / given / "outcome.json").read_text())
    named = [*outcome["metrics"], *(point["metric"] for point in outcome["history"])]
    assert not [name for name in named if name.startswith("epsilon")], "an outcome that holds no budget"
    assert all(len(modules) > 5 for modules in found.values())
    return found


def edited(hashes: Callable[[], dict[str, str]], modules: tuple[str, ...] = MODULES) -> dict[str, set[str]]:
    """Output to the modules whose edit changes its hash, each edited alone."""
    real, before = code._syntax, hashes()
    found: dict[str, set[str]] = {output: set() for output in before}
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setattr(code, "_syntax", functools.partial(_other, real, module))
            code._hash.cache_clear()
            for output, value in hashes().items():
                if value != before[output]:
                    found[output].add(module)
    code._hash.cache_clear()
    return found


def _other(real: Callable[[str], Syntax], changed: str, name: str) -> Syntax:
    found = real(name)
    return found._replace(fingerprint="edited") if name == changed else found


@pytest.fixture(scope="module")
def changed(workflow: Workflow) -> dict[str, set[str]]:
    return edited(workflow.hashes)


@pytest.mark.slow
def test_an_edit_of_what_a_process_loads_makes_its_output_anew(
    loaded: dict[str, set[str]], changed: dict[str, set[str]]
) -> None:
    assert loaded.keys() == changed.keys() | {"plan"}
    missed = {output: loaded[output] - changed[output] for output in changed}
    # A training whose noise is given shows its budget on the way. It is in the log, not in the outcome, whose budgets
    # are another rule's: no accountant is worth a training.
    missed[GIVEN_NOISE] -= code.closure(["wassdp.accounting.accountants.upper.pld"])
    # What a manifest holds is `wassdp.data.manifest`; the verb and what comes before it parse a command line.
    missed["data"] = {module for module in missed["data"] if module.startswith(code.DATA)}
    assert {output: sorted(modules) for output, modules in missed.items() if modules} == {}


def test_an_edit_of_what_no_process_of_an_output_loads_leaves_it_alone(changed: dict[str, set[str]]) -> None:
    for module, outputs in {
        "data.sets.mnist": set(),
        "models.model_a": set(),
        "accounting.accountants.published.moments": {"training: result"},
        "experiments.tail_bound": {"tail: outcome", "tail: result"},
        "report.figures.tail_bound": {"figure tail"},
        "cli.verbs.account": {output for output in changed if output.endswith(": result")},
        "cli.verbs.run": {output for output in changed if output.endswith(": outcome")},
        "cli.verbs.collect": {"collect"},
        "ledger.rows": {"ledger", "track"},  # experiments are described with their budgets
        "tracking.store": {"track"},
    }.items():
        assert made_anew(changed, module) == outputs, module


def made_anew(changed: dict[str, set[str]], module: str) -> set[str]:
    """The outputs that are made anew after an edit of a module."""
    assert f"wassdp.{module}" in MODULES
    return {output for output, modules in changed.items() if f"wassdp.{module}" in modules}


def test_printed_values_verdicts_and_class_names(changed: dict[str, set[str]]) -> None:
    assert made_anew(changed, "claims.printed.wasserstein_dp_epochs") == {"table claimed"}
    assert made_anew(changed, "claims.printed.dp_sliced_wasserstein_table_1") == {"table adapted"}
    assert made_anew(changed, "claims.verdicts.tangent_theorem_3_1") == {
        *("claims: outcome", "claims: result", "ledger", "track"),
    }
    assert "figure confusion" in made_anew(changed, "data.sets.digits")
    assert "figure tail" not in made_anew(changed, "data.sets.digits")


def test_options_name_printed_values_too() -> None:
    value = json.loads(json.dumps(CONFIG))
    other = {"name": "other", "kind": "adaptation", "options": {"claim": "wasserstein-dp-table-2"}}
    value["experiments"][2]["tables"].append(other)
    found = edited(Workflow(value).hashes, ("wassdp.claims.printed.wasserstein_dp_table_2",))
    assert {output for output, modules in found.items() if modules} == {"table other"}


def test_no_manifest_is_made_anew_without_the_runs_that_read_it(changed: dict[str, set[str]]) -> None:
    """The workflow makes them anew with it."""
    assert "wassdp.data.sets.digits" in changed["data"]
    for output in ("training: outcome", "adaptation: outcome", "generated: outcome", "drawn: outcome"):
        assert changed["data"] <= changed[output], output


def test_the_job_of_a_run_loads_no_planning(changed: dict[str, set[str]]) -> None:
    planning = {f"wassdp.pipeline.{name}" for name in ("plan", "codes", "start", "forks", "supported")}
    for output, modules in changed.items():
        if output.endswith((": outcome", ": result")):
            assert not modules & planning, output


def test_every_module_that_loads_others_by_name_is_known() -> None:
    """Who adds one makes sure that hashes cover what it loads: add a run above that uses it, then its name here."""
    pattern = re.compile(r"\bimport_module\(|\b__import__\(|\bexec_module\(|\bimport_string\(")
    found = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if pattern.search(path.read_text())}
    assert found == {"__init__.py", "plugins.py", "data/vision_package.py", "pipeline/forks.py"}


def test_hashes_are_of_the_code_that_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that goes on while a file is edited runs what it has loaded."""
    module = "wassdp.accounting.rounding"
    code.keep(MODULES)
    before = code.code_hash(module)
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"edited = True")
    assert code.code_hash(module) == before
    for cached in (code._syntax, code._imports, code._reached, code._hash):
        cached.cache_clear()
    assert code.code_hash(module) != before
    monkeypatch.undo()
    for cached in (code._syntax, code._imports, code._reached, code._hash):
        cached.cache_clear()
    assert code.code_hash(module) == before
