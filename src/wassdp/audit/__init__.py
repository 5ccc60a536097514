"""Attacks: lower bounds on a budget, measured on what the code itself releases.

- `wassdp.audit.bound`: what a lower bound says.
- `wassdp.audit.game`: two worlds that differ in one record, and the code's own release in either.
- `wassdp.audit.trainings`: attacks on whole trainings, in the project's own loop.
- `wassdp.audit.canaries`: what a canary among the records of one training is.
- `wassdp.audit.zoo`: wrong implementations beside their correct twins, which an auditor has to tell apart
  (`wassdp.audit.specimen`, tried by `wassdp.audit.keeper`).
- `wassdp.audit.statistics`: from the scores of two worlds, or of canaries, to a bound with its confidence.
- `wassdp.audit.pair`: the game of each release of this project, at its worst neighbours (`wassdp.audit.pairs`);
  `wassdp.audit.mechanism` puts them to the test (``wassdp audit mechanisms``).
- `attack`: the same for anybody's code. `wassdp.audit.any_code` is a tutorial that finds the error in a broken loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wassdp.audit import any_code as any_code
    from wassdp.audit.any_code import attack as attack


def __getattr__(name: str) -> Any:
    # On first use: it needs torch and scikit-learn, which what a bound says does not.
    if name in ("any_code", "attack"):
        # Not `from wassdp.audit import`, which would ask this function for what it does not yet find.
        import wassdp.audit.any_code as any_code

        return any_code if name == "any_code" else any_code.attack
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
