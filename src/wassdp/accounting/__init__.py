"""Privacy accounting: what was released (`event`), what is known about it (`guarantee`), and who says so.

Imports no torch.
"""
