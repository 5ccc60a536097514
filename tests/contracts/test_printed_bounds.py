"""Wherever a proven budget is shown, it is no smaller than what was proven: 1.01927 never reads as 1.019."""

import ast
import re
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter

import wassdp
from wassdp.accounting import comparison
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.guarantee import Guarantee
from wassdp.cli import main
from wassdp.ledger import files as ledger_files
from wassdp.pipeline import collect
from wassdp.report import frames, table_files
from wassdp.report.figures import (
    FIGURES,
    accuracy_over_epochs,
    accuracy_over_epsilon,
    adaptation_over_epsilon,
    budget_over_epochs,
    generated_samples,
)
from wassdp.report.kinds import Figure, Table
from wassdp.report.tables import TABLES, adaptation, generation, lowest_budget
from wassdp.result import curve
from wassdp.tracking import content

PROVEN = 1.01927
SMALLER = 1.01  # the other seed's
ROOT = Path(wassdp.__file__).parent
SHOWN = ("report", "cli", "tracking", "publish")
BUDGETS = re.compile(r"epsilon|budget|delta\b|\bproven\b|attack", re.IGNORECASE)

mpl.use("agg")


def numbers(text):
    """All decimal numbers of a text, but for those of an exponent."""
    return [float(found) for found in re.findall(r"(?<![\w.])\d+\.\d+(?![\d])", text)]


def never_smaller(text):
    """Nothing in a text is a rounding of the budget that lies below it."""
    return not [value for value in numbers(text) if SMALLER < value < PROVEN]


def texts(figure):
    """All texts of a figure, but for marks that Matplotlib chose along an axis: those are places, no budgets."""
    figure.canvas.draw()
    marks = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        if not isinstance(axis.get_major_formatter(), FixedFormatter)
        for label in axis.get_ticklabels(which="both")
    }
    return [artist.get_text() for artist in figure.findobj(Text) if artist not in marks]


def kind(plugins, module, base):
    """The class that a file of figures or tables offers."""
    return plugins.choice(module.__name__.rpartition(".")[2], base)


def runs(**more):
    rows = []
    for seed, epsilon in enumerate((SMALLER, PROVEN, SMALLER)):
        rows.append(
            {
                "run": f"{seed:012x}",
                "experiment": "e",
                "kind": "classification",
                "seed": seed,
                "parameters.dataset": "mnist",
                "parameters.model.name": "linear",
                "accuracy": 0.97,
                "delta": 1e-5,
                "delta_times_records": 0.6,
                "label": "a setting",
                "problem": "",
                "method": "a method",
                "privacy": "ε ≤ 1.02",
                "epsilon/upper/pld": epsilon,
                "delta/upper/pld": 1e-5,
                "adjacency/upper/pld": "add-remove",
                "sampling/upper/pld": "poisson",
                "assumptions/upper/pld": "",
            }
            | more
        )
    return pd.DataFrame(rows)


HISTORY = pd.DataFrame(
    [
        (f"{seed:012x}", metric, "epoch", epoch, value)
        for seed, epsilon in enumerate((SMALLER, PROVEN, SMALLER))
        for metric, value in (("accuracy", 0.9), ("epsilon/upper/pld", epsilon))
        for epoch in (1.0, 2.0)
    ],
    columns=["run", "metric", "axis", "position", "value"],
)
ADAPTED = {
    "parameters.task.name": "digits",
    "parameters.task.source": "usps",
    "parameters.task.target": "mnist",
    "parameters.method.name": "dp_swd",
    "parameters.method.epsilon": 1.02,
    "parameters.epochs": 9,
    "sigma": 1.0,
}
GENERATED = {
    "steps": 10.0,
    "parameters.method.name": "mean_embedding",
    "accuracy_mlp": 0.9,
    "accuracy_logistic": 0.9,
}


@pytest.mark.parametrize(
    ("module", "more", "options"),
    [
        (accuracy_over_epsilon, {}, {"published": "wasserstein-dp-table-2", "target": True}),
        (accuracy_over_epsilon, {}, {}),
        (accuracy_over_epochs, {}, {}),
        (budget_over_epochs, {}, {}),
        (adaptation_over_epsilon, ADAPTED, {}),
    ],
)
def test_figures(module, more, options):
    figure, data = kind(FIGURES, module, Figure).model_validate(options).draw(runs(**more), HISTORY)
    shown = texts(figure)
    assert all(never_smaller(text) for text in shown), shown
    budgets = data.loc[data["epsilon"].notna(), "epsilon"]
    own = budgets[budgets.between(SMALLER, 1.1)]
    assert not own.empty, "the data of the figure hold the budget"
    assert (own >= PROVEN).all(), "the largest of the seeds"


