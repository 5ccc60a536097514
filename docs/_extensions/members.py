"""The public face from its stub, ``wassdp/__init__.pyi``, in groups by where each name lives."""

from __future__ import annotations

from pathlib import Path

import wassdp

GROUPS = {
    "events": "wassdp.accounting.event",
    "accountants": "wassdp.accounting.account",
    "mechanisms": "wassdp.mechanisms",
    "distances": "wassdp.distances",
    "comparison": "wassdp.accounting.comparison",
    "guarantee": "wassdp.accounting.guarantee",
}


def of(page: str, root: Path, group: str) -> str:
    """Directives that document what of a group the package offers."""
    stub = (root / "src" / "wassdp" / "__init__.pyi").read_text(encoding="utf-8")
    offered = [(words[1], words[3]) for words in map(str.split, stub.splitlines())]
    lines = ["```{eval-rst}"]
    for home, name in offered:
        if home.startswith(GROUPS[group]):
            lines += _directive(name)
    return "\n".join([*lines, "```"])


def _directive(name: str) -> list[str]:
    """A name as users write it; links find it by the module that it lives in, too."""
    if isinstance(getattr(wassdp, name), type):
        return [f".. autoclass:: wassdp.{name}", "   :members:", "   :show-inheritance:", ""]
    if callable(getattr(wassdp, name)):
        return [f".. autofunction:: wassdp.{name}", ""]
    return [f".. automodule:: {getattr(wassdp, name).__name__}", "   :members:", ""]
