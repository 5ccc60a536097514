"""Fixed features of images: computed once, by public rules, and kept in the data folder.

`scattering` and `patches` are the kinds of features, `fixed` what they have in common, `cache` where they are kept and
`choice` what a configuration chooses among, with what may follow: `grouped`, `moments`, `public_moments`, `damping`.
"""
