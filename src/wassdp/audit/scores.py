"""Scores of an attacker in two worlds: large where the record seems to be there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks


@dataclass(frozen=True, eq=False)
class Scores:
    """One number for each trial. Trials are independent of each other, and alike inside a world.

    Args:
        present: scores of releases of the records with the one in question, shape (trials,); its law is P.
        absent: of the neighbouring records, shape (trials,); its law is Q.

    Raises:
        ValueError: a world has no score, or one that is not a number. Infinite ones are allowed: they are an
            attacker's certainty.
    """

    present: Float[np.ndarray, " present"]
    absent: Float[np.ndarray, " absent"]

    def __post_init__(self) -> None:
        for name, scores in (("present", self.present), ("absent", self.absent)):
            if scores.ndim != 1 or not scores.size:
                raise ValueError(f"{name} has shape {scores.shape}: must be (trials,) with at least one trial")
            if np.isnan(scores).any():
                raise ValueError(f"{name}: must be numbers, not NaN")

    @property
    def trials(self) -> int:
        """Scores of both worlds."""
        return self.present.size + self.absent.size

    def split(self, share: float) -> tuple[Scores, Scores]:
        """The first ``share`` of either world, to choose a threshold on, and the rest, to count on.

        Raises:
            ValueError: the share is not in (0, 1), or leaves one side without a score.
        """
        checks.open_unit("share", share)
        cuts = [round(share * len(scores)) for scores in (self.present, self.absent)]
        return (
            Scores(self.present[: cuts[0]], self.absent[: cuts[1]]),
            Scores(self.present[cuts[0] :], self.absent[cuts[1] :]),
        )
