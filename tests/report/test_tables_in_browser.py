"""The page of a table, as the report opens it: it fits a phone, asks for nothing, and everybody can use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import _browser
from wassdp.report import table_files

pytestmark = _browser.MARKS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [_browser.PHONE, _browser.DESKTOP])
def test_a_wide_table(width: int, scheme: str, browser: Any, tmp_path: Path) -> None:
    columns = {f"a column with a long name, {number}": [0.5, 12345.678] for number in range(12)}
    path = tmp_path / "table.html"
    path.write_text(table_files.html(pd.DataFrame({"method": ["one", "another"], **columns})))
    with _browser.opened(browser, path.as_uri(), width, scheme) as look:
        assert look.width() <= width
        assert look.page.evaluate("document.querySelector('main').scrollWidth") > width, "the table is wider"
        assert look.said == []
        assert look.asked == [path.as_uri()]
        assert _browser.violations(look) == []
