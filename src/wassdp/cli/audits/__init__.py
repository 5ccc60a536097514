"""Audits of ``wassdp audit``, one file each with what a verb has: ``HELP``, ``configure`` and ``run``."""
