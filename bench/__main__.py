"""Run all benchmarks, or those named: ``python -m bench [NAME ...]``; the tables are kept in ``results/bench``."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import pandas as pd

import bench
from wassdp.report import table_files


def names() -> list[str]:
    """Benchmark files, by name."""
    return sorted(item.name for item in pkgutil.iter_modules(bench.__path__) if item.name[0] != "_")


def main(chosen: list[str]) -> int:
    """Run and print."""
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        print(f"bench: name = {unknown[0]!r}: must be one of {', '.join(names())}", file=sys.stderr)
        return 2
    for name in chosen or names():
        print(f"\n# {name}", flush=True)
        rows = pd.DataFrame(importlib.import_module(f"bench.{name}").main())
        print(rows.to_string(index=False), flush=True)
        table_files.write(rows, Path("results/bench") / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
