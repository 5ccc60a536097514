"""Releases of this project at their worst neighbours, one file each: a class derived from `wassdp.audit.pair.Pair`.

Every one calls the mechanism's own ``sample`` and ``release``; none repeats a formula of it, except for the attacker's
score, which knows what is public: sizes, clip norms, noise.
"""
