"""Private mechanisms: what is released, and the event that describes the release. One file per mechanism.

Every one is a `wassdp.mechanisms.base.Mechanism` and gives `examples` by which its contract is tested. Mechanisms draw
their randomness from a generator that is handed to them and know nothing of training.
"""
