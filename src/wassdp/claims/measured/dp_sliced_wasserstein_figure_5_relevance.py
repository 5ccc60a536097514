"""SWD section 6.3 on Figure 5: generated clothes of DP-SWD and of DP-MERF beside real ones.

What is visually relevant has no measure in the paper. The one here is the Fréchet distance to real images in the
features of a scattering transform, as FID is one in the features of a network. DP-SWD's runs are those at a proven ε of
10, as DP-MERF's is, and those at the published noise; means over seeds.
"""

from __future__ import annotations

from wassdp.claims.generated_images import OPEN, beside_merf, proven_or_published
from wassdp.claims.measurement import Measured

CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Figure 5",
    place="Section 6.3: DP-SWD's samples 'are visually more relevant than those of MERF'",
    statement="clothes of DP-SWD are nearer to real ones, in features of a scattering transform, than DP-MERF's",
    formula="d(DP-SWD, data) ≤ d(DP-MERF, data), d Fréchet distance of scattering features",
    experiments=proven_or_published("fashion-mnist"),
    entries=beside_merf("fashion-mnist"),
    lacking=f"what relevance is measured by; {OPEN}",
)
