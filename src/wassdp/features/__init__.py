"""Fixed features of images: computed once, by public rules, and kept in the data folder.

`filters` and `scattering` are the transform, `normalisation` what may follow it, `cache` where the result lives.
"""
