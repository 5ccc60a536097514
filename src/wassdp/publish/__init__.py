"""Finished results into a folder that belongs to the repository: small, complete, and with their origin.

The published folder has the layout of a results folder, so that `wassdp.compare` and
`wassdp.tracking` read it alike. It appears whole or not at all, and replaces an earlier one whole.

- `wassdp.publish.plain`, `.merge`, `.again`: the ways to one, each of which draws all that is made of results anew;
- `wassdp.publish.settings`: labels of settings whose plans were made apart;
- `wassdp.publish.origin`: where the results come from, in sum;
- `wassdp.publish.index`: the README of a published folder;
- `wassdp.publish.exchange`: folders that appear whole.
"""
