"""A new figure and a new table are one file each, caption included: nothing else is told of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import wassdp

FIGURE = '''
"""Accuracies as dots."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd
from pydantic import Field

from wassdp.report import style
from wassdp.report.kinds import Drawing, Figure


class Dots(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = "Accuracies above {{ least }}."
    least: float = Field(default=0.0, description="lower end")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One dot a setting."""
        with style.context():
            figure, (axis,) = style.panels(1, 1)
            axis.plot(runs["label"], runs["accuracy"], "o")
            axis.set_ylim(bottom=self.least)
        return figure, runs[["label", "accuracy", "adjacency/upper/pld"]]
'''
TABLE = '''
"""Accuracies of settings."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.report.kinds import Table


class Accuracies(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = "Accuracies."

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row a setting."""
        return runs[["label", "accuracy"]]
'''
CONFIG = """
preset: trial
experiments:
  - name: trial
    paper: own
    kind: tail_bound
    figures:
      - {name: shown, kind: dots, options: {least: 0.25}}
    tables:
      - {name: listed, kind: accuracies}
"""
CAPTION = """
from pathlib import Path
from wassdp import config

(experiment,) = config.read(Path("config.yaml")).experiments
config.construct(config.read(Path("config.yaml")))
print(config.output("figures", experiment.figures[0]).captioned())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the two new files, and tables of runs beside it."""
    folder = tmp_path_factory.mktemp("checkout")
    package = folder / "src" / "wassdp"
    shutil.copytree(Path(wassdp.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "report" / "figures" / "dots.py").write_text(FIGURE.lstrip())
    (package / "report" / "tables" / "accuracies.py").write_text(TABLE.lstrip())
    (folder / "config.yaml").write_text(CONFIG)
    row = {"run": "0" * 12, "experiment": "trial", "label": "SGD, ε = 1", "accuracy": 0.5, "delta": 1e-5}
    pd.DataFrame([row | {"adjacency/upper/pld": "replace-one"}]).to_csv(folder / "runs.csv", index=False)
    pd.DataFrame(columns=["run", "metric", "axis", "position", "value"]).to_csv(folder / "history.csv", index=False)
    return folder


def python(folder: Path, *words: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("verb", "kind", "suffix", "options"),
    [("figure", "dots", "svg", '{"least": 0.25}'), ("table", "accuracies", "md", "{}")],
)
def test_one_file_is_enough(folder: Path, verb: str, kind: str, suffix: str, options: str) -> None:
    asked = ["--experiment", "trial", "--kind", kind, "--options", options, "--out", "made"]
    python(folder, "-m", "wassdp", verb, "--runs", "runs.csv", "--history", "history.csv", *asked)
    assert (folder / f"made.{suffix}").stat().st_size
    assert pd.read_csv(folder / "made.csv")["label"].tolist() == ["SGD, ε = 1"]


def test_a_configuration_may_name_it_and_its_caption_comes_with_it(folder: Path) -> None:
    assert python(folder, "-c", CAPTION) == "Accuracies above 0.25.\n"
