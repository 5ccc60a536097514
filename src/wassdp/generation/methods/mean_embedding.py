"""Squared distance to the noisy mean embedding of private records, released once: DP-MERF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.reach import Reach
from wassdp.generation.method import GenerationMethod, GenerationSetting, Noise, ReleasePlan
from wassdp.generation.target import Target
from wassdp.generation.views import AnyView, Pixels, Shape, View
from wassdp.mechanisms.merf import MERF, FourierFeatures, NoisyEmbedding
from wassdp.noise import Bits, seeded


class MeanEmbeddingMethod(GenerationMethod):
    """Mean embedding released once: DP-MERF (`wassdp.mechanisms.merf`)."""

    name: Literal["mean_embedding"]
    features: int = Field(default=10_000, ge=2, multiple_of=2, description="random Fourier features")
    bandwidth: float = Field(default=10.0, gt=0, description="of the Gaussian kernel, in the unit of the view")
    seed: int = Field(default=0, ge=0, lt=2**63, description="of the frequencies, public")
    view: AnyView = Pixels()

    def describe(self) -> str:
        return ", ".join(filter(None, ["MERF", self.view.describe()]))

    def expected_event(self) -> Event:
        return repeated(expected.gaussian("replace-one"), 1)

    def reach(self, shape: Shape, classes: int) -> Reach:
        return MERF.reach

    def released(
        self, metrics: Mapping[str, float], shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]
    ) -> Event | None:
        return MERF.event_at(metrics["noise"])

    def impossible(self, shape: Shape) -> str | None:
        return self.view.impossible(shape)

    def build(self, privacy: Noise | None, setting: GenerationSetting) -> ReleasePlan:
        if reason := self.impossible(setting.shape):
            raise ValueError(reason)
        features = FourierFeatures.draw(
            dimension=self.view.dimension(setting.shape),
            count=self.features,
            bandwidth=self.bandwidth,
            generator=seeded(self.seed, "frequencies"),
        )
        features = FourierFeatures(features.frequencies.to(setting.device))

        def mechanism(noise_multiplier: float) -> MERF:
            return MERF(
                noise_multiplier=noise_multiplier,
                features=features,
                classes=setting.classes,
                records=len(setting.train),
            )

        noisy = mechanism(
            0.0 if privacy is None else privacy.calibrate(lambda multiplier: mechanism(multiplier).event())
        )
        vectors = torch.cat([self.view(images) for images, _ in setting.chunks()]).to(setting.device)
        return ReleasePlan(
            None if privacy is None else noisy.event(),
            {"noise": noisy.noise_multiplier, "dimension": float(features.count)},
            target=MeanEmbeddingTarget(noisy, self.view, vectors, setting.labels),
        )


@dataclass
class MeanEmbeddingTarget(Target):
    """Squared distance of mean embeddings, that of the private records released once (DP-MERF).

    Args:
        mechanism: releases the private mean.
        view: public map from images to the vectors that are embedded.
        vectors: those of the private records.
        labels: their classes.
    """

    mechanism: MERF
    view: View
    vectors: Float[Tensor, "records d"]
    labels: Int64[Tensor, " records"]
    _release: NoisyEmbedding | None = field(default=None, init=False)

    def renew(self, generator: Bits) -> None:
        self._release = self.mechanism.release(self.vectors, self.labels, generator=generator)

    @property
    def released(self) -> NoisyEmbedding:
        """The release at hand."""
        assert self._release is not None, "advance() comes first"
        return self._release

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        if labels is None:
            raise ValueError("labels = None: an embedding of labelled images needs them")
        embedding = self.mechanism.embedding(self.view(images), labels)
        return (embedding - self.released.embedding).square().sum()
