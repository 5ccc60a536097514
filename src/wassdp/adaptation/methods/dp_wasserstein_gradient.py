"""The clipped, noisy gradient of the sliced Wasserstein distance, in the encoder that both domains share."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.qualified import qualified
from wassdp.adaptation.method import AdaptationSetting, Aligner, Alignment, Calibrated, SourceBatch
from wassdp.adaptation.networks import Projected
from wassdp.distances import directions
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.noise import Bits
from wassdp.training.engines import refuse_mixing
from wassdp.training.gradients import parts
from wassdp.training.wasserstein.engine import WassersteinEngine

COVERED = (
    "Wasserstein gradient of the encoder: the budget holds for the weights after every step, since the target's "
    "records reach them through clipped, noisy gradients alone, the encoder's Jacobian at private records included; "
    "accuracies and losses on the target's records and labels, distances and numbers of clipped Jacobians are "
    "evaluation and not covered"
)


class WassersteinGradientMethod(Calibrated):
    """``sigma`` is the noise multiplier z, the noise's standard deviation over the gradient's sensitivity."""

    title: ClassVar[str] = "Wasserstein gradient, private encoder"
    name: Literal["dp_wasserstein_gradient"]
    compare: Literal["features", "scores"] = Field(
        default="features", description="scores: of the classes, before the softmax; the head is a constant of the step"
    )
    output_norm: ClipNorm = Field(description="M, norm to which the projections of a record are clipped")
    jacobian_norm: ClipNorm = Field(description="L, spectral norm to which their Jacobian in the encoder is clipped")
    projections: int = Field(
        default=1,
        ge=1,
        description="k, orthonormal directions of a step, at most as many as there are features or scores",
    )
    centred: bool = Field(
        default=True, description="subtract the mean of the source's batch from both sides, before clipping"
    )
    clipping: Literal["spectral", "rows"] = Field(default="spectral", description="rows: as published")
    control: bool = Field(
        default=False,
        description="release the noise alone, for comparison: what is no better than this has not used the target, "
        "however much better than the source alone it is",
    )

    def build(self, setting: AdaptationSetting) -> WassersteinGradientAligner:
        return WassersteinGradientAligner(self, setting)

    def without_canaries(self) -> str | None:
        if self.control:
            return "a control releases noise alone, there is no budget to attack"
        return super().without_canaries()

    def describe(self) -> str:
        scores = ", of class scores" if self.compare == "scores" else ""
        return f"{self.title}{scores}{', noise alone' if self.control else ''}"

    def asked(self) -> str:
        # A control releases nothing of the target, and has no budget.
        return f"that of {super().asked()}" if self.control else super().asked()

    def expected_event(self) -> Event | None:
        if self.control:
            return None
        return expected.drawn(expected.wasserstein_gradient("replace-one"))


class WassersteinGradientAligner(Aligner[WassersteinGradientMethod]):
    r"""Adds to the encoder's gradient that of a weighted sliced Wasserstein distance, clipped, with noise.

    .. math:: \nabla_θ \, w \frac1k \sum_{l \le k} W_2^2 \bigl( ϑ_l^\top (s_θ(X_s) - c), ϑ_l^\top (s_θ(X_t) - c) \bigr)
        + z Δ \, \mathcal{N}(0, I), \qquad Δ = \frac{8 w M L}{n}

    with every record's k projections clipped to norm M and their Jacobian in θ to spectral norm L, on both sides; n is
    the target's batch, θ the encoder's weights and s_θ its d features, or the d class scores that the head makes of
    them. The directions ϑ are orthonormal and drawn afresh for every step, the centre c is the mean of what is compared
    over the source's batch: both are public constants of the step, as is the head, and neither changes a distance.

    The projections are clipped rather than what is projected, since they are what the sensitivity is about: one
    projection of a record is about :math:`\sqrt d` times shorter than the record, and its gradient is shorter than the
    spectral norm of the whole Jacobian. k = d clips the record itself, up to a rotation.

    A control releases the noise without the gradient: noise by itself regularises the encoder, and may do so well. It
    has the noise of the run that it stands beside and no budget, since nothing of the target leaves it.

    Dropout draws a mask for every place of a batch by itself, whatever record stands there: the masks may be public,
    and the bounds hold for every record under the mask of its place.

    Privacy: that of `wassdp.mechanisms.clipped_wasserstein` where one model makes both sides, the source's
    records public: replacing one of the target's moves the clipped gradient by at most Δ. Batches are drawn without
    replacement, and composed over all steps.
    Source: Rodríguez-Vítores, Lalanne and Loubes, Theorem 4.1 and Algorithm 1, with the tight bound of
    `wassdp.mechanisms.wasserstein_objective.Objective.sensitivity_of`.

    Raises:
        ValueError: there are more directions than dimensions, or a layer mixes records, such as batch normalisation.
    """

    def __init__(self, choice: WassersteinGradientMethod, setting: AdaptationSetting) -> None:
        super().__init__(choice, setting)
        scores = choice.compare == "scores"
        self.dimension = setting.classes if scores else setting.width
        if choice.projections > self.dimension:
            raise ValueError(
                f"projections = {choice.projections}: must be at most the {self.dimension} {choice.compare}"
            )
        if scores:
            refuse_mixing(setting.head)
        self.projected = Projected(setting.encoder, setting.head if scores else None)
        self.engine = WassersteinEngine(self.projected)
        sigma = choice.calibrate(lambda noise: self._mechanism(noise).event(setting.steps))
        self.mechanism = self._mechanism(sigma)

    def sample(self, generator: Bits) -> Tensor:
        return self.mechanism.sample(generator=generator)["target"]

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        public = self.projected.compared(source.features.detach())
        self.projected.centre = public.mean(dim=0) if self.choice.centred else torch.zeros_like(public[0])
        self.projected.directions = directions.draw(
            "orthogonal",
            dimension=self.dimension,
            count=self.choice.projections,
            generator=generator,
            dtype=public.dtype,
            device=public.device,
        )
        if self.choice.control:
            # The directions are drawn all the same, so that the noise is that of the run it stands beside.
            nothing = torch.zeros(sum(weight.numel() for weight in self.engine.parameters), device=public.device)
            return self._released(nothing, {}, generator)
        clipped = self.engine.gradient(
            self.mechanism.objective,
            {"source": source.inputs, "target": target},
            directions=torch.eye(self.choice.projections, device=public.device),
            clipping=self.choice.clipping,
        )
        (power,) = clipped.distances.values()
        figures = {"distance": math.sqrt(power), "clipped": clipped.clipped["target"]}
        return self._released(clipped.gradient, figures, generator)

    def _released(self, gradient: Tensor, figures: dict[str, float], generator: Bits) -> Alignment:
        return Alignment(
            loss=torch.zeros((), device=gradient.device),
            gradients=parts(self.engine.parameters, self.mechanism.release(gradient, generator=generator)),
            figures=figures,
        )

    def event(self, steps: int) -> Event | None:
        if self.choice.control:
            return None
        return qualified(self.mechanism.event(steps), notes=(COVERED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.mechanism.noise_multiplier, "sensitivity": self.mechanism.objective.sensitivity}

    def _mechanism(self, sigma: float) -> ClippedWassersteinGradient:
        batch, L = self.setting.batch, self.choice.jacobian_norm
        objective = Objective(
            groups=(
                # Public: nothing is accounted for it, and how many records it is drawn from does not matter.
                Group(name="source", records=batch, batch=batch, jacobian_norm=L, private=False),
                Group(name="target", records=self.setting.records, batch=batch, jacobian_norm=L),
            ),
            pairs=(ComparedGroups("source", "target", self.choice.weight),),
            output_norm=self.choice.output_norm,
        )
        return ClippedWassersteinGradient(objective=objective, noise_multiplier=sigma)
