"""Models, one file per model, found by listing; the file's name is the model's name in a configuration.

Each file offers

- ``Options``: a pydantic model of the choices that the model leaves open (unknown keys are refused);
- ``impossible(input_shape, options) -> str | None``: why the model cannot be built for this shape;
- ``build(input_shape, classes, options) -> torch.nn.Module``: a model from inputs of shape
  (batch, *input_shape) to logits of shape (batch, classes), initialised from torch's global generator.

No file imports torch at module level, so that a configuration is checked without it.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from wassdp import checks


def names() -> tuple[str, ...]:
    """Names of all models.

    >>> "linear" in names()
    True
    """
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")))


def load(name: str) -> ModuleType:
    """The file of the model called ``name``.

    Raises:
        ValueError: there is no such model.
    """
    return importlib.import_module(f"{__name__}.{checks.one_of('model', name, names())}")
