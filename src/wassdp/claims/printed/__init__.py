"""What the papers print: one file for each table or passage, with ``RECORDS``, a tuple of `wassdp.claims.Record`."""
