import dataclasses
import json
import math
import re
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from filelock import FileLock

from wassdp.accounting.event import decode
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.cli import main
from wassdp.experiment import Findings
from wassdp.experiments import KINDS
from wassdp.pipeline import execute as pipeline
from wassdp.pipeline import plan
from wassdp.pipeline.resume import FINISHED
from wassdp.result import curve, load_outcome
from wassdp.runs import identify, validate_parameters


def first(planned, results):
    run = planned.runs[0]
    return run, results / "runs" / run.run / "outcome.json"


def same(one, other):
    """Alike but for where they come from, which the digest covers."""
    left, right = (outcome.model_dump(exclude={"provenance", "digest"}) for outcome in (one, other))
    return left == right


def test_an_outcome_says_all_about_its_run(planned, results):
    run, path = first(planned, results)
    outcome = load_outcome(path)
    assert outcome.run == run.run == identify(run.spec)
    assert outcome.spec == json.loads(json.dumps(run.spec))
    assert isinstance(decode(outcome.event), MeasuredGradients)
    assert outcome.provenance.versions["numpy"]
    assert outcome.provenance.seconds > 0
    assert outcome.provenance.peak_memory_mib > 1


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (torch.tensor(0.5), r"tensor\(0\.5000\)"),
        (torch.ones(3, 40), r"tensor\(\[\[1\., 1\., .*\.\.\."),
        (np.ones(2), r"array\(\[1\., 1\.\]\)"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ("0.5", "'0.5'"),
        (None, "None"),
    ],
)
def test_a_metric_that_is_no_finite_number_is_one_line(planned, results, tmp_path, monkeypatch, value, shown):
    run, _ = first(planned, results)
    findings = Findings(metrics={"fine": np.float32(0.5), "whole": 3, "accuracy": value})
    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.run", lambda *a, **k: findings)
    line = rf"^kind synthetic_gradients: metric accuracy = {shown}: must be a finite number, e\.g\. float\(\.\.\.\)$"
    with pytest.raises(ValueError, match=line):
        pipeline.execute(run.spec, tmp_path / "outcome.json")
    assert not (tmp_path / "outcome.json").exists()


def test_a_kind_that_returns_something_else_is_one_line(planned, results, tmp_path, monkeypatch):
    run, _ = first(planned, results)
    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.run", lambda *a, **k: {"accuracy": 0.5})
    with pytest.raises(
        ValueError, match=r"^kind synthetic_gradients: run = \{'accuracy': 0\.5\}: must return .*Findings$"
    ):
        pipeline.execute(run.spec, tmp_path / "outcome.json")


def test_a_run_to_be_released_keeps_what_its_kind_declares_alone():
    value = {
        "dataset": "digits",
        "model": {"name": "linear"},
        "optimiser": {"learning_rate": 1.0},
        "epochs": 1,
        "batch": 20,
        "privacy": {"clip_norm": 0.5, "noise_multiplier": 2.0, "delta": 1e-4},
    }
    kept, asked = (validate_parameters("classification", value | more) for more in ({}, {"release": True}))
    event = repeated(PoissonSampled(event=Gaussian(noise_multiplier=2.0, adjacency="add-remove"), rate=0.1), 5)
    findings = Findings(
        metrics={"accuracy": 0.5}, history=curve("predicted/3", "class", [0], [7.0]), event=event, delta=1e-4
    )
    findings.check("classification", asked)
    with pytest.raises(ValueError, match=r"^kind classification: event = None: must say what was released"):
        dataclasses.replace(findings, event=None).check("classification", kept)
    with pytest.raises(ValueError, match=r"^kind classification: delta = None: must be the delta at which"):
        dataclasses.replace(findings, delta=None).check("classification", kept)
    nameless = dataclasses.replace(findings, metrics={"exactness": 0.5})
    with pytest.raises(ValueError, match=r"^kind classification: headline = 'accuracy': .* returns \(exactness\)$"):
        nameless.check("classification", kept)
    # What reads private records is left out of a release, the headline of an adaptation for one.
    dataclasses.replace(findings, metrics={}).check("classification", asked)
    leaking = dataclasses.replace(findings, history=curve("train_loss", "epoch", [1], [0.1]))
    leaking.check("classification", kept)
    with pytest.raises(ValueError, match=r"^kind classification: release true keeps train_loss; leave it out"):
        leaking.check("classification", asked)


