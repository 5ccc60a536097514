"""The version of this package; kept alone so that reading it imports nothing."""

__version__ = "0.2.0"
RELEASED = "2026-11-29"
"""When: year, month, day."""
