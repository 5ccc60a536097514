"""Privacy accounting: what was released (`event`), what is known about it (`guarantee`), and who says so.

`compare` puts every accountant's answer side by side. Imports no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wassdp.accounting.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]


def __getattr__(name: str) -> Any:
    # On first use: the modules that `compare` needs import this package themselves.
    if name in __all__:
        from wassdp.accounting import comparison

        return getattr(comparison, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
