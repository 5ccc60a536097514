"""The version of this package; kept alone so that reading it imports nothing."""

__version__ = "0.1.0"
RELEASED = "2026-11-24"
"""When: year, month, day."""
