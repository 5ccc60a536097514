"""The reference of configurations, made from the JSON Schema of the models that read them (`wassdp schema`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from commands import escaped
from wassdp import schema

BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
    "minItems": "at least so many items:",
    "pattern": "matches",
}


def reference(page: str, root: Path) -> str:
    """Keys of a configuration, then of each kind of experiment, figure and table, sections inside them below."""
    whole = schema.config_schema()
    definitions = whole.pop("$defs")
    own = [name for name in definitions if "." not in name and name[0].isupper()]
    kinds = [name for name in definitions if "." not in name and name[0].islower()]
    lines = ["## The file", "", *_model(whole)]
    for name in [*own, "figures.Choice", "tables.Choice"]:
        lines += _section(name, definitions, "###")
    lines += ["## Kinds of experiments", "", "What stands under `parameters`, and may stand in a `grid`.", ""]
    for kind in kinds:
        lines += _with_inner(kind, definitions)
    for section, words in (("figures", "Kinds of figures"), ("tables", "Kinds of tables")):
        lines += [f"## {words}", "", "What stands under `options`.", ""]
        for name in definitions:
            if name.startswith(f"{section}.") and name.count(".") == 1 and not name.endswith(".Choice"):
                lines += _with_inner(name, definitions)
    return "\n".join(lines)


def _with_inner(name: str, definitions: Mapping[str, Any]) -> Iterator[str]:
    yield from _section(name, definitions, "###")
    for inner in definitions:
        if inner.startswith(f"{name}.") and inner.count(".") == name.count(".") + 1:
            yield from _section(inner, definitions, "####")


def _section(name: str, definitions: Mapping[str, Any], level: str) -> Iterator[str]:
    yield from (f"({_anchor(name)})=", f"{level} {_title(name)}", "", *_model(definitions[name]))


def _title(name: str) -> str:
    return f"`{name if name.endswith('.Choice') else name.removeprefix('figures.').removeprefix('tables.')}`"


def _model(model: Mapping[str, Any]) -> Iterator[str]:
    if "description" in model:
        yield from (escaped(" ".join(str(model["description"]).split())), "")
    required = model.get("required", [])
    for key, value in model.get("properties", {}).items():
        facts = [_kind(value), *(["has to be given"] if key in required else [])]
        if "default" in value:
            facts.append(f"default `{json.dumps(value['default'], ensure_ascii=False)}`")
        about = escaped(" ".join(str(value.get("description", "")).split()))
        yield from (f"`{key}`", f": {', '.join(facts)}{'. ' + about if about else ''}", "")


def _kind(value: Mapping[str, Any]) -> str:
    """What a value may be, in words.

    >>> _kind({"type": "number", "minimum": 0}), _kind({"anyOf": [{"type": "string"}, {"type": "null"}]})
    ('number, at least `0`', 'string or null')
    """
    if "$ref" in value:
        name = value["$ref"].removeprefix("#/$defs/")
        return f"[{name}](#{_anchor(name)})"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in value:
            return " or ".join(dict.fromkeys(_kind(each) for each in value[several]))
    if "enum" in value:
        return f"one of {', '.join(f'`{choice}`' for choice in value['enum'])}"
    if "const" in value:
        return f"`{value['const']}`"
    kind = str(value.get("type", "anything"))
    if kind == "array":
        items = value.get("items") or (value.get("prefixItems") or [{}])[0]
        kind = f"list of {_kind(items)}" if items else "list"
    bounds = [f"{words} `{value[key]}`" for key, words in BOUNDS.items() if key in value]
    return ", ".join([kind, *bounds])


def _anchor(name: str) -> str:
    return f"configuration-{name.replace('.', '-').replace('_', '-').lower()}"
