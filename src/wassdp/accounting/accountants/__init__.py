"""Accountants: `upper` are proven, `published` are as printed."""
