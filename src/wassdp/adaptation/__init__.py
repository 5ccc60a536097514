"""Unsupervised domain adaptation: one encoder for a public, labelled source and a private, unlabelled target.

`tasks` are pairs of domains, `networks` the papers' encoders and heads, `methods` what draws the two domains' features
together, one file each, and `training` the loop that all methods share.
"""
