"""Training in shuffled passes against the same written out by hand, and its checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from wassdp import noise
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.fit import Progress
from wassdp.training.inputs import Examples
from wassdp.training.reproducible import Streams
from wassdp.training.session import Session
from wassdp.training.shuffled import ShuffledStep, ShuffledTraining

RECORDS, DIM, CLASSES, BATCH = 50, 4, 3, 16


def data() -> Examples:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(RECORDS, DIM, generator=generator)
    return Examples(inputs=inputs, targets=(inputs @ torch.randn(DIM, CLASSES, generator=generator)).argmax(dim=1))


def network() -> nn.Module:
    torch.manual_seed(2)
    return nn.Linear(DIM, CLASSES)


def stepper(
    model: nn.Module, seen: list[tuple[int, Tensor]]
) -> Callable[[Tensor, Tensor, noise.Bits, int], ShuffledStep]:
    """Follow the noisy mean gradient; measure at odd steps the batch and a draw from the stream of noise."""

    def step(inputs: Tensor, targets: Tensor, generator: noise.Bits, number: int) -> ShuffledStep:
        seen.append((number, inputs.clone()))
        loss = nn.functional.cross_entropy(model(inputs), targets)
        parts = torch.autograd.grad(loss, list(model.parameters()))
        gradient = torch.cat([part.flatten() for part in parts])
        noisy = noise.rounded(gradient, std=0.1, generator=generator)
        measured = torch.stack((torch.tensor(float(len(targets))), noisy[0])) if number % 2 else None
        return ShuffledStep(gradient=noisy, loss=float(loss.detach()), measured=measured)

    return step


def train(folder: Path, epochs: int, stop: int | None = None) -> tuple[nn.Module, Progress, list[tuple[int, Tensor]]]:
    model, seen = network(), list[tuple[int, Tensor]]()

    def record(axis: str, epoch: float, figures: Mapping[str, float]) -> None:
        if epoch == stop:
            raise KeyboardInterrupt

    progress = ShuffledTraining(
        session=session(folder, record),
        model=model,
        optimiser=torch.optim.SGD(model.parameters(), lr=0.5),
        source=stepper(model, seen),
        train=data(),
        test=data(),
        epochs=epochs,
        batch=BATCH,
    ).run()
    return model, progress, seen


def session(folder: Path, record: Callable[[str, float, Mapping[str, float]], None]) -> Session:
    return Session(
        streams=Streams.of(7),
        checkpoint=Checkpoint(path=folder / "checkpoint.pt", belongs_to={"run": "this"}),
        record=record,
    )


def measured(progress: Progress) -> Tensor:
    return torch.cat(progress.tensors["measured"])


def test_every_record_enters_one_step_of_every_pass_in_a_new_order(tmp_path: Path) -> None:
    _, progress, seen = train(tmp_path, epochs=3)
    assert [number for number, _ in seen] == [1, 2, 3, 4] * 3
    passes = [torch.cat([inputs for _, inputs in seen[start : start + 4]]) for start in (0, 4, 8)]
    for each in passes:
        torch.testing.assert_close(each.sort(dim=0).values, data().inputs.sort(dim=0).values, rtol=0, atol=0)
    assert not torch.equal(passes[0], passes[1])
    assert measured(progress).shape == (12, 2)


def test_a_step_that_measured_nothing_repeats_the_one_before(tmp_path: Path) -> None:
    _, progress, _ = train(tmp_path, epochs=2)
    rows = measured(progress)
    for start in (0, 4):
        assert torch.equal(rows[start], rows[start + 1])
        assert torch.equal(rows[start + 2], rows[start + 3])
        assert not torch.equal(rows[start], rows[start + 2])


def test_it_is_stochastic_gradient_descent_written_out(tmp_path: Path) -> None:
    model, progress, _ = train(tmp_path, epochs=2)
    plain, streams, examples = network(), Streams.of(7), data()
    for epoch in range(2):
        order, total = noise.permutation(RECORDS, generator=streams.sampler), 0.0
        for chosen in (order[start : start + BATCH] for start in range(0, RECORDS, BATCH)):
            loss = nn.functional.cross_entropy(plain(examples.inputs[chosen]), examples.targets[chosen])
            plain.zero_grad()
            loss.backward()
            gradient = torch.cat([weight.grad.flatten() for weight in plain.parameters()])
            noisy = noise.rounded(gradient, std=0.1, generator=streams.noise)
            with torch.no_grad():
                for weight, part in zip(plain.parameters(), noisy.split([DIM * CLASSES, CLASSES]), strict=True):
                    weight -= 0.5 * part.view_as(weight)
            total += float(loss.detach()) * len(chosen)
        assert progress.epochs[epoch]["train_loss"] == pytest.approx(total / RECORDS, rel=1e-5)
    for ours, theirs in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)
    right = (plain(examples.inputs).argmax(dim=1) == examples.targets).float().mean()
    assert progress.epochs[-1]["accuracy"] == pytest.approx(float(right))


@pytest.mark.parametrize("stop", [1, 3])
def test_a_resumed_run_ends_as_an_undisturbed_one_bit_by_bit(tmp_path: Path, stop: int) -> None:
    whole, progress, _ = train(tmp_path / "whole", epochs=4)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", epochs=4, stop=stop)
    resumed, again, seen = train(tmp_path / "broken", epochs=4)
    assert len(seen) == 4 * (4 - (stop - 1)), "the pass that was cut off is done again, none before it"
    assert (again.earlier > 0) == (stop > 1)
    assert torch.equal(measured(again), measured(progress))
    assert again.epochs == progress.epochs
    for ours, theirs in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_failing_step_is_named(tmp_path: Path) -> None:
    model = network()

    def fail(inputs: Tensor, targets: Tensor, generator: noise.Bits, number: int) -> ShuffledStep:
        if number == 2:
            raise FloatingPointError("the gradient is not finite")
        return ShuffledStep(gradient=torch.zeros(15), loss=0.0, measured=torch.zeros(0))

    training = ShuffledTraining(
        session=session(tmp_path, lambda axis, epoch, figures: None),
        model=model,
        optimiser=torch.optim.SGD(model.parameters(), lr=0.5),
        source=fail,
        train=data(),
        test=data(),
        epochs=1,
        batch=BATCH,
    )
    with pytest.raises(FloatingPointError, match="epoch 1, step 2 of 4: the gradient is not finite"):
        training.run()
