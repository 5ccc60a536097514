"""The report of a run of the workflow in a browser: its first page fits a phone, asks no network, and reads well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import _browser
import _checkout
import _hostile

SMALL = {
    "preset": "small",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"steps": 3, "gradients": 4, "coordinates": 5, "clip": True, "clip_quantile": 0.5},
            "seeds": [0],
            "accountants": ["pld", "wasserstein"],
            "label": f"{_hostile.MARKUP} $x$ %s \\write18",
            "search": _hostile.LINES,
            "remarks": [{"text": _hostile.LINES}],
        }
    ],
}
THEIRS = {"image-alt", "label-title-only", "link-name", "summary-name"}
"""What axe-core has against the shell around our text: buttons and pictures of Snakemake's without a name."""
NOTICE = "cdn.tailwindcss.com should not be used in production"
"""What the shell itself writes to the console."""
pytestmark = [*_browser.MARKS, pytest.mark.workflow]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report that the workflow made."""
    folder = tmp_path_factory.mktemp("report")
    _checkout.copy(folder, SMALL)
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=_checkout.environment())
    assert done.returncode == 0, done.stderr
    return Path(folder / "results" / "report.html").as_uri()


@pytest.mark.parametrize("width", [_browser.PHONE, _browser.DESKTOP])
def test_the_first_page(width: int, report: str, browser: Any) -> None:
    with _browser.opened(browser, report, width) as look:
        look.page.locator(".prose table").wait_for()
        assert look.width() <= width
        left, right = look.page.locator(".prose").evaluate(
            "text => [text.getBoundingClientRect().left, text.getBoundingClientRect().right]"
        )
        assert 0 <= left < right <= width
        assert look.page.locator(".prose tbody tr").count() == 10
        assert [line for line in look.said if NOTICE not in line] == []
        assert look.asked == [report]
        assert look.page.evaluate("window.owned") is None
        assert look.opened == []
        assert _browser.violations(look, inside=".prose") == []
        assert {line.split(": ")[1] for line in _browser.violations(look)} <= THEIRS
