"""Faults done to a small set while it runs, for `table_of_faults.py`; each file holds those of one kind."""
