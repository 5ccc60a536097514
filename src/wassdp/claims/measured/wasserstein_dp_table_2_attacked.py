"""WDP Table 2, P(A): membership attacks on trainings whose ε of DP is proven."""

from __future__ import annotations

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry

ATTACKS = {"success_loss": "loss threshold", "success_lira": "LiRA"}


def _entries(rows: Rows) -> list[Entry]:
    return [
        Entry(
            name=f"{row['label']}, success of the attack by {words}",
            printed=attack_success(number(row, "epsilon")),
            found=number(row, column),
            relation="at most",
        )
        for row in rows["membership-mnist"]
        if row["privacy"] != "no privacy"
        for column, words in ATTACKS.items()
    ]


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Discussion",
    place="Additional Specifications, comparability (3), and the caption of Table 2",
    statement="a membership attack on a training with a proven ε of DP succeeds at most with probability P(A)",
    formula="P(A) = 1/(1 + e^{-ε}), half of the records are members",
    experiments=(("attacks", "membership-mnist"),),
    entries=_entries,
)
