"""JSON Schemas of configurations and results, made from the models: for editors. The models themselves validate."""

from __future__ import annotations

import json
from typing import Any

from wassdp.config import MADE, SECTIONS, Config, kind_module
from wassdp.experiments import KINDS
from wassdp.result import Result


def config_schema() -> dict[str, Any]:
    """Schema of a configuration; each kind's parameters or options are described under its name.

    A grid may supply what ``parameters`` leaves out, so no parameter is required here; the models
    check the combinations.
    """
    schema = Config.model_json_schema()
    definitions = schema["$defs"]
    experiment = definitions["Experiment"]
    experiment["allOf"] = []
    for kind in sorted(KINDS.names()):
        described = _define(definitions, kind, kind_module(kind).Parameters)
        described.pop("required", None)
        experiment["allOf"].append(_where_kind(kind, "parameters"))
    experiment["properties"]["kind"]["enum"] = sorted(KINDS.names())
    # A bare name stands for an accountant without options.
    items = experiment["properties"]["accountants"]["items"]
    experiment["properties"]["accountants"]["items"] = {"anyOf": [{"type": "string"}, items]}
    for section in ("figures", "tables"):
        choice = json.loads(json.dumps(definitions["FigureChoice"]))
        choice["allOf"] = []
        for kind in sorted(SECTIONS[section].names()):
            _define(definitions, f"{section}.{kind}", SECTIONS[section].choice(kind, MADE[section]))
            choice["allOf"].append(_where_kind(kind, "options", f"{section}.{kind}"))
        choice["properties"]["kind"]["enum"] = sorted(SECTIONS[section].names())
        definitions[f"{section}.Choice"] = choice
        experiment["properties"][section]["items"] = {"$ref": f"#/$defs/{section}.Choice"}
    del definitions["FigureChoice"]
    return schema


def result_schema() -> dict[str, Any]:
    """Schema of a ``result.json``."""
    return Result.model_json_schema()


def text(schema: dict[str, Any]) -> str:
    """The schema as it stands in a file."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _define(definitions: dict[str, Any], name: str, model: Any) -> dict[str, Any]:
    """Add the schema of a model, and of those inside it, under ``name``."""
    described: dict[str, Any] = model.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
    for inner, definition in described.pop("$defs", {}).items():
        definitions[f"{name}.{inner}"] = definition
    definitions[name] = described
    return described


def _where_kind(kind: str, key: str, name: str | None = None) -> dict[str, Any]:
    return {
        "if": {"properties": {"kind": {"const": kind}}},
        "then": {"properties": {key: {"$ref": f"#/$defs/{name or kind}"}}},
    }
