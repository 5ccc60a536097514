"""Accountants whose epsilon a theorem proves. Only these may calibrate noise."""
