"""The data sets, one file each; a file's name is the name in configurations. `wassdp.data` says what each offers."""