@pytest.mark.parametrize(
    ("module", "more", "column"),
    [
        (lowest_budget, {}, "lowest proven ε here"),
        (adaptation, ADAPTED, "proven ε"),
        (generation, GENERATED, "ε proven"),
    ],
)
def test_tables(module, more, column):
    table = kind(TABLES, module, Table).model_validate({}).build(runs(**more), HISTORY)
    for text in (table_files.markdown(table), table_files.latex(table)):
        assert "1.02" in text
        assert never_smaller(text)
        assert "above 0.1" in text, "delta times the number of records is marked where it is large"
    values = [value for value in table[column] if isinstance(value, float) and value == value]
    assert values
    assert min(values) >= PROVEN


def test_generated_samples_say_it_in_their_titles(monkeypatch):
    monkeypatch.setattr(generated_samples.pictures, "unpack", lambda text: pd.DataFrame([[0, 1], [1, 0]]).to_numpy())
    shown = kind(FIGURES, generated_samples, Figure).model_validate({})
    figure, _ = shown.draw(runs(**GENERATED, **{"picture/samples": "x"}).iloc[1:2], HISTORY)
    shown = texts(figure)
    assert any("1.02" in text for text in shown)
    assert all(never_smaller(text) for text in shown)


def test_ledger_tracking_and_command_line(tree, tmp_path, capsys, monkeypatch):
    row = tree.planned(2.0, 0)
    result = tree.result(row).model_copy(
        update={
            "guarantees": (tree.guarantee("upper", "pld", PROVEN),),
            "history": curve("accuracy", "epoch", [1, 2], [0.5, 0.6]),
        }
    )
    plan = tree.make(tmp_path / "results", sigmas=(2.0,), seeds=(0,))
    ledger_files.write(tmp_path, plan, {row.run: result})
    assert "| 1.02 |" in (tmp_path / "ledger.md").read_text()
    assert "ε ≤ 1.02 at" in (tmp_path / "ledger.csv").read_text()
    assert never_smaller((tmp_path / "ledger.md").read_text())

    tracked = content.finished([row], result, b"", None, "quick", content.Shown("training", "accuracy"))
    assert "epsilon = 1.01927 at" in tracked.tags["guarantee/upper/pld"]
    assert [item.value for item in tracked.measurements if item.key == "epsilon/upper/pld"] == [PROVEN]

    guarantee = Guarantee(
        accountant="pld",
        kind="upper",
        epsilon=PROVEN + 1e-9,
        bounded=True,
        delta=1e-5,
        adjacency="add-remove",
        sampling="full",
        source="s",
    )
    event = Gaussian(noise_multiplier=1.0, adjacency="add-remove")
    shown = str(comparison.Comparison(event, 1e-5, (guarantee,), (0.0,)))
    assert "1.01928" in shown

    frame = collect.run_frame(plan, {row.run: result})
    collect.write_csv(tmp_path / "runs.csv", frame)
    collect.write_csv(tmp_path / "history.csv", collect.history_frame({row.run: result}))
    read, _ = frames.of_experiment(tmp_path / "runs.csv", tmp_path / "history.csv", "training")
    assert read["epsilon/upper/pld"].tolist() == [PROVEN], "tables of runs keep every digit"


def test_a_calibrated_noise_keeps_its_budget_as_it_is_printed(capsys):
    release = ["gaussian", "--delta", "1e-5", "--adjacency", "add-remove"]
    assert main(["calibrate", *release, "--epsilon", "1"]) == 0
    printed = re.search(r"noise multiplier = (\S+)", capsys.readouterr().out).group(1)
    assert main(["calibrate", *release, "--epsilon", "1", "--json"]) == 0
    exact = float(re.search(r'"found": \{\s*"noise_multiplier": ([\d.]+)', capsys.readouterr().out).group(1))
    assert float(printed) >= exact


def test_no_text_formats_a_budget_by_itself():
    """What shows budgets leaves their rounding to one function: no format of their own, and none of delta."""
    found = []
    for path in sorted(file for part in SHOWN for file in (ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                spec = "".join(part.value for part in node.format_spec.values if isinstance(part, ast.Constant))
                if re.search(r"[gfe]$", spec) and BUDGETS.search(ast.unparse(node.value)):
                    found.append(f"{path.relative_to(ROOT)}: {ast.unparse(node.value)}:{spec}")
    assert found == [], "use wassdp.accounting.rounding"
