"""A mean embedding divided by the size of each class, in place of the number of records."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.merf import MERF, FourierFeatures
from wassdp.noise import Bits

RECORDS, FEATURES = 10, 6
Released = Float[Tensor, "trials features"]


class EmbeddingByClass(Specimen):
    """DP-MERF on one-dimensional records of two classes."""

    fault = "each class's embedding is divided by that class's number of records: a small class moves by far more"
    source = "a mutation of Harder et al. (2021), arXiv:2002.11603, section 4, which divides by all records"
    neighbours = "the only record of its class, or it is replaced by one whose features point the other way"
    attacks = ("along_the_difference",)
    frequencies = torch.full((1, FEATURES // 2), torch.pi, dtype=torch.float64)
    mechanism = MERF(noise_multiplier=1.0, features=FourierFeatures(frequencies), classes=2, records=RECORDS)

    def event(self) -> Event:
        return self.mechanism.event()

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """The embedding of the second class."""
        vectors, labels = self._records(present=present)
        embedding = self.mechanism.embedding(vectors, labels)
        if self.wrong:
            sizes = labels.bincount(minlength=self.mechanism.classes)
            embedding = embedding * self.mechanism.records / sizes
        std = noise.scaled(self.mechanism.noise_multiplier, self.mechanism.sensitivity)
        return noise.rounded(embedding[:, 1].repeat(trials, 1), std=std, generator=generator)

    def _records(self, *, present: bool) -> tuple[Tensor, Tensor]:
        vectors = torch.zeros(RECORDS, 1, dtype=torch.float64)
        vectors[-1] = 0.0 if present else 1.0
        labels = torch.zeros(RECORDS, dtype=torch.int64)
        labels[-1] = 1
        return vectors, labels

    def along_the_difference(self, released: Released) -> Float[Tensor, " trials"]:
        """The likelihood ratio of the law that is claimed grows with it."""
        here, there = (
            self.mechanism.embedding(*self._records(present=world))[:, 1].double() for world in (True, False)
        )
        return released @ (here - there)
