"""What papers print: a file for each table or passage, with ``RECORDS``, a tuple of `wassdp.claims.PrintedValue`."""
