"""What was found in each published set, a file each, named as its folder: ``FINDINGS``, `wassdp.claims.Finding`."""
