"""What the tests of pages look for they find: each kind of fault in a page that has it, and none in a page without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import _browser

pytestmark = _browser.MARKS
HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>html { color: black; background: white; }
@media (prefers-color-scheme: dark) { html { color: white; background: black; } .dim { color: #333; } }</style></head>
<body><main><h1>A page</h1>"""
NOTHING = "<p>Words.</p>"
ROWS = f"<table><tbody>{'<tr><td>word</td></tr>' * 3}<tr><td style='color: #bbb'>word</td></tr></tbody></table>"


@pytest.fixture
def page(tmp_path: Path) -> Callable[[str], str]:
    """Writes a page with this content, and gives its address."""

    def written(content: str) -> str:
        path = tmp_path / "page.html"
        path.write_text(f"{HEAD}{content}</main></body></html>")
        return path.as_uri()

    return written


@pytest.mark.parametrize(
    ("content", "scheme", "rule"),
    [
        ('<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></p>', "light", "image-alt"),
        ('<p style="color: #bbb">Words.</p>', "light", "color-contrast"),
        ('<p class="dim">Words.</p>', "dark", "color-contrast"),
        ('<p class="dim">Words.</p>', "light", None),
        ("<button></button>", "light", "button-name"),
        ('<details><summary>More</summary><p style="color: #bbb">Words.</p></details>', "light", "color-contrast"),
        (NOTHING, "light", None),
        (NOTHING, "dark", None),
    ],
)
def test_a_violation_is_found(content: str, scheme: str, rule: str | None, browser: Any, page: Any) -> None:
    with _browser.opened(browser, page(content), _browser.PHONE, scheme) as look:
        look.unfold()
        found = _browser.violations(look)
        assert [line.split(": ")[1] for line in found] == ([rule] if rule else [])
        assert _browser.violations(look, rules=["html-has-lang"]) == []


def test_rows_beyond_the_first_are_left_out_where_asked(browser: Any, page: Any) -> None:
    with _browser.opened(browser, page(ROWS), _browser.PHONE) as look:
        assert len(_browser.violations(look)) == len(_browser.violations(look, rows=4)) == 1
        assert _browser.violations(look, rows=3) == []


@pytest.mark.parametrize(
    "other",
    [
        '<p style="color: #bbb">Words.</p>',
        '<div style="background: #333"><p>Words.</p></div>',
        '<div style="opacity: 0.3"><div><p>Words.</p></div></div>',
        '<p class="grey">Words.</p>',
        "<p>Words with <a href='#' style='text-decoration: none; color: #222'>a link</a>.</p>",
    ],
)
def test_one_that_looks_otherwise_is_found_among_many_that_look_alike(other: str, browser: Any, page: Any) -> None:
    content = f"<style>.grey {{ color: #ccc }}</style>{NOTHING * 20}{other}{NOTHING * 20}"
    with _browser.opened(browser, page(content), _browser.PHONE) as look:
        whole = _browser.violations(look, rules=_browser.COLOURS)
        look.hide_alike(3)
        assert look.page.locator("p:visible").count() <= 5
        assert _browser.violations(look, rules=_browser.COLOURS) == whole
        assert len(whole) == 1
        assert _browser.violations(look, without=_browser.COLOURS) == []


@pytest.mark.parametrize("folded", [False, True])
def test_what_is_wider_than_the_window_is_seen(folded: bool, browser: Any, page: Any) -> None:
    wide = '<div style="width: 500px">x</div>'
    content = f"<details><summary>More</summary>{wide}</details>" if folded else wide
    with _browser.opened(browser, page(content), _browser.PHONE) as look:
        assert (look.width() > _browser.PHONE) is not folded
        look.unfold()
        assert look.width() > _browser.PHONE
    with _browser.opened(browser, page(f'<div style="overflow-x: auto">{wide}</div>'), _browser.PHONE) as look:
        assert look.width() == _browser.PHONE


def test_what_a_page_says_and_asks_for_is_seen(browser: Any, page: Any) -> None:
    address = page("<script>console.log('word'); nothing();</script><img src='http://127.0.0.1:9/x.png' alt=''>")
    with _browser.opened(browser, address, _browser.DESKTOP) as look:
        assert "word" in look.said
        assert any("nothing is not defined" in line for line in look.said)
        assert look.asked == [address, "http://127.0.0.1:9/x.png"]
    with _browser.opened(browser, page(NOTHING), _browser.DESKTOP) as look:
        assert look.said == []
        assert len(look.asked) == 1
