"""SWD Proposition 2 with the quantile itself in the place of the CLT bound."""

from __future__ import annotations

from wassdp.accounting.formulas.sliced_tails import central_limit
from wassdp.claims import projected_release
from wassdp.claims.inequality import Inequality
from wassdp.claims.verdicts.dp_sliced_wasserstein_proposition_2_clt import COUNTS

CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Proposition 2 with the quantile for the CLT bound",
    place="Section 3.1",
    statement="noisy projections of all rows are (α w/(2σ²) + log(2/δ)/(α-1), δ)-DP, w exceeded with probability δ/2",
    formula="E_H δ_Gauss(ε; √H/σ) ≤ δ at ε = α w/(2σ²) + log(2/δ)/(α-1), P(H > w) ≤ δ/2",
    repairs="dp-sliced-wasserstein-proposition-2-clt",
    compared="δ found / stated",
    draw=lambda generator: projected_release.draw(generator, COUNTS),
    ratio=lambda case: projected_release.ratio(case, projected_release.quantile),
    verified=lambda case: projected_release.plain_of_many(case, projected_release.plain_quantile),
    corrupted=lambda case: projected_release.ratio(case, central_limit),
    simpler=lambda case: projected_release.simpler(case, least=31),
    usual=1000,
    few=200,
)
