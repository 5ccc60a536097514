"""The workflow itself, run as a user runs it, on settings small enough for a test."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import _checkout
from _checkout import environment, write

SMALL = {
    "preset": "small",
    "experiments": [
        {
            "name": "composition",
            "paper": "wasserstein-dp",
            "kind": "synthetic_gradients",
            "parameters": {"steps": 3, "gradients": 4, "coordinates": 5, "clip": True},
            "grid": {"clip_quantile": [0.5, 0.75]},
            "seeds": [0, 1],
            "accountants": ["pld", "wasserstein"],
            "figures": [{"name": "figure-4", "kind": "composition", "options": {"clip": True}}],
        },
        {
            "name": "tail",
            "paper": "wasserstein-dp",
            "kind": "tail_bound",
            "figures": [{"name": "figure-3", "kind": "tail_bound"}],
        },
    ],
}
SMALL["experiments"][0]["figures"][0]["options"]["published"] = {"WDP": "wasserstein"}

pytestmark = pytest.mark.workflow


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the workflow needs, with the small configuration."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    _checkout.copy(folder, SMALL)
    return folder


def command(*arguments):
    return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]


def snakemake(folder, *arguments, check=True):
    done = subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, env=environment())
    if check and done.returncode:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def planned(folder, *arguments):
    """Rule name to number of jobs that a dry run announces."""
    text = snakemake(folder, "--dry-run", *arguments)
    rows = re.findall(r"^([a-z_]+) +(\d+)$", text.stdout + text.stderr, flags=re.MULTILINE)
    return {name: int(count) for name, count in rows if name != "total"}


def contents(folder):
    """Everything that a run may not change: results without provenance, figures and their data."""
    found = {}
    for path in sorted((folder / "results" / "runs").glob("*/result.json")):
        result = json.loads(path.read_text())
        for key in ("provenance", "digest", "outcome"):  # the digests cover where a result comes from
            del result[key]
        found[path.parent.name] = result
    for path in sorted((folder / "results" / "figures").rglob("*.*")):
        found[str(path.relative_to(folder))] = path.read_bytes()
    found["ledger"] = (folder / "results" / "ledger.md").read_text()
    return found


@pytest.mark.slow
def test_the_small_set_end_to_end_and_again(checkout):
    done = snakemake(checkout)
    results = checkout / "results"
    for name in (
        "report.html",
        "ledger.md",
        "ledger.csv",
        "ledger.json",
        "runs.csv",
        "history.csv",
        "pictures.csv",
        "mlflow.db",
    ):
        assert (results / name).stat().st_size > 0, name
    for suffix in ("svg", "png", "csv"):
        assert (results / "figures" / "wasserstein-dp" / f"figure-4.{suffix}").stat().st_size > 0
    lines = [line for line in done.stdout.splitlines() if " | composition " in line]
    assert len(lines) == 4, "one line per finished run"
    assert all("ε upper/pld" in line and "ε published/wasserstein" in line and "δ 1e-05" in line for line in lines)
    assert "results/report.html" in done.stdout

    assert planned(checkout) == {}, "nothing is left to do"

    more = json.loads(json.dumps(SMALL))
    more["experiments"][0]["grid"]["clip_quantile"].append(0.99)
    write(checkout, more)
    jobs = planned(checkout)
    assert (jobs["generate"], jobs["account"]) == (2, 2), "only the new runs"

    write(checkout, SMALL)
    source = checkout / "src" / "wassdp" / "experiments" / "tail_bound.py"
    text = source.read_text()
    source.write_text(text + "\n# a remark\n")
    assert planned(checkout) == {}, "a comment changes nothing"
    source.write_text(text + "\nEXTRA = 1\n")
    jobs = planned(checkout)
    assert (jobs["generate"], jobs["account"]) == (1, 1), "only the run that uses the edited file"


@pytest.mark.slow
def test_killed_three_times_it_ends_as_if_undisturbed(checkout, tmp_path):
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(checkout, undisturbed)
    snakemake(undisturbed)

    moments, alive = random.Random(7), 0
    for _ in range(3):
        with subprocess.Popen(
            command(), cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        ) as pipeline:
            time.sleep(moments.uniform(4, 9))
            alive += pipeline.poll() is None
            pipeline.send_signal(signal.SIGKILL)
    assert alive, "the pipeline was over before it could be killed"
    snakemake(checkout)
    assert contents(checkout) == contents(undisturbed)
    assert planned(checkout) == {}

    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{checkout / 'results' / 'mlflow.db'}")
    experiments = [item.experiment_id for item in client.search_experiments()]
    tags = [run.data.tags["wassdp.run"] for run in client.search_runs(experiments)]
    plan = json.loads((checkout / "results" / "plan.json").read_text())
    assert sorted(tags) == sorted({run["run"] for run in plan["runs"]})


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda c: c["experiments"][0].update(gird={}), "experiments.composition.gird = {}: unknown key"),
        (lambda c: c["experiments"][0]["parameters"].update(detla=1), "parameters.detla = 1: unknown key; allowed"),
        (lambda c: c["experiments"][0]["parameters"].update(noise_multiplier=-1), "noise_multiplier = -1"),
        (lambda c: c["experiments"][0]["parameters"].update(noise_multiplier=float("nan")), "noise_multiplier = nan"),
        (lambda c: c["experiments"][0]["parameters"].update(delta=1.5), "delta = 1.5"),
        (lambda c: c["experiments"][0]["accountants"].append("pldd"), "accountant = 'pldd': must be one of"),
        (lambda c: c["experiments"][0]["accountants"].append("gdp"), "accountants = 'gdp': does not support"),
        (lambda c: c["experiments"][0]["grid"].update(clip_quantile=[]), "grid.clip_quantile = []: must have at least"),
        (
            lambda c: c["experiments"][0]["figures"][0]["options"].update(companyon=True),
            "experiments.composition.figures.figure-4.options.companyon = True: unknown key; allowed",
        ),
    ],
)
def test_bad_input_is_one_line_before_any_work(checkout, edit, line):
    value = json.loads(json.dumps(SMALL))
    edit(value)
    write(checkout, value)
    done = snakemake(checkout, check=False)
    assert done.returncode == 2
    (message,) = [found for found in done.stderr.splitlines() if found.startswith("wassdp: ")]
    assert line in message
    assert not (checkout / "results").exists()


def test_reading_the_workflow_imports_no_torch(checkout):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "snakemake", "--dry-run", "--cores", "1"],
        cwd=checkout,
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    imported = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "wassdp.runs" in imported
    assert not imported & {"torch", "torchvision", "mlflow", "opacus", "matplotlib", "seaborn"}


def test_excluded_combinations_are_printed_with_their_reason(checkout):
    value = json.loads(json.dumps(SMALL))
    value["experiments"][1] = {
        "name": "orders",
        "paper": "wasserstein-dp",
        "kind": "mechanism_orders",
        "parameters": {"mechanism": "laplace", "scale": 1.0, "largest_order": 5.0},
        "grid": {"least_order": [1.0, 6.0]},
    }
    write(checkout, value)
    assert "excluded: orders least_order=6: " in snakemake(checkout, "--dry-run").stderr
