from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pandas as pd
import pytest

from wassdp import config
from wassdp.report.kinds import Table

ROOT = Path(__file__).parents[2]


class Rows(Table):
    caption: ClassVar[str] = "Accuracies above {{ leest }}."
    least: float = 0.5

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        return runs


def test_a_caption_that_names_no_option_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"caption of .*: 'leest' is undefined; its options are least") as caught:
        Rows().captioned()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("preset", ["config.yaml", "workflow/presets/paper.yaml"])
def test_every_output_that_a_preset_asks_for_has_a_whole_caption(preset: str) -> None:
    captions = [
        config.output(section, choice).captioned()
        for experiment in config.read(ROOT / preset).experiments
        for section, choices in (("figures", experiment.figures), ("tables", experiment.tables))
        for choice in choices
    ]
    assert len(captions) > 20
    assert all(captions)
