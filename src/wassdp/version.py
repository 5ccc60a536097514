"""The version of this package; kept alone so that reading it imports nothing."""

__version__ = "0.1.0"
