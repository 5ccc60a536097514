"""``wassdp plan``: a configuration as a table of runs and outputs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wassdp.pipeline.plan import Plan

HELP = "Check a configuration and show, or write, its run table."

_UNACCOUNTABLE = (
    "it was published, without the outcome to account for, and stays as it is; delete its folder to have it computed"
)

_UNKNOWN = "Snakemake knows nothing of that, so that it stays as it is; delete its folder to have it computed"

_PUT_BACK = "it is used as it was published; delete its folder to have it computed"


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--config", help="configuration (YAML file, or - for JSON on input; default: config.yaml)")
    parser.add_argument("--json", help="configuration as a JSON text, instead of a file")
    parser.add_argument("--strict", action="store_true", help="also construct every object that is named")
    parser.add_argument(
        "--settings", action="store_true", help="show every parameter of the grid instead of each setting's label"
    )
    parser.add_argument("--out", type=Path, help="write the plan here; otherwise show it")
    parser.add_argument(
        "--check-results",
        type=Path,
        metavar="FOLDER",
        help="name those results of the plan in this results folder that are damaged or lack a budget that is asked "
        "for, which are made again",
    )
    parser.add_argument("--set-aside", action="store_true", help="with --check-results: rename them too")


def run(arguments: argparse.Namespace) -> int:
    """Expand and show the table."""
    from wassdp import config as configuration
    from wassdp import syntax
    from wassdp.cli import paths, texts
    from wassdp.pipeline import plan as plans
    from wassdp.pipeline import readings
    from wassdp.pipeline.supported import check
    from wassdp.runs import expand

    if arguments.config is not None and arguments.json is not None:
        raise ValueError("--config and --json: give one of them")
    if arguments.set_aside and arguments.check_results is None:
        raise ValueError("--set-aside: needs --check-results, which says what to rename")
    file = "config.yaml" if arguments.config is None else arguments.config
    if arguments.json is not None:
        config = configuration.validate(texts.parsed("json", arguments.json))
    elif file == "-":
        config = configuration.validate(texts.parsed("standard input", sys.stdin.read()))
    else:
        config = configuration.read(paths.file("config", Path(file), paths.CONFIGURATION))
    table = expand(config)
    check(config, table)
    if arguments.strict:
        configuration.construct(config)
    planned = plans.plan(config, table)
    refusal = readings.refusal(config.model_dump(include={"protocol", "frozen"}, exclude_none=True))
    planned = planned.model_copy(update={"refusal": refusal})
    syntax.keep()
    excluded = [
        f"excluded: {f'{item.experiment} {item.name}' if arguments.settings else item.title}: {item.reason}"
        for item in table.excluded
    ]
    if arguments.check_results is not None:
        planned = _checked(planned, arguments.check_results, set_aside=arguments.set_aside)
    if arguments.out is not None:
        plans.write(arguments.out, planned)
        print("\n".join(excluded), file=sys.stderr, end="\n" if excluded else "")
        return 0
    for row in planned.runs:
        print(f"{row.run}  {row.phase:<8}  {row.name if arguments.settings else row.title}")
    for line in excluded:
        print(line)
    print(f"{config.preset}: {len(table.unique())} runs, {len(table.excluded)} combinations excluded{_long(planned)}")
    return 0


def _long(planned: Plan) -> str:
    """About how long all runs take, where anything is known of it, and from how many published runs."""
    from wassdp.pipeline import durations

    known = durations.read()
    estimates = []
    for row in {row.run: row for row in reversed(planned.runs)}.values():
        found = known.estimate(row.run, row.experiment, row.kind, planned.jobs[row.run].datasets)
        estimates += [] if found is None else [found]
    if not estimates:
        return ""
    others = len(planned.jobs) - len(estimates)
    doubt = f", and {others} runs of which nothing is known" if others else ""
    about = durations.in_words(sum(found.seconds for found in estimates))
    return f"\nabout {about} of one processor, an estimate: {known.basis(estimates)}{doubt}"


def _checked(planned: Plan, results: Path, *, set_aside: bool) -> Plan:
    """The plan for this results folder; what cannot be used there is named, and set aside if that is asked for."""
    from wassdp.pipeline import manifests, repair, stored
    from wassdp.pipeline.resume import remembered, taken_for

    jobs = planned.jobs
    damaged = repair.damaged(results, {run: job.spec for run, job in jobs.items()})
    found = repair.sound(results, jobs, damaged)
    lacking = repair.lacking(found)
    whole = len(found) == len(jobs) and not lacking
    tables = repair.tables(results, found if whole else None, planned.facts)
    for reason in (*damaged.values(), *tables.values()):
        print(f"wassdp: {reason}; it is computed again", file=sys.stderr)
    accountable = [path for path in lacking if path.with_name("outcome.json").exists()]
    published = [path for path in lacking if path not in accountable]
    for paths, then in ((accountable, "accounted for again"), (published, _UNACCOUNTABLE)):
        if paths:
            names = f"{paths[0]}: has no budget by {', '.join(lacking[paths[0]])}, which is asked for now"
            others = f" (and {len(paths) - 1} more results lack one)" if len(paths) > 1 else ""
            print(f"wassdp: {names}{others}; {then}", file=sys.stderr)
    put_back = stored.restored(results)
    planned = planned.restored(put_back)
    computed, accounted = repair.of_other_code(
        results, {run: job for run, job in planned.jobs.items() if job.phase != "restored"}, found, damaged
    )

    def unseen(path: Path, code: str) -> bool:
        """Of what Snakemake made in this folder it says itself that it is made again, but where it saw today's code."""
        return not remembered(path) or taken_for(path, code)

    computed = [path for path in computed if unseen(path, jobs[path.parent.name].code)]
    accounted = [
        path for path in accounted if path not in accountable and unseen(path, jobs[path.parent.name].accounting)
    ]
    for paths, what, then in (
        (computed, "was computed", _UNKNOWN),
        (accounted, "was accounted for", "accounted for again"),
        (repair.put_back_of_other_code(found, put_back), "was computed or accounted for", _PUT_BACK),
    ):
        if paths:
            others = f" (and {len(paths) - 1} more were)" if len(paths) > 1 else ""
            print(f"wassdp: {paths[0]}: {what} by other code than today's{others}; {then}", file=sys.stderr)
    for line in manifests.of_other_files(results, {path: result for path, (result, _) in found.items()}):
        print(f"wassdp: {line}", file=sys.stderr)
    if set_aside:
        repair.set_aside([*damaged, *tables])
        repair.set_aside([*accountable, *accounted], repair.EARLIER)
    return planned
