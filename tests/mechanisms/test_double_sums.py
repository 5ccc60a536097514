"""Sums of records that others are chosen for: a record moves them by what it is, not by what is rounded after it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.mechanisms import double_sums
from wassdp.mechanisms.double_sums import add_product, weighted
from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.mechanisms.sliced_quantiles import SlicedQuantiles
from wassdp.mechanisms.wasserstein_objective import Group, Objective
from wassdp.noise import seeded
from wassdp.training import engines
from wassdp.training.wasserstein.engine import WassersteinEngine

RECORDS = 8_192


def crossing(records: int) -> tuple[Tensor, int]:
    """Numbers of size at most 1, the sum of the first of which one lifts over a power of two; and its place.

    Those after it alternate by a little more and a little less than half of the spacing of single precision there:
    above the power each pair is rounded to one spacing up, below it to nothing.
    """
    power = int(math.log2(records / 2))
    spacing = 2.0 ** (power - 23)
    values = torch.ones(records)
    place = 2**power
    values[place - 1] = 0.25
    pairs = torch.arange(records - place - 1)
    values[place + 1 :] = torch.where(pairs % 2 == 0, 0.5 + 2**-10, -(0.5 - 2**-10)) * spacing
    return values, place


def in_turn(values: Tensor) -> float:
    """Their sum, one after the other in single precision."""
    total = torch.zeros(())
    for value in values:
        total = total + value
    return float(total)


def test_what_the_numbers_are_there_for() -> None:
    values, place = crossing(RECORDS)
    others = torch.cat([values[:place], values[place + 1 :]])
    assert in_turn(values) - in_turn(others) > 1.9
    assert float(values.double().sum() - others.double().sum()) == 1


def moved(rows: Tensor, place: int, total: Callable[[Tensor], Tensor]) -> float:
    others = torch.cat([rows[:place], rows[place + 1 :]])
    return float((total(rows) - total(others)).norm())


@pytest.mark.parametrize("width", [1, 16])
def test_a_clipped_sum_moves_by_the_record(width: int) -> None:
    values, place = crossing(RECORDS)
    rows = nn.functional.pad(values[:, None], (0, width - 1))
    assert moved(rows, place, lambda some: clipped_sum(some, clip_norm=1.0)) == pytest.approx(1, abs=1e-6)


def product(outputs: Tensor, targets: Tensor) -> Tensor:
    return outputs.flatten(start_dim=1)[:, 0] * targets


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(16, 1, bias=False), (16,)),
    "positions": (lambda: nn.Linear(16, 1, bias=False), (1, 16)),
    "convolution": (lambda: nn.Conv2d(1, 1, 3, bias=False), (1, 3, 3)),
    "bias": (lambda: nn.Linear(1, 1), (1,)),
}


@pytest.mark.parametrize("micro_batch", [RECORDS, 256])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("engine", [*engines.ENGINES.names(), "per_tensor"])
def test_an_engines_sum_moves_by_the_record(engine: str, name: str, micro_batch: int) -> None:
    make, shape = MODELS[name]
    model = make()
    prepared = PerTensorEngine(model) if engine == "per_tensor" else engines.load(engine, model)
    values, place = crossing(RECORDS)
    inputs = nn.functional.pad(values[:, None], (0, math.prod(shape) - 1)).view(-1, *shape)
    targets = torch.ones(RECORDS)
    if name == "bias":  # its gradient is the target, the weight's is zero
        inputs, targets = torch.zeros_like(inputs), values

    def total(keep: slice | Tensor) -> Tensor:
        batch = inputs[keep], targets[keep]
        return engines.in_micro_batches(prepared, product, batch, 1.0, micro_batch=micro_batch).total

    others = torch.arange(RECORDS) != place
    assert float((total(slice(None)) - total(others)).norm()) == pytest.approx(1, abs=1e-6)


def test_a_wasserstein_gradient_moves_by_the_record() -> None:
    values, place = crossing(RECORDS)
    group = Group(name="points", records=RECORDS, batch=RECORDS, jacobian_norm=1.0)
    objective = Objective(groups=(group,), pairs=(), output_norm=1.0, loss_weight=1.0, loss_norm=1.0)
    engine = WassersteinEngine(nn.Linear(1, 1))

    def total(targets: Tensor) -> Tensor:
        inputs = {"points": torch.zeros(RECORDS, 1)}
        return engine.gradient(objective, inputs, loss=product, targets={"points": targets}).gradient

    replaced = values.index_fill(0, torch.tensor([place]), -1.0)
    assert float((total(values) - total(replaced)).norm()) <= objective.sensitivity * (1 + 1e-6)


def test_means_of_parts_move_by_the_record() -> None:
    values, place = crossing(RECORDS)
    once = SlicedQuantiles(noise_multiplier=0.0, distance=2.0, records=RECORDS, batch=RECORDS, parts=1)
    replaced = values.index_fill(0, torch.tensor([place]), -1.0)
    one, other = (
        once.release(some.double()[None], torch.ones(1, 1, dtype=torch.float64), generator=seeded(0)).means
        for some in (values, replaced)
    )
    assert float((one - other).norm()) <= once.orthonormal_sensitivity * (1 + 1e-12)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.integers(0, 40),
    st.integers(1, 5),
    st.sampled_from([torch.float32, torch.float64]),
    st.integers(0, 2**31),
)
def test_a_weighted_sum_is_the_sum(count: int, width: int, dtype: torch.dtype, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(count, width, generator=generator, dtype=torch.float64).to(dtype)
    factors = torch.rand(count, generator=generator, dtype=torch.float64).to(dtype)
    found = weighted(rows, factors)
    assert found.dtype == torch.float64
    exact = [math.fsum(float(f) * float(r) for f, r in zip(factors, column, strict=True)) for column in rows.T]
    torch.testing.assert_close(found, torch.tensor(exact, dtype=torch.float64), rtol=1e-13, atol=1e-13)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(0, 40), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**31))
def test_a_product_of_some_rows_at_a_time_is_the_sum(n: int, o: int, i: int, at_once: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    left, factors, right = (torch.randn(*shape, generator=generator) for shape in ((n, o), (n,), (n, i)))
    found = torch.ones(o, i, dtype=torch.float64)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(double_sums, "AT_ONCE", {True: at_once * i})
        add_product(left, factors, right, found)
    for row in range(o):
        for column in range(i):
            terms = zip(left[:, row].tolist(), factors.tolist(), right[:, column].tolist(), strict=True)
            exact = math.fsum([1.0, *(f * a * b for a, f, b in terms)])
            assert found[row, column].item() == pytest.approx(exact, rel=1e-13, abs=1e-12)
