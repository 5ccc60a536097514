# The run table and what the rules look up in it; no rules.
import json
import os
import shlex
import sys
from pathlib import Path

# A checkout works without installing the package, on every node that sees it.
SOURCE, WORKFLOW = Path(workflow.basedir) / "src", Path(workflow.basedir) / "workflow"
sys.path.insert(0, str(SOURCE))

import jinja2  # noqa: E402
from snakemake.logging import logger  # noqa: E402
from snakemake.settings.types import ExecMode  # noqa: E402

from wassdp import config as configuration  # noqa: E402
from wassdp import schema  # noqa: E402
from wassdp.pipeline import repair  # noqa: E402
from wassdp.pipeline.codes import Codes  # noqa: E402
from wassdp.pipeline.failures import Failures  # noqa: E402
from wassdp.pipeline.resume import Alive  # noqa: E402
from wassdp.pipeline.room import check_room  # noqa: E402
from wassdp.pipeline.supported import check as check_accountants  # noqa: E402
from wassdp.runs import expand as run_table  # noqa: E402

try:
    CONFIG = configuration.validate(dict(config))
    TABLE = run_table(CONFIG)
    schema.conform(
        dict(config),
        json.loads((WORKFLOW / "schemas" / "config.schema.json").read_text()),
    )
    if workflow.exec_mode == ExecMode.DEFAULT:
        check_accountants(CONFIG, TABLE)
except ValueError as error:
    print(f"wassdp: {error}", file=sys.stderr)
    sys.exit(2)

RUNS = TABLE.unique()
EXPERIMENTS = {experiment.name: experiment for experiment in CONFIG.experiments}
CODES = Codes(CONFIG, TABLE)

if workflow.exec_mode == ExecMode.DEFAULT:
    for item in TABLE.excluded:
        print(
            f"excluded: {item.experiment} {item.name}: {item.reason}", file=sys.stderr
        )
    try:
        check_room(Path("results"))
    except OSError as error:
        print(f"wassdp: {error}", file=sys.stderr)
        sys.exit(1)
    # A killed pipeline resumes with the same command.
    ALIVE = Alive(Path(".snakemake"))
    ALIVE.recover()
    # What cannot be read, or was edited, counts as missing. A dry run names it and leaves it where it is.
    if ALIVE.held:
        DAMAGED = repair.damaged(
            Path("results"), {name: run.spec for name, run in RUNS.items()}
        )
        for reason in DAMAGED.values():
            print(f"wassdp: {reason}; it is computed again", file=sys.stderr)
        if not workflow.output_settings.dryrun:
            repair.set_aside(DAMAGED)
    FAILURES = Failures({name: run.name for name, run in RUNS.items()})
    logger.addHandler(FAILURES)

# The interpreter that runs Snakemake also runs the jobs, unless a conda environment replaces it.
PYTHONPATH = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
shell.prefix(
    f"set -euo pipefail; export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH "
    f"PYTHONPATH={shlex.quote(PYTHONPATH)}; "
)


wildcard_constraints:
    run="[0-9a-f]{12}",
    dataset="[a-z0-9_]+",
    paper="[a-z0-9-]+",
    figure="[a-z0-9-]+",
    table="[a-z0-9-]+",


def ids(phase):
    """A pattern of the ids of all runs of a phase; one that matches nothing if there are none."""
    return "|".join(run.id for run in RUNS.values() if run.phase == phase) or "none"


def manifests(wildcards):
    """Manifests of the datasets that a run reads; it is no newer data if one is written anew.

    The files' md5 stand in the datasets' code, which is part of the run's own hash.
    """
    return [
        ancient(f"results/data/{name}.json")
        for name in RUNS[wildcards.run].parameters.datasets()
    ]


def spec(wildcards):
    return json.dumps(RUNS[wildcards.run].spec, sort_keys=True)


def code(wildcards):
    return CODES.run(RUNS[wildcards.run])


def accountants(wildcards):
    """Accountants of a run: the union over all experiments that share it, by their names in results."""
    found = {
        choice.key: choice
        for row in TABLE.runs
        if row.id == wildcards.run
        for choice in EXPERIMENTS[row.experiment].accountants
    }
    return list(found.values())


def outputs(section):
    """(experiment, figure or table) pairs of the configuration."""
    return [
        (experiment, choice)
        for experiment in CONFIG.experiments
        for choice in getattr(experiment, section)
    ]


FIGURES = {
    (experiment.paper, choice.name): (experiment, choice)
    for experiment, choice in outputs("figures")
}
TABLES = {choice.name: (experiment, choice) for experiment, choice in outputs("tables")}


def caption(choice):
    """The caption of a figure or table kind, with its options filled in."""
    text = (WORKFLOW / "report" / f"{choice.kind}.rst").read_text()
    return jinja2.Template(text).render(options=choice.options)


def shown():
    """What the report shows."""
    return [
        "results/ledger.md",
        *(f"results/figures/{paper}/{figure}.svg" for paper, figure in FIGURES),
        *(f"results/tables/{table}.csv" for table in TABLES),
    ]


def wanted():
    """Every file that the configuration asks for: a target that leaves one out does not miss it."""
    datasets = {name for run in RUNS.values() for name in run.parameters.datasets()}
    return [
        "results/plan.json",
        *(f"results/data/{name}.json" for name in sorted(datasets)),
        *(f"results/runs/{run}/outcome.json" for run in RUNS),
        *(f"results/runs/{run}/result.json" for run in RUNS),
        *(f"results/{name}.csv" for name in ("runs", "history", "pictures", "ledger")),
        "results/ledger.json",
        *(
            f"results/figures/{paper}/{figure}.{suffix}"
            for paper, figure in FIGURES
            for suffix in ("png", "csv")
        ),
        *(
            f"results/tables/{table}.{suffix}"
            for table in TABLES
            for suffix in ("md", "tex")
        ),
        *shown(),
        "results/report_config.json",
        "results/report.html",
        "results/tracked.json",
    ]
