"""Generators of images, what they are trained towards, and how good their images are.

`generators` are the networks, `views` and `rows` turn a labelled image into the row that is projected, `bands` are the
directions that belong together. A file of `methods` is a way to release private records, with the loss of that
release: by `pooled` (noise per row), `quantiles` (noise per gradient) or `wassdp.mechanisms.merf`. `training` follows
that loss; `evaluation` has `downstream` and `frechet` judge what comes out.
"""
