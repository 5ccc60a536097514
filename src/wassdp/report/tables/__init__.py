"""Table kinds, one per file.

A kind offers ``Options``, a pydantic model of its options, and
``build(runs, history, options) -> data frame``.
"""
