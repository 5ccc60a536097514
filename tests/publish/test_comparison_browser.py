"""The comparison in a browser: read on a phone and on a screen, sorted and filtered, without a network or an error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import _browser
from wassdp.publish import comparison
from wassdp.publish.comparison_page import SHOWN

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
SETS = Path(__file__).parents[2] / "docs" / "results"
PHONE, SCREEN = 390, 1300  # pixels
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("comparison")
    comparison.write(SETS, out)
    return (out / "comparison.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=[f"--{option}" for option in QUIET])
        yield started
        started.close()


@pytest.mark.parametrize("width", [PHONE, 700, 1100, SCREEN, 1900])
def test_the_page_fits_and_asks_for_nothing(width: int, browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator("tbody tr details summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    assert asked == [address]
    page.close()


@pytest.mark.parametrize("width", [PHONE, SCREEN])
def test_rows_are_filtered_and_sorted(width: int, browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(address)
    rows = page.locator("tbody tr:visible")
    whole = rows.count()
    page.fill("#text", "cifar")
    few = rows.count()
    assert 0 < few < whole
    assert page.locator("#count").inner_text() == f"{few} of {whole} rows"
    if width == PHONE:
        page.select_option("#by", label="proven ε")
    else:
        page.get_by_role("button", name="proven ε").click()
    cells = page.locator(f"tbody tr:visible td:nth-child({1 + list(SHOWN.values()).index('proven ε')})")
    keys = [float(key) for key in cells.evaluate_all("cells => cells.map(cell => cell.dataset.key)") if key]
    assert keys == sorted(keys)
    assert len(set(keys)) > 1
    page.fill("#most", "3")
    assert 0 < rows.count() < few
    page.locator('button[type="reset"]').click()
    page.wait_for_function(f"document.querySelectorAll('tbody tr:not([hidden])').length === {whole}")
    page.close()


@pytest.mark.parametrize(
    ("width", "scheme", "rows"), [(SCREEN, "light", None), (SCREEN, "dark", 5), (PHONE, "light", 5), (PHONE, "dark", 5)]
)
def test_everybody_can_use_it(width: int, scheme: str, rows: int | None, browser: Any, address: str) -> None:
    with _browser.opened(browser, address, width, scheme) as look:
        look.unfold()
        assert look.page.locator("tbody tr").count() > 5
        assert _browser.violations(look, rows=rows) == []
