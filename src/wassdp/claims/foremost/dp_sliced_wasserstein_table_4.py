"""Table 4 of *DP sliced Wasserstein*: the noise for MNIST by the Bernstein bound."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, Printed, SelectedClaim, Shown

SAME = Shown(set="dp-sliced-wasserstein", experiment="printed-noise", setting="MNIST (b), σ = 2.94")

CLAIM = SelectedClaim(
    place=6,
    paper="dp-sliced-wasserstein",
    where="Table 4, MNIST (b)",
    title="The noise for MNIST by the Bernstein bound",
    words="Model hyperparameters and privacy for achieving a ε-δ privacy with ε = 10",
    claimed=Printed(table="dp-sliced-wasserstein-table-2", row="mnist", column="epsilon"),
    same=SAME,
    honest="a table of noise, without a training; claim 8 shows what the noise gives",
    finding=(
        "A claim can be too large as well: for rows within distance 1 ε ≤ {{ proven }} is proven at the printed "
        "noise, and {{ orthogonal }} with orthogonal directions. The published code counts the number of projections "
        "twice in its Bernstein term; the paper's own formula gives {{ formula }}."
    ),
    picks={
        "formula": Pick(runs=SAME, column="epsilon/published/swd_bernstein"),
        "orthogonal": Pick(
            runs=Shown(
                set="dp-sliced-wasserstein",
                experiment="printed-noise-orthogonal",
                setting="MNIST (b), orthogonal, σ = 2.94",
            ),
            column="epsilon/upper/pld",
        ),
    },
    says=(Below(low="proven", high="claimed"), Below(low="orthogonal", high="proven")),
)
