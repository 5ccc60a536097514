"""Every engine bounds what one example does to the sum by the clip norm, or refuses model and loss in one line."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from wassdp.adaptation import per_tensor
from wassdp.training import engines
from wassdp.training.clipping.tried import Tried

NAMES = (*engines.ENGINES.names(), "per tensor")
CLIP = 0.5


def load(name: str, model: nn.Module) -> Tried:
    found = per_tensor.PerTensorEngine(model) if name == "per tensor" else engines.load(name, model)
    assert isinstance(found, Tried)
    return found


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(outputs, targets, reduction="none")


class With(nn.Module):
    """Two dense layers, and something of a model's own making between or after them."""

    def __init__(self, between: Callable[[With, Tensor], Tensor], **parts: nn.Module | nn.Parameter) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 3)
        for name, part in parts.items():
            setattr(self, name, part)
        self.between, self.kept = between, torch.zeros(())

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.last(self.between(self, torch.tanh(self.first(inputs))))
        return found


def mean_while_training(model: With, h: Tensor) -> Tensor:
    return h - h.mean(dim=0) if model.training else h


def once_large(model: With, h: Tensor) -> Tensor:
    return h - h.mean(dim=0) if h.abs().sum() > 1e6 else h


def in_large_batches(model: With, h: Tensor) -> Tensor:
    return h - h.mean(dim=0) if len(h) > 20 else h


def in_batches_larger_than_were_tried_at_first(model: With, h: Tensor) -> Tensor:
    return h - h.mean(dim=0) if len(h) > 60 else h


def remembering(model: With, h: Tensor) -> Tensor:
    model.kept = 0.9 * model.kept + 0.1 * h.detach().mean()
    return h + model.kept


def centred_backwards(model: With, h: Tensor) -> Tensor:
    if h.requires_grad:
        h.register_hook(lambda gradient: gradient - gradient.mean(dim=0))
    return h


class Buffered(nn.Module):
    mean: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, h: Tensor) -> Tensor:
        with torch.no_grad():
            self.mean.mul_(0.9).add_(0.1 * h.mean(dim=0))
        return h


class Loop(nn.Module):
    """Mixes, if what is learned says so."""

    def __init__(self) -> None:
        super().__init__()
        self.share = nn.Parameter(torch.zeros(()))

    def forward(self, h: Tensor) -> Tensor:
        return h - self.share * h.mean(dim=0)


MIXING: dict[str, Callable[[], nn.Module]] = {
    "less the mean": lambda: With(lambda _, h: h - h.mean(dim=0)),
    "less the mean, as a constant": lambda: With(lambda _, h: h - h.detach().mean(dim=0)),
    "less a thousandth of the mean": lambda: With(lambda _, h: h - 1e-3 * h.mean(dim=0)),
    "less the largest": lambda: With(lambda _, h: h - h.amax(dim=0)),
    "over the size of the batch": lambda: With(lambda _, h: h / len(h)),
    "softmax over the batch": lambda: With(lambda _, h: h.softmax(dim=0)),
    "attention over the batch": lambda: With(lambda _, h: (h @ h.T).softmax(dim=1) @ h),
    "the example before": lambda: With(lambda _, h: h + h.roll(1, dims=0)),
    "functional batch normalisation": lambda: With(
        lambda model, h: functional.batch_norm(h, None, None, training=model.training)
    ),
    "while training": lambda: With(mean_while_training),
    "once large": lambda: With(once_large),
    "large batches": lambda: With(in_large_batches),
    "larger than tried": lambda: With(in_batches_larger_than_were_tried_at_first),
    "running mean": lambda: nn.Sequential(nn.Linear(6, 8), Buffered(), nn.Linear(8, 3)),
    "running mean of its own": lambda: With(remembering),
    "in the backward pass": lambda: With(centred_backwards),
    "once it has learned to": lambda: nn.Sequential(nn.Linear(6, 8), Loop(), nn.Linear(8, 3)),
    "rank in the batch": lambda: With(lambda _, h: h + h.argsort(dim=0).to(h.dtype)),
}

ALONE_BY_CONSTRUCTION = {
    "in the backward pass", "large batches", "larger than tried"
}  # fmt: skip
"""What `functional`, which calls a model for one example at a time, may do with what mixes in batches only."""


def tied() -> nn.Module:
    model = With(lambda _, h: h)
    model.first, model.last = nn.Linear(6, 6), nn.Linear(6, 6)
    model.last.weight = model.first.weight
    return model


def frozen_elsewhere() -> nn.Module:
    return With(lambda model, h: h + functional.linear(h, model.last.weight.detach()).sum(dim=1, keepdim=True))


