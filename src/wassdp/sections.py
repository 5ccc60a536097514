"""What every part of a configuration and of an experiment's parameters has in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict

from wassdp.plugins import Plugins


class Section(BaseModel):
    """A choice, made once: it cannot change, and unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def plugins(self) -> Iterator[tuple[Plugins, str]]:
        """The folder and the name of every plug-in that a field of its own names."""
        for key, annotation in get_type_hints(type(self), include_extras=True).items():
            if key in type(self).model_fields and isinstance(name := getattr(self, key), str):
                yield from ((folder, name) for folder in _folders(annotation))

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


def _folders(annotation: Any) -> Iterator[Plugins]:
    """The folders whose plug-ins a type names."""
    for part in get_args(annotation):
        if isinstance(part, Plugins):
            yield part
        yield from _folders(part)
