"""What a run records on its way."""

from __future__ import annotations

import json
from pathlib import Path

from wassdp.experiment import HISTORY, Context
from wassdp.tracking import progress


def test_a_line_that_a_kill_cut_short_swallows_no_other(tmp_path: Path) -> None:
    context = Context(folder=tmp_path, code="a")
    for epoch in (1, 2):
        context.record("epoch", epoch, {"accuracy": 0.5})
    path = tmp_path / HISTORY
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    for epoch in (2, 3):
        context.record("epoch", epoch, {"accuracy": 0.5})
    lines = path.read_text().splitlines()
    assert lines[1] == whole.decode().splitlines()[1][:-6]
    assert [json.loads(line)["position"] for line in (lines[0], *lines[2:])] == [1, 2, 3]
    read = progress.read(path)
    assert read is not None
    assert [line.position for line in read.lines] == [1, 2, 3]
