"""Whether runs can be accounted for and compared as they are asked to be, before anything is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.config import Config, concerns
from wassdp.experiment import Parameters, PrivateParameters, fits
from wassdp.labels import flat
from wassdp.runs import RunTable
from wassdp.training.budget import says_nothing


def check(config: Config, table: RunTable) -> None:
    """Refuse accountants that could not account for a run, and comparisons by what no run has.

    A run whose event only the run itself can tell is left to `wassdp.pipeline.account`.

    Raises:
        ValueError: one line naming the experiment, what is asked, why not, and what is allowed.
    """
    _comparable(config, table)
    _concerned(config, table)
    experiments = {experiment.name: experiment for experiment in config.experiments}
    for run in table.runs:
        event = run.parameters.expected_event()
        if event is None:
            continue
        for choice in experiments[run.experiment].accountants_of(run.spec["parameters"]):
            reason = accountant.load(choice.name, **choice.options).reason(event)
            if reason is not None:
                raise ValueError(
                    f"experiments.{run.experiment}.accountants = {choice.name!r}: does not support {run.title} "
                    f"({reason}); these do: {', '.join(supporting(event))}"
                )
            if reason := says_nothing(choice.delta, run.parameters.private_records()):
                raise ValueError(f"experiments.{run.experiment}.accountants.{choice.key}.delta: {reason}")


def supporting(event: Event) -> list[str]:
    """Names of the accountants that support ``event`` without further options."""
    return [name for name in sorted(accountant.names()) if accountant.load(name).reason(event) is None]


def _concerned(config: Config, table: RunTable) -> None:
    """Refuse an accountant or a remark whose ``where`` no run fits."""
    for experiment in config.experiments:
        own = [run.spec["parameters"] for run in table.runs if run.experiment == experiment.name]
        asked = {f"accountants.{choice.key}": choice.where for choice in experiment.accountants}
        asked |= {f"remarks.{place}": remark.where for place, remark in enumerate(experiment.remarks)}
        for key, where in asked.items():
            if own and not any(concerns(where, parameters) for parameters in own):
                raise ValueError(
                    f"experiments.{experiment.name}.{key}.where = {where}: must be what a run of the experiment has, "
                    "none has it"
                )


def _comparable(config: Config, table: RunTable) -> None:
    """Refuse a place in a comparison whose budget is no parameter, or whose objective is no metric.

    A kind that declares no metric may have any: only its runs tell.
    """
    parameters: dict[str, list[Parameters]] = defaultdict(list)
    for run in table.runs:
        parameters[run.experiment].append(run.parameters)
    for experiment in config.experiments:
        if (place := experiment.compared) is None:
            continue
        own, where = parameters[experiment.name], f"experiments.{experiment.name}.compared"
        if place.epsilon is not None:
            _refuse_no_number(f"{where}.epsilon", place.epsilon, own)
        chosen = place.objective
        asked = {"metric": [chosen.metric], "at_least": chosen.at_least, "ratio_at_least": chosen.ratio_at_least}
        for key, names in asked.items():
            for name in names:
                for each in own:
                    _refuse_no_metric(f"{where}.objective.{key}", name, experiment.kind, each)


def _refuse_no_number(key: str, name: str, parameters: Sequence[Parameters]) -> None:
    """Refuse a name that is in no run a number: methods of a grid need not all have the parameter."""
    found = [flat(each.model_dump(mode="json")) for each in parameters]
    numbers = {
        known: None
        for values in found
        for known, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if name not in numbers:
        raise ValueError(f"{key} = {name!r}: must be a parameter that is a number: {', '.join(numbers) or 'none is'}")


def _refuse_no_metric(key: str, name: str, kind: str, parameters: Parameters) -> None:
    declared = parameters.declared()
    if declared and not fits(name, declared):
        raise ValueError(f"{key} = {name!r}: must be a metric that {kind} declares: {', '.join(declared)}")
    if isinstance(parameters, PrivateParameters) and parameters.release and not parameters.publishable(name):
        kept = ", ".join((*parameters.public_figures, *parameters.evaluation_figures))
        raise ValueError(f"{key} = {name!r}: must be a metric that {kind} keeps with release true: {kept}")
