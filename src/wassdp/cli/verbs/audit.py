"""``wassdp audit AUDIT``: attacks that measure lower bounds; one file of `wassdp.cli.audits` for each audit."""

from __future__ import annotations

import argparse

from wassdp import complaints
from wassdp.plugins import Plugins

AUDITS = Plugins("wassdp.cli.audits", "audit", joint="-")
HELP = "Attack what the code releases, and set what was measured against what is proven."


def moved(words: list[str]) -> str | None:
    """What to say where the words are those of the verb that was called so before."""
    if not words or words[0] in ("-h", "--help", *AUDITS.names()):
        return None
    allowed = complaints.choices(words[0], AUDITS.names())
    return (
        f"AUDIT = {complaints.shown(words[0])}: {allowed}; a run of a plan, or a specification, is `wassdp run` today"
    )


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb: those of every audit after its name."""
    audits = parser.add_subparsers(metavar="AUDIT", required=True, title="audits")
    for name in AUDITS.names():
        module = AUDITS.load(name)
        chosen = audits.add_parser(name, help=module.HELP, description=module.HELP, allow_abbrev=False)
        module.configure(chosen)
        chosen.set_defaults(audit=module.run)


def run(arguments: argparse.Namespace) -> int:
    """The audit that was asked for."""
    return int(arguments.audit(arguments))
