"""The table of faults says what was observed; a few of them are done again here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import table_of_faults
from _faults import disks

SCRIPT = Path(__file__).with_name("table_of_faults.py")


def test_the_page_shows_the_rows_that_were_kept_and_all_ended_well() -> None:
    rows = table_of_faults.kept()
    assert table_of_faults.page(rows) in table_of_faults.PAGE.read_text(encoding="utf-8")
    assert {row["name"] for row in rows} == set(table_of_faults.NAMES)
    assert [row["fault"] for row in rows if not re.fullmatch("[0-9a-f]{12}", row["commit"])] == []
    wrong = [row["fault"] for row in rows if row["whole"] != "True" or row["lost"] != "nothing"]
    assert wrong == []


def test_a_name_of_no_fault_is_refused_before_any_work(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        table_of_faults.main(["floods"])
    assert ended.value.code == 2
    assert "NAME = 'floods': must be one of kills-main" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.workflow
def test_some_faults_again() -> None:
    names = ["damaged-runs"] + ["disk-run"] * disks.possible()
    done = subprocess.run([sys.executable, str(SCRIPT), *names], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert len(rows) == len(names), done.stderr
    assert [row["fault"] for row in rows if not row["whole"]] == [], done.stderr
    assert done.returncode == 0
