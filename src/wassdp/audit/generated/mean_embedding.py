"""Canaries in DP-MERF's release: features of two images in the blocks of their classes."""

from __future__ import annotations

import torch
from torch import Tensor

from wassdp.audit.trainings.crafted_images import Generated
from wassdp.audit.trainings.linear import coin_log_ratios
from wassdp.generation.methods.mean_embedding import MeanEmbeddingTarget
from wassdp.generation.target import Target


class CraftedFeatures(Generated):
    r"""Two images of different classes move the embedding by √2 of at most 2, as far as any two are known to.

    All that is known, the embedding of the other records and the middle of each canary's two, is subtracted.
    """

    pair = "two crafted images, each the other's negative, of two classes"

    @property
    def labels_public(self) -> bool:
        return False

    def attach(self, target: Target) -> None:
        assert isinstance(target, MeanEmbeddingTarget), "made by the method"
        self.target = target
        target.watch = self.observe

    def observe(self) -> None:
        """Look at the release, which is the only one."""
        mechanism, target = self.target.mechanism, self.target
        stayed = torch.from_numpy(self.stayed).to(target.vectors.device)
        known = mechanism.embedding(target.vectors[stayed], target.labels[stayed]) * int(stayed.sum())
        canaries = len(self.scores)
        matched = torch.zeros(canaries, dtype=torch.float64, device=known.device)
        gram = torch.zeros(canaries, canaries, dtype=torch.float64, device=known.device)
        sides = [self._side(which) for which in (0, 1)]
        for vectors, labels in sides:
            known = known + mechanism.embedding(vectors, labels) * len(labels) / 2
        left = (target.released.embedding * mechanism.records - known).double()
        features = [mechanism.features(vectors).double() for vectors, _ in sides]
        for i, sign in enumerate((1, -1)):
            labels = sides[i][1]
            matched = matched + sign * (features[i] * left.T[labels]).sum(dim=1)
            for j, other in enumerate((1, -1)):
                same = (labels[:, None] == sides[j][1]).double()
                gram = gram + sign * other * same * (features[i] @ features[j].T)
        std = mechanism.noise_std * mechanism.records
        self.scores += coin_log_ratios(gram.cpu(), matched.cpu(), std=std)

    def _side(self, which: int) -> tuple[Tensor, Tensor]:
        """Vectors of the first or second images, and their labels."""
        images, _ = self.crafted(which)
        device = self.target.vectors.device
        return self.target.view(images).to(device), torch.from_numpy(self.labels[which]).to(device)
