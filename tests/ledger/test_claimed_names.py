"""Names of settings in the picture of claimed, attacked and proven budgets: whole, in words, and said once."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from wassdp.ledger import claimed
from wassdp.report import style

SETS = sorted((Path(__file__).parents[2] / "docs" / "results").glob("*/ledger.csv.xz"))


def test_what_all_settings_share_stands_in_the_title() -> None:
    names = ["α = 0, statistical parity, ε = 1 by gdp", "α = 0.5, statistical parity, ε = 1 by gdp"]
    assert claimed.shared(names) == ["statistical parity"]
    assert claimed._own(names) == ["α = 0, ε = 1 by GDP", "α = 0.5, ε = 1 by GDP"]


def test_a_long_name_keeps_what_tells_it_from_the_others() -> None:
    said = "public labels, averages of 2×2, norm 0.707, orthogonal, low 12×12, all rows, released once"
    names = [f"DP-SWD, {said}, ε = {budget}" for budget in (1, 10)] + ["DP-MERF, ε = 1"]
    assert claimed._own(names) == ["DP-SWD, ε = 1", "DP-SWD, ε = 10", "DP-MERF, ε = 1"]


def test_a_long_name_that_another_adds_to_is_told_from_the_rest() -> None:
    said = "public labels, averages of 2×2, norm 0.707, orthogonal, low 12×12, all rows, released once"
    names = [f"DP-SWD, {said}{more}, ε = 10" for more in ("", ", canaries 1000")] + ["DP-MERF, ε = 10"]
    assert claimed._own(names) == ["DP-SWD", "DP-SWD, canaries 1000", "DP-MERF, ε = 10"]


def test_the_last_part_is_a_settings_own_and_so_is_a_panel_of_one() -> None:
    assert claimed.shared(["DP-SWD, ε = 1", "DP-SWD, ε = 1"]) == ["DP-SWD"]
    assert claimed.shared(["DP-SWD, ε = 1"]) == []


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.parent.name)
def test_no_published_setting_is_cut_or_called_as_another_of_its_panel(path: Path) -> None:
    data = claimed.table(pd.read_csv(path))
    for _, panel in data.groupby(["paper", "experiment"]):
        settings = list(dict.fromkeys(panel["setting"]))
        shown = claimed._own(settings)
        assert not any("[...]" in name for name in shown)
        assert len(set(shown)) == len(settings)


@pytest.mark.parametrize("letters", [20, 30, 60])
def test_an_equation_is_not_broken(letters: int) -> None:
    text = style.filled(r"add/remove one record, Poisson sampling, $\delta$ = $10^{-5}$", letters)
    assert not any(line.endswith("=") or line.startswith("=") for line in text.split("\n"))
