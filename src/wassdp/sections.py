"""What every part of a configuration and of an experiment's parameters has in common."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from wassdp import complaints
from wassdp.plugins import Plugins

_SEEDS = ("seed", "seeds")
"""Fields that name a draw or how many there are of it, with an upper end of their own."""


def _shown(text: str) -> str:
    """``text``, if it can be shown: no control characters but ends of lines and tabs."""
    if not "".join(text.split()).isprintable():
        raise ValueError("must be printable characters and ends of lines")
    return text


Text = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_shown)]
"""Words for people."""
MOST_WHOLE = 10**9
"""Of whole numbers that say how many or how large: past any use, and a number of every library's integers."""


class Section(BaseModel):
    """A choice, made once: it cannot change.

    Unknown keys, NaN, infinity, truths for numbers and whole numbers above `MOST_WHOLE` are refused.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        json_schema_extra=lambda schema, section: _ends(schema, section),
    )

    @model_validator(mode="before")
    @classmethod
    def _no_truth(cls, value: Any) -> Any:
        """Refuse true and false in the place of a number: YAML reads yes, no, on and off so, and pydantic 1 and 0."""
        for key in _numbers(cls) if isinstance(value, Mapping) else ():
            if _has_truth(given := value.get(key)):
                raise ValueError(f"{key} = {complaints.shown(given)}: must be a number (YAML reads yes and on as True)")
        return value

    @model_validator(mode="before")
    @classmethod
    def _of_a_size(cls, value: Any) -> Any:
        """Refuse whole numbers beyond any use, which only the run would stumble over."""
        for key in _counts(cls) if isinstance(value, Mapping) else ():
            if _largest(given := value.get(key)) > MOST_WHOLE:
                raise ValueError(f"{key} = {complaints.shown(given)}: must be at most {MOST_WHOLE:,}")
        return value

    def plugins(self) -> Iterator[tuple[Plugins, str]]:
        """The folder and the name of every plug-in that a field of its own names."""
        for key, folders in _naming(type(self)):
            if isinstance(name := getattr(self, key), str):
                yield from ((folder, name) for folder in folders)

    def modules(self) -> tuple[str, ...]:
        """Modules that it loads by name; their code belongs to the hash of a run."""
        return tuple(folder.module(name) for folder, name in self.plugins())


@functools.cache
def _counts(section: type[Section]) -> tuple[str, ...]:
    """Fields of a section that hold whole numbers only, alone or in lists, and no seeds."""
    return tuple(
        key for key, types in _inside(section) if int in types and not types & {float, bool, Any} and key not in _SEEDS
    )


def _ends(schema: dict[str, Any], section: type[Section]) -> None:
    """Tell editors of the end that `Section` checks, where a whole number has none of its own."""
    left: list[Any] = [schema["properties"][key] for key in _counts(section)]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left += part.values()
            if part.get("type") == "integer" and not part.keys() & {"maximum", "exclusiveMaximum", "const", "enum"}:
                part["maximum"] = MOST_WHOLE
        elif isinstance(part, list):
            left += part


def _largest(value: Any) -> float:
    """The largest number in what was given for a field, before pydantic reads it; 0 where there is none."""
    if isinstance(value, Mapping | list | tuple):
        return max(map(_largest, value.values() if isinstance(value, Mapping) else value), default=0.0)
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return 0.0


@functools.cache
def _numbers(section: type[Section]) -> tuple[str, ...]:
    """Fields of a section that hold numbers, alone or in lists and tables, and no truths."""
    return tuple(name for name, types in _inside(section) if types & {int, float} and not types & {bool, Any})


def _inside(section: type[Section]) -> Iterator[tuple[str, frozenset[Any]]]:
    """Fields of a section with the types that each is put together of."""
    return ((name, frozenset(_types(field.annotation))) for name, field in section.model_fields.items())


def _types(annotation: Any) -> Iterator[Any]:
    """The types of which one is put together; a value that a `Literal` allows stands for its own type."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        yield from (type(part) for part in parts)
    elif get_origin(annotation) is Annotated:
        yield from _types(parts[0])
    elif parts:
        for part in parts:
            yield from _types(part)
    else:
        yield annotation


def _has_truth(value: Any) -> bool:
    if isinstance(value, Mapping | list | tuple):
        return any(map(_has_truth, value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, bool)


def sections(value: Any) -> Iterator[Section]:
    """``value``, if it is a section, and all sections inside it."""
    if isinstance(value, Section):
        yield value
        value = {key: getattr(value, key) for key in type(value).model_fields}
    if isinstance(value, Mapping | tuple | list):
        for inside in value.values() if isinstance(value, Mapping) else value:
            yield from sections(inside)


@functools.cache
def _naming(section: type[Section]) -> tuple[tuple[str, tuple[Plugins, ...]], ...]:
    """Fields of a section that name plug-ins, with their folders; asked for every run of a plan."""
    hints = get_type_hints(section, include_extras=True)
    found = ((key, tuple(_folders(annotation))) for key, annotation in hints.items() if key in section.model_fields)
    return tuple((key, folders) for key, folders in found if folders)


def _folders(annotation: Any) -> Iterator[Plugins]:
    """The folders whose plug-ins a type names."""
    for part in get_args(annotation):
        if isinstance(part, Plugins):
            yield part
        yield from _folders(part)
