"""The verbs that execute one run: what they say while it goes on."""

import json
import re
import subprocess
import sys

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
