"""SWD section 6.3 on Figure 5: generated clothes of DP-SWD and of DP-MERF beside real ones.

What is visually relevant has no measure in the paper. The one here is the Fréchet distance to real images in the
features of a scattering transform, as FID is one in the features of a network. DP-SWD's runs are those at a proven ε of
10, as DP-MERF's is, and those at the published noise.
"""

from __future__ import annotations

from wassdp.claims.generated_images import OPEN, experiments
from wassdp.claims.measurement import Measured, Rows, labelled, number
from wassdp.claims.recomputed import Entry

EXPERIMENTS = (("equal-budgets", "generation-fashion-mnist"), *experiments("fashion-mnist"))
FIGURE, BUDGET = "frechet_scattering", ", ε = 10"


def _entries(rows: Rows) -> list[Entry]:
    (merf,) = labelled(rows[EXPERIMENTS[0][1]], f"DP-MERF{BUDGET}")
    return [
        Entry(
            name=f"{row['label']}, {number(row, 'steps'):,.0f} steps: Fréchet distance against DP-MERF's",
            printed=number(merf, FIGURE),
            found=number(row, FIGURE),
            relation="at most",
        )
        for _, name in EXPERIMENTS
        for row in labelled(rows[name], "DP-SWD, ")
        if row["label"].endswith(BUDGET) or ", σ = " in row["label"]
    ]


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Figure 5",
    place="Section 6.3: DP-SWD's samples 'are visually more relevant than those of MERF'",
    statement="clothes of DP-SWD are nearer to real ones, in features of a scattering transform, than DP-MERF's",
    experiments=EXPERIMENTS,
    entries=_entries,
    lacking=f"what relevance is measured by; {OPEN}",
)
