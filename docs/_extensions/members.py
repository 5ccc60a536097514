"""The public face from its stub, ``wassdp/__init__.pyi``, in groups by where each name lives."""

from __future__ import annotations

import importlib
from pathlib import Path

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
            lines += _directive(home, name)
    return "\n".join([*lines, "```"])


def _directive(home: str, name: str) -> list[str]:
    value = getattr(importlib.import_module(home), name, None)
    if isinstance(value, type):
        return [f".. autoclass:: {home}.{name}", "   :members:", "   :show-inheritance:", ""]
    kind = "autofunction" if callable(value) else "automodule"
    return [f".. {kind}:: {home}.{name}", *(["   :members:"] if kind == "automodule" else []), ""]
