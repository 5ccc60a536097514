"""``wassdp coverage``: every item of the papers with its code, its results and its verdicts."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

HELP = "Write docs/coverage.md: every item of the four papers, its code, its published results, its verdicts."


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("--out", type=Path, default=Path("docs"), help="folder of the table (default: docs)")
    parser.add_argument("--results", type=Path, default=Path("docs/results"), help="published sets")
    parser.add_argument(
        "--preset", type=Path, default=Path("workflow/presets/paper.yaml"), help="where seeds are configured"
    )
    parser.add_argument("--tried", choices=("few", "usual"), default="usual", help="cases of a search")


def run(arguments: argparse.Namespace) -> int:
    """Check all claims and write the table."""
    from wassdp import config
    from wassdp.claims import checking
    from wassdp.files import write_text
    from wassdp.report import coverage, coverage_text, negative
    from wassdp.runs import expand

    preset = config.read(arguments.preset)
    names = checking.asked([])
    found = []
    for item in checking.checked(names, tried=arguments.tried, results=arguments.results):
        found.append(item)
        print(f"{len(found)}/{len(names)} {item.name}: {item.verdict.status}", file=sys.stderr, flush=True)
    runs = Counter(run.experiment for run in expand(preset).runs)
    configured = {each.name: (len(each.seeds), runs[each.name]) for each in preset.experiments}
    table = coverage.frame(found, coverage.Published.read(arguments.results, configured))
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_text(arguments.out / "coverage.csv", table.to_csv(index=False, lineterminator="\n"))
    text = coverage_text.markdown(table, negative.sentences(arguments.results))
    write_text(arguments.out / "coverage.md", text)
    for name in coverage.unexplained(table):
        print(f"no verdict and no reason: {name}", file=sys.stderr)
    print(f"{table['item'].nunique()} items, {len(found)} claims in {arguments.out / 'coverage.md'}")
    return 0
