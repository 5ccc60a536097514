"""What the verbs of the three run phases share."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import sys
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of every run phase."""
    parser.add_argument("--spec", required=True, help="specification of the run: JSON, or @FILE")
    parser.add_argument("--out", required=True, type=Path, help="outcome file; its folder is the run's folder")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to compute")


def run(arguments: argparse.Namespace, phase: str) -> int:
    """Execute one run, with its progress on standard error.

    Standard output stays free for the caller: what libraries print goes to standard error too.
    """
    from wassdp.pipeline.execute import execute

    text = arguments.spec
    if text.startswith("@"):
        text = Path(text[1:]).read_text()
    try:
        spec = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"spec = {text[:60]!r}: must be JSON ({error})") from None
    if not isinstance(spec, dict):
        raise ValueError(f"spec = {text[:60]!r}: must be a JSON object")
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s")
    logging.getLogger("wassdp").setLevel(logging.INFO)
    with contextlib.redirect_stdout(sys.stderr):
        execute(spec, arguments.out, phase=phase, device=arguments.device)
    return 0
