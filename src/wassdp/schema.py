"""JSON Schemas of configurations and results, generated from the models and kept in ``workflow/schemas``."""

from __future__ import annotations

import json
from typing import Any

from wassdp.config import Config, files, kind_module
from wassdp.result import Result


def config_schema() -> dict[str, Any]:
    """Schema of a configuration; each experiment kind's parameters are described under its name.

    A grid may supply what ``parameters`` leaves out, so no parameter is required here; the models
    check the combinations.
    """
    schema = Config.model_json_schema()
    definitions = schema["$defs"]
    cases = []
    for kind in sorted(files("experiments")):
        parameters = kind_module(kind).Parameters.model_json_schema(ref_template=f"#/$defs/{kind}.{{model}}")
        for name, definition in parameters.pop("$defs", {}).items():
            definitions[f"{kind}.{name}"] = definition
        parameters.pop("required", None)
        definitions[kind] = parameters
        cases.append(
            {
                "if": {"properties": {"kind": {"const": kind}}},
                "then": {"properties": {"parameters": {"$ref": f"#/$defs/{kind}"}}},
            }
        )
    definitions["Experiment"]["properties"]["kind"]["enum"] = sorted(files("experiments"))
    definitions["Experiment"]["allOf"] = cases
    # A bare name stands for an accountant without options.
    items = definitions["Experiment"]["properties"]["accountants"]["items"]
    definitions["Experiment"]["properties"]["accountants"]["items"] = {"anyOf": [{"type": "string"}, items]}
    return schema


def result_schema() -> dict[str, Any]:
    """Schema of a ``result.json``."""
    return Result.model_json_schema()


def text(schema: dict[str, Any]) -> str:
    """The schema as it is kept in a file."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
