"""Wasserstein distances in differential privacy: published and proven budgets side by side."""

from wassdp.version import __version__

__all__ = ["__version__"]
