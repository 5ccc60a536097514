"""``wassdp tune``: the trials of a configuration that declares a search."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "Search for settings on validation records, with equally many trials for every method; goes on after a kill."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("configuration", type=Path, metavar="CONFIG", help="configuration with a protocol and spaces")
    parser.add_argument("--store", type=Path, help="folder of the trials (default: CONFIG without its suffix)")
    parser.add_argument(
        "--runs", type=Path, default=Path("results/tuning"), help="folder of the runs (default: results/tuning)"
    )
    parser.add_argument(
        "--experiment", action="append", default=[], metavar="NAME", help="search this one only; may be given again"
    )
    parser.add_argument("--jobs", type=int, default=1, help="studies at a time; also start the command elsewhere")


def run(arguments: argparse.Namespace) -> int:
    """Make the trials that are missing; exit code 1 where another process holds some of them."""
    from wassdp import checks, config, yaml_files
    from wassdp.cli import paths
    from wassdp.pipeline.supported import check
    from wassdp.protocol.freeze import store_of
    from wassdp.protocol.tune import tune
    from wassdp.runs import expand

    checks.whole("jobs", arguments.jobs, least=1)
    found = config.read(paths.file("CONFIG", arguments.configuration, paths.CONFIGURATION))
    check(found, expand(found))
    store = arguments.store or store_of(arguments.configuration)
    value = yaml_files.read(arguments.configuration)
    busy = tune(value, store, arguments.runs, only=arguments.experiment, jobs=arguments.jobs)
    theirs = "1 study is" if len(busy) == 1 else f"{len(busy)} studies are"
    print(f"trials in {store}" + (f"; {theirs} another process's" if busy else ""))
    return 1 if busy else 0
