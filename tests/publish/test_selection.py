"""By what settings were chosen, as published, is what the presets record."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from wassdp.config import read
from wassdp.pipeline import plan
from wassdp.selection import STATED

ROOT = Path(__file__).parents[2]
SETS = sorted(file.parent for file in (ROOT / "docs" / "results").glob("*/provenance.json"))
PRESETS = ROOT / "workflow" / "presets"
FROZEN = {each.name: each for file in sorted(PRESETS.glob("*/frozen.yaml")) for each in read(file).experiments}
PRESET = {each.name: each for each in read(PRESETS / "paper.yaml").experiments} | FROZEN


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.name)
def test_every_experiment_says_by_what_its_settings_were_chosen(folder: Path) -> None:
    published = {each.name: each for each in plan.read(plan.find(folder)).experiments}
    runs = pd.read_csv(folder / "runs.csv.xz", low_memory=False)
    told = {name: set(some.fillna("none")) for name, some in runs.groupby("experiment")["selection"]}
    for name, own in published.items():
        assert told[name] == {"not recorded" if own.selection is None else own.selection}
        like = [each for each in PRESET if name == each or name.startswith(f"{each}-")]
        if like:
            preset = PRESET[max(like, key=len)]
            search = None if own.search is None else own.search.removesuffix(f"; {STATED}")  # sets of today say so
            assert (own.selection, search) == (preset.selection, preset.search), name


def test_the_preset_has_most_of_what_is_published() -> None:
    names = {each.name for folder in SETS for each in plan.read(plan.find(folder)).experiments}
    assert len(names & set(PRESET)) > 60
