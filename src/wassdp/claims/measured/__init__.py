"""Sentences about experiments beside finished results: one file each, with ``CLAIM``, a `Measured`.

They read published sets and so are no runs of a plan: ``wassdp claims`` and the coverage table check them.
"""
