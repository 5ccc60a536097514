"""One verb a file: ``HELP``, ``configure(parser)`` and ``run(arguments)``."""
