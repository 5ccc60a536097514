"""WG Theorem A.1(b): both sides private, in the plane and in space. The side of the replaced record may be either."""

from __future__ import annotations

from dataclasses import replace

from wassdp.claims.moved_gradients import draw
from wassdp.claims.verdicts import dp_wasserstein_gradients_theorem_4_1_b as on_the_line

CLAIM = replace(
    on_the_line.CLAIM,
    item="Theorem A.1(b)",
    place="Section A.3; Remark 4.2",
    statement=(
        "replacing one record of X or Z in its place"
        " moves the sliced gradient by at most 4M max{(3L₁+L₂)/n, (L₁+3L₂)/m}"
    ),
    formula="ΔΨ_θ ≤ 4M max{(3L₁ + L₂)/n, (L₁ + 3L₂)/m}, ‖g‖, ‖h‖ ≤ M, ‖J g‖ ≤ L₁, ‖J h‖ ≤ L₂",
    draw=lambda generator: draw(generator, dimensions=(2, 3)),
    usual=6000,
)
