# The plan and what the rules look up in it; no rules.
import hashlib
import json
import os
import secrets
import shlex
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

FORKS = Path(tempfile.gettempdir()) / f"wassdp-{secrets.token_hex(8)}" / "forks"
PYTHONPATH = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))

if MAIN:
    os.environ.update(PYTHONPATH=PYTHONPATH)
    from wassdp.pipeline import forks, start
    from wassdp.pipeline.failures import Failures

    ALIVE, PLAN = start.begin(
        config,
        dry=workflow.output_settings.dryrun,
        files=map(str, workflow.configfiles),
    )
    FAILURES = Failures({run: job["name"] for run, job in PLAN["jobs"].items()})
    logger.addHandler(FAILURES)
    if not workflow.output_settings.dryrun:
        os.environ.update(WASSDP_PROGRESS="1")
        logger.addHandler(
            Progress(
                PLAN["jobs"],
                PLAN["durations"],
                cores=workflow.cores or workflow.nodes,
                targets=lambda: map(str, workflow.dag_settings.targets),
            )
        )
elif LINT:
    PLAN = {"jobs": {}, "runs": [], "experiments": [], "datasets": {}, "facts": ""}
    PLAN |= {"codes": defaultdict(str), "patterns": defaultdict(lambda: ".+")}
else:
    PLAN = json.loads(Path("results/plan.json").read_text(encoding="utf-8"))

# The interpreter that runs Snakemake also runs the jobs, unless a conda environment replaces it.
shell.prefix(
    f"set -euo pipefail; export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH "
    f"PYTHONPATH={shlex.quote(PYTHONPATH)}"
    + (f" WASSDP_FORKS={shlex.quote(f'{FORKS}:{sys.prefix}')}; " if MAIN else "; ")
)


wildcard_constraints:
    run="[0-9a-f]{12}",
    dataset="[a-z0-9_]+",
    paper="[a-z0-9-]+",
    figure="[a-z0-9-]+",
    table="[a-z0-9-]+",


JOBS = PLAN["jobs"]
FIGURES = {
    (experiment["paper"], figure["name"]): figure | {"experiment": experiment["name"]}
    for experiment in PLAN["experiments"]
    for figure in experiment["figures"]
}
TABLES = {
    table["name"]: table | {"experiment": experiment["name"]}
    for experiment in PLAN["experiments"]
    for table in experiment["tables"]
}


def digest(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


# What tables of all runs say of the configuration; how figures are made is the figures' affair.
FACTS = PLAN["facts"]


def computed():
    """All runs but those whose results were put back (`wassdp restore`): these have no outcome to account for."""
    return [run for run, job in JOBS.items() if job["phase"] != "restored"]


def manifests(wildcards):
    """Manifests of the datasets that a run reads.

    A manifest that is made anew has its runs made anew, and the code behind it is behind them too. As `ancient` files they
    would be left out of a plan that makes a manifest, wanted or not: Snakemake asks no job below one that runs
    (https://github.com/snakemake/snakemake/issues/4166).
    """
    return [f"results/data/{name}.json" for name in JOBS[wildcards.run]["datasets"]]


def shown():
    """What the report shows."""
    return [
        "results/ledger.md",
        "results/claimed-attacked-proven.svg",
        *(f"results/figures/{paper}/{figure}.svg" for paper, figure in FIGURES),
        *(f"results/tables/{table}.html" for table in TABLES),
    ]


def wanted():
    """Every file that the configuration asks for: a target that leaves one out does not miss it."""
    return [
        *(f"results/data/{name}.json" for name in PLAN["datasets"]),
        *(f"results/runs/{run}/outcome.json" for run in computed()),
        *(f"results/runs/{run}/result.json" for run in JOBS),
        *(f"results/{name}.csv" for name in ("runs", "history", "pictures", "ledger")),
        "results/ledger.json",
        *(f"results/claimed-attacked-proven.{suffix}" for suffix in ("png", "csv")),
        *(
            f"results/figures/{paper}/{figure}.{suffix}"
            for paper, figure in FIGURES
            for suffix in ("png", "csv")
        ),
        *(
            f"results/tables/{table}.{suffix}"
            for table in TABLES
            for suffix in ("md", "csv", "tex")
        ),
        *shown(),
        "results/report.html",
        "results/tracked.json",
    ]
