"""Every engine against a loop that differentiates one example at a time."""

from __future__ import annotations

import math
import re

import pytest
import torch
from torch import Tensor, nn

from wassdp import models
from wassdp.training import engines

SHAPES = {
    "linear": (1, 8, 8),
    "cnn_tiny": (1, 8, 8),
    "cnn_small": (1, 28, 28),
    "cnn_cifar": (3, 8, 8),
    "model_a": (1, 16, 16),
    "model_b": (3, 16, 16),
    "scattering_cnn": (9, 5, 5),
}


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(outputs, targets, reduction="none")


def examples(shape: tuple[int, ...], count: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(7)
    return torch.randn(count, *shape, generator=generator), torch.randint(0, 10, (count,), generator=generator)


def naive(model: nn.Module, batch: tuple[Tensor, Tensor], clip_norm: float) -> Tensor:
    """Algorithm 1 of Abadi et al. (2016), an example at a time."""
    total = torch.zeros(sum(each.numel() for each in model.parameters()))
    for inputs, target in zip(*batch, strict=True):
        loss = cross_entropy(model(inputs[None]), target[None]).squeeze()
        gradient = torch.cat([each.flatten() for each in torch.autograd.grad(loss, list(model.parameters()))])
        total += gradient / max(1.0, float(gradient.norm()) / clip_norm)
    return total


def model(name: str, **options: str) -> nn.Module:
    torch.manual_seed(8)
    return models.Model(name=name, options=options).architecture.build(SHAPES[name], 10)


class Averaged(nn.Module):
    """One layer at every position of an example; its outputs' mean."""

    def __init__(self) -> None:
        super().__init__()
        self.everywhere = nn.Linear(64, 64, bias=False)

    def forward(self, values: Tensor) -> Tensor:
        logits: Tensor = self.everywhere(values).mean(dim=1)
        return logits


CASES = [
    ("linear", {}),
    ("cnn_tiny", {}),
    ("cnn_tiny", {"activation": "relu", "normalisation": "group"}),
    ("cnn_small", {}),
    ("cnn_small", {"activation": "selu", "normalisation": "group"}),
    ("cnn_cifar", {}),
    ("cnn_cifar", {"normalisation": "group"}),
    ("model_a", {"normalisation": "none"}),
    ("model_a", {"normalisation": "group"}),
    ("model_b", {"normalisation": "group"}),
    ("scattering_cnn", {}),
    ("scattering_cnn", {"size": "large"}),
]


def test_every_model_has_a_case() -> None:
    assert set(models.names()) <= set(SHAPES) == {name for name, _ in CASES}


def loaded(engine: str, network: nn.Module) -> engines.Engine:
    """The engine; skips where Opacus or torch.func says that it cannot follow the model."""
    prepared = engines.load(engine, network)
    call = prepared.clipped_gradient_sum

    def sum_or_skip(loss: engines.Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> engines.ClippedSum:
        try:
            return call(loss, batch, clip_norm)
        except ValueError as error:
            if engine != "ghost_norms" and ("Opacus" in str(error) or "torch.func" in str(error)):
                pytest.skip(str(error))
            raise

    prepared.clipped_gradient_sum = sum_or_skip  # type: ignore[method-assign]
    return prepared


@pytest.mark.parametrize("engine", engines.ENGINES.names())
class TestEveryEngine:
    @pytest.mark.parametrize(("name", "options"), CASES)
    @pytest.mark.parametrize("clip_norm", [0.3, 1e4])
    def test_sums_what_the_loop_sums(self, engine: str, name: str, options: dict[str, str], clip_norm: float) -> None:
        network, batch = model(name, **options), examples(SHAPES[name], 6)
        expected = naive(network, batch, clip_norm)
        found = loaded(engine, network).clipped_gradient_sum(cross_entropy, batch, clip_norm)
        assert float((found.total - expected).norm()) <= 1e-5 * float(expected.norm())
        assert found.loss == pytest.approx(float(cross_entropy(network(batch[0]), batch[1]).sum().detach()), rel=1e-5)

    def test_is_the_same_in_micro_batches_and_when_called_again(self, engine: str) -> None:
        prepared, batch = engines.load(engine, model("cnn_tiny")), examples((1, 8, 8), 11)
        whole = prepared.clipped_gradient_sum(cross_entropy, batch, 0.5)
        for size in (1, 4, 11, 50):
            parts = engines.in_micro_batches(prepared, cross_entropy, batch, 0.5, micro_batch=size)
            torch.testing.assert_close(parts.total, whole.total, rtol=1e-5, atol=1e-6)
            assert parts.loss == pytest.approx(whole.loss, rel=1e-5)

    def test_gives_zeros_for_an_empty_batch(self, engine: str) -> None:
        network = model("cnn_tiny")
        found = engines.in_micro_batches(
            engines.load(engine, network), cross_entropy, examples((1, 8, 8), 0), 1.0, micro_batch=4
        )
        assert torch.equal(found.total, torch.zeros(sum(each.numel() for each in network.parameters())))
        assert found.loss == 0.0

    def test_differentiates_each_use_of_a_shared_layer_once(self, engine: str) -> None:
        # Opacus 510: gradients of layers used twice were counted double.
        torch.manual_seed(9)
        shared = nn.Linear(5, 5)
        network = nn.Sequential(shared, nn.Tanh(), shared, nn.Tanh(), nn.Linear(5, 10))
        batch = examples((5,), 7)
        expected = naive(network, batch, 0.4)
        prepared = engines.load(engine, network)
        for _ in range(2):
            found = prepared.clipped_gradient_sum(cross_entropy, batch, 0.4)
            torch.testing.assert_close(found.total, expected.double(), rtol=1e-4, atol=1e-6)
            # torch's own way to call a model as a function left plain tensors in the place of its parameters.
            assert len(list(network.parameters())) == 4
            assert shared.weight.requires_grad

    def test_leaves_frozen_parameters_out(self, engine: str) -> None:
        network = model("cnn_tiny")
        first = next(layer for layer in network.modules() if isinstance(layer, nn.Linear | nn.Conv2d))
        first.requires_grad_(False)
        found = engines.load(engine, network).clipped_gradient_sum(cross_entropy, examples((1, 8, 8), 3), 1.0)
        trained = sum(each.numel() for each in network.parameters() if each.requires_grad)
        assert found.total.shape == (trained,)
        assert trained < sum(each.numel() for each in network.parameters())

    @pytest.mark.parametrize(
        ("layer", "named"),
        [
            (nn.BatchNorm2d(3), "BatchNorm2d"),
            (nn.SyncBatchNorm(3), "SyncBatchNorm"),
            (nn.BatchNorm2d(3, affine=False, track_running_stats=False), "BatchNorm2d"),
            (nn.InstanceNorm2d(3, track_running_stats=True), "InstanceNorm2d"),
        ],
    )
    def test_refuses_batch_statistics_by_the_layers_name(self, engine: str, layer: nn.Module, named: str) -> None:
        network = nn.Sequential(nn.Sequential(nn.Conv2d(1, 3, 3), layer), nn.Flatten(), nn.Linear(108, 10))
        with pytest.raises(ValueError, match=rf"layer '0\.1' is {named}.*group normalisation"):
            engines.load(engine, network)

    def test_refuses_a_loss_that_is_not_per_example(self, engine: str) -> None:
        prepared = engines.load(engine, model("linear"))
        with pytest.raises(ValueError, match="one loss per example"):
            prepared.clipped_gradient_sum(nn.functional.cross_entropy, examples((1, 8, 8), 3), 1.0)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    @pytest.mark.parametrize(
        ("name", "options"),
        [("linear", {}), ("cnn_tiny", {"activation": "relu", "normalisation": "group"}), ("cnn_small", {})],
    )
    @pytest.mark.parametrize("clip_norm", [0.3, 1e4])
    def test_counts_a_gradient_that_is_not_finite_as_zero(
        self, engine: str, name: str, options: dict[str, str], bad: float, clip_norm: float
    ) -> None:
        # To stop because of it would be an output that no noise covers.
        network, (inputs, targets) = model(name, **options), examples(SHAPES[name], 20)
        broken = torch.tensor([1, 17])
        inputs[broken, 0, 1, 1] = bad
        rest = torch.tensor([place for place in range(20) if place not in broken])
        expected = naive(network, (inputs[rest], targets[rest]), clip_norm)
        found = loaded(engine, network).clipped_gradient_sum(cross_entropy, (inputs, targets), clip_norm)
        assert float((found.total - expected).norm()) <= 1e-5 * float(expected.norm())
        assert found.zeroed == 2
        assert math.isfinite(found.loss)

    def test_sums_to_zero_where_no_gradient_is_finite(self, engine: str) -> None:
        inputs, targets = examples((1, 8, 8), 3)
        prepared = engines.load(engine, model("linear"))
        found = prepared.clipped_gradient_sum(cross_entropy, (inputs * math.nan, targets), 1.0)
        assert not found.total.any()
        assert (found.loss, found.zeroed) == (0.0, 3)

    def test_a_gradient_that_is_not_finite_draws_no_other_random_numbers(self, engine: str) -> None:
        # Other masks for later examples would be a trace of this one.
        network = nn.Sequential(nn.Flatten(), nn.Linear(64, 20), nn.Dropout(0.5), nn.Linear(20, 10))
        inputs, targets = examples((1, 8, 8), 6)
        prepared = loaded(engine, network)
        found = []
        for value in (0.0, math.nan):
            inputs[5] = value
            torch.manual_seed(3)
            prepared.clipped_gradient_sum(cross_entropy, (inputs, targets), 1.0)
            found.append(prepared.clipped_gradient_sum(cross_entropy, (inputs[:5], targets[:5]), 1.0).total)
        assert torch.equal(*found)

    def test_is_unharmed_by_a_step_that_was_refused(self, engine: str) -> None:
        network = model("cnn_tiny")
        prepared, (inputs, targets) = engines.load(engine, network), examples((1, 8, 8), 5)
        expected = prepared.clipped_gradient_sum(cross_entropy, (inputs, targets), 0.3).total
        prepared.clipped_gradient_sum(cross_entropy, (inputs * math.nan, targets), 0.3)
        with pytest.raises(ValueError, match="one loss per example"):
            prepared.clipped_gradient_sum(nn.functional.cross_entropy, (inputs, targets), 0.3)
        assert torch.equal(prepared.clipped_gradient_sum(cross_entropy, (inputs, targets), 0.3).total, expected)
        assert all(parameter.grad is None for parameter in network.parameters())

    @pytest.mark.parametrize("name", ["linear", "cnn_tiny", "cnn_small"])
    def test_one_more_example_changes_the_sum_by_at_most_the_clip_norm(self, engine: str, name: str) -> None:
        prepared, (inputs, targets) = loaded(engine, model(name)), examples(SHAPES[name], 9)
        inputs[8] *= 50
        for clip_norm in (1e-3, 0.7, 40.0):
            less, more = (
                prepared.clipped_gradient_sum(cross_entropy, (inputs[:size], targets[:size]), clip_norm).total
                for size in (8, 9)
            )
            assert float((more - less).norm()) <= clip_norm * (1 + 1e-5)

    @pytest.mark.parametrize("size", [1e15, 1e24, 1e36])
    @pytest.mark.parametrize("clip_norm", [1e-3, 1.0])
    def test_clips_huge_gradients_or_counts_them_as_zero(self, engine: str, size: float, clip_norm: float) -> None:
        # Squares of single-precision numbers overflow above 1e19.
        inputs, targets = examples((1, 8, 8), 1)
        prepared, batch = engines.load(engine, model("linear")), (inputs * size, targets)
        found = prepared.clipped_gradient_sum(cross_entropy, batch, clip_norm)
        if engine != "ghost_norms" and size > 1e16:
            assert not found.total.any()
            assert found.zeroed == 1
            return
        assert float(found.total.norm()) == pytest.approx(clip_norm, rel=1e-5)

    def test_clips_gradients_whose_terms_cancel(self, engine: str) -> None:
        # What is added is rounded otherwise than what is measured: a norm computed apart from the sum does not bound
        # it.
        generator = torch.Generator().manual_seed(11)
        prepared = engines.load(engine, Averaged())
        for size in (1e3, 1e5, 1e6):
            values = size * torch.randn(1, 16, 64, generator=generator)
            values[:, 8:] = -values[:, :8].flip(1)
            batch = values[:, torch.randperm(16, generator=generator)], torch.tensor([1])
            found = prepared.clipped_gradient_sum(cross_entropy, batch, 1e-3)
            assert float(found.total.norm()) <= 1e-3 * (1 + 1e-5)

    def test_clips_a_convolution_whose_terms_cancel(self, engine: str) -> None:
        # Opposite halves of a picture, each a large sum: what is left of them is rounding, and is measured as it is
        # added.
        torch.manual_seed(2)
        first, last = nn.Conv2d(1, 8, 3), nn.Linear(288, 10)
        prepared = engines.load(engine, nn.Sequential(first, nn.Flatten(), last))
        batch = torch.ones(1, 1, 8, 8), torch.tensor([1])
        prepared.clipped_gradient_sum(cross_entropy, batch, 1.0)
        with torch.no_grad():
            first.weight.zero_()
            halves = last.weight.view(10, 8, 6, 6)
            halves[..., 3:] = -halves[..., :3].flip(-1)
            last.weight.mul_(1e6)
        found = prepared.clipped_gradient_sum(cross_entropy, batch, 1.0)
        assert float(found.total.double().norm()) == pytest.approx(1, abs=1e-5)

    @pytest.mark.parametrize("size", [1e4, 1e8, 1e12])
    def test_clips_what_is_added_where_terms_cancel_within_the_model(self, engine: str, size: float) -> None:
        # The two numbers that are normalised are alike but for rounding: the backward pass cancels, and another one, of
        # the loss times a clip factor, is another rounding, times the input: 720 to 5e20 clip norms by Opacus's ghost
        # clipping, which was an engine until then.
        network = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Linear(2, 10))
        prepared, longest = engines.load(engine, network), 0.0
        for seed in range(20):
            torch.manual_seed(seed)
            for layer in network:
                layer.reset_parameters()
            apart = (network[0].weight[0] - network[0].weight[1]).detach().double()
            drawn = torch.randn(3, dtype=torch.float64)
            drawn -= apart * (drawn @ apart) / (apart @ apart)
            inputs = (size * drawn / drawn.norm()).float()[None]
            found = prepared.clipped_gradient_sum(cross_entropy, (inputs, torch.tensor([0])), 1.0)
            longest = max(longest, float(found.total.double().norm()))
        assert 0.9 < longest <= 1 + 1e-5

    def test_clips_a_long_gradient_most_of_whose_numbers_are_short(self, engine: str) -> None:
        # Beside a sum of squares of 64, the others' squares were lost: 1.003 clip norms.
        prepared = engines.load(engine, nn.Linear(2**20, 1, bias=False))
        prepared.probe = lambda *_, **__: None  # type: ignore[attr-defined] # made-up examples take seconds
        values = torch.full((1, 2**20), 0.9 * 2.0**-12)
        values[0, :64] = 1.0
        found = prepared.clipped_gradient_sum(lambda outputs, _: outputs[:, 0], (values, torch.zeros(1)), 1.0)
        assert float(found.total.double().norm()) == pytest.approx(1, abs=2e-5)

    @pytest.mark.parametrize("value", [math.nan, math.inf, 3e38])
    def test_a_loss_that_refuses_what_is_no_number_is_not_given_any(self, engine: str, value: float) -> None:
        # An error would say that the record is there.
        torch.manual_seed(3)
        network = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid(), nn.Flatten(0))
        inputs, targets = torch.randn(4, 3), torch.ones(4)
        inputs[1] = torch.tensor([value, value, -value])

        def loss(outputs: Tensor, targets: Tensor) -> Tensor:
            return nn.functional.binary_cross_entropy(outputs, targets, reduction="none")

        prepared = engines.load(engine, network)
        found = prepared.clipped_gradient_sum(loss, (inputs, targets), 1.0)
        rest = torch.tensor([0, 2, 3])
        without = prepared.clipped_gradient_sum(loss, (inputs[rest], targets[rest]), 1.0)
        assert float((found.total - without.total).norm()) <= 1 + 1e-5
        if math.isnan(float(network[0](inputs[1]).detach())):
            torch.testing.assert_close(found.total, without.total)
            assert found.loss == pytest.approx(without.loss)

    @pytest.mark.parametrize(("classes", "clip_norm"), [(10, 1e-4), (1000, 1e-3)])
    def test_clips_a_gradient_one_of_whose_factors_has_no_square(
        self, engine: str, classes: int, clip_norm: float
    ) -> None:
        # Gradients of the outputs of 1e-23, whose squares vanish in single precision, times an input of 1.5e19: the
        # product of the norms was taken for 0, and a gradient of seven times the clip norm was added as it was.
        network = nn.Linear(1, classes)
        with torch.no_grad():
            network.weight.zero_()
            network.bias.zero_()
            network.bias[0] = 52.5
        batch = torch.full((1, 1), 1.5e19), torch.zeros(1, dtype=torch.int64)
        found = engines.load(engine, network).clipped_gradient_sum(cross_entropy, batch, clip_norm)
        assert float(found.total.double().norm()) <= clip_norm * (1 + 1e-5)

    @pytest.mark.parametrize("clip_norm", [1e-20, 1e20])
    def test_refuses_a_clip_norm_whose_square_vanishes_or_overflows(self, engine: str, clip_norm: float) -> None:
        with pytest.raises(ValueError, match=rf"clip_norm = {re.escape(str(clip_norm))}: must be in .*float32"):
            engines.load(engine, model("linear")).clipped_gradient_sum(cross_entropy, examples((1, 8, 8), 2), clip_norm)

    @pytest.mark.parametrize("clip_norm", [0.0, -1.0, math.inf, math.nan])
    def test_refuses_a_clip_norm_that_bounds_nothing(self, engine: str, clip_norm: float) -> None:
        with pytest.raises(ValueError, match="clip_norm"):
            engines.load(engine, model("linear")).clipped_gradient_sum(cross_entropy, examples((1, 8, 8), 0), clip_norm)


def test_an_unknown_engine_is_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"engine = 'hooks': must be one of .*opacus_hooks"):
        engines.load("hooks", model("linear"))
