"""Whether accountants can account for the runs that they are asked for, before anything is computed."""

from __future__ import annotations

from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.config import Config
from wassdp.runs import RunTable


def check(config: Config, table: RunTable) -> None:
    """Refuse accountants that could not account for a run.

    A run whose event only the run itself can tell is left to `wassdp.pipeline.account`.

    Raises:
        ValueError: one line naming experiment, accountant and run, why, and which accountants do support it.
    """
    experiments = {experiment.name: experiment for experiment in config.experiments}
    for run in table.runs:
        event = run.parameters.expected_event()
        if event is None:
            continue
        for choice in experiments[run.experiment].accountants:
            reason = accountant.load(choice.name, **choice.options).supports(event)
            if reason is not None:
                raise ValueError(
                    f"experiments.{run.experiment}.accountants = {choice.name!r}: does not support {run.title} "
                    f"({reason}); these do: {', '.join(supporting(event))}"
                )


def supporting(event: Event) -> list[str]:
    """Names of the accountants that support ``event`` without further options."""
    return [name for name in sorted(accountant.names()) if accountant.load(name).supports(event) is None]