HIDDEN: dict[str, Callable[[], nn.Module]] = {
    "used outside its layer": lambda: With(lambda model, h: h + h @ model.last.weight.T @ model.last.weight),
    "used outside, 30 times": lambda: With(lambda model, h: h + 30 * functional.linear(h, model.last.weight)[:, :1]),
    "used outside, by a factor that is zero": lambda: With(
        lambda model, h: h + model.factor * functional.linear(h, model.last.weight)[:, :1],
        factor=nn.Parameter(torch.zeros(())),
    ),
    "bias used outside": lambda: With(lambda model, h: h * (1 + model.first.bias)),
    "twice": lambda: With(lambda model, h: torch.tanh(model.middle(model.middle(h))), middle=nn.Linear(8, 8)),
    "a parameter of no layer": lambda: With(lambda model, h: h * model.scale, scale=nn.Parameter(torch.ones(8))),
    "tied": tied,
    "a constant elsewhere": frozen_elsewhere,
    "one of two calls does not count": lambda: With(
        lambda model, h: h + 0 * model.middle(h).detach() + functional.linear(h, model.middle.weight),
        middle=nn.Linear(8, 8),
    ),
}


def batch(count: int, seed: int, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(count, 6, generator=generator), torch.randint(0, 3, (count,), generator=generator)


def largest_move(engine: Tried, loss: engines.Loss = cross_entropy) -> float:
    """Norm of what one more example does to the sum, over the bound, for examples of very different sizes."""
    tensors = sum(each.requires_grad for each in engine.model.parameters())
    bound = CLIP * (math.sqrt(tensors) if isinstance(engine, per_tensor.PerTensorEngine) else 1)
    worst = 0.0
    for size in (1, 3, 70):
        for seed, scale in enumerate((1e-2, 1.0, 30.0)):
            inputs, targets = batch(size, seed)
            other, its = batch(1, 100 + seed, scale)
            less = engine.clipped_gradient_sum(loss, (inputs, targets), CLIP).total
            more = engine.clipped_gradient_sum(
                loss, (torch.cat([inputs, other]), torch.cat([targets, its])), CLIP
            ).total
            worst = max(worst, float((more - less).double().norm()) / bound)
    return worst


def bounded_or_refused(name: str, model: nn.Module, loss: engines.Loss = cross_entropy) -> str | None:
    """The refusal, one line; None where every neighbour is within the bound."""
    refusal, worst = None, 0.0
    try:
        worst = largest_move(load(name, model), loss)
    except ValueError as error:
        refusal = str(error)
    assert refusal is None or (refusal.startswith("model: ") and "\n" not in refusal)
    # Sums of 70 gradients in single precision.
    assert worst <= 1 + 1e-4, f"{name} lets one example move the sum by {worst:.3g} times its bound"
    return refusal


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", MIXING)
def test_what_mixes_examples_is_refused(name: str, kind: str) -> None:
    torch.manual_seed(1)
    refusal = bounded_or_refused(name, MIXING[kind]())
    if name != "functional" or kind not in ALONE_BY_CONSTRUCTION:
        assert refusal is not None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", HIDDEN)
def test_a_weight_in_more_places_than_its_layer_is_clipped_with_them_or_refused(name: str, kind: str) -> None:
    torch.manual_seed(2)
    refusal = bounded_or_refused(name, HIDDEN[kind]())
    if name == "functional":
        assert refusal is None, "it sees every use"


@pytest.mark.parametrize("name", NAMES)
def test_a_penalty_on_the_weights_that_reads_them_from_the_model_is_refused(name: str) -> None:
    torch.manual_seed(3)
    model = With(lambda _, h: h)

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return cross_entropy(outputs, targets) + 10 * model.last.weight.square().sum()

    assert bounded_or_refused(name, model, loss) is not None


@pytest.mark.parametrize("name", NAMES)
def test_a_loss_that_mixes_is_refused(name: str) -> None:
    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        found = cross_entropy(outputs, targets)
        return found * found.mean()

    torch.manual_seed(3)
    assert bounded_or_refused(name, With(lambda _, h: h), loss) is not None


def random_network(generator: torch.Generator) -> nn.Module:
    """Layers in random order, a third of them harmful."""
    draw = lambda most: int(torch.randint(most, (), generator=generator))  # noqa: E731
    shared = nn.Linear(8, 8)
    layers: list[nn.Module] = [nn.Linear(6, 8)]
    for _ in range(1 + draw(3)):
        layers.append(
            [
                lambda: nn.Linear(8, 8),
                lambda: nn.LayerNorm(8),
                lambda: nn.Sequential(nn.Unflatten(1, (2, 4)), nn.GroupNorm(1, 2), nn.Flatten()),
                lambda: nn.Sequential(nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 2, 3, stride=2, padding=1), nn.Flatten()),
                lambda: nn.Dropout(0.3),
                lambda: nn.Tanh(),
                lambda: nn.ReLU(),
                lambda: shared,
                lambda: Between(lambda h: functional.linear(h, shared.weight)),
                lambda: Between(lambda h: h - h.mean(dim=0)),
                lambda: Between(lambda h: h / len(h)),
                lambda: Between(lambda h: h.cummax(dim=0).values),
                lambda: nn.BatchNorm1d(8),
                lambda: Loop(),
            ][draw(14)]()
        )  # fmt: skip
    return nn.Sequential(*layers, nn.Linear(8, 3))


