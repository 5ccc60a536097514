"""The loop against training written out by hand, and its behaviour at the edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from wassdp import noise
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.training import engines, gradients
from wassdp.training.averaging import Average, Exponential, Tail
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.evaluation import evaluate
from wassdp.training.fit import Progress
from wassdp.training.inputs import Examples
from wassdp.training.optimisers import Name, Optimiser
from wassdp.training.poisson import PoissonTraining
from wassdp.training.reproducible import Streams
from wassdp.training.session import Session

RECORDS, DIM, CLASSES = 60, 4, 3


def loss(logits: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(logits, targets, reduction="none")


def data() -> Examples:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(RECORDS, DIM, generator=generator)
    return Examples(inputs=inputs, targets=(inputs @ torch.randn(DIM, CLASSES, generator=generator)).argmax(dim=1))


def model(dropout: float = 0.0) -> nn.Module:
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(DIM, 8), nn.Tanh(), nn.Dropout(dropout), nn.Linear(8, CLASSES))


def private(network: nn.Module, **changes: float) -> gradients.Private:
    values = {"clip_norm": 0.5, "noise_multiplier": 1.0, "rate": 0.2, "records": RECORDS} | changes
    return gradients.Private(
        mechanism=DPSGD(**values), engine=engines.load("opacus_hooks", network), loss=loss, micro_batch=5
    )


def plain(network: nn.Module, rate: float = 0.2) -> gradients.Plain:
    return gradients.Plain(model=network, rate=rate, records=RECORDS, loss=loss, micro_batch=5)


def training(
    network: nn.Module,
    source: gradients.Source,
    folder: Path,
    *,
    epochs: int = 3,
    optimiser: Name = "momentum",
    told: list[int] | None = None,
    examples: Examples | None = None,
    steps: int | None = None,
    average: Average | None = None,
) -> PoissonTraining:
    return PoissonTraining(
        session=Session(
            streams=Streams.of(3),
            checkpoint=Checkpoint(folder / "checkpoint.pt", {"code": "a"}),
            record=lambda axis, position, figures: told.append(math.ceil(position)) if told is not None else None,
        ),
        model=network,
        optimiser=Optimiser(name=optimiser, learning_rate=0.3).build(gradients.trainable(network)),
        source=source,
        train=examples or data(),
        test=data(),
        epochs=epochs,
        steps_per_epoch=5,
        steps=steps,
        average=average or Average(),
    )


def weights(network: nn.Module) -> Tensor:
    return nn.utils.parameters_to_vector(network.parameters()).detach().clone()


def test_without_noise_and_with_an_unreachable_clip_norm_it_is_plain_sgd(tmp_path: Path) -> None:
    first, second, by_hand = model(), model(), model()
    training(first, private(first, clip_norm=1e6, noise_multiplier=0.0), tmp_path / "a", optimiser="sgd").run()
    training(second, plain(second), tmp_path / "b", optimiser="sgd").run()
    torch.testing.assert_close(weights(first), weights(second), rtol=1e-4, atol=1e-6)
    examples, sampler = data(), Streams.of(3).sampler
    for _ in range(15):
        chosen = noise.poisson_sample(RECORDS, rate=0.2, generator=sampler)
        total = loss(by_hand(examples.inputs[chosen]), examples.targets[chosen]).sum() / (0.2 * RECORDS)
        steps = torch.autograd.grad(total, list(by_hand.parameters()))
        with torch.no_grad():
            for parameter, step in zip(by_hand.parameters(), steps, strict=True):
                parameter -= 0.3 * step
    torch.testing.assert_close(weights(second), weights(by_hand), rtol=1e-4, atol=1e-6)


def test_a_private_step_is_the_noisy_clipped_sum_over_the_expected_batch(tmp_path: Path) -> None:
    network, by_hand = model(), model()
    training(network, private(network), tmp_path, optimiser="sgd", epochs=1).run()
    examples, streams = data(), Streams.of(3)
    parameters = list(by_hand.parameters())
    for _ in range(5):
        chosen = noise.poisson_sample(RECORDS, rate=0.2, generator=streams.sampler)
        total = torch.zeros(len(weights(by_hand)))
        for row, target in zip(examples.inputs[chosen], examples.targets[chosen], strict=True):
            found = torch.autograd.grad(loss(by_hand(row[None]), target[None]).squeeze(), parameters)
            gradient = torch.cat([each.flatten() for each in found])
            total += gradient / max(1.0, float(gradient.norm()) / 0.5)
        noisy = noise.rounded(total, std=0.5, generator=streams.noise) / (0.2 * RECORDS)
        nn.utils.vector_to_parameters(weights(by_hand) - 0.3 * noisy, by_hand.parameters())
    torch.testing.assert_close(weights(network), weights(by_hand), rtol=1e-4, atol=1e-5)


def test_empty_batches_still_take_a_noisy_step(tmp_path: Path) -> None:
    network = model()
    before = weights(network)
    progress = training(network, private(network, rate=1e-12), tmp_path, epochs=1).run()
    assert progress.epochs[0]["batch_max"] == 0
    assert "train_loss" not in progress.epochs[0]
    assert bool((weights(network) != before).all())


def test_without_privacy_an_empty_batch_moves_nothing(tmp_path: Path) -> None:
    network = model()
    before = weights(network)
    training(network, plain(network, rate=1e-12), tmp_path, epochs=1).run()
    assert torch.equal(weights(network), before)


def test_a_batch_may_hold_every_record(tmp_path: Path) -> None:
    network = model()
    progress = training(network, private(network, rate=1.0), tmp_path, epochs=1).run()
    assert progress.epochs[0]["batch_min"] == progress.epochs[0]["batch_max"] == RECORDS


@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize(
    ("dropout", "average"),
    [
        (0.0, Average),
        (0.5, lambda: Exponential(name="exponential", decay=0.9).over(18)),
        (0.0, lambda: Tail(name="tail", fraction=0.5).over(18)),
    ],
)
def test_a_run_that_stops_after_any_epoch_goes_on_bit_by_bit(
    tmp_path: Path, optimiser: Name, dropout: float, average: Callable[[], Average]
) -> None:
    def job_of(network: nn.Module, folder: Path, told: list[int] | None = None) -> PoissonTraining:
        source = private(network)
        return training(network, source, folder, epochs=4, steps=18, optimiser=optimiser, told=told, average=average())

    def go(folder: Path, stop: int | None) -> tuple[Progress, Tensor]:
        # What lies between two parts of a run may draw random numbers of its own.
        network = model(dropout)
        torch.manual_seed(11)
        job = job_of(network, folder)
        if stop is None:
            return job.run(), weights(network)
        with pytest.raises(KeyboardInterrupt):
            interrupted(job, stop).run()
        torch.rand(stop)
        again = model(dropout)
        told: list[int] = []
        progress = job_of(again, folder, told).run()
        assert told == list(range(stop + 1, 5))
        assert 0 < progress.earlier < progress.seconds
        return progress, weights(again)

    undisturbed, reached = go(tmp_path / "undisturbed", None)
    for stop in (1, 3):
        progress, found = go(tmp_path / str(stop), stop)
        assert progress.epochs == undisturbed.epochs
        assert torch.equal(found, reached)


def interrupted(job: PoissonTraining, stop: int) -> PoissonTraining:
    """The same job, interrupted in the middle of the epoch after ``stop``."""
    import dataclasses

    class Interrupting:
        def __init__(self, source: gradients.Source) -> None:
            self.source, self.steps = source, 0

        def sample(self, generator: noise.Bits) -> Tensor:
            return self.source.sample(generator)

        def step(self, inputs: Tensor, targets: Tensor, generator: noise.Bits) -> gradients.Step:
            self.steps += 1
            if self.steps == 5 * stop + 3:
                raise KeyboardInterrupt
            return self.source.step(inputs, targets, generator)

    return dataclasses.replace(job, source=Interrupting(job.source))


def test_a_step_that_is_not_finite_stops_the_run_and_says_where(tmp_path: Path) -> None:
    examples = data()
    examples.inputs[:] = torch.nan
    network = model()
    before = weights(network)
    with pytest.raises(FloatingPointError, match=r"epoch 1, step 1 of 5: .*not finite"):
        training(network, plain(network), tmp_path, examples=examples).run()
    assert torch.equal(weights(network), before)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, 1e38])
def test_a_private_run_goes_on_as_if_a_record_that_is_not_finite_were_absent_from_every_sum(
    tmp_path: Path, bad: float
) -> None:
    # To stop because of it would be an output that no noise covers.
    examples = data()
    examples.inputs[3] = bad
    network = model()
    progress = training(network, private(network), tmp_path, examples=examples).run()
    assert bool(torch.isfinite(weights(network)).all())
    zeroed = sum(row["zeroed"] for row in progress.epochs)
    assert zeroed > 0 or bad == 1e38  # which single precision's gradient may hold


def test_a_weight_that_is_not_finite_stops_the_run_and_says_where(tmp_path: Path) -> None:
    network = model()
    with torch.no_grad():
        next(network.parameters()).fill_(torch.nan)
    with pytest.raises(FloatingPointError, match="epoch 1, step 1 of 5: a weight is not finite"):
        training(network, private(network), tmp_path).run()


def test_the_last_epoch_may_be_shorter(tmp_path: Path) -> None:
    whole, cut, told = model(), model(), list[int]()
    training(whole, plain(whole), tmp_path / "whole", epochs=2).run()
    progress = training(cut, plain(cut), tmp_path / "cut", epochs=9, steps=10).run()
    assert torch.equal(weights(whole), weights(cut))
    assert [row["steps"] for row in progress.epochs] == [5, 5]
    longer = model()
    progress = training(longer, plain(longer), tmp_path / "longer", epochs=9, steps=12, told=told).run()
    assert [row["steps"] for row in progress.epochs] == [5, 5, 2]
    assert told == [1, 2, 3]


def test_the_averaged_model_is_evaluated_and_left_behind(tmp_path: Path) -> None:
    last, averaged, seen = model(), model(), list[Tensor]()
    average = Tail(name="tail", fraction=0.4).over(10)
    training(last, plain(last), tmp_path / "last", epochs=2).run()
    progress = training(averaged, plain(averaged), tmp_path / "averaged", epochs=2, average=average).run()
    again = model()

    class Noting(Average):
        def update(self, parameters: Sequence[nn.Parameter]) -> None:
            seen.append(weights(again))

    training(again, plain(again), tmp_path / "again", epochs=2, average=Noting()).run()
    assert torch.equal(seen[-1], weights(last))
    torch.testing.assert_close(weights(averaged), torch.stack(seen[-4:]).mean(dim=0))
    found = evaluate(averaged, data().inputs, data().targets)
    assert (found.accuracy, found.loss) == (progress.epochs[-1]["accuracy"], progress.epochs[-1]["test_loss"])


def test_a_finished_run_that_is_started_again_has_the_same_model(tmp_path: Path) -> None:
    first, second = model(), model()
    training(first, private(first), tmp_path, average=Exponential(name="exponential", decay=0.9).over(15)).run()
    progress = training(
        second, private(second), tmp_path, average=Exponential(name="exponential", decay=0.9).over(15)
    ).run()
    assert torch.equal(weights(first), weights(second))
    assert len(progress.epochs) == 3


def test_numbers_of_epochs_are_checked(tmp_path: Path) -> None:
    network = model()
    with pytest.raises(ValueError, match="epochs = 0"):
        training(network, plain(network), tmp_path, epochs=0).run()


def test_optimisers_refuse_what_they_do_not_know() -> None:
    with pytest.raises(ValueError, match=r"learning_rate\n.*greater than 0"):
        Optimiser(name="sgd", learning_rate=0.0)
