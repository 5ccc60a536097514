"""The hashes of the code behind one run: behind its outcome, and behind its budgets."""

from __future__ import annotations

from collections.abc import Sequence

from wassdp import data
from wassdp.accounting import accountant
from wassdp.accounting.event import EVENTS
from wassdp.code import chosen, code_hash, verb_modules
from wassdp.config import AccountantChoice
from wassdp.experiment import Parameters


def run_code(kind: str, parameters: Parameters) -> str:
    """Hash of the code that a run's outcome depends on."""
    return code_hash(
        *verb_modules("run"),
        f"wassdp.experiments.{kind}",
        *chosen(parameters),
        *map(data.SETS.module, parameters.datasets()),
    )


def account_code(kind: str, parameters: Parameters, choices: Sequence[AccountantChoice]) -> str:
    """Hash of the code that the budgets of a run depend on: every event's, since which one it is the run only knows."""
    accountants = (accountant.module(choice.name) for choice in choices)
    return code_hash(
        *verb_modules("account"),
        f"wassdp.experiments.{kind}",
        *chosen(parameters),
        *map(data.SETS.module, parameters.datasets()),
        *map(EVENTS.module, EVENTS.names()),
        *accountants,
    )
