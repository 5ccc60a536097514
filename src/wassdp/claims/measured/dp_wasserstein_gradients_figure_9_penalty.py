"""WG Figure 9: the penalty over α, regression in the plane."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured, Row, number


def _apart(row: Row) -> float:
    """How far both groups' shares over the diagonal are apart."""
    return abs(number(row, "above_diagonal_0") - number(row, "above_diagonal_1"))


PANELS = Panels(experiment="fair-regression", unfair={"OD0 against OD1": _apart})

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 9",
    place="Section B.2: 'our statistical parity penalization helps to reduce the differences'",
    statement="the groups' predictions come closer, and so do their shares over the diagonal, at each next α",
    formula="W(α') ≤ W(α) and |OD0 - OD1|(α') ≤ |OD0 - OD1|(α) at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
)
