"""What is our own in `ghost_norms`: its forms of per-example gradients, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from wassdp.training import engines
from wassdp.training.clipping import convolution
from wassdp.training.clipping.convolution import ChannelsLast, Geometry, PixelGram
from wassdp.training.clipping.per_example import Lookups, Materialised, Outer, OuterSum, PerExample
from wassdp.training.engines import ghost_norms


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(outputs, targets, reduction="none")


def same_as(form: PerExample, gradients: Tensor) -> None:
    """A form answers as the gradients themselves do, in double precision."""
    flat = gradients.flatten(start_dim=1)
    factors = torch.rand(len(flat), dtype=flat.dtype, generator=torch.Generator().manual_seed(1))
    quick = form.squared_norms()
    known = ~quick.isnan()
    torch.testing.assert_close(quick[known], flat.square().sum(dim=1)[known], rtol=1e-9, atol=1e-12)
    rows = torch.stack([form.row(example) for example in range(len(flat))])
    torch.testing.assert_close(rows, flat.double(), rtol=1e-9, atol=1e-12)
    start = torch.ones_like(flat[0])
    total = start.clone()
    form.add_weighted(factors, total)
    torch.testing.assert_close(total - start, factors @ flat, rtol=1e-9, atol=1e-11)


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


side = st.integers(min_value=1, max_value=3)


@settings(max_examples=60)
@given(
    channels=st.tuples(side, side),
    groups=st.integers(1, 2),
    kernel=st.tuples(side, side),
    stride=st.tuples(side, side),
    padding=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    dilation=st.tuples(side, side),
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    examples=st.integers(1, 4),
    held=st.integers(1, 2000),
)
def test_every_form_of_a_convolutions_gradients_agrees_with_autograd(
    channels: tuple[int, int],
    groups: int,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    size: tuple[int, int],
    examples: int,
    held: int,
) -> None:
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    assume(all(s + 2 * p >= r for s, p, r in zip(size, padding, reach, strict=True)))
    layer = nn.Conv2d(
        channels[0] * groups,
        channels[1] * groups,
        kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
    ).double()
    inputs = normal(1, examples, channels[0] * groups, *size)
    outputs = normal(2, *layer(inputs).shape)
    expected = torch.stack(
        [torch.autograd.grad(layer(a[None]), layer.weight, b[None])[0] for a, b in zip(inputs, outputs, strict=True)]
    )
    geometry = Geometry.of(layer)
    same_as(Materialised(geometry.by_groups(inputs, outputs)), expected)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(convolution, "HELD", {True: held})
        same_as(ChannelsLast(geometry.by_windows(inputs, outputs)), expected)
        if groups == 1:
            for memory in (torch.contiguous_format, torch.channels_last):
                same_as(PixelGram(geometry, inputs.contiguous(memory_format=memory), outputs), expected)


@pytest.mark.parametrize("held", [9, 2**18])
def test_a_sum_of_a_convolutions_gradients_in_single_precision_is_one_in_double(held: int) -> None:
    # Numbers of which single precision would lose all but the largest.
    inputs, outputs = torch.ones(3, 1, 3, 3), torch.tensor([2.0**40, 1.0, -(2.0**40)]).view(3, 1, 1, 1)
    geometry, total = Geometry.of(nn.Conv2d(1, 1, 3)), torch.zeros(9, dtype=torch.float64)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(convolution, "HELD", {True: held})
        for form in (PixelGram(geometry, inputs, outputs), ChannelsLast(geometry.by_windows(inputs, outputs))):
            form.add_weighted(torch.ones(3), total.zero_())
            assert total.tolist() == [1.0] * 9


@settings(max_examples=40)
@given(n=st.integers(1, 5), places=st.integers(1, 6), inputs=st.integers(1, 7), outputs=st.integers(1, 7))
def test_products_and_lookups_agree_with_what_they_stand_for(n: int, places: int, inputs: int, outputs: int) -> None:
    A, B = normal(3, n, places, inputs), normal(4, n, places, outputs)
    same_as(OuterSum(A, B), B.mT @ A)
    same_as(Outer(A[:, 0], B[:, 0]), B[:, 0, :, None] * A[:, 0, None, :])
    rows = torch.randint(0, 4, (n, places), generator=torch.Generator().manual_seed(5))
    same_as(Lookups(rows, B, 4), nn.functional.one_hot(rows, 4).double().mT @ B)


@pytest.mark.parametrize(
    ("layer", "size", "form"),
    [
        (nn.Conv2d(64, 64, 3, padding=1), 4, "gram"),
        (nn.Conv2d(16, 32, 4, stride=2), 13, "windows"),
        (nn.Conv2d(32, 32, 3, padding=1), 32, "groups"),
        (nn.Conv2d(64, 64, 3, padding=1, groups=2), 6, "windows"),
        (nn.Conv2d(64, 64, 3, padding=1, groups=64), 14, "groups"),
    ],
)
def test_the_form_follows_from_the_shapes(layer: nn.Conv2d, size: int, form: str) -> None:
    inputs = torch.empty(32, layer.in_channels, size, size)
    assert Geometry.of(layer).cheapest(inputs, layer(inputs), once=True) == form
    assert Geometry.of(layer).cheapest(inputs, layer(inputs), once=False) != "gram"


def test_a_norm_that_cancels_is_not_trusted() -> None:
    # Two positions whose products cancel to a part in 1e5: single precision keeps no digit of the Gram sum.
    direction, b = torch.randn(1, 1, 50), torch.randn(1, 1, 40)
    A = torch.cat([direction, direction + 1e-5 * torch.randn(1, 1, 50)], dim=1)
    B = torch.cat([b, -b], dim=1)
    form = OuterSum(A, B)
    assert form.squared_norms().isnan().all()
    expected = (B.double().mT @ A.double()).flatten()
    torch.testing.assert_close(form.row(0), expected, rtol=1e-12, atol=0)


@settings(max_examples=300)
@given(
    form=st.sampled_from(["outer", "outer sum", "pixels"]),
    sizes=st.tuples(st.floats(-44, 18), st.floats(-44, 18)),
    spread=st.floats(0, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_norm_is_too_small_because_squares_vanish(
    form: str, sizes: tuple[float, float], spread: float, seed: int
) -> None:
    # Numbers of very different sizes, of which single precision holds the squares of some alone.
    generator = torch.Generator().manual_seed(seed)

    def numbers(size: float, *shape: int) -> Tensor:
        scales = 10.0 ** (size - spread * torch.rand(*shape, generator=generator, dtype=torch.float64))
        return (scales * torch.randn(*shape, generator=generator, dtype=torch.float64)).float()

    if form == "outer":
        a, b = numbers(sizes[0], 3, 40), numbers(sizes[1], 3, 30)
        found, exact = Outer(a, b), torch.einsum("ni,no->noi", a.double(), b.double())
    elif form == "outer sum":
        a, b = numbers(sizes[0], 3, 5, 40), numbers(sizes[1], 3, 5, 30)
        found, exact = OuterSum(a, b), torch.einsum("nti,nto->noi", a.double(), b.double())
    else:
        a, b = numbers(sizes[0], 3, 2, 5, 4), numbers(sizes[1], 3, 6, 3, 2)
        geometry = Geometry.of(nn.Conv2d(2, 6, 3))
        found, exact = PixelGram(geometry, a, b), geometry.by_windows(a.double(), b.double())
    squared, true = found.squared_norms().double(), exact.flatten(start_dim=1).square().sum(dim=1)
    told = torch.isfinite(squared)
    # Below the square of the least clip norm that is accepted, how small it is does not matter.
    assert (squared[told] >= (1 - 1e-3) * true[told].clamp(max=1e38) - 1e-26).all()
    ordinary = told & (torch.tensor(min(sizes)) - spread > -12) & (torch.tensor(max(sizes)) < 6)
    assert (squared[ordinary] <= (1 + 1e-3) * true[ordinary] + 1e-20).all()


@pytest.mark.parametrize("clip_norm", [1e-8, 1e-6])
def test_the_sum_is_clipped_although_gradients_cancel(clip_norm: float) -> None:
    class Difference(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(50, 40)

        def forward(self, pair: Tensor) -> Tensor:
            first, second = self.layer(pair).unbind(dim=1)
            return (first - second)[:, :3]

    torch.manual_seed(2)
    value = torch.randn(1, 1, 50)
    batch = torch.cat([value, value + 1e-4 * torch.randn(1, 1, 50)], dim=1), torch.tensor([1])
    found = engines.load("ghost_norms", Difference()).clipped_gradient_sum(cross_entropy, batch, clip_norm)
    assert 0.9 * clip_norm <= float(found.total.norm()) <= clip_norm * (1 + 1e-3)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, values: Tensor) -> Tensor:
        return self.second(self.first(values).tanh())


class ByHand(Tied):
    def __init__(self) -> None:
        super().__init__()
        self.second = nn.Linear(4, 4)

    def forward(self, values: Tensor) -> Tensor:
        return nn.functional.linear(super().forward(values), self.first.weight)


class ChangedAfterwards(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, values: Tensor) -> Tensor:
        values = values + 0
        outputs = self.layer(values)
        values.zero_()
        return outputs


class PositionsFirst(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 4)

    def forward(self, values: Tensor) -> Tensor:
        return self.layer(values.view(-1, 2, 2).transpose(0, 1)).mean(dim=0)


class Unrecorded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, values: Tensor) -> Tensor:
        with torch.no_grad():
            values = self.layer(values)
        return self.last(values)


class OwnLinear(nn.Linear):
    def forward(self, values: Tensor) -> Tensor:
        return 2 * super().forward(values)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (Tied, "layer 'second' shares a parameter with layer 'first'"),
        (ByHand, "weight of layer 'first' is used outside the layer"),
        (ChangedAfterwards, "input of layer 'layer' was changed in place"),
        (PositionsFirst, r"layer 'layer' has an input of shape \(2, 4, 2\): must have the 4 examples first"),
        (Unrecorded, "layer 'layer' ran without recording"),
        (lambda: nn.Sequential(nn.Sequential(OwnLinear(4, 4))), r"layer '0\.0' is OwnLinear"),
        (lambda: nn.Sequential(nn.Linear(4, 4), nn.PReLU()), "layer '1' is PReLU"),
        (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), "layer '' is ParametrizedLinear"),
        (lambda: nn.Embedding(4, 4, max_norm=1.0), "layer '' is Embedding with max_norm"),
    ],
)
def test_what_it_cannot_follow_is_refused_by_the_layers_name(build: Callable[[], nn.Module], message: str) -> None:
    generator = torch.Generator().manual_seed(3)
    batch = torch.randn(6, 4, generator=generator), torch.randint(0, 4, (6,), generator=generator)
    network = build()
    with pytest.raises(ValueError, match=message):
        ghost_norms.GhostNormsEngine(network).clipped_gradient_sum(cross_entropy, batch, 1.0)
    assert all(not layer._forward_hooks for layer in network.modules())


@pytest.mark.parametrize("clip_norm", [1e-12, 1e-6, 1.0])
def test_an_input_whose_weighted_gradient_single_precision_cannot_hold_is_clipped_exactly(clip_norm: float) -> None:
    # The factor times the gradient of the outputs lies below the least number of single precision, where digits
    # are lost; times the inputs of 1e38 it is as long as the clip norm.
    network = nn.Sequential(nn.Linear(4, 4, bias=False))
    inputs = torch.tensor([[1e38, 1.7e38, -2e38, 1e37]])

    def tiny(outputs: Tensor, targets: Tensor) -> Tensor:
        return (outputs * 1e-35 * torch.tensor([1.0, 1.3, 0.7, 1e-3])).sum(dim=1)

    found = ghost_norms.GhostNormsEngine(network).clipped_gradient_sum(tiny, (inputs, torch.zeros(1)), clip_norm)
    assert float(found.total.double().norm()) == pytest.approx(clip_norm, rel=1e-6)


def test_no_weight_gradient_and_no_gradient_of_the_inputs_is_computed() -> None:
    # The price of a private step is what is done beyond an ordinary one; these two would be waste.
    network = nn.Sequential(nn.Conv2d(3, 5, 3), nn.Tanh(), nn.Flatten(), nn.Linear(80, 4))
    prepared = engines.load("ghost_norms", network)
    batch = torch.randn(5, 3, 6, 6), torch.zeros(5, dtype=torch.int64)
    prepared.clipped_gradient_sum(cross_entropy, batch, 1.0)  # before its first sum it is compared with autograd
    with torch.profiler.profile(record_shapes=True) as profile:
        prepared.clipped_gradient_sum(cross_entropy, batch, 1.0)
    backward = [event for event in profile.events() if event.name == "aten::convolution_backward"]
    assert not backward


def test_the_size_of_parts_depends_on_shapes_alone() -> None:
    # A resumed run must add in the same order as an undisturbed one.
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(1, 64, 3, padding=1), nn.Tanh(), nn.Flatten(), nn.Linear(64 * 400, 4))
    batch = torch.randn(150, 1, 20, 20), torch.randint(0, 4, (150,))
    fresh = [engines.load("ghost_norms", network).clipped_gradient_sum(cross_entropy, batch, 0.1) for _ in range(2)]
    used = engines.load("ghost_norms", network)
    used.clipped_gradient_sum(cross_entropy, (batch[0][:3], batch[1][:3]), 0.1)
    again = used.clipped_gradient_sum(cross_entropy, batch, 0.1)
    assert torch.equal(fresh[0].total, fresh[1].total)
    assert torch.equal(fresh[0].total, again.total)
