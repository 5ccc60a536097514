"""DP-SGD's step on all records: the Gaussian mechanism."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp.audit.pairs import dpsgd


@dataclass(frozen=True, kw_only=True)
class FullGradientStep(dpsgd.GradientStep):
    """As `wassdp.audit.pairs.dpsgd`, every record in every step."""

    rate = 1.0
