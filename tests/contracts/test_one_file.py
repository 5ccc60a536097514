"""A new thing is one file: it is written into a copy of the package, and works there by its name. No list is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "wassdp"


@dataclass(frozen=True)
class New:
    """One new file, what it holds, a script that uses it by its name, and what that prints last."""

    path: str
    text: str
    script: str
    printed: str


DATASET = New(
    "data/sets/coin.py",
    '''"""Tosses of a coin."""

import numpy as np

from wassdp.data.base import Dataset, Split, Splits

DATASET = Dataset(
    name="coin",
    title="Coin",
    task="image classification",
    origin="embedded",
    counts={"train": 3, "test": 1},
    shape=(2, 2),
    classes=2,
    maximum=1,
    licence="none needed",
    source="this test",
    citation="none",
)


def load(folder=None):
    tosses = [Split(inputs=np.zeros((n, 2, 2), np.uint8), labels=np.arange(n) % 2) for n in (3, 1)]
    return Splits(train=tosses[0], test=tosses[1], classes=("heads", "tails"))


def checksums():
    return {"tosses": "0"}
''',
    """
from wassdp import data
from wassdp.cli import main
from wassdp.experiments.classification import Parameters
main(["data", "list"])
options = {"model": {"name": "linear"}, "optimiser": {"learning_rate": 1.0}, "epochs": 1, "batch": 2, "privacy": None}
print(Parameters(dataset="coin", **options).datasets(), len(data.load("coin").train), data.checksums("coin"))
""",
    "('coin',) 3 {'tosses': '0'}",
)

MODEL = New(
    "models/constant.py",
    '''"""Logits that no input changes."""

import torch
from torch import nn

from wassdp.models import Architecture


class Constant(Architecture):
    """The same logits for every input."""

    value: float = 0.0

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        layer = nn.Linear(input_shape[0], classes)
        nn.init.constant_(layer.bias, self.value)
        return layer
''',
    """
from wassdp.experiments.classification import Parameters
options = {"dataset": "digits", "optimiser": {"learning_rate": 1.0}, "epochs": 1, "batch": 2, "privacy": None}
model = Parameters(model={"name": "constant", "options": {"value": 2.0}}, **options).model
print(model.name, model.architecture.build((3,), 2).bias.tolist())
""",
    "constant [2.0, 2.0]",
)

STATEMENT = New(
    "claims/verdicts/coins_are_fair.py",
    '''"""A coin shows heads in half of all tosses."""

from wassdp.claims.inequality import Inequality

CLAIM = Inequality(
    paper="coins",
    item="Coins 1",
    place="Section 1",
    statement="at most half are heads",
    draw=lambda generator: "three of four",
    ratio=lambda case: 1.5,
    verified=lambda case: 3 / 4 / 0.5,
    corrupted=lambda case: 1.0,
)
''',
    """
from pathlib import Path
from wassdp.pipeline.execute import execute
from wassdp.result import load_outcome
spec = {"kind": "claim_check", "parameters": {"claim": "coins-are-fair", "tried": 3}, "seed": 0}
execute(spec, Path("outcome.json"))
found = load_outcome(Path("outcome.json"))
print(found.notes["verdict"], dict(sorted(found.metrics.items())))
""",
    "refuted {'claim_holds': 0.0, 'claim_ratio': 1.5, 'claim_tried': 3.0}",
)

PRINTED = New(
    "claims/printed/coins_table_1.py",
    '''"""Table 1 on coins."""

from wassdp.claims.record import PrintedValue

RECORDS = (PrintedValue(paper="coins", where="Table 1", row="digits", column="heads", printed=50, unit="percent"),)
''',
    """
from wassdp import claims
print("coins-table-1" in claims.PRINTED.names(), claims.load("coins-table-1")[0].printed)
""",
    "True 50",
)

KIND = New(
    "experiments/toss.py",
    '''"""Tosses of a coin."""

from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import experiment

PHASE = "generate"


class Parameters(experiment.Parameters):
    """How often a coin is tossed."""

    tosses: Annotated[int, Field(ge=1)]


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Share of heads."""
    heads = np.random.default_rng(seed).integers(2, size=parameters.tosses)
    return experiment.Findings(metrics={"tosses": float(len(heads)), "heads": float(heads.mean())})
''',
    """
import json
from pathlib import Path
from wassdp.cli import main
from wassdp.pipeline import plan
from wassdp.pipeline.execute import execute
from wassdp.result import load_outcome
experiment = {"name": "coins", "paper": "coins", "kind": "toss", "grid": {"tosses": [2, 4]}}
Path("coins.yaml").write_text(json.dumps({"preset": "coins", "experiments": [experiment]}))
assert main(["plan", "--config", "coins.yaml", "--strict", "--out", "plan.json"]) == 0
last = plan.read(Path("plan.json")).runs[-1]
execute(last.spec, Path("outcome.json"))
print(last.name, "gave", load_outcome(Path("outcome.json")).metrics["tosses"])
""",
    "coins tosses=4 seed=0 gave 4.0",
)


SPECIMEN = New(
    "audit/zoo/coin_shown.py",
    '''"""A coin that is shown."""

import torch

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD


class CoinShown(Steps):
    """A record, and whether it is there."""

    fault = "shows the coin"
    source = "this test"
    neighbours = "a coin, or none"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.0, rate=1.0, records=1)

    def released(self, *, present, trials, generator):
        coins = torch.full((trials, 1), float(present), dtype=torch.float64)
        return coins if self.wrong else self.noisy(coins, generator=generator)
''',
    """
from wassdp.audit import keeper, zoo
print("coin_shown" in zoo.SPECIMENS.names(), keeper.examine("coin_shown").told_apart)
""",
    "True True",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, which this file's tests share."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "wassdp", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(params=[DATASET, MODEL, STATEMENT, PRINTED, KIND, SPECIMEN], ids=lambda new: new.path)
def new(request: pytest.FixtureRequest, copy: Path) -> Iterator[New]:
    """The copy with one more file."""
    path = copy / "wassdp" / request.param.path
    assert not path.exists()
    path.write_text(request.param.text)
    yield request.param
    path.unlink()


def test_a_new_thing_is_one_file(new: New, copy: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", new.script],
        env=os.environ | {"PYTHONPATH": str(copy)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == new.printed
