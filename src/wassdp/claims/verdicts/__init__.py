"""Published statements put to the test: one file each, with ``CLAIM``, a `wassdp.claims.Claim`.

A check looks for the case in which the statement does worst; its verdict is computed, and may come out either way.
"""
