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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class Finished:
    """The small set, made once in ``folder``, which a database names; what was said; and a copy to begin again from."""

    folder: Path
    kept: Path
    said: str
    contents: dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The small set, when nobody disturbs it."""
    folder, kept = (tmp_path_factory.mktemp("made") / name for name in ("checkout", "kept"))
    folder.mkdir()
    _checkout.copy(folder, SMALL)
    said = snakemake(folder).stdout
    shutil.copytree(folder, kept, symlinks=True)
    return Finished(folder, kept, said, contents(folder))


@pytest.fixture
def finished(made):
    """A checkout in which the small set has been made: the same one for each test, as it was then."""
    shutil.rmtree(made.folder)
    shutil.copytree(made.kept, made.folder, symlinks=True)
    return made.folder


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
def test_the_small_set_end_to_end_and_again(made, finished):
    checkout, results = finished, finished / "results"
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
    lines = [line for line in made.said.splitlines() if " | composition: " in line]
    assert len(lines) == 4, "one line per finished run"
    assert all("ε upper/pld" in line and "ε published/wasserstein" in line and "δ 1e-05" in line for line in lines)
    assert "results/report.html" in made.said

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

    # Another accountant after Snakemake lost its memory of how results were made.
    source.write_text(text)
    shutil.rmtree(checkout / ".snakemake")
    more = json.loads(json.dumps(SMALL))
    more["experiments"][0]["accountants"].append("bayesian")
    write(checkout, more)
    before = {path: path.read_bytes() for path in results.glob("runs/*/outcome.json")}
    budgets = [path for path in results.glob("runs/*/result.json") if json.loads(path.read_text())["guarantees"]]
    done = snakemake(checkout, *(str(path.relative_to(checkout)) for path in budgets))
    assert "has no budget by bayesian, which is asked for now (and 3 more results lack one)" in done.stderr
    for path in budgets:
        names = [budget["accountant"] for budget in json.loads(path.read_text())["guarantees"]]
        assert names == ["pld", "wasserstein", "bayesian", "noise_scale_family"]
    assert {path: path.read_bytes() for path in results.glob("runs/*/outcome.json")} == before, "only accounting"


@pytest.mark.slow
def test_killed_three_times_it_ends_as_if_undisturbed(checkout, made):
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
    assert contents(checkout) == made.contents
    assert planned(checkout) == {}

    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{checkout / 'results' / 'mlflow.db'}")
    experiments = [item.experiment_id for item in client.search_experiments()]
    tags = [run.data.tags["wassdp.run"] for run in client.search_runs(experiments)]
    plan = json.loads((checkout / "results" / "plan.json").read_text())
    figures = [tag for tag in tags if tag.startswith("figures/")]
    assert sorted(figures) == ["figures/wasserstein-dp/composition", "figures/wasserstein-dp/tail"]
    assert sorted({*tags} - {*figures}) == sorted({run["run"] for run in plan["runs"]})
    assert len(tags) == len({*tags})


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda c: c["experiments"][0].update(gird={}), "experiments.composition.gird = {}: unknown key"),
        (
            lambda c: c["experiments"][0]["parameters"].update(detla=1),
            "parameters.detla = 1: unknown key (did you mean delta?); allowed",
        ),
        (lambda c: c["experiments"][0]["parameters"].update(noise_multiplier=-1), "noise_multiplier = -1"),
        (lambda c: c["experiments"][0]["parameters"].update(noise_multiplier=float("nan")), "noise_multiplier = nan"),
        (lambda c: c["experiments"][0]["parameters"].update(delta=1.5), "delta = 1.5"),
        (
            lambda c: c["experiments"][0]["accountants"].append("pldd"),
            "name = 'pldd': did you mean pld? must be one of",
        ),
        (lambda c: c["experiments"][0]["accountants"].append("gdp"), "accountants = 'gdp': does not support"),
        (lambda c: c["experiments"][0]["grid"].update(clip_quantile=[]), "grid.clip_quantile = []: must have at least"),
        (
            lambda c: c["experiments"][0]["figures"][0]["options"].update(companyon=True),
            "composition.figures.figure-4.options.companyon = True: unknown key (did you mean companion?); allowed",
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


@pytest.mark.slow
def test_what_is_missing_or_damaged_is_made_again_and_a_failure_says_why(made, finished):
    checkout, results, before = finished, finished / "results", made.contents
    gone, cut, edited, _ = sorted(
        path.parent for path in results.glob("runs/*/result.json") if json.loads(path.read_text())["guarantees"]
    )
    shutil.rmtree(gone)
    whole = (cut / "result.json").read_bytes()
    (cut / "result.json").write_bytes(whole[: len(whole) // 2])
    value = json.loads((edited / "result.json").read_text())
    next(each for each in value["guarantees"] if each["bounded"])["epsilon"] = 0.01
    (edited / "result.json").write_text(json.dumps(value, indent=1) + "\n")
    for name in ("ledger.json", "history.csv", "figures/wasserstein-dp/figure-3.csv", "tracked.json"):
        (results / name).unlink()
    dry = snakemake(checkout, "--dry-run")
    assert (edited / "result.json").exists(), "a dry run leaves everything where it is"

    # The job of the run that is gone fails first: quiet profiles hide Snakemake's own account of it.
    source = checkout / "src" / "wassdp" / "experiments" / "synthetic_gradients.py"
    text = source.read_text()
    source.write_text(
        re.sub(r'(\ndef run\(.*?""".*?""")', r'\1\n    raise ValueError("the well is dry")', text, flags=re.S)
    )
    for profile in ("local", "slurm"):
        done = snakemake(
            *(checkout, f"results/runs/{gone.name}/outcome.json", "--executor", "local", "--retries", "0"),
            *("--workflow-profile", f"workflow/profiles/{profile}"),
            check=False,
        )
        assert done.returncode == 1
        log = f"results/runs/{gone.name}/run.log"
        assert f"{log}:\n    wassdp run: the well is dry\n" in done.stderr
        assert "wassdp: rule generate failed (composition: clipped, C the " in done.stderr
        assert done.stderr.rstrip().count(log) > 1, "named again at the end"

    source.write_text(text)
    done = snakemake(checkout)
    told = [line for line in dry.stderr.splitlines() if line.startswith("wassdp: ")]
    assert len(told) == 2, told
    assert any(f"{cut.name}/result.json: is not a result" in line for line in told)
    assert any(f"{edited.name}/result.json: was changed after it was written" in line for line in told), told
    assert contents(checkout) == before
    assert all((results / name).exists() for name in ("ledger.json", "history.csv", "tracked.json"))
    assert planned(checkout) == {}


@pytest.mark.slow
def test_who_edits_a_dataset_gets_its_manifest_and_all_that_reads_it_in_one_go(checkout):
    """Snakemake asks no job below one that runs through a file marked `ancient`, wanted or not."""
    privacy = {"clip_norm": 0.5, "noise_multiplier": 2, "delta": 1e-5}
    model = {"dataset": "digits", "model": {"name": "linear"}, "optimiser": {"learning_rate": 1}, "batch": 512}
    training = {
        "name": "training",
        "paper": "wasserstein-dp",
        "kind": "classification",
        "parameters": model | {"epochs": 1, "privacy": privacy},
        "seeds": [0, 1],
        "accountants": ["pld"],
    }
    write(checkout, {"preset": "digits", "experiments": [training]})
    snakemake(checkout)
    assert planned(checkout) == {}
    lost, _ = sorted((checkout / "results" / "runs").glob("*/result.json"))

    package = checkout / "src" / "wassdp"
    with (package / "cli" / "verbs" / "data.py").open("a") as verb:
        verb.write("\nEXTRA = 1\n")
    assert planned(checkout) == {}, "no words of a command are worth a training"

    with (package / "data" / "sets" / "digits.py").open("a") as dataset:
        dataset.write("\nEXTRA = 1\n")
    jobs = planned(checkout)
    assert (jobs["dataset"], jobs["train"], jobs["account"], jobs["collect"]) == (1, 2, 2, 1)
    shutil.rmtree(lost.parent)
    snakemake(checkout, str(lost.relative_to(checkout)))
    assert lost.exists(), "what was asked for, in the call that asked"


def imported_by_snakemake(folder, *arguments, **environment_too):
    """Modules that Snakemake's process loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "snakemake", *arguments, "--cores", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment() | environment_too,
        check=True,
    )
    return {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_the_main_process_loads_what_begins_and_a_job_nothing_of_ours(checkout):
    imported = imported_by_snakemake(checkout, "--dry-run")
    ours = {name.removeprefix("wassdp.pipeline.") for name in imported if name.startswith("wassdp.pipeline.")}
    begins = {"durations", "failures", "forks", "handover", "locks", "progress", "readings", "resume", "room", "start"}
    assert ours == begins
    assert not imported & {"torch", "torchvision", "mlflow", "opacus", "seaborn"}
    assert not (checkout / "results").exists(), "a dry run plans elsewhere"

    subprocess.run(
        [sys.executable, "-m", "wassdp", "plan", "--out", "results/plan.json"],
        cwd=checkout,
        env=environment() | {"PYTHONPATH": "src"},
        check=True,
    )
    job = imported_by_snakemake(checkout, "--dry-run", WASSDP_PLANNED="1")
    assert not {name for name in job if name.split(".")[0] == "wassdp"}


@pytest.mark.slow
def test_rules_and_captions_belong_to_the_report(finished):
    assert planned(finished) == {}
    text = finished / "workflow" / "report" / "ledger.rst"
    text.write_text(text.read_text() + "\nMore.\n")
    assert planned(finished).keys() == {"report", "default"}


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
    assert "excluded: orders: Laplace, scale 1, least order 6: " in snakemake(checkout, "--dry-run").stderr


@pytest.mark.slow
def test_a_folder_without_the_default_configuration_gets_its_report_and_no_file_is_named_that_is_not_there(
    checkout, tmp_path
):
    folder = tmp_path / "else where"
    folder.mkdir()
    (checkout / "config.yaml").rename(folder / "it's mine.yaml")
    write(folder, SMALL | {"experiments": SMALL["experiments"][1:]})
    (folder / "config.yaml").rename(folder / "it's mine.yaml")
    words = ["--snakefile", str(checkout / "Snakefile"), "--config", "it's mine.yaml", "--cores", "2"]

    def pipeline(*targets):
        done = subprocess.run(
            [sys.executable, "-m", "wassdp", "pipeline", *words, *(["--", *targets] if targets else [])],
            cwd=folder,
            capture_output=True,
            text=True,
            env=environment() | {"PYTHONPATH": str(checkout / "src")},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = pipeline("results/runs.csv")
    assert "results/report.html" not in said
    assert "results/ledger.md" not in said
    said = pipeline()
    for line in ("results/report.html   every figure", "results/ledger.md     every budget", "make ui  "):
        assert line in said
    assert (folder / "results" / "report.html").is_file()
