"""What every part of a configuration and of an experiment's parameters has in common."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from wassdp.plugins import Plugins


def _shown(text: str) -> str:
    """``text``, if it can be shown: no control characters but ends of lines and tabs."""
    if not "".join(text.split()).isprintable():
        raise ValueError("must be printable characters and ends of lines")
    return text


Text = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_shown)]
"""Words for people."""


class Section(BaseModel):
    """A choice, made once: it cannot change, and unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def plugins(self) -> Iterator[tuple[Plugins, str]]:
        """The folder and the name of every plug-in that a field of its own names."""
        for key, folders in _naming(type(self)):
            if isinstance(name := getattr(self, key), str):
                yield from ((folder, name) for folder in folders)

    def modules(self) -> tuple[str, ...]:
        """Modules that it loads by name; their code belongs to the hash of a run."""
        return tuple(folder.module(name) for folder, name in self.plugins())


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
