"""A plan to be kept beside its results: what runs of one setting share stands there once, each run with its seed alone.

Runs that differ in their seeds have labels, parameters and all but the end of their names in common; in a published set
that is most of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

OWN = ("run", "setting", "seed")
"""What a run has of its own."""


def packed(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan as JSON values, its runs split into ``settings`` and what each run has of its own.

    >>> row = {"experiment": "e", "label": "a", "spec": {"kind": "k", "parameters": {}}}
    >>> rows = [row | {"run": str(s), "name": f"e seed={s}", "seed": s} for s in (0, 1)]
    >>> short = packed({"preset": "p", "runs": [row | {"spec": row["spec"] | {"seed": row["seed"]}} for row in rows]})
    >>> short["runs"]
    [{'run': '0', 'setting': 0, 'seed': 0}, {'run': '1', 'setting': 0, 'seed': 1}]
    >>> short["settings"]
    [{'experiment': 'e', 'label': 'a', 'spec': {'kind': 'k', 'parameters': {}}, 'name': 'e'}]
    """
    places: dict[str, int] = {}
    settings: list[dict[str, Any]] = []
    runs: list[dict[str, Any]] = []
    for row in plan["runs"]:
        setting = {key: value for key, value in row.items() if key not in ("run", "seed", "name", "spec")}
        setting |= _without_seed(row)
        text = json.dumps(setting, sort_keys=True)
        if text not in places:
            places[text] = len(settings)
            settings.append(setting)
        runs.append({"run": row["run"], "setting": places[text], "seed": row["seed"]})
    rest = {key: value for key, value in plan.items() if key not in ("preset", "runs")}
    return {"preset": plan["preset"], "settings": settings, "runs": runs} | rest


def _without_seed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Specification and name of a run's setting; whole where they do not end with its seed."""
    end = f" seed={row['seed']}"
    spec = dict(row["spec"])
    if not row["name"].endswith(end) or list(spec)[-1:] != ["seed"] or spec["seed"] != row["seed"]:
        return {"spec": spec, "name": row["name"], "whole": True}
    del spec["seed"]
    return {"spec": spec, "name": row["name"].removesuffix(end)}


def unpacked(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What `packed` was given.

    Raises:
        ValueError: a run is of no setting that is there, or something is no plan at all.
    """
    settings = plan["settings"]
    if not isinstance(settings, list) or not isinstance(plan.get("runs"), list):
        raise ValueError("settings and runs must be lists")
    rows = []
    for row in plan["runs"]:
        if not isinstance(row, dict) or set(row) != set(OWN):
            raise ValueError(f"a run must have {', '.join(OWN)}")
        place = row["setting"]
        if type(place) is not int or not 0 <= place < len(settings):
            raise ValueError(f"setting = {place!r}: must be one of the {len(settings)} settings")
        setting = settings[place]
        if not isinstance(setting, dict) or not isinstance(setting.get("spec"), dict):
            raise ValueError("a setting must have a spec")
        rest = {key: value for key, value in setting.items() if key != "whole"}
        if not setting.get("whole"):
            rest["spec"] = setting["spec"] | {"seed": row["seed"]}
            rest["name"] = f"{setting.get('name')} seed={row['seed']}"
        rows.append(rest | {"run": row["run"], "seed": row["seed"]})
    return {key: value for key, value in plan.items() if key not in ("settings", "runs")} | {"runs": rows}
