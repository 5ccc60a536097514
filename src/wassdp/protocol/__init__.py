"""Settings chosen so that nobody can fault it: searched on validation records, frozen, and only then tested, once.

`wassdp tune` makes the trials, the same number for each method at each budget, by `propose`, and keeps them in files
(`trials`); `wassdp freeze` writes the best settings into a configuration that counts as long as nothing in it changes
(`freeze`); `wassdp final` runs that one on the test records and puts on record that it did
(`wassdp.pipeline.readings`).
"""
