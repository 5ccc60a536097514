"""The claims that matter most, a file each with ``CLAIM``, a `wassdp.claims.SelectedClaim`: the first of all pages."""
