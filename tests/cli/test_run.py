"""The verbs that execute one run: what they say while it goes on."""

import json
import re
import subprocess
import sys

import pytest

from wassdp.cli import main
from wassdp.result import load_outcome
from wassdp.runs import identify, parse, specification

SPEC = {
    "kind": "adaptation",
    "parameters": {
        "task": {"name": "digits", "source": "digits", "target": "digits", "split": "test", "rotation": 25},
        "method": {"name": "source_only", "learning_rate": 0.002},
        "epochs": 2,
        "warm_up": 1,
        "batch": 128,
    },
    "seed": 0,
}


def test_a_training_says_where_it_is_on_standard_error_alone(tmp_path):
    out = tmp_path / "outcome.json"
    done = subprocess.run(
        [sys.executable, "-m", "wassdp", "train", "--spec", json.dumps(SPEC), "--out", str(out), "--device", "cpu"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == ""
    accuracy = {
        point["position"]: point["value"]
        for point in json.loads(out.read_text())["history"]
        if point["metric"] == "accuracy"
    }
    said = re.findall(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} epoch (\d+): accuracy ([\d.]+), ", done.stderr, re.M)
    assert [(float(epoch), value) for epoch, value in said] == [(at, f"{value:.4g}") for at, value in accuracy.items()]
    assert len(said) == 2


ORDERS = {"kind": "mechanism_orders", "parameters": {"mechanism": "laplace", "scale": 1}, "seed": 0}


def test_a_specification_without_defaults_is_computed_as_the_run_of_a_plan(tmp_path):
    out = tmp_path / "outcome.json"
    assert main(["run", "--spec", json.dumps(ORDERS), "--out", str(out)]) == 0
    complete = specification(*parse(ORDERS))
    found = load_outcome(out)
    assert (found.run, found.spec) == (identify(complete), complete)


def test_a_plan_of_other_defaults_is_refused(tmp_path, capsys):
    job = {
        **dict.fromkeys(("name", "phase", "code", "accounting"), ""),
        "datasets": [],
        "accountants": [],
        "spec": ORDERS,
    }
    run, plan, out = identify(ORDERS), tmp_path / "plan.json", tmp_path / "outcome.json"
    plan.write_text(json.dumps({"jobs": {run: job}}))
    assert main(["run", run, "--plan", str(plan), "--out", str(out)]) == 2
    assert re.fullmatch(rf"wassdp run: run = '{run}': \S+plan\.json is of another version.*\n", capsys.readouterr().err)
    assert not out.exists()


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (json.dumps(ORDERS | {"seed": 0.7}), r"spec\.seed = 0\.7: Input should be a valid integer"),
        (json.dumps(ORDERS).replace('"seed": 0', '"seed": 1e400'), r"spec\.seed = inf: "),
        (json.dumps(ORDERS)[:-1] + ', "seed": 1}', r"spec = .*: must be JSON \(seed: stands there twice\)"),
        (
            json.dumps(ORDERS | {"parameters": ORDERS["parameters"] | {"least_order": 6, "largest_order": 5}}),
            r"spec\.parameters: cannot be run \(largest_order 5\.0 is below least_order 6\.0\)",
        ),
        (b"\xff{}", r"spec = '\S+spec\.json': must be UTF-8 text \(byte 0 is not\)"),
    ],
)
def test_a_bad_specification_is_one_line_before_any_work(tmp_path, capsys, spec, line):
    file, out = tmp_path / "spec.json", tmp_path / "run" / "outcome.json"
    file.write_bytes(spec if isinstance(spec, bytes) else spec.encode())
    assert main(["run", "--spec", f"@{file}", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert re.match(f"wassdp run: {line}", said), said
    assert said.count("\n") == 1
    assert not out.parent.exists()
