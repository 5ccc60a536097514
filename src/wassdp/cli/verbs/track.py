"""``wassdp track``: result files into MLflow."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import types
from pathlib import Path

HELP = "Bring result files into MLflow, every run once; --follow shows live curves."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="results folder (default: results)")
    parser.add_argument("--plan", type=Path, help="run table (default: plan.json in the results folder)")
    parser.add_argument(
        "--uri", help="tracking store (default: MLFLOW_TRACKING_URI, else mlflow.db in the results folder)"
    )
    parser.add_argument("--follow", action="store_true", help="go on until every run of the plan is finished")
    parser.add_argument("--interval", type=float, default=5.0, help="seconds between two looks with --follow")
    parser.add_argument("--summary", type=Path, help="write run ids and digests here when all is tracked")


def run(arguments: argparse.Namespace) -> int:
    """Track once, or follow; exit code 1 where a summary was asked for that has to wait for runs."""
    from wassdp import checks
    from wassdp.cli import paths
    from wassdp.files import write_json
    from wassdp.pipeline import plan as plans
    from wassdp.tracking.secrets import hidden, without_password
    from wassdp.tracking.store import default_uri
    from wassdp.tracking.track import follow, open_folder, track

    checks.positive("interval", arguments.interval)
    plan = plans.read(paths.plan(arguments))
    uri = arguments.uri or os.environ.get("MLFLOW_TRACKING_URI") or default_uri(arguments.results)
    before = signal.getsignal(signal.SIGTERM)
    try:
        if arguments.follow:
            signal.signal(signal.SIGTERM, _interrupt)
        with hidden(uri):
            folder, store = open_folder(arguments.results, plan, uri)
            if arguments.follow:
                report = follow(folder, store, interval=arguments.interval, say=lambda line: print(line, flush=True))
            else:
                report = track(folder, store)
    except KeyboardInterrupt:
        print("stopped; the next call catches up")
        return 0 if arguments.follow else 130
    finally:
        signal.signal(signal.SIGTERM, before)
    print(f"{without_password(uri, uri)}: {report.line()}")
    if arguments.summary and report.unfinished:
        # The pipeline would be content with it for good.
        shown = ", ".join(report.unfinished[:3]) + (", …" if len(report.unfinished) > 3 else "")
        print(
            f"wassdp track: {arguments.summary}: is not written before these are finished: {shown}; call again then",
            file=sys.stderr,
        )
        return 1
    if arguments.summary:
        write_json(
            arguments.summary,
            {"runs": report.digests, "experiments": report.experiments, "unfinished": report.unfinished},
        )
    return 0


def _interrupt(number: int, frame: types.FrameType | None) -> None:
    raise KeyboardInterrupt
