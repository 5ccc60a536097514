"""Private mechanisms: what is released, and the event that describes the release. One file per mechanism.

A file exposes one class, ``Mechanism``; the file's name is the mechanism's name. Mechanisms draw
their randomness from a generator that is handed to them and know nothing of training.
"""
