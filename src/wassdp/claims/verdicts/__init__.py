"""Published statements put to the test: one file per paper, found by listing.

Each file offers ``CLAIMS``, a mapping of the claim's name to its `Claim`. A check looks for the case in which the
statement does worst; its verdict is computed, and may come out either way.
"""

from __future__ import annotations

import importlib
import pkgutil

from wassdp import checks
from wassdp.claims.verdicts.base import Claim, Verdict

__all__ = ["Claim", "Verdict", "load", "names"]


def names() -> tuple[str, ...]:
    """Names of all claims that can be checked.

    >>> "tangent-theorem-3-2" in names()
    True
    """
    return tuple(sorted(_places()))


def module(name: str) -> str:
    """Full module name of the file that holds a claim.

    Raises:
        ValueError: there is no such claim.
    """
    checks.one_of("claim", name, names())
    return _places()[name]


def load(name: str) -> Claim:
    """The claim of that name.

    Raises:
        ValueError: there is none.
    """
    found: Claim = importlib.import_module(module(name)).CLAIMS[name]
    return found


def _places() -> dict[str, str]:
    files = [f"{__name__}.{item.name}" for item in pkgutil.iter_modules(__path__) if item.name != "base"]
    return {name: file for file in files for name in importlib.import_module(file).CLAIMS}
