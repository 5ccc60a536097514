"""SWD Proposition 2: one release of all records.

It holds with room: neither the sensitivity's tail nor the Rényi conversion costs as much as is set aside for it.
"""

from __future__ import annotations

from wassdp.accounting.formulas.sliced_tails import bernstein
from wassdp.claims import projected_release
from wassdp.claims.inequality import Inequality

COUNTS = (1, 2, 5, 20)

CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Proposition 2",
    place="Section 3.1",
    statement="noisy projections of all rows are (α w(k, δ/2)/(2σ²) + log(2/δ)/(α-1), δ)-DP, w of Lemma 2",
    formula="E_H δ_Gauss(ε; √H/σ) ≤ δ at ε = α w(k, δ/2)/(2σ²) + log(2/δ)/(α-1)",
    compared="δ found / stated",
    draw=lambda generator: projected_release.draw(generator, COUNTS),
    ratio=lambda case: projected_release.ratio(case, bernstein),
    verified=lambda case: projected_release.plain(case, projected_release.printed_bernstein),
    corrupted=lambda case: projected_release.ratio(case, projected_release.mean),
    simpler=lambda case: projected_release.simpler(case, least=1),
    usual=3000,
    few=200,
)
