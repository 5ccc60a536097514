"""Generators of images, what they are trained towards, and how good their images are.

`generators` are the networks, `views` and `rows` turn a labelled image into the row that is projected, `bands` are the
directions that belong together. `pooled` (noise per row), `quantiles` (noise per gradient) and `wassdp.mechanisms.merf`
release private records, `targets` are losses of such releases, `training` follows them, `downstream` and `frechet`
judge what comes out.
"""
