"""``wassdp publish``: finished results into the repository."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

HELP = "Write finished results with their origin to docs/results/<preset>, or merge them into what is there."
OTHERS = {
    "readme": ("front",),
    "remark": ("again", "merge"),
    "config": ("again",),
    "pages": ("again",),
    "set": ("merge",),
    "only": ("merge",),
    "overwrite": ("merge",),
}
"""Options of other ways than plain publishing."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")
    parser.add_argument("--plan", type=Path, help="run table (default: plan.json in the results folder)")
    parser.add_argument("--to", type=Path, default=Path("docs/results"), help="where to (default: docs/results)")
    parser.add_argument("--partial", action="store_true", help="publish although something is missing, and name it")
    parser.add_argument(
        "--merge",
        type=Path,
        nargs="+",
        action="extend",
        metavar="FOLDER",
        help="instead, add the finished runs of results folders or published ones, of other machines for instance, to "
        "what is published: each experiment's where it is published already, else in the folder of its paper",
    )
    parser.add_argument("--set", metavar="NAME", help="with --merge: the one folder that takes them all")
    parser.add_argument(
        "--only",
        nargs="+",
        action="extend",
        metavar="EXPERIMENT",
        help="with --merge: add the runs of these alone; a run may be one of several experiments",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="with --merge: of two results of one run that differ, take the new one"
    )
    parser.add_argument(
        "--again",
        type=Path,
        metavar="FOLDER",
        help="instead, make ledger, tables and figures of a published folder again, from the results that it holds",
    )
    parser.add_argument(
        "--pages", action="store_true", help="with --again: ledger, table of runs and README alone, which is quicker"
    )
    parser.add_argument(
        "--front",
        action="store_true",
        help="instead, write the page over all published sets: the claims that matter, their picture, an index; and "
        "the comparison of all methods at equal budgets: a page, its CSV, and files for the community's leaderboard",
    )
    parser.add_argument(
        "--readme",
        type=Path,
        metavar="FILE",
        help="with --front: a page whose rows of the claims are written too, and those of the report of the workflow "
        "beside it",
    )
    parser.add_argument(
        "--remark", help="with --again or --merge: a line about these results in README and ledger; empty removes it"
    )
    parser.add_argument(
        "--config", type=Path, help="with --again: configuration to take search, remarks and seeds of older sets from"
    )


def run(arguments: argparse.Namespace) -> int:
    """Publish, merge or make again; exit code 0."""
    ways = [way for way in ("again", "merge", "front") if getattr(arguments, way) not in (None, False)]
    if len(ways) > 1:
        raise ValueError(f"{ways[0]}: cannot go with --{ways[1]}; each is a way of its own")
    for name, belongs in OTHERS.items():
        if getattr(arguments, name) not in (None, False) and not set(ways) & set(belongs):
            raise ValueError(f"{name}: is for --{' and --'.join(belongs)}")
    from wassdp import config
    from wassdp.cli import paths
    from wassdp.pipeline import plan as plans
    from wassdp.publish import comparison
    from wassdp.publish.again import again
    from wassdp.publish.front import write as front
    from wassdp.publish.merge import merge
    from wassdp.publish.plain import publish

    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    logging.getLogger("wassdp.publish").setLevel(logging.INFO)
    if arguments.again is None:
        paths.new_folder("to", arguments.to)
    if arguments.front:
        paths.folder("to", arguments.to, "the folder of all published sets")
        if arguments.readme is not None:
            paths.file("readme", arguments.readme, "a page with the claims' rows, such as README.md")
        for path in [*front(arguments.to, arguments.readme), *comparison.write(arguments.to)]:
            print(path)
        return 0
    if arguments.config is not None:
        paths.file("config", arguments.config, paths.CONFIGURATION)
    if arguments.merge is not None:
        for path in arguments.merge:
            paths.folder("merge", path, paths.RESULTS)
        choices = {key: getattr(arguments, key) for key in ("only", "remark", "overwrite")}
        for folder, published in merge(arguments.merge, arguments.to, name=arguments.set, **choices).items():
            print(f"{len(published.raw)} runs in {_size(folder)}")
        return 0
    if arguments.again is not None:
        read = None if arguments.config is None else config.read(arguments.config)
        plan = again(arguments.again, remark=arguments.remark, config=read, pages=arguments.pages)
        print(f"{arguments.again}: made again from {len({row.run for row in plan.runs})} planned runs")
        return 0
    plan = plans.read(paths.plan(arguments))
    folder, missing = publish(arguments.results, plan, arguments.to, partial=arguments.partial)
    for item in missing:
        print(f"missing: {item}", file=sys.stderr)
    print(_size(folder))
    return 0


def _size(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    return f"{folder}: {len(files)} files, {size:.1f} MB; begin with {folder / 'README.md'}"
