"""SWD Table 4: the budget of the printed noise by the authors' published code, in which k enters the bound twice."""

from __future__ import annotations

from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import SETTINGS
from wassdp.claims.recomputed import Recomputed
from wassdp.claims.verdicts.dp_sliced_wasserstein_table_4 import calibrated, entry

CLAIM = Recomputed(
    paper="dp-sliced-wasserstein",
    item="Table 4",
    place="Table 4, and the authors' code",
    statement="the printed noise costs ε = 10 by the Bernstein bound as the authors' code has it",
    formula="ε = min_α [T D_α + log(1/δ)/(α − 1)] = 10",
    entries=lambda: [entry(setting, "swd_bernstein_code") for setting in SETTINGS],
    flipped_entries=lambda: [entry(calibrated(SETTINGS[0], "swd_bernstein_code"), "swd_bernstein_code")],
    lacking="which number of steps and orders the cited accountant was given",
)