class Between(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, h: Tensor) -> Tensor:
        return self.function(h)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_neighbours_differ_by_at_most_the_clip_norm_or_the_engine_refuses(name: str, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = random_network(generator)
    for layer in model.modules():
        if isinstance(layer, nn.Dropout):
            # Masks are drawn for places: one more example would move every other's, and sums could not be compared.
            layer.p = 0.0
    bounded_or_refused(name, model)


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_leaves_no_trace(name: str) -> None:
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 3))
    before = [each.clone() for each in model.parameters()]
    held = list(model.parameters())
    value = model(batch(5, 0)[0]).sum()  # a graph that is differentiated after the trial
    drawn = torch.random.get_rng_state()
    engine = load(name, model)
    engine._try(cross_entropy, batch(5, 0), together=5)
    assert torch.equal(torch.random.get_rng_state(), drawn)
    value.backward()
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    assert all(a is b for a, b in zip(held, model.parameters(), strict=True))


def test_a_trial_is_made_once_for_a_shape_and_a_loss_and_looks_at_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, trials = load("ghost_norms", nn.Linear(6, 3)), []
    original = engine.probe._try
    monkeypatch.setattr(engine.probe, "_try", lambda *arguments: (trials.append(1), original(*arguments)))

    def made_anew(weight: float) -> engines.Loss:
        return lambda outputs, targets: weight * cross_entropy(outputs, targets)

    for step in range(3):
        engine.clipped_gradient_sum(made_anew(2.0), batch(5 + step, step), CLIP)
    assert len(trials) == 1
    engine.clipped_gradient_sum(made_anew(3.0), batch(5, 0), CLIP)
    engine.clipped_gradient_sum(cross_entropy, (torch.full((5, 6), math.nan), torch.zeros(5, dtype=torch.int64)), CLIP)
    assert len(trials) == 3


def test_the_same_method_of_another_object_is_another_loss() -> None:
    class Penalised:
        def __init__(self, model: nn.Module, weight: float) -> None:
            self.model, self.weight = model, weight

        def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
            return cross_entropy(outputs, targets) + self.weight * next(self.model.parameters()).square().sum()

    torch.manual_seed(6)
    model = nn.Linear(6, 3)
    engine, plain = load("ghost_norms", model), Penalised(nn.Linear(2, 2), 0.0)
    engine.clipped_gradient_sum(plain.loss, batch(5, 0), CLIP)
    with pytest.raises(ValueError, match="used outside"):
        engine.clipped_gradient_sum(Penalised(model, 1.0).loss, batch(5, 0), CLIP)


@pytest.mark.parametrize("name", NAMES)
def test_noise_of_a_models_own_is_refused_and_dropout_is_not(name: str) -> None:
    noisy = With(lambda _, h: h + 0.1 * torch.randn(len(h), 1))
    with pytest.raises(ValueError, match="other values when it is called again"):
        load(name, noisy).clipped_gradient_sum(cross_entropy, batch(5, 0), CLIP)
    load(name, With(lambda _, h: functional.dropout(h, 0.2))).clipped_gradient_sum(cross_entropy, batch(5, 0), CLIP)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_lookups_are_tried_with_rows_that_exist(name: str, sparse: bool) -> None:
    class Bag(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.last = nn.Embedding(9, 4, sparse=sparse), nn.Linear(4, 3)

        def forward(self, rows: Tensor) -> Tensor:
            found: Tensor = self.last(self.table(rows).mean(dim=1))
            return found

    torch.manual_seed(5)
    rows, targets = torch.randint(0, 9, (6, 5)), torch.randint(0, 3, (6,))
    model = Bag()
    if sparse and name == "functional":
        with pytest.raises(ValueError, match="SparseCPU"):
            load(name, model).clipped_gradient_sum(cross_entropy, (rows, targets), 1e4)
        return
    found = load(name, model).clipped_gradient_sum(cross_entropy, (rows, targets), 1e4).total
    expected = torch.autograd.grad(cross_entropy(model(rows), targets).sum(), list(model.parameters()))
    torch.testing.assert_close(found.float(), torch.cat([each.to_dense().flatten() for each in expected]))
