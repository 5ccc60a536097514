"""The audit of backpropagation clipping: noise that was divided by the batch size once too often."""

from __future__ import annotations

from wassdp.audit.budget import AttackedBudget
from wassdp.audit.budget_attack import exactly
from wassdp.audit.game import Game
from wassdp.audit.zoo.noise_over_batch import NoiseOverBatch


class BackpropagationClipping(AttackedBudget):
    """Ten Poisson steps whose noise is 100 times too small."""

    source = "Tramèr et al. (2022), arXiv:2202.12219: .21 claimed, above 2.79 measured"
    done = NoiseOverBatch.fault
    printed = 0.21

    def game(self) -> Game:
        return NoiseOverBatch(wrong=True, attack="likelihood_ratio")

    def claimed(self) -> float:
        return exactly(self.game(), self.delta)
