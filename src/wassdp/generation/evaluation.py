"""How generated images are judged, on real test images: what is found is *evaluation*, and no part of a release."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from jaxtyping import Int64
from pydantic import Field

from wassdp.data.base import Split
from wassdp.generation import downstream, frechet, generators
from wassdp.generation.generators import Generator
from wassdp.sections import Section
from wassdp.training.inputs import unit


class GeneratedEvaluation(Section):
    """How the generated images are judged. It reads real test images and is part of no release."""

    classifiers: tuple[downstream.Kind, ...] = Field(
        default=downstream.TABLE_2,
        exclude_if=lambda kinds: kinds == downstream.TABLE_2,
        description="judges of generated images: mlp and logistic are SWD's, mlp_stopped is that network stopped early",
    )
    samples: int = Field(default=60_000, ge=0, description="generated images to train classifiers on; 0: none")
    logistic_iterations: int = Field(default=5000, ge=1, description="most iterations of the logistic regression")
    mlp_iterations: int = Field(default=200, ge=1, description="most passes of the network")
    frechet: int = Field(default=2000, ge=0, description="images of either kind for the Fréchet distance; 0: none")
    sheet_rows: int = Field(default=10, ge=1, le=20, description="rows of the sheet of samples, one column per class")

    def judge(
        self, network: Generator, test: Split, dataset: str, *, device: torch.device, seed: int | None
    ) -> dict[str, float]:
        """What classifiers and the Fréchet distance say of generated images; codes come from torch's global generator.

        ``frechet_sampled`` is the distance of generated images from test images that `public_order` samples, and
        ``frechet_sampled_floor`` that of as many other test images, or of all others, from the same: real images are as
        far. ``frechet_scattering`` is that from the first test images of the file, which are no sample of MNIST's;
        older runs have no other.

        Args:
            network: on the device.
            test: real records.
            dataset: their name.
            device: where images are generated.
            seed: of the classifiers.
        """
        figures: dict[str, float] = {}
        columns = max(network.classes, 1)  # as many images of each class
        if network.classes and self.samples:
            count = -(-self.samples // columns) * columns
            images, labels = generators.sample(network, count=count, device=device)
            assert labels is not None, "there are classes"
            accuracies = downstream.accuracies(
                images.flatten(start_dim=1).numpy(),
                labels.numpy(),
                unit(test.inputs, dataset).flatten(start_dim=1).numpy(),
                test.labels,
                seed=seed,
                logistic_iterations=self.logistic_iterations,
                mlp_iterations=self.mlp_iterations,
                kinds=self.classifiers,
            )
            figures |= {f"accuracy_{name}": accuracy for name, accuracy in accuracies.items()}
        if self.frechet:
            places = public_order(dataset, len(test.inputs))
            real, others = (
                unit(test.inputs[np.sort(part)], dataset)
                for part in (places[: self.frechet], places[self.frechet : 2 * self.frechet])
            )
            images, _ = generators.sample(network, count=-(-len(real) // columns) * columns, device=device)
            features, generated = frechet.features(real), frechet.features(images)
            figures["frechet_sampled"] = frechet.distance(features, generated)
            first = frechet.features(unit(test.inputs[: self.frechet], dataset))
            figures["frechet_scattering"] = frechet.distance(first, generated)
            if len(others) > 1:
                figures["frechet_sampled_floor"] = frechet.distance(features, frechet.features(others))
        return figures


def public_order(name: str, count: int) -> Int64[np.ndarray, " count"]:
    """Places of ``count`` records of a dataset called ``name``, shuffled by SHA-256, the same in every run.

    >>> public_order("mnist", 10_000)[:4].tolist()
    [7881, 2024, 5167, 2497]
    """
    digests = [hashlib.sha256(f"{name}/frechet/{place}".encode()).digest() for place in range(count)]
    return np.array(sorted(range(count), key=digests.__getitem__), dtype=np.int64)