def test_the_same_specification_gives_the_same_outcome(planned, results, tmp_path):
    run, path = first(planned, results)
    assert same(pipeline.execute(run.spec, tmp_path / "outcome.json"), load_outcome(path))


def test_an_outcome_that_was_set_aside_is_taken_over(planned, results, tmp_path, monkeypatch):
    run, path = first(planned, results)
    shutil.copy(path, tmp_path / FINISHED)
    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.run", lambda *a, **k: pytest.fail("computed again"))
    outcome = pipeline.execute(run.spec, tmp_path / "outcome.json")
    assert outcome == load_outcome(path)
    assert not (tmp_path / FINISHED).exists()


def test_an_outcome_of_other_code_is_computed_again(planned, results, tmp_path):
    run, path = first(planned, results)
    stale = json.loads(path.read_text())
    stale["provenance"]["code"] = "0" * 16
    stale["metrics"]["threshold_mean"] = -1.0
    (tmp_path / FINISHED).write_text(json.dumps(stale))
    assert same(pipeline.execute(run.spec, tmp_path / "outcome.json"), load_outcome(path))


def test_a_job_waits_for_one_that_still_runs_and_takes_over(planned, results, tmp_path, monkeypatch):
    run, path = first(planned, results)
    out = tmp_path / "outcome.json"
    held = FileLock(tmp_path / ".lock")
    held.acquire()
    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.run", lambda *a, **k: pytest.fail("computed again"))
    found = []
    waiting = threading.Thread(target=lambda: found.append(pipeline.execute(run.spec, out)))
    waiting.start()
    time.sleep(0.5)
    assert not found
    shutil.copy(path, out)
    out.touch()
    held.release()
    waiting.join(30)
    assert found == [load_outcome(path)]


def test_a_failed_run_leaves_no_outcome(planned, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr("wassdp.experiments.synthetic_gradients.run", fail)
    with pytest.raises(RuntimeError, match="broken"):
        pipeline.execute(planned.runs[0].spec, tmp_path / "outcome.json")
    assert not (tmp_path / "outcome.json").exists()


def test_every_kind_belongs_to_one_rule():
    rules = Path(__file__).parents[2] / "workflow" / "rules" / "runs.smk"
    phases = re.findall(r'PLAN\["patterns"\]\["(\w+)"\]', rules.read_text())
    assert len(phases) == len(set(phases))
    assert {KINDS.load(kind).PHASE for kind in KINDS.names()} <= set(phases)


def test_what_a_run_loads_is_what_its_hash_covers(planned, tmp_path):
    """Every module of the package that a job loads is in the closure that its hash is made of."""
    import subprocess
    import sys

    from wassdp.code import closure

    run = planned.runs[0]
    program = (
        "import json, sys; from pathlib import Path; from wassdp.pipeline.execute import execute;"
        "execute(json.loads(sys.argv[1]), Path(sys.argv[2]));"
        "print(*(name for name in sys.modules if name.split('.')[0] == 'wassdp'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(run.spec), str(tmp_path / "outcome.json")],
        check=True,
        capture_output=True,
        text=True,
    )
    covered = closure(
        ["wassdp.pipeline.execute", f"wassdp.experiments.{run.kind}", "wassdp.data.sets.weibull_gradients"]
    )
    assert set(done.stdout.split()) <= covered


def test_a_plan_of_other_code_is_not_computed(planned, tmp_path, capsys):
    """Snakemake takes an outcome for one of the plan's code: it has seen no other."""
    run, path = planned.runs[0].run, tmp_path / "plan.json"
    job = planned.jobs[run]
    for code, ended in (("0" * 16, 2), (job.code, 0)):
        plan.write(path, planned.model_copy(update={"jobs": {run: job.model_copy(update={"code": code})}}))
        assert main(["run", run, "--plan", str(path), "--out", str(tmp_path / "run" / "outcome.json")]) == ended
        assert (tmp_path / "run" / "outcome.json").exists() == (ended == 0)
        told = f"run = {run!r}: the code is {job.code}, but {path} was made for {code}: it was edited since"
        assert (told in capsys.readouterr().err) == (ended == 2)
