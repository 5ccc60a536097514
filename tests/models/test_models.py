"""Every model: shapes, refusals, independence of examples; the small networks' published sizes."""

from __future__ import annotations

import pytest
import torch
from pydantic import ValidationError

from wassdp import models
from wassdp.models import MODELS, Architecture
from wassdp.training import engines

SHAPES = {
    "linear": (1, 8, 8),
    "cnn_tiny": (1, 8, 8),
    "cnn_small": (1, 28, 28),
    "cnn_cifar": (3, 32, 32),
    "scattering_cnn": (81, 7, 7),
    "model_a": (1, 28, 28),
    "model_b": (3, 32, 32),
}
# As published, these two mix the examples of a batch (see test_two_blocks).
INDEPENDENT = {"model_a": {"normalisation": "group"}, "model_b": {"normalisation": "group"}}


def build(name: str, shape: tuple[int, ...], classes: int = 10, **options: str) -> torch.nn.Module:
    return models.Model(name=name, options=options).architecture.build(shape, classes)


@pytest.mark.parametrize("name", models.names())
class TestEveryModel:
    def test_gives_one_row_of_logits_per_example_that_depends_on_it_alone(self, name: str) -> None:
        model = build(name, SHAPES[name], classes=7, **INDEPENDENT.get(name, {}))
        inputs = torch.randn(5, *SHAPES[name], generator=torch.Generator().manual_seed(1))
        outputs = model(inputs)
        assert outputs.shape == (5, 7)
        torch.testing.assert_close(model(inputs[2:3]), outputs[2:3])

    def test_is_initialised_from_the_global_generator(self, name: str) -> None:
        def weights(seed: int) -> torch.Tensor:
            torch.manual_seed(seed)
            return torch.nn.utils.parameters_to_vector(build(name, SHAPES[name]).parameters())

        assert torch.equal(weights(3), weights(3))

    def test_refuses_fewer_than_two_classes(self, name: str) -> None:
        with pytest.raises(ValueError, match="classes"):
            build(name, SHAPES[name], classes=1)

    def test_refuses_an_unknown_option(self, name: str) -> None:
        with pytest.raises(ValidationError, match="activatoin"):
            MODELS.choice(name, Architecture).model_validate({"activatoin": "tanh"})


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, {}) for name in models.names()]
    + [(name, {"normalisation": kind}) for name in INDEPENDENT for kind in ("batch-running", "group", "none")],
)
def test_what_the_engines_refuse_is_said_before_any_work(name: str, options: dict[str, str]) -> None:
    model = models.Model(name=name, options=options)
    assert model.impossible(SHAPES[name], "images", private=False) is None
    said, network = model.impossible(SHAPES[name], "images", private=True), model.architecture.build(SHAPES[name], 10)
    if said is None:
        engines.load("ghost_norms", network)
    else:
        assert f"model {name} with privacy: normalisation {model.options['normalisation']!r} mixes" in said
        with pytest.raises(ValueError, match="mix the examples of a batch"):
            engines.load("ghost_norms", network)


@pytest.mark.parametrize(
    ("name", "size"),
    [("linear", 650), ("cnn_tiny", 2_730), ("cnn_small", 26_010), ("cnn_cifar", 550_570), ("scattering_cnn", 33_066)],
)
def test_the_number_of_parameters(name: str, size: int) -> None:
    assert sum(each.numel() for each in build(name, SHAPES[name]).parameters()) == size


def test_the_larger_network_for_maps_has_the_published_size() -> None:
    model = build("scattering_cnn", (243, 8, 8), size="large")
    assert sum(each.numel() for each in model.parameters()) == 187_210


@pytest.mark.parametrize("name", ["cnn_tiny", "cnn_small", "cnn_cifar", "scattering_cnn"])
def test_convolutions_refuse_what_is_no_image(name: str) -> None:
    with pytest.raises(ValueError, match=r"input_shape = \(64,\): must be \(channels, height, width\)"):
        build(name, (64,))
    with pytest.raises(ValueError, match="at least"):
        build(name, (1, 2, 2))


def test_an_unknown_model_is_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"model = 'resnet': must be one of .*linear"):
        MODELS.load("resnet")
