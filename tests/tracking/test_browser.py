"""A fresh browser from the link that `wassdp ui` prints to a run's budget, its accuracy curve and a figure."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PIL import Image

from wassdp.tracking.view import link

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (apt-get install chromium)"),
]
WIDTH, PATIENCE = 37, 120_000  # of the figure, pixels; of a page, milliseconds


@pytest.fixture
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[f"--{option}" for option in QUIET])
        page = browser.new_page(viewport={"width": 2000, "height": 900})
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


def listening(port: int) -> set[str]:
    """Addresses, as hexadecimal digits, at which somebody waits for connections to a port."""
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6")]
    rows = [row.split() for table in tables if table.exists() for row in table.read_text().splitlines()[1:]]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}


def test_from_the_printed_link_to_a_runs_budget_curve_and_figure(
    tree: ModuleType, results: Path, tools: Any, browser: Any
) -> None:
    tree.make(results, sigmas=(1.0, 2.0), seeds=(0,))
    Image.new("RGB", (WIDTH, 11)).save(results / "figures" / "wasserstein-dp" / "figure-2.png")
    assert tools.track(results) == 0
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    asked: list[str] = []
    browser.on("request", lambda request: asked.append(request.url))
    command = [sys.executable, "-m", "wassdp", "ui", "--results", str(results), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            (printed,) = (line for line in iter(server.stdout.readline, "\n") if "http" in line)
            assert re.match(r"wasserstein-dp/training +2 runs +http", printed)
            address = printed.split()[-1]
            assert address == link(f"http://127.0.0.1:{port}", address.split("/")[5])
            assert listening(port) == {"0100007F"}, "on 127.0.0.1 alone"

            # The table: runs by names that tell them apart, accuracy before the budgets, and these before all else.
            browser.goto(address)
            browser.get_by_role("link", name="noise.sigma=2.0").wait_for()
            browser.get_by_role("columnheader", name="accuracy/test").first.wait_for()
            heads = [text for text in browser.get_by_role("columnheader").all_inner_texts() if "/" in text]
            assert heads[0] == "accuracy/test"
            assert "epsilon/upper/pld" in heads
            assert heads[-1].startswith("other/")
            assert browser.get_by_text("claimed ε").count(), "the experiment's text has the table of budgets"

            # The run: its text, its final budget, and the curve of its accuracy.
            browser.get_by_role("link", name="noise.sigma=2.0").click()
            browser.get_by_text("epsilon/upper/pld").first.wait_for()
            assert f"{3**0.5 / 2:.4f}" in browser.inner_text("body")
            browser.get_by_role("tab", name="Model metrics").click()
            browser.locator(".js-plotly-plot").first.wait_for()
            browser.get_by_text("accuracy/test").first.wait_for()
            assert browser.locator(".js-plotly-plot .scatterlayer .lines path").count(), "a line"

            # The figure, in the run that holds those of the experiment.
            browser.goto("about:blank")
            browser.goto(address)
            browser.get_by_role("link", name="figures and tables").click()
            browser.get_by_role("tab", name="Artifacts").click()
            browser.get_by_text("figures", exact=True).first.click()
            browser.get_by_text("figure-2.png").first.click()
            shown = browser.locator("img[src^='blob:']").first
            shown.wait_for()
            assert shown.evaluate("image => image.naturalWidth") == WIDTH
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    hosts = {url.split("/")[2] for url in asked if url.startswith("http")}
    assert hosts == {f"127.0.0.1:{port}"}, "no other machine is asked"
