"""DP-SWD's release on an orthonormal basis, of batches drawn without replacement."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp.audit.pairs import dpswd


@dataclass(frozen=True, kw_only=True)
class OrthogonalProjections(dpswd.Projections):
    """As `wassdp.audit.pairs.dpswd`; a trial is a basis, with the noise on its directions."""

    directions = "orthogonal"
    projections = dpswd.DIMENSION
