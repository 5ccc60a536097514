"""What pydantic found wrong, as one line: the key, its value, and what is allowed."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from wassdp import complaints
from wassdp.selection import KNOWN, NONE, NOT_RECORDED, READ, Selection

SLUG = "^[a-z0-9][a-z0-9-]*$"
NAME = r"^[\w.-]{1,80}$"
_KEYS = ("model_type", "model_attributes_type", "dict_type", "mapping_type", "dataclass_type")
_LISTS = ("list_type", "tuple_type", "set_type", "frozen_set_type")
_NAMED = re.compile(r"[\w. ]+")
_Finding = Mapping[str, Any]


def explain(error: ValidationError, value: Any, model: type[BaseModel]) -> str:
    """What a pydantic error about ``model`` found first, as one line: key, value, what is allowed.

    Where keys are missing, all of them are named, and so is the key beside the first that nobody knows: the one may be
    the other, misspelt.
    """
    findings = error.errors(include_url=False)
    shown = findings[:1]
    if shown[0]["type"] == "missing":
        absent = [finding for finding in findings if finding["type"] == "missing"]
        unknown = [finding for finding in findings if finding["type"] == "extra_forbidden"]
        unknown = [finding for finding in unknown if finding["loc"][:-1] == shown[0]["loc"][:-1]][:1]
        shown = [*absent, *unknown]
        lines = [*_absent(absent, value), *(_explained(finding, value, model) for finding in unknown)]
    else:
        lines = [_explained(shown[0], value, model)]
    rest = len(findings) - len(shown)
    return complaints.cut("; ".join(lines)) + (f" (and {rest} more)" if rest else "")


def _absent(findings: Sequence[_Finding], value: Any) -> Iterator[str]:
    """The keys that are missing, those of one section together: the first with its place."""
    sections: dict[str, list[str]] = {}
    for finding in findings:
        *section, key = name_of(value, finding["loc"])
        sections.setdefault(complaints.dotted(section), []).append(key)
    for place, keys in sections.items():
        first, *others = [f"{place}.{keys[0]}".removeprefix("."), *keys[1:]]
        named = f"{', '.join([first, *others[:-1]])} and {others[-1]}: are" if others else f"{first}: is"
        yield f"{named} missing"


def _explained(finding: _Finding, value: Any, model: type[BaseModel]) -> str:
    kind, given = finding["type"], complaints.shown(finding["input"])
    key = complaints.dotted(name_of(value, finding["loc"]))
    if kind == "union_tag_invalid":
        context = finding["ctx"]
        tags = context["expected_tags"].replace("'", "").split(", ")
        name = context["discriminator"].strip("'")
        return f"{key}.{name} = {complaints.shown(context['tag'])}: {complaints.choices(context['tag'], tags)}"
    if not finding["loc"] and kind == "model_type":
        return f"must hold keys with values, not {given}"
    message = _said(finding, model)
    if kind == "value_error" and isinstance(finding["input"], dict | list | BaseModel):
        return f"{key}: {message}" if key else message
    # A check says name and value by itself, where no configuration is read too.
    name, own, allowed = message.partition(f" = {given}: ")
    return f"{key} = {given}: {allowed if own and _NAMED.fullmatch(name) else message}"


def _said(finding: _Finding, model: type[BaseModel]) -> str:
    """What is allowed in place of what was given."""
    kind, given, context = finding["type"], finding["input"], finding.get("ctx", {})
    if kind == "extra_forbidden":
        allowed = keys_at(model, finding["loc"][:-1])
        alike = complaints.near(str(finding["loc"][-1]), allowed)[:1]
        meant = f" (did you mean {alike[0]}?)" if alike else ""
        return f"unknown key{meant}; allowed: {', '.join(allowed) or 'none'}"
    if kind in _KEYS:
        allowed = keys_at(model, finding["loc"]) if finding["loc"] else []
        if isinstance(given, str) and "name" in allowed and given.isidentifier():
            return f"must be keys and values, such as {{name: {given}}}"
        return "must be keys and values" + (f"; allowed: {', '.join(allowed)}" if allowed else "")
    if kind in _LISTS:
        return "must be a list" + (f", such as [{given!r}]" if _an_item(given, _node(model, finding["loc"])) else "")
    if kind == "literal_error":
        named = re.findall(r"'([^']*)'", context["expected"])
        alike = complaints.near(given, named)[:1]
        return (f"did you mean {alike[0]}? " if alike else "") + f"must be {context['expected']}"
    if kind == "string_pattern_mismatch" and context["pattern"] in _patterns():
        return f"must be {_patterns()[context['pattern']]}"
    message: str = finding["msg"]
    return message.removeprefix("Value error, ")


@functools.cache
def _patterns() -> Mapping[str, str]:
    """Regular expressions of texts in configurations, in words."""
    return {
        SLUG: "small letters, digits and -, with no - in front",
        NAME: "1 to 80 letters, digits, ., - and _",
        TypeAdapter(Selection).json_schema()["pattern"]: (
            f"{NONE}, {NOT_RECORDED}, validation, N trials (; {KNOWN}), or {READ}"
        ),
    }


def keys_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Keys that a model allows at a place inside it, as its schema has them."""
    return list(_node(model, location).get("properties", {}))


def _an_item(value: Any, node: Mapping[str, Any]) -> bool:
    """Whether a list at a place of a schema may hold a number or a text, as far as types tell."""
    types = {str: {"string"}, int: {"integer", "number"}, float: {"number"}}.get(type(value))
    items = node.get("items", {})
    known = {item["type"] for item in (items, *items.get("anyOf", [])) if "type" in item}
    return types is not None and len(repr(value)) <= 60 and (bool(known & types) or not items)


def _node(model: type[BaseModel], location: tuple[int | str, ...]) -> dict[str, Any]:
    """What a model's schema says of a place inside it; nothing where it does not tell."""
    schema = model.model_json_schema()
    node = schema
    for part in location:
        # Which of several kinds a section is of stands in a location too.
        kinds = [item.get("discriminator", {}).get("mapping", {}) for item in (node, *node.get("anyOf", []))]
        of_kind = [{"$ref": mapping[part]} for mapping in kinds if part in mapping]
        below = node.get("items", {}) if isinstance(part, int) else node.get("properties", {}).get(part, {})
        node = of_kind[0] if of_kind else below
        options = [node, *node.get("anyOf", []), *node.get("oneOf", [])]
        names = [item["$ref"].rsplit("/", 1)[-1] for item in options if "$ref" in item]
        node = schema["$defs"][names[0]] if names else node
    return node


def name_of(value: Any, location: tuple[int | str, ...]) -> list[str]:
    """The path of a finding, with list positions replaced by the name of the item where it has one.

    Which of several kinds a section is of stands in a location too, but is no key of the section: it is left out.
    """
    parts = []
    for place, part in enumerate(location):
        inside = isinstance(value, dict) and place < len(location) - 1
        if isinstance(part, str) and not _holds(value, part) and (inside or "[" in part):
            continue
        value = value[part] if _holds(value, part) else None
        name = value.get("name") if isinstance(part, int) and isinstance(value, dict) else None
        parts.append(name if isinstance(name, str) else str(part))
    return parts


def _holds(value: Any, part: int | str) -> bool:
    return (isinstance(value, dict) and part in value) or (
        isinstance(value, list) and isinstance(part, int) and part < len(value)
    )
