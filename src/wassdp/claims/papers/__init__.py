"""What the four papers number and name, a file each: ``TITLE``, ``SECTIONS`` and ``ITEMS``, in the order of the paper.

They hold facts alone: what is said of an item, and what is here of it. Verdicts are found by the claims' own items.
"""
