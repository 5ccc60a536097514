"""The steps between a run table and a report, one file each; the command line and the workflow call them."""
