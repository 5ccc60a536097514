"""Plug-ins: the files of one folder, found by listing it. A file's name is the name used in configurations.

There is no registry and no list to keep: whoever puts a file there has added it. What the files of a folder offer, the
folder's own package says.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    GetPydanticSchema,
    TypeAdapter,
)

from wassdp import checks, complaints

ROOT = Path(__file__).parent
Base = TypeVar("Base")


@dataclass(frozen=True)
class Plugins:
    """The plug-ins of one folder.

    As annotations, ``Annotated[str, PLUGINS]`` is a string that names one of them, and ``Annotated[Base, PLUGINS]`` the
    choice that one of them offers (`choice`), told by its key ``name``; only the plug-in that is named is imported.

    Args:
        package: its full name, e.g. ``wassdp.data.sets``. Every file of it is a plug-in, its sub-packages are not.
        what: what one of them is called in messages.
        joint: what joins the words of a name where the file's has underscores.
        listed: a command that lists them, where they are too many for a line of a message.

    >>> "mnist" in Plugins("wassdp.data.sets", "dataset").names()
    True
    """

    package: str
    what: str
    joint: str = "_"
    listed: str = ""

    def names(self) -> tuple[str, ...]:
        """Names of all, sorted. Nothing is imported."""
        return tuple(sorted(file.replace("_", self.joint) for file in _files(self.package)))

    def known(self, name: str) -> str:
        """``name``, if a plug-in is called so.

        Raises:
            ValueError: none is.
        """
        if self.file(name) not in _files(self.package):
            checks.one_of(self.what, name, self.names(), listed=self.listed)
        return name

    def file(self, name: str) -> str:
        """The last part of the module's name."""
        return name.replace(self.joint, "_")

    def module(self, name: str) -> str:
        """Full name of the module of the plug-in called ``name``.

        Raises:
            ValueError: none is called so.
        """
        return f"{self.package}.{self.file(self.known(name))}"

    def load(self, name: str) -> ModuleType:
        """The module of the plug-in called ``name``.

        Raises:
            ValueError: none is called so.
        """
        return importlib.import_module(self.module(name))

    def choice(self, name: str, base: type[Base]) -> type[Base]:
        """The class that the plug-in called ``name`` offers: the one of its file that derives from ``base``.

        Raises:
            ValueError: none is called so, its file defines no such class, or several, or one that lacks something.
        """
        module = self.load(name)
        classes = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, base)]
        offered = [candidate for candidate in classes if candidate.__module__ == module.__name__]
        if len(offered) != 1:
            raise ValueError(f"{module.__name__}: must define one {base.__name__}, not {len(offered)}")
        if missing := _missing(offered[0], base):
            raise ValueError(f"{module.__name__}: {offered[0].__name__} must define {' and '.join(missing)}")
        return offered[0]

    def offer(self, name: str, *attributes: str) -> Any:
        """What the plug-in called ``name`` calls by the last of ``attributes``; all of them have to be there.

        Raises:
            ValueError: none is called so, or its file lacks one of them.
        """
        module = self.load(name)
        if missing := [attribute for attribute in attributes if not hasattr(module, attribute)]:
            raise ValueError(f"{module.__name__}: must define {' and '.join(missing)}")
        return getattr(module, attributes[-1])

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        if isinstance(source, type) and issubclass(source, BaseModel):
            validate = functools.partial(self._chosen, source)
            return {"type": "function-plain", "function": {"type": "no-info", "function": validate}}
        return AfterValidator(self._validated).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        if schema["type"] != "function-plain":
            described = handler(schema)
            return described if {"enum", "const"} & set(described) else {**described, "enum": list(self.names())}
        (base,) = schema["function"]["function"].args
        choices = {name: self.choice(name, base).__pydantic_core_schema__ for name in self.names()}
        return handler(_union(choices))

    def _validated(self, name: str) -> str:
        # The key and the value stand in pydantic's own line already.
        if self.file(name) not in _files(self.package):
            raise ValueError(complaints.choices(name, self.names(), listed=self.listed))
        return name

    def _chosen(self, base: type[BaseModel], value: Any) -> BaseModel:
        """The plug-in's own choice; errors are those of a union of all of them."""
        if isinstance(value, base):
            return value
        choices: dict[str, Any] = {known: {"type": "any"} for known in self.names()}
        name = value.get("name") if isinstance(value, Mapping) else None
        if isinstance(name, str) and name in choices:
            choices[name] = self.choice(name, base).__pydantic_core_schema__
        union = TypeAdapter(Annotated[Any, GetPydanticSchema(lambda _, __: _union(choices))])
        return cast(BaseModel, union.validate_python(value))


def _union(choices: Mapping[str, Any]) -> Any:
    """Pydantic's schema of one of several choices, told apart by their key ``name``."""
    return {"type": "tagged-union", "choices": dict(choices), "discriminator": "name"}


def _missing(offered: type, base: type) -> list[str]:
    """What ``base`` declares, as abstract or as a `ClassVar`, and ``offered`` does not have."""
    declared = [
        name
        for ancestor in base.__mro__
        for name, kind in vars(ancestor).get("__annotations__", {}).items()
        if str(kind).startswith("ClassVar")
    ]
    abstract: frozenset[str] = getattr(offered, "__abstractmethods__", frozenset())
    return sorted(abstract | {name for name in declared if not hasattr(offered, name)})


@functools.cache
def _files(package: str) -> frozenset[str]:
    folder = ROOT.joinpath(*package.split(".")[1:])
    listed = pkgutil.iter_modules([str(folder)])
    return frozenset(module.name for module in listed if not module.ispkg and not module.name.startswith("_"))
