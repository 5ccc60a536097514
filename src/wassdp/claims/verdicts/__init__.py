"""Published statements put to the test: one file per paper, found by listing.

Each file offers ``CLAIMS``, a mapping of the claim's name to its `Claim`. A check looks for the case in which the
statement does worst; its verdict is computed, and may come out either way.
"""

from __future__ import annotations

from wassdp import checks
from wassdp.claims.verdict import Claim, Verdict
from wassdp.plugins import Plugins

__all__ = ["PLUGINS", "Claim", "Verdict", "load", "names"]
PLUGINS = Plugins(__name__, "file of verdicts")


def names() -> tuple[str, ...]:
    """Names of all claims that can be checked.

    >>> "tangent-theorem-3-2" in names()
    True
    """
    return tuple(sorted(_places()))


def modules() -> tuple[str, ...]:
    """Full names of all files here. Whoever looks for a claim loads every one, for each may hold it."""
    return tuple(PLUGINS.module(name) for name in PLUGINS.names())


def load(name: str) -> Claim:
    """The claim of that name.

    Raises:
        ValueError: there is none.
    """
    checks.one_of("claim", name, names())
    found: Claim = PLUGINS.load(_places()[name]).CLAIMS[name]
    return found


def _places() -> dict[str, str]:
    return {name: file for file in PLUGINS.names() for name in PLUGINS.load(file).CLAIMS}
