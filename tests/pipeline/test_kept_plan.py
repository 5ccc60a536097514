"""A kept plan says the same as the whole one, in less space; what is none is refused in one line."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wassdp import config, files
from wassdp.pipeline import kept_plan
from wassdp.pipeline import plan as plans

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["config.yaml", "workflow/presets/paper.yaml"])
def test_a_kept_plan_is_read_as_the_whole_one(name: str, tmp_path: Path) -> None:
    whole = plans.plan(config.read(ROOT / name))
    plans.write(tmp_path / "whole.json", whole.trimmed())
    plans.keep(tmp_path / "kept.json.xz", whole)
    assert plans.read(tmp_path / "kept.json.xz") == whole.trimmed()
    assert (tmp_path / "kept.json.xz").stat().st_size < (tmp_path / "whole.json").stat().st_size


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
        plans.keep(tmp_path / "kept.json.xz", changed)
        assert plans.read(tmp_path / "kept.json.xz") == changed
        # In the order of their keys too: a digest of a specification is one of its text.
        back = plans.read(tmp_path / "kept.json.xz").runs
        assert [list(run.spec) for run in back] == [list(run.spec) for run in runs]


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
    path = tmp_path / "kept.json.xz"
    plans.keep(path, tree.make(tmp_path))
    path.write_bytes(lzma.compress(json.dumps(json.loads(lzma.decompress(path.read_bytes())) | change).encode()))
    with pytest.raises(ValueError, match="is not a plan") as refused:
        plans.read(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_damaged_file_is_one_line(tree: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json.xz"
    plans.keep(path, tree.make(tmp_path))
    whole = path.read_bytes()
    packed = {"no xz": b"{}", "cut": whole[:-9], "no text": lzma.compress(b"\xff"), "empty": b"", "two": whole[:6]}
    for name, content in packed.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"kept\.json\.xz: ") as refused:
            plans.read(path)
        assert "\n" not in str(refused.value), name
    path.write_bytes(whole)
    monkeypatch.setattr(files, "LARGEST_PACKED", len(lzma.decompress(whole)) - 1)
    with pytest.raises(ValueError, match=r"can be read|holds too much"):
        plans.read(path)


def test_sets_that_were_published_before_plans_were_packed_are_read(tree: ModuleType, tmp_path: Path) -> None:
    plan = tree.make(tmp_path / "old")
    plans.keep(tmp_path / "new" / plans.KEPT, plan)
    assert plans.kept(tmp_path) == [tmp_path / "new" / "plan.json.xz", tmp_path / "old" / "plan.json"]
    old, new = (plans.read(path) for path in reversed(plans.kept(tmp_path)))
    assert old.trimmed() == new
    assert plans.find(tmp_path) == tmp_path / "plan.json"


def test_what_is_packed_is_unpacked(tree: ModuleType, tmp_path: Path) -> None:
    value = tree.make(tmp_path).trimmed().model_dump(mode="json")
    assert kept_plan.unpacked(kept_plan.packed(value)) == value
