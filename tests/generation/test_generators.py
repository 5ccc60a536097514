"""The papers' generators: sizes, ranges, balanced labels."""

from __future__ import annotations

import pytest
import torch

from wassdp.generation import generators
from wassdp.generation.generators import Network

CPU = torch.device("cpu")


def test_the_grey_generator_has_the_layers_of_table_3() -> None:
    network = Network(code=10).build((1, 28, 28), 10)
    # 20·200 + 200, 2·200, 200·784 + 784, 2·784, 16·8·25 + 8, 8·25 + 1: "approximately 180K"
    assert sum(each.numel() for each in network.parameters()) == 4_200 + 400 + 157_584 + 1_568 + 3_208 + 201
    norms = [layer for layer in network.modules() if isinstance(layer, torch.nn.BatchNorm1d)]
    assert [(layer.eps, layer.momentum) for layer in norms] == [(1e-5, 0.1)] * 2


@pytest.mark.parametrize(
    ("name", "shape", "code", "classes"),
    [("upsampling", (1, 8, 8), 10, 10), ("upsampling", (3, 32, 32), 4, 0), ("transposed", (3, 64, 64), 32, 0)],
)
def test_images_have_the_shape_and_the_range(name: str, shape: tuple[int, int, int], code: int, classes: int) -> None:
    torch.manual_seed(0)
    network = Network.model_validate({"name": name, "code": code}).build(shape, classes)
    images, labels = generators.sample(network, count=20, device=CPU, chunk=7)
    assert images.shape == (20, *shape)
    assert float(images.min()) >= 0
    assert float(images.max()) <= 1
    assert (labels is None) == (classes == 0)
    assert network.training


def test_labels_are_balanced_and_in_order() -> None:
    labels = generators.balanced(12, 4, CPU)
    assert labels is not None
    assert torch.bincount(labels).tolist() == [3] * 4
    assert bool((labels.diff() >= 0).all())
    with pytest.raises(ValueError, match="count = 13"):
        generators.balanced(13, 4, CPU)


def test_a_class_changes_the_picture_and_a_code_does() -> None:
    torch.manual_seed(0)
    network = Network(code=3).build((1, 8, 8), 2).eval()
    with torch.no_grad():
        zeros = torch.zeros(1, 3)
        pictures = [
            network(torch.cat([code, kind], dim=1))
            for code in (zeros, zeros + 1)
            for kind in (torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]))
        ]
    assert len({round(float(each.sum()), 5) for each in pictures}) == 4


@pytest.mark.parametrize(
    ("name", "shape", "named"),
    [
        ("dcgan", (1, 28, 28), "name\n.*'dcgan'"),
        ("upsampling", (1, 30, 28), "multiples of 4"),
        ("transposed", (3, 32, 32), "gives 64 x 64, not 32 x 32"),
    ],
)
def test_impossible_generators_are_refused(name: str, shape: tuple[int, int, int], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Network.model_validate({"name": name}).build(shape, 0)
    network = Network(code=3).build((1, 8, 8), 2)
    with pytest.raises(ValueError, match="labels: must be 4"):
        generators.generate(network, None, count=4, device=CPU)
