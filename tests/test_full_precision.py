"""Sums of records in full precision, whatever a caller has switched on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from wassdp.full_precision import full_precision
from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.training import engines
from wassdp.training.wasserstein.engine import WassersteinEngine

BACKENDS: Any = torch.backends
PROCESSOR = (BACKENDS.mkldnn.matmul, BACKENDS.mkldnn.conv, BACKENDS.mkldnn.rnn)
CUDA = (BACKENDS.cuda.matmul, BACKENDS.cudnn.conv, BACKENDS.cudnn.rnn)
SWITCHES: dict[str, Callable[[], None]] = {
    "nothing": lambda: None,
    "high": lambda: torch.set_float32_matmul_precision("high"),
    "medium": lambda: torch.set_float32_matmul_precision("medium"),
    "matmul.allow_tf32": lambda: setattr(BACKENDS.cuda.matmul, "allow_tf32", True),
    "cudnn.allow_tf32": lambda: setattr(BACKENDS.cudnn, "allow_tf32", False),
    "fp32_precision": lambda: setattr(BACKENDS, "fp32_precision", "tf32"),
    "cudnn.fp32_precision": lambda: setattr(BACKENDS.cudnn, "fp32_precision", "tf32"),
    "cuda.matmul.fp32_precision": lambda: setattr(CUDA[0], "fp32_precision", "tf32"),
    "mkldnn.matmul.fp32_precision": lambda: setattr(PROCESSOR[0], "fp32_precision", "bf16"),
}
RECORDS = 4100


def settings() -> list[object]:
    """All that a caller can read; None where torch refuses to tell."""
    old = (
        torch.get_float32_matmul_precision,
        lambda: BACKENDS.cuda.matmul.allow_tf32,
        lambda: BACKENDS.cudnn.allow_tf32,
    )
    found: list[object] = []
    for read in old:
        try:
            found.append(read())
        except RuntimeError:
            found.append(None)
    return [*found, *(each.fp32_precision for each in (BACKENDS, BACKENDS.cudnn, *PROCESSOR, *CUDA))]


@pytest.fixture
def afterwards_as_before() -> Iterator[None]:
    yield
    for each in (BACKENDS, BACKENDS.cudnn):
        each.fp32_precision = "none"
    torch.set_float32_matmul_precision("highest")
    BACKENDS.cudnn.allow_tf32 = True
    for each in (*PROCESSOR, CUDA[0]):
        each.fp32_precision = "none"


@pytest.mark.usefixtures("afterwards_as_before")
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("name", SWITCHES)
def test_nothing_is_reduced_within_and_everything_is_as_before_afterwards(name: str, device: str) -> None:
    SWITCHES[name]()
    before = settings()
    with full_precision(torch.device(device)):
        within = [each.fp32_precision for each in (PROCESSOR if device == "cpu" else CUDA)]
        assert set(within) <= {"ieee", "none"}
        # An image's way through a layer asks for these settings, and must not find them at odds.
        nn.functional.conv2d(torch.ones(1, 1, 3, 3, requires_grad=True), torch.ones(1, 1, 2, 2)).sum().backward()
    assert settings() == before


@pytest.mark.usefixtures("afterwards_as_before")
def test_a_generic_setting_is_still_inherited_afterwards() -> None:
    BACKENDS.fp32_precision = "tf32"
    with full_precision(torch.device("cpu")):
        pass
    BACKENDS.fp32_precision = "ieee"
    assert PROCESSOR[0].fp32_precision == "ieee"


@pytest.mark.usefixtures("afterwards_as_before")
def test_settings_come_back_after_an_error() -> None:
    SWITCHES["medium"]()
    before = settings()
    with pytest.raises(ZeroDivisionError), full_precision(torch.device("cpu")):
        raise ZeroDivisionError
    assert settings() == before


def test_a_record_moves_a_sum_of_gradients_by_its_own_under_autocast() -> None:
    equal = torch.ones(RECORDS, 10_000)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        one, other = (clipped_sum(rows, clip_norm=1.0).double() for rows in (equal, equal[1:]))
        # What the guard is there for: the same products without it, each sum of three records more than the one before.
        bare = [(torch.full((count,), 0.01) @ equal[:count]).double() for count in range(4000, RECORDS, 3)]
    assert float((one - other).norm()) <= 1 + 1e-4
    assert max(float((one - other).norm()) for one, other in pairwise(bare)) > 2 * 3


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(300, 30), nn.Tanh(), nn.Linear(30, 3))


def cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(outputs.float(), targets, reduction="none")


@pytest.mark.parametrize("name", engines.ENGINES.names())
def test_a_record_moves_an_engines_sum_by_its_own_under_autocast(name: str) -> None:
    engine = engines.load(name, network())
    inputs, targets = torch.ones(RECORDS, 300), torch.zeros(RECORDS, dtype=torch.int64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        one, other = (
            engine.clipped_gradient_sum(cross_entropy, (inputs[:count], targets[:count]), 0.01).total.double()
            for count in (RECORDS, RECORDS - 1)
        )
    assert float((one - other).norm()) <= 0.01 * (1 + 1e-3)


@pytest.mark.parametrize("name", engines.ENGINES.names())
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_engines_refuse_parameters_of_few_digits(name: str, dtype: torch.dtype) -> None:
    engine = engines.load(name, network().to(dtype))
    with pytest.raises(ValueError, match=rf"^model: has parameters of {dtype}: must be of torch.float32 or"):
        engine.clipped_gradient_sum(cross_entropy, (torch.ones(2, 300, dtype=dtype), torch.zeros(2).long()), 1.0)


def wasserstein(model: nn.Module, rows: Tensor) -> Tensor:
    group = Group(name="points", records=len(rows), batch=len(rows), jacobian_norm=1.0)
    fixed = Group(name="fixed", records=3, batch=3, jacobian_norm=None, private=False)
    objective = Objective(groups=(group, fixed), pairs=(ComparedGroups("points", "fixed"),), output_norm=1.0)
    public = torch.tensor([[0.1], [0.5], [0.9]])
    return WassersteinEngine(model).gradient(objective, {"points": rows, "fixed": public}).gradient


class Narrow(nn.Module):
    """A model that computes its output in eight bits by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(5, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs: Tensor = self.layer(inputs)
        return outputs


def test_wasserstein_gradients_are_those_without_autocast() -> None:
    torch.manual_seed(0)
    model, rows = nn.Sequential(nn.Linear(5, 1), nn.Sigmoid()), torch.randn(50, 5)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = wasserstein(model, rows)
    assert torch.equal(cast, wasserstein(model, rows))


def test_outputs_of_few_digits_have_no_wasserstein_gradient() -> None:
    with pytest.raises(ValueError, match=r"^model: its output is of torch\.bfloat16: must be of torch\.float32 or"):
        wasserstein(Narrow(), torch.randn(50, 5))
