"""Benchmarks: `make bench`. Each file measures one thing beside a peer, in one run, and prints the ratio.

A file exposes ``main() -> list[dict]``: rows of one table. Nothing here is a test, and no threshold fails.
"""
