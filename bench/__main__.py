"""Run all benchmarks, or those named: ``python -m bench [NAME ...] [--to FOLDER] [--device cuda]``.

Of each, FOLDER (``results/bench``) gets a table (Markdown, CSV, LaTeX) and, beside it, where its figures come from.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path

import pandas as pd
import torch

import bench
from bench import _clock
from wassdp.files import write_json
from wassdp.pipeline import provenance
from wassdp.report import table_files


def names() -> list[str]:
    """Benchmark files, by name."""
    return sorted(item.name for item in pkgutil.iter_modules(bench.__path__) if item.name[0] != "_")


def main(arguments: list[str]) -> int:
    """Run, print and keep."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}; none: all")
    parser.add_argument("--to", type=Path, default=Path("results/bench"), help="where to (default: results/bench)")
    parser.add_argument(
        "--device", action="append", choices=_clock.devices(), help="measure there alone (default: wherever one can)"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(names()))
    if unknown:
        print(f"bench: name = {unknown[0]!r}: must be one of {', '.join(names())}", file=sys.stderr)
        return 2
    _clock.ONLY += options.device or []
    for name in options.names or names():
        print(f"\n# {name}", flush=True)
        begin = time.monotonic()
        rows = pd.DataFrame(importlib.import_module(f"bench.{name}").main())
        print(rows.to_string(index=False), flush=True)
        table_files.write(rows, options.to / name)
        write_json(options.to / f"{name}.provenance.json", _origin(time.monotonic() - begin))
    return 0


def _origin(seconds: float) -> dict[str, object]:
    return {
        "computed": provenance.now(),
        "seconds": round(seconds, 1),
        "commit": provenance.commit(Path(__file__).parent),
        "machine": provenance.machine(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "versions": provenance.versions(),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
