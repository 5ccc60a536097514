"""The hash of the code behind each output of the workflow: a change of code makes anew what it can change.

Each covers every module that the output's process loads, `wassdp.code` says how; a test edits one module
after the other and compares with what processes really loaded. Versions of other packages do not count:
`constraints.txt` keeps those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wassdp.claims import VERDICTS
from wassdp.code import chosen, code_hash, verb_modules
from wassdp.config import SECTIONS, AccountantChoice, Config, Experiment, FigureChoice
from wassdp.data import SETS
from wassdp.pipeline.run_codes import account_code, run_code
from wassdp.runs import Run, RunTable

__all__ = ["Codes"]


class Codes:
    """Hashes, 16 hex digits each, for one configuration and its run table."""

    def __init__(self, config: Config, table: RunTable) -> None:
        self._config = config
        self._runs: dict[str, list[Run]] = {}
        for run in table.runs:
            self._runs.setdefault(run.experiment, []).append(run)
        self._read, self._named = (
            {
                name: frozenset(dataset for run in runs for dataset in run.parameters.datasets(drawn=drawn))
                for name, runs in self._runs.items()
            }
            for drawn in (False, True)
        )

    def datasets(self) -> set[str]:
        """Names of the datasets that runs read from disk."""
        return set().union(*self._read.values())

    def dataset(self, name: str) -> str:
        """Of a dataset's manifest: nothing that is not behind every run that reads the dataset too.

        A manifest that is made anew has those runs made anew, so that an edit of the verb's words must not.
        """
        return code_hash(SETS.module(name))

    def run(self, run: Run) -> str:
        """Of a run's outcome."""
        return run_code(run.kind, run.parameters)

    def account(self, run: Run, choices: Iterable[AccountantChoice]) -> str:
        """Of the budgets of a run, by these accountants."""
        return account_code(run.kind, run.parameters, list(choices))

    def collect(self) -> str:
        """Of the tables of all runs."""
        return code_hash(*verb_modules("collect"), *self._datasets())

    def ledger(self) -> str:
        """Of the ledger, which names the claims that were put to the test."""
        return code_hash(*verb_modules("ledger"), *self._datasets(), *self._verdicts())

    def track(self) -> str:
        """Of what is tracked: the runs, and their experiments described as the ledger does."""
        return code_hash(*verb_modules("track"), *self._datasets(), *self._verdicts())

    def output(self, section: str, experiment: Experiment, choice: FigureChoice) -> str:
        """Of a figure or table: its options may name printed values, and its runs datasets, shown by title."""
        verb = section.removesuffix("s")
        names = self._named[experiment.name] | set(_strings(choice.options))
        return code_hash(*verb_modules(verb), SECTIONS[section].module(choice.kind), names=names)

    def _verdicts(self) -> set[str]:
        """Modules of the claims that runs put to the test."""
        runs = [run for group in self._runs.values() for run in group if run.kind == "claim_check"]
        return {module for run in runs for module in chosen(run.parameters) if module.startswith(VERDICTS.package)}

    def _datasets(self) -> set[str]:
        """Modules of the datasets that runs name: how many records there are stands beside their budgets."""
        return {SETS.module(name) for name in self.datasets()}


def _strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]
