"""The hash of the code behind each output of the workflow: a change of code makes anew what it can change.

Each covers every module that the output's process loads, `wassdp.code` says how; a test edits one module
after the other and compares with what processes really loaded. Versions of other packages do not count:
`constraints.txt` keeps those.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wassdp.accounting import accountant
from wassdp.code import code_hash, verb_modules
from wassdp.config import AccountantChoice, Config, Experiment, FigureChoice
from wassdp.pipeline.account import account_code
from wassdp.pipeline.execute import run_code
from wassdp.runs import Run, Table

__all__ = ["Codes"]

# What workflow/rules/common.smk imports: the report is made by a second Snakemake, which reads all rules anew.
WORKFLOW = (
    "wassdp.config",
    "wassdp.pipeline.codes",
    "wassdp.pipeline.failures",
    "wassdp.pipeline.repair",
    "wassdp.pipeline.resume",
    "wassdp.pipeline.room",
    "wassdp.pipeline.supported",
    "wassdp.runs",
    "wassdp.schema",
)


class Codes:
    """Hashes, 16 hex digits each, for one configuration and its run table."""

    def __init__(self, config: Config, table: Table) -> None:
        self._config = config
        self._runs: dict[str, list[Run]] = {}
        for run in table.runs:
            self._runs.setdefault(run.experiment, []).append(run)

    def dataset(self, name: str) -> str:
        """Of a dataset's manifest."""
        return code_hash(*verb_modules("data"), f"wassdp.data.sets.{name}")

    def run(self, run: Run) -> str:
        """Of a run's outcome."""
        return run_code(run.kind, run.parameters)

    def account(self, choices: Iterable[AccountantChoice]) -> str:
        """Of the budgets of a run, by these accountants."""
        return account_code(list(choices))

    def plan(self) -> str:
        """Of the run table."""
        return code_hash(*verb_modules("plan"), *self.planning())

    def collect(self) -> str:
        """Of the tables of all runs."""
        return code_hash(*verb_modules("collect"), *self._datasets())

    def ledger(self) -> str:
        """Of the ledger, which names the claims that were put to the test."""
        runs = [run for group in self._runs.values() for run in group if run.kind == "claim_check"]
        claims = {module for run in runs for module in run.parameters.modules()}
        return code_hash(*verb_modules("ledger"), *self._datasets(), *claims)

    def track(self) -> str:
        """Of what is tracked."""
        return code_hash(*verb_modules("track"), *self._datasets())

    def figure(self, experiment: Experiment, choice: FigureChoice) -> str:
        """Of a figure."""
        return self._shown("figure", experiment, choice)

    def table(self, experiment: Experiment, choice: FigureChoice) -> str:
        """Of a table."""
        return self._shown("table", experiment, choice)

    def report(self, texts: Iterable[Path]) -> str:
        """Of the report: of all that reading the workflow loads, and of ``texts``, its rules and captions."""
        digest = hashlib.sha256(code_hash(*WORKFLOW, *self.planning()).encode())
        for path in sorted(texts):
            digest.update(f"\n{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
        return digest.hexdigest()[:16]

    def planning(self) -> set[str]:
        """Modules that a run table is made with: kinds, what their parameters look up, accountants."""
        parameters = [run.parameters for runs in self._runs.values() for run in runs]
        choices = [choice for experiment in self._config.experiments for choice in experiment.accountants]
        return {
            "wassdp.report.figures",  # packages whose files are listed, to check the names of kinds
            "wassdp.report.tables",
            *(f"wassdp.experiments.{experiment.kind}" for experiment in self._config.experiments),
            *(module for each in parameters for module in each.modules()),
            *self._datasets(),
            *(accountant.module(choice.name) for choice in choices),
        }

    def _datasets(self) -> set[str]:
        """Modules of the datasets that runs name: how many records there are stands beside their budgets."""
        parameters = [run.parameters for runs in self._runs.values() for run in runs]
        return {f"wassdp.data.sets.{name}" for each in parameters for name in each.datasets()}

    def _shown(self, verb: str, experiment: Experiment, choice: FigureChoice) -> str:
        """Of a figure or table: the options may name printed values, and the runs datasets, whose classes are shown."""
        datasets = {name for run in self._runs[experiment.name] for name in run.parameters.datasets()}
        names = datasets | set(_strings(choice.options))
        return code_hash(*verb_modules(verb), f"wassdp.report.{verb}s.{choice.kind}", names=names)


def _strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]
