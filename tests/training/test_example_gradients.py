"""Gradients of single examples against one backward pass for each, and against the definition."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp.models import Model
from wassdp.training import two_block_rows
from wassdp.training.example_gradients import Gradients, differentiate, leave_one_out, one_by_one

SHAPES = [("model_a", (1, 28, 28)), ("model_b", (3, 32, 32)), ("model_a", (2, 17, 19))]


def network(name: str, shape: tuple[int, ...], normalisation: str = "batch") -> nn.Module:
    torch.manual_seed(0)
    chosen = Model(name=name, options={"normalisation": normalisation})
    built = chosen.architecture.build(shape, 10).double()
    with torch.no_grad():
        for module in built.modules():
            if isinstance(module, nn.BatchNorm2d):  # away from their first values, which hide what depends on them
                module.weight.uniform_(0.5, 1.5)
                module.bias.uniform_(-0.3, 0.3)
    return built


def batch(shape: tuple[int, ...], size: int = 11) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(size, *shape, dtype=torch.float64, generator=generator)
    return inputs, torch.randint(0, 10, (size,), generator=generator)


@pytest.mark.parametrize(("name", "shape"), SHAPES)
@pytest.mark.parametrize("chunk", [1, 8, 1000])
def test_the_short_way_is_the_long_way(
    name: str, shape: tuple[int, ...], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_block_rows, "CHUNK", chunk)
    model, (inputs, targets) = network(name, shape), batch(shape)
    short, long = differentiate(model, inputs, targets, count=3), one_by_one(model, inputs, targets, count=3)
    torch.testing.assert_close(short.mean, long.mean, rtol=0, atol=1e-12)
    torch.testing.assert_close(short.rows, long.rows, rtol=0, atol=1e-12)
    assert short.loss == pytest.approx(long.loss, abs=1e-12)
    assert (long.rows.abs().max(dim=1).values > 0.1).all()


@pytest.mark.parametrize("normalisation", ["batch", "batch-running", "group", "none"])
def test_leaving_one_out_is_the_gradient_of_the_other_losses(normalisation: str) -> None:
    """The definition: the forward pass of the whole batch, the mean over all losses but one."""
    shape = (1, 17, 17)
    model, (inputs, targets) = network("model_a", shape, normalisation), batch(shape, size=6)
    found = leave_one_out(differentiate(model, inputs, targets, count=4), 6)
    losses = nn.functional.cross_entropy(model.train()(inputs), targets, reduction="none")
    for place in range(4):
        others = losses[[each for each in range(6) if each != place]].mean()
        parts = torch.autograd.grad(others, list(model.parameters()), retain_graph=True)
        torch.testing.assert_close(found[place], torch.cat([part.flatten() for part in parts]), rtol=0, atol=1e-12)


def test_running_statistics_are_kept_as_in_an_ordinary_pass() -> None:
    shape = (1, 17, 17)
    inputs, targets = batch(shape)
    short, usual = (network("model_a", shape, "batch-running") for _ in range(2))
    differentiate(short, inputs, targets, count=2)
    usual.train()(inputs)
    for ours, theirs in zip(short.buffers(), usual.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_every_example_of_the_batch_may_have_its_row() -> None:
    shape = (1, 16, 16)
    model, (inputs, targets) = network("model_a", shape), batch(shape, size=4)
    found = differentiate(model, inputs, targets, count=4)
    torch.testing.assert_close(found.rows.mean(dim=0), found.mean, rtol=0, atol=1e-12)
    assert differentiate(model, inputs, targets, count=0).rows.shape == (0, len(found.mean))


def test_the_mode_is_put_back() -> None:
    shape = (1, 16, 16)
    model, (inputs, targets) = network("model_a", shape).eval(), batch(shape)
    differentiate(model, inputs, targets, count=1)
    assert not model.training


def test_bad_counts_and_batches_are_refused() -> None:
    shape = (1, 16, 16)
    model, (inputs, targets) = network("model_a", shape), batch(shape, size=2)
    for count, part in ((3, slice(None)), (-1, slice(None)), (0, slice(0))):
        with pytest.raises(ValueError, match="count"):
            differentiate(model, inputs[part], targets[part], count=count)
    alone = Gradients(mean=torch.zeros(3), rows=torch.zeros(1, 3), loss=0.0)
    with pytest.raises(ValueError, match="batch = 1"):
        leave_one_out(alone, 1)


def test_a_gradient_that_is_no_number_is_told_to_who_releases_it() -> None:
    shape = (1, 16, 16)
    model, (inputs, targets) = network("model_a", shape), batch(shape)
    inputs[0, 0, 0, 0] = float("nan")
    found = differentiate(model, inputs, targets, count=2)
    assert not torch.isfinite(found.mean).all()
