"""Whether the runs of a configuration have what its figures and tables show: asked before any of them is computed."""

from __future__ import annotations

from wassdp.config import Config, Experiment
from wassdp.report.kinds import Output
from wassdp.runs import RunTable


def check(asked: str, made: Output, config: Config, experiment: Experiment, table: RunTable) -> None:
    """Refuse a figure or table of what its runs do not have.

    Args:
        asked: its place in the experiment, such as ``figures.figure-1``.
        made: it.
        config: of all experiments, some of which a comparison shows besides its own.
        experiment: that it stands in.
        table: the runs of the configuration.

    Raises:
        ValueError: no accountant gives a budget that it shows, or no run has a parameter's value that it shows.
    """
    for other in _showing(config, experiment, made):
        _refuse_unaccounted(asked, other, made, table)
    _refuse_absent(asked, experiment, made, table)


def _showing(config: Config, experiment: Experiment, made: Output) -> list[Experiment]:
    """Experiments whose runs ``made`` shows, which stands in ``experiment``."""
    if not made.compares or experiment.compared is None:
        return [experiment]
    task = experiment.compared.task
    return [other for other in config.experiments if other.compared is not None and other.compared.task == task]


def _refuse_unaccounted(asked: str, experiment: Experiment, made: Output, table: RunTable) -> None:
    """Refuse a figure or table of budgets that no accountant of an experiment gives, whose runs it shows.

    Whether a run is private only that run can tell in some cases: these are left to the figure.
    """
    present = {item.key for item in experiment.accountants}
    needed = made.accountants_needed()
    own = (run.parameters for run in table.runs if run.experiment == experiment.name)
    if set(made.budgets_shown()) - present and any(parameters.expected_event() is not None for parameters in own):
        needed += made.budgets_shown()
    for name in needed:
        kind, _, key = name.rpartition("/")
        if kind != "lower" and key not in present:  # what attacks give is no accountant's
            raise ValueError(
                f"experiments.{experiment.name}.{asked}: needs the accountant {key}, which is not "
                f"among the experiment's ({', '.join(sorted(present)) or 'it has none'})"
            )


def _refuse_absent(asked: str, experiment: Experiment, made: Output, table: RunTable) -> None:
    """Refuse a figure or table of a parameter that runs of its experiment lack, or of values that none of them has."""
    where = f"experiments.{experiment.name}.{asked}"
    own = [run.spec["parameters"] for run in table.runs if run.experiment == experiment.name]
    for option, name in made.parameters_shown().items():
        if any(name not in parameters for parameters in own):
            raise ValueError(f"{where}: shows {name}, which runs of kind {experiment.kind} do not have")
        there = {parameters[name] for parameters in own}
        for value in getattr(made, option):
            if value not in there:
                known = ", ".join(f"{each:g}" for each in sorted(there))
                raise ValueError(f"{where}.options.{option} = {value:g}: no run has this {name}; must be of {known}")
