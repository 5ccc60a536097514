"""All runs of a results folder read the same files; what others read is named, and no job reads others."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from _digits_run import WITHOUT_PRIVACY
from wassdp import config, data
from wassdp.cli import main
from wassdp.pipeline import manifests
from wassdp.pipeline import plan as plans
from wassdp.result import Result

FILE, SECOND = "digits/data.csv", "digits/more.csv"


def finished(tree: ModuleType, folder: Path, *md5s: str) -> dict[Path, Result]:
    """Place to result, each of a run that read such a file."""
    results = {}
    for seed, md5 in enumerate(md5s):
        result = tree.result(tree.planned(1.0, seed))
        origin = result.provenance.model_copy(update={"datasets": {FILE: md5, SECOND: md5}})
        results[folder / "runs" / result.run / "result.json"] = result.model_copy(update={"provenance": origin})
    return results


def written(path: Path, md5: str, *names: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"dataset": "digits", "files": {name: {"md5": md5} for name in names}}))


def test_runs_that_read_other_files_are_named(tree: ModuleType, tmp_path: Path) -> None:
    one, two = "1" * 32, "2" * 32
    found = finished(tree, tmp_path, one, two, two)
    paths = list(found)
    (line,) = manifests.of_other_files(tmp_path, found)
    assert f"{paths[0]}: read {FILE} with md5 11111111..., and most results have 22222222...; delete" in line
    manifest = manifests.place(tmp_path, "digits")
    written(manifest, one, "data.csv", "more.csv")
    (line,) = manifests.of_other_files(tmp_path, found)
    assert f"{paths[1]}: read {FILE} with md5 22222222..., and {manifest} has 11111111..." in line
    assert "(and 1 more read others); delete its folder, or" in line
    assert manifests.of_other_files(tmp_path, finished(tree, tmp_path, one, one)) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": {"data.csv": {}}}'])
def test_what_is_no_manifest_says_nothing(tree: ModuleType, tmp_path: Path, text: str) -> None:
    path = manifests.place(tmp_path, "digits")
    path.parent.mkdir()
    path.write_text(text)
    assert manifests.of_other_files(tmp_path, finished(tree, tmp_path, "1" * 32)) == []
    manifests.refuse_other_files(tmp_path, ["digits"])


def test_a_job_reads_no_other_files_than_the_runs_before_it(tmp_path: Path, capsys: Any) -> None:
    name, md5 = next(iter(data.checksums("digits").items()))
    experiment = {"name": "mine", "paper": "mine", "kind": "classification", "seeds": [0]}
    privacy = {"clip_norm": 0.5, "epsilon": 1, "delta": 1.0e-5}
    parameters = WITHOUT_PRIVACY | {"epochs": 1, "privacy": privacy}
    value = {"preset": "mine", "experiments": [experiment | {"parameters": parameters}]}
    plan = plans.plan(config.validate(value))
    plans.write(tmp_path / "plan.json", plan)
    run = plan.runs[0].run
    out, manifest = tmp_path / "runs" / run / "outcome.json", manifests.place(tmp_path, "digits")
    words = ["run", run, "--plan", str(tmp_path / "plan.json"), "--out", str(out)]
    written(manifest, "0" * 32, name)
    assert main(words) == 2
    assert f"digits/{name}: has md5 {md5[:8]}..., but {manifest} has 00000000..." in capsys.readouterr().err
    assert not out.exists()
    written(manifest, md5, name)
    assert main(words) == 0
    assert out.exists()
