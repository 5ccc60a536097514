"""A kept plan says the same as the whole one, in less space; what is none is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp import config
from wassdp.pipeline import kept_plan
from wassdp.pipeline import plan as plans

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["config.yaml", "workflow/presets/paper.yaml"])
def test_a_kept_plan_is_read_as_the_whole_one(name: str, tmp_path: Path) -> None:
    whole = plans.plan(config.read(ROOT / name))
    plans.write(tmp_path / "whole.json", whole.trimmed())
    plans.keep(tmp_path / "kept.json", whole)
    assert plans.read(tmp_path / "kept.json") == whole.trimmed()
    assert (tmp_path / "kept.json").stat().st_size < (tmp_path / "whole.json").stat().st_size


def test_runs_whose_names_do_not_end_with_their_seed_are_kept_whole(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path).trimmed()
    odd = {
        "name": {"name": "another"},
        "spec": {"spec": {"kind": "k", "parameters": {}, "seed": 99}},
        "order": {"spec": {"seed": plan.runs[0].seed, "kind": "k", "parameters": {}}},
        "none": {"spec": {}},
    }
    for changes in odd.values():
        runs = (plan.runs[0].model_copy(update=changes), *plan.runs[1:])
        changed = plan.model_copy(update={"runs": runs})
        plans.keep(tmp_path / "kept.json", changed)
        assert plans.read(tmp_path / "kept.json") == changed
        # In the order of their keys too: a digest of a specification is one of its text.
        assert [list(run.spec) for run in plans.read(tmp_path / "kept.json").runs] == [list(run.spec) for run in runs]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settings": {}}, "settings and runs must be lists"),
        ({"runs": 3}, "settings and runs must be lists"),
        ({"runs": [[]]}, "a run must have run, setting, seed"),
        ({"runs": [{"run": "0" * 12, "setting": 10**6, "seed": 0}]}, "setting = 1000000: must be one of the"),
        ({"runs": [{"run": "0" * 12, "setting": -1, "seed": 0}]}, "setting = -1: must be one of the"),
        (
            {"settings": [{"spec": 3}], "runs": [{"run": "0" * 12, "setting": 0, "seed": 0}]},
            "a setting must have a spec",
        ),
    ],
)
def test_what_is_no_kept_plan_is_refused(change: dict[str, Any], said: str, tree: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    plans.keep(path, tree.make(tmp_path))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match="is not a plan") as refused:
        plans.read(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_packed_is_unpacked(tree: ModuleType, tmp_path: Path) -> None:
    value = tree.make(tmp_path).trimmed().model_dump(mode="json")
    assert kept_plan.unpacked(kept_plan.packed(value)) == value
