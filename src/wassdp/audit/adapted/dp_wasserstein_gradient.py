"""Canaries in the clipped Wasserstein gradient of an encoder: a weight of their own, as in any such training."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.adaptation.method import Alignment, SourceBatch
from wassdp.adaptation.methods.dp_wasserstein_gradient import WassersteinGradientAligner
from wassdp.audit.trainings.adapted import Adapted, Watched
from wassdp.audit.trainings.own_weight import OwnWeight, OwnWeights
from wassdp.noise import Bits
from wassdp.training.inputs import Examples
from wassdp.training.wasserstein.engine import WassersteinEngine


class OwnWeightInTheEncoder(Adapted, OwnWeights):
    """The projections of a canary, whatever the step's directions are, lie at one end of the ball."""

    group = "target"
    source: SourceBatch

    def __init__(self, method: WassersteinGradientAligner, target: Examples, *, canaries: int, coins: Bits) -> None:
        super().__init__(method, target, canaries=canaries, coins=coins)
        self.mechanism, choice = method.mechanism, method.choice
        self.model = OwnWeight(
            method.projected,
            shape=tuple(target.inputs.shape[1:]),
            signs=lambda: self.signs,
            dimension=choice.projections,
            output_norm=choice.output_norm,
            jacobian_norm=choice.jacobian_norm,
            loss_norm=0.0,
        ).to(target.targets.device)
        method.engine = WassersteinEngine(self.model)
        self.aligner, self.method = method, _WithOwnWeight(method, self)
        self.prepare()

    def repeated(self) -> Float[Tensor, " dim"]:
        choice = self.aligner.choice
        places = self.mechanism.sample(generator=self.coins)["target"]
        clipped = self.aligner.engine.gradient(
            self.mechanism.objective,
            {"source": self.source.inputs, "target": self.target.inputs[places.to(self.target.targets.device)]},
            directions=torch.eye(choice.projections, device=self.target.targets.device),
            clipping=choice.clipping,
        )
        return clipped.gradient


class _WithOwnWeight(Watched):
    """What the step released in the canaries' weights goes to the attack, the rest to the encoder."""

    def __init__(self, inner: WassersteinGradientAligner, attack: OwnWeightInTheEncoder) -> None:
        super().__init__(inner)
        self.attack = attack

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        alignment = super().align(source, target, generator=generator)
        gradients = dict(alignment.gradients)
        (weight,) = self.attack.model.own.parameters()
        own = gradients.pop(weight)
        self.attack.source = source
        self.attack.observe(own.flatten())
        return Alignment(alignment.loss, gradients, alignment.figures)
