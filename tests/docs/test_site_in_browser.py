"""The site as it is built, read from the disk: on a phone and a screen, in light and dark, without a network.

Every page is looked at with all that is folded on it open. What axe-core (all its rules) finds of serious or critical
impact is an error. Colours follow from the scheme and not from the width, so that all pages are tried light on a screen
and dark on a phone, and three of them the other way round; and a few of all words that look alike tell those of the
others.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import _browser
import links

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = [path.relative_to(DOCS) for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
OWN = [path for path in SOURCES if path.parts[0] != "results" or len(path.parts) == 2]
PAGES = [*(str(path.with_suffix(".html")) for path in OWN), "search.html"]
SITE_SOURCES = [ROOT / name for name in ("docs", "src", "workflow", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
SOME = ("index.html", "papers/wasserstein-dp.html", "tutorials/my-budget.html")
ROWS = 12
"""Of each table, that are looked at."""
ALIKE = 3
"""Elements of one appearance whose colours are looked at."""
HEAVIEST = 2e6
"""Bytes of all files that a page loads."""
pytestmark = [
    *_browser.MARKS,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("sphinx", "furo", "myst_nb")),
        reason="needs the extra docs",
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site: what `make docs` built, unless a source is newer; else built from nothing, once for all workers."""
    last = DOCS / "_build" / "html"
    if (last / "index.html").exists() and (last / "index.html").stat().st_mtime > max(map(_changed, SITE_SOURCES)):
        return last
    place = tmp_path_factory.getbasetemp()
    place = place.parent if "PYTEST_XDIST_WORKER" in os.environ else place
    site, draft = place / "site", place / "site-draft"
    with FileLock(place / "site.lock"):
        if not site.exists():
            shutil.rmtree(draft, ignore_errors=True)
            build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
            build += ["--builder", "html", "--jobs", "auto", "--doctree-dir", str(place / "site-doctrees")]
            done = subprocess.run([*build, str(DOCS), str(draft)], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            draft.rename(site)
    return site


def _changed(source: Path) -> float:
    """When a file, or the last one in a folder, was changed."""
    files = (path for path in source.rglob("*") if path.is_file() and not {"_build", "__pycache__"} & set(path.parts))
    return max((path.stat().st_mtime for path in files), default=source.stat().st_mtime)


def test_every_page_of_the_site_is_looked_at(site: Path) -> None:
    built = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert {name for name in built if not name.startswith(("_static/", "_downloads/"))} == set(PAGES)


@pytest.mark.parametrize(("width", "scheme"), [(_browser.DESKTOP, "light"), (_browser.PHONE, "dark")])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_asks_for_nothing_that_is_not_beside_it_and_everybody_can_use_it(
    page: str, width: int, scheme: str, site: Path, browser: Any
) -> None:
    with _browser.opened(browser, (site / page).as_uri(), width, scheme) as look:
        assert look.width() <= width
        look.unfold()
        assert look.width() <= width
        assert look.said == []
        files = {address.partition("?")[0].partition("#")[0] for address in look.asked}
        assert all(address.startswith(site.as_uri()) for address in files)
        weight = sum(_path(address).stat().st_size for address in files)
        assert 0 < weight < HEAVIEST
        assert _browser.violations(look, rows=ROWS, without=_browser.COLOURS) == []
        look.hide_alike(ALIKE)
        assert _browser.violations(look, rules=_browser.COLOURS) == []


@pytest.mark.parametrize(("width", "scheme"), [(_browser.DESKTOP, "dark"), (_browser.PHONE, "light")])
@pytest.mark.parametrize("page", SOME)
def test_colours_are_told_apart_the_other_way_round(
    page: str, width: int, scheme: str, site: Path, browser: Any
) -> None:
    with _browser.opened(browser, (site / page).as_uri(), width, scheme) as look:
        look.unfold()
        look.hide_alike(ALIKE)
        assert _browser.violations(look, rules=_browser.COLOURS) == []


def test_a_search_finds_pages_from_the_disk(site: Path, browser: Any) -> None:
    with _browser.opened(browser, (site / "search.html").as_uri() + "?q=sensitivity", _browser.PHONE) as look:
        look.page.locator("#search-results li a", has_text="Theory").first.wait_for()
        assert look.said == []
        assert look.width() <= _browser.PHONE


def test_every_published_set_has_a_page() -> None:
    sets = {f"docs/results/{path.parent.name}/README.md" for path in (DOCS / "results").glob("*/plan.json.xz")}
    assert sets <= set(links.PAGES)
    assert {str(Path(page).relative_to("docs").with_suffix(".html")) for page in links.PAGES.values()} <= set(PAGES)


def _path(address: str) -> Path:
    return Path(urllib.parse.unquote(urllib.parse.urlsplit(address).path))
