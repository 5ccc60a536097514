"""Pages in a headless browser: what they say and ask for, whether they fit, and what axe-core has against them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (apt-get install chromium)"),
]
PHONE, DESKTOP = 390, 1280  # pixels
PATIENCE = 240_000  # milliseconds, on a machine that does other things too
GRAVE = ("serious", "critical")
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core whose outcome depends on the colour scheme, and which take nine tenths of its time."""
HIDE_ALIKE = """(most) => {
    const seen = new Map(), grounds = new Map();
    const ground = (each) => {
        if (!each) return '';
        if (!grounds.has(each)) {
            const style = getComputedStyle(each);
            const layers = [style.backgroundColor, style.backgroundImage, style.opacity].join(' ');
            const clear = layers === 'rgba(0, 0, 0, 0) none 1';
            grounds.set(each, (clear ? '' : layers + ' on ') + ground(each.parentElement));
        }
        return grounds.get(each);
    };
    const hidden = [];
    for (const each of document.querySelectorAll('body *')) {
        if (each.firstElementChild || !each.textContent.trim()) continue;
        const style = getComputedStyle(each);
        const font = [style.color, style.fontSize, style.fontWeight, style.textDecoration, style.textShadow];
        const look = [each.tagName, each.className, each.parentElement.tagName, ground(each), ...font].join('|');
        seen.set(look, (seen.get(look) || 0) + 1);
        if (seen.get(look) > most) hidden.push(each);
    }
    for (const each of hidden) each.style.visibility = 'hidden';
}"""


@dataclass
class Look:
    """A page that is open, what it wrote to the console, the addresses that it asked for, and the dialogs it opened."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    def unfold(self) -> None:
        """Open all that is folded, and wait until nothing fades in any more: its colours are others until then."""
        self.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.page.evaluate(
            """async () => {
                for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
                const ending = document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime < 1e5);
                await Promise.all(ending.map((each) => each.finished));
            }"""
        )

    def hide_alike(self, most: int) -> None:
        """Hide, of all words that look alike (kind and class of their element, font, colour and what is behind them),
        all but the first ``most``: looking at the colours of thousands takes as many times longer."""
        self.page.evaluate(HIDE_ALIKE, most)

    def width(self) -> int:
        """Of the whole page, pixels: above the window's if it has to be moved sideways."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))


@contextlib.contextmanager
def started() -> Iterator[Any]:
    """A browser; skips where playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=[f"--{option}" for option in QUIET])
        yield browser
        browser.close()


@contextlib.contextmanager
def opened(browser: Any, address: str, width: int, scheme: str = "light") -> Iterator[Look]:
    """A page, ``width`` pixels wide, in the colours that a reader of ``scheme`` (light or dark) gets."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(PATIENCE)
    look = Look(page)
    page.on("console", lambda message: look.said.append(message.text))
    page.on("pageerror", lambda error: look.said.append(str(error)))
    page.on("request", lambda request: look.asked.append(request.url))
    page.on("dialog", lambda dialog: (look.opened.append(dialog.message), dialog.dismiss()))
    try:
        page.goto(address)
        yield look
    finally:
        page.close()


def violations(
    look: Look,
    *,
    inside: str = "html",
    rules: Sequence[str] | None = None,
    rows: int | None = None,
    without: Sequence[str] = (),
) -> list[str]:
    """What axe-core finds of serious or critical impact, a line for each place; skips where axe-core is not installed.

    Args:
        look: an open page; the script stays in it.
        inside: selector of the part that is looked at.
        rules: the only ones to try; None for all that axe-core tries by itself.
        rows: how many of each table's rows are looked at, the first ones; None for all.
        without: rules that are not tried.
    """
    base = pytest.importorskip("axe_playwright_python.base", reason="needs axe-playwright-python, of the extra dev")
    look.page.evaluate(base.AXE_SCRIPT)
    context = {"include": [[inside]], "exclude": [] if rows is None else [[f"tbody tr:nth-child(n + {rows + 1})"]]}
    # Style sheets would be fetched once more, which a page that is opened from a disk may not do.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules is not None:
        options["runOnly"] = list(rules)
    options["rules"] = {rule: {"enabled": False} for rule in without}
    found = look.page.evaluate("([context, options]) => axe.run(context, options)", [context, options])
    return [
        f"{rule['impact']}: {rule['id']}: {' '.join(place['html'].split())[:200]}"
        for rule in found["violations"]
        if rule["impact"] in GRAVE
        for place in rule["nodes"]
    ]
