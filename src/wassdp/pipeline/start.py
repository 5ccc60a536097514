"""How a pipeline begins: is there room, what did a killed one leave behind, and what is to be computed.

The main process calls this while Snakemake reads the rules, before it looks for anything in the results folder. It
loads nothing but this: the plan is another process's, whose libraries would stay here to the end.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wassdp import yaml_files
from wassdp.pipeline import readings
from wassdp.pipeline.resume import Alive
from wassdp.pipeline.room import check_room

PLAN = Path("results/plan.json")


def begin(configuration: Mapping[str, Any], *, dry: bool, files: Iterable[str] = ()) -> tuple[Alive, dict[str, Any]]:
    """Plan a configuration, for the results folder in this one.

    Args:
        configuration: as Snakemake read it.
        files: where it stands; Snakemake takes the last of several equal keys, which is refused here.
        dry: whether nothing may be changed but what a killed pipeline left behind.

    Returns:
        What holds the folder for this pipeline (`wassdp.pipeline.resume`), and the plan.

    Raises:
        SystemExit: the configuration is not allowed, results cannot be written, or another pipeline is at work
            here; one line says so.
    """
    if not dry and (refusal := readings.refusal(configuration)):
        print(f"wassdp: {refusal}", file=sys.stderr)
        sys.exit(2)
    try:
        contents = [(file, yaml_files.read(Path(file))) for file in files]
        _refuse_borrowed(configuration, contents)
    except ValueError as error:
        print(f"wassdp: {error}", file=sys.stderr)
        sys.exit(2)
    try:
        check_room(PLAN.parent)
    except OSError as error:
        print(f"wassdp: {error}", file=sys.stderr)
        sys.exit(1)
    alive = Alive(Path(".snakemake"), PLAN.parent)
    alive.recover()
    if not alive.held and not dry:
        print(
            f"wassdp: another pipeline{alive.holder()} is at work in {PLAN.parent.resolve()}: it is left alone, and "
            "nothing is started; wait for its end, or stop it. --unlock would be wrong",
            file=sys.stderr,
        )
        sys.exit(1)
    # What cannot be read, or was edited, counts as missing. A dry run names it and leaves it where it is.
    checks = ["--check-results", str(PLAN.parent), *([] if dry else ["--set-aside"])] if alive.held else []
    with tempfile.TemporaryDirectory(prefix="wassdp-") as elsewhere:
        out = PLAN if alive.held and not dry else Path(elsewhere) / PLAN.name
        command = [sys.executable, "-m", "wassdp", "plan", "--config", "-", "--out", str(out), *checks]
        done = subprocess.run(command, input=json.dumps(configuration), stderr=subprocess.PIPE, text=True)
        print(done.stderr.replace("wassdp plan: ", "wassdp: "), file=sys.stderr, end="")
        if done.returncode:
            sys.exit(done.returncode)
        return alive, json.loads(out.read_text())


def _refuse_borrowed(configuration: Mapping[str, Any], contents: Sequence[tuple[str, Any]]) -> None:
    """Refuse a configuration that lacks what Snakemake then takes from the workflow's default one, the last.

    Raises:
        ValueError: one line: which key.
    """
    *given, (default, borrowed) = contents or [("", {})]
    if given and isinstance(borrowed, Mapping):
        own = {key for _, content in given if isinstance(content, Mapping) for key in content}
        for key in borrowed.keys() - own:
            if configuration.get(key) == borrowed[key]:
                raise ValueError(f"{given[0][0]}: lacks {key}, and would get that of {default}; must have its own")
