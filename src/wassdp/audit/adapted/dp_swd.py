"""Canaries in DP-SWD's adaptation: features at either end of a line of their own, seen through noisy rows."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp import noise
from wassdp.adaptation.methods.dp_swd import DPSWDAligner
from wassdp.audit.trainings.adapted import Adapted
from wassdp.audit.trainings.noisy_rows import row_log_ratios
from wassdp.audit.trainings.swapped import told
from wassdp.mechanisms.dpswd import NoisyProjections
from wassdp.noise import Bits
from wassdp.training.inputs import Examples

FAR = 1e4
"""Norm of a canary's features over the clipping diameter: whatever the centre, its row lies along its line."""
SAMPLE = 256
"""Other records whose rows stand for all of them."""


class OppositeFeatures(Adapted):
    """Rows at opposite ends of the ball, as far apart as the account allows."""

    pair = "features at opposite ends of the ball, along a line of their own"

    def __init__(self, method: DPSWDAligner, target: Examples, *, canaries: int, coins: Bits) -> None:
        super().__init__(method, target, canaries=canaries, coins=coins)
        device, width = target.targets.device, method.setting.width
        lines = noise.normal(canaries, width, generator=coins, dtype=torch.float32, device=device)
        self.unit = 2 * method.choice.radius
        self.ends = FAR * self.unit * lines / lines.norm(dim=1, keepdim=True)
        kept = torch.ones(len(target.targets), dtype=torch.bool)
        kept[self.places] = False
        rest = kept.nonzero().flatten()
        some = noise.subset(len(rest), min(SAMPLE, len(rest)), generator=coins)
        self.others, self.encoder = target.inputs[rest[some].to(device)], method.setting.encoder
        encoder = _WithCanaries(self, tuple(target.inputs.shape[1:]))
        method.setting = dataclasses.replace(method.setting, encoder=encoder)
        method.watch = self.observe
        self.method, self.mechanism = method, method.mechanism

    def observe(self, release: NoisyProjections, centre: Float[Tensor, " width"]) -> None:
        """Look at what a step released of rows that are features less a centre."""
        with torch.no_grad():
            features = (self.ends, -self.ends, self.encoder(self.others))
            rows = [self.mechanism.clip((each - centre) / self.unit)[0] for each in features]
        projected = [release.directions.T @ each.T for each in rows]
        self.scores += row_log_ratios(
            release.projections, *projected, std=self.mechanism.sigma, records=self.mechanism.records
        ).cpu()


class _WithCanaries(nn.Module):
    """An encoder of numbered inputs, which gives canaries the features of the record that they are."""

    def __init__(self, attack: OppositeFeatures, shape: tuple[int, ...]) -> None:
        super().__init__()
        # Not registered: its parameters are trained as ever.
        self._attack, self._shape = (attack,), shape

    def forward(self, inputs: Tensor) -> Tensor:
        (attack,) = self._attack
        plain, numbers = told(inputs, self._shape)
        features: Tensor = attack.encoder(plain)
        if numbers is None:
            return features
        number = (numbers - 1).clamp(min=0)
        ends = attack.signs.to(features)[number, None] * attack.ends[number]
        return torch.where((numbers > 0)[:, None], ends, features)
