"""Spectrally clipped Wasserstein gradients against per-example Jacobians with an SVD, and against a non-private step.

``peer`` has, of every contender at the paper's settings and on the encoder for digits, the seconds of one gradient and
two ratios. ``scaling`` says how time (and, over records, peak memory) grows with records, outputs, directions and
parameters: the exponent is the slope of the last three points in logarithms. Contenders take turns, and the
median counts; seconds are those of one thread at work on a processor, the clock's on a GPU.

The non-private step is a backward pass of the same loss, its sorts included. The peers compute Jacobians by
`torch.func` and decompose each: one example after the other, or vectorised over a few hundred examples at a time, the
fastest of the sizes tried.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import multiprocessing
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev, vmap

from bench._clock import devices, mean_seconds
from wassdp import noise
from wassdp.distances import directions, sliced
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective, statistical_parity
from wassdp.pipeline.provenance import peak_memory_mib
from wassdp.training.wasserstein.clipping import Clipping
from wassdp.training.wasserstein.engine import WassersteinEngine

TURNS = 3
PEERS = {"torch.func and SVD, one by one": 1, "torch.func and SVD, vectorised": 250}
"""Peers, and the examples whose Jacobians they hold at a time."""


@dataclass(frozen=True)
class Case:
    """A model, two groups of n examples in all (or one, drawn to fixed points), and the clipping.

    Args:
        what: name.
        widths: of the perceptron's layers; empty for the encoder for digits, with ``outputs`` outputs.
        records: n.
        projections: k.
        fixed: whether the other side is fixed points, with no loss, as in the paper's Appendix C.
        outputs: d of the encoder; 320 are its features themselves.
        peer: whether the peer takes part.
    """

    what: str
    widths: tuple[int, ...]
    records: int
    projections: int = 50
    fixed: bool = False
    outputs: int = 0
    peer: bool = True


CASES = (
    Case("regression, 16-64-2", (16, 64, 2), 6_000),
    Case("circle, 2-128-64-64-2", (2, 128, 64, 64, 2), 10_000, fixed=True),
    Case("digits encoder, 1 output", (), 128, outputs=1, peer=False),
    Case("digits encoder, 10 outputs", (), 128, outputs=10, peer=False),
    Case("digits encoder, its 320 features", (), 128, outputs=320, peer=False),
)


def _scaling() -> dict[str, list[tuple[float, Case]]]:
    parameters = lambda w: 16 * w + w + w * w + w + 2 * w + 2  # noqa: E731
    return {
        "records": [(n, Case("", (16, 64, 2), n)) for n in (1_000, 10_000, 100_000, 1_000_000)],
        "outputs": [(d, Case("", (16, 64, d), 10_000)) for d in (1, 2, 4, 8, 16, 32)],
        "projections": [(k, Case("", (16, 64, 2), 10_000, projections=k)) for k in (10, 30, 100, 300, 1000)],
        "parameters": [(parameters(w), Case("", (16, w, w, 2), 1_000)) for w in (24, 90, 305, 990, 3150)],
    }


def main() -> list[dict[str, Any]]:
    """Rows of both tables."""

    torch.set_num_threads(1)
    return [row for device in devices() for row in (*_against(device), *_growth(device))]


def _against(device: str) -> list[dict[str, Any]]:
    rows = []
    for case in CASES:
        contenders = _contenders(device, case)
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(TURNS):
            for name, contender in contenders.items():
                if name not in PEERS or not seconds[name]:  # one turn of these is long enough
                    seconds[name].append(mean_seconds(contender, device))
        median = {name: statistics.median(taken) for name, taken in seconds.items()}
        rows += [
            {
                "table": "peer",
                "device": device,
                "case": case.what,
                "contender": name,
                "records": case.records,
                "seconds": median[name],
                "times_non_private": median[name] / median["non-private"],
                **{
                    f"times_faster_than_{peer.split(', ')[1].replace(' ', '_')}": median.get(peer, math.nan)
                    / median[name]
                    for peer in PEERS
                },
            }
            for name in contenders
        ]
    return rows


def _growth(device: str) -> list[dict[str, Any]]:
    rows = []
    for axis, points in _scaling().items():
        times = [
            statistics.median(mean_seconds(_contenders(device, case)["spectral"], device) for _ in range(TURNS))
            for _, case in points
        ]
        memory = [_memory(case) if axis == "records" and device == "cpu" else math.nan for _, case in points]
        rows += [
            {
                "table": "scaling",
                "device": device,
                "case": axis,
                "contender": "spectral",
                "size": size,
                "seconds": seconds,
                "exponent": _slope([size for size, _ in points[-3:]], times[-3:]),
                "peak_mib": peak,
                "memory_exponent": _slope([size for size, _ in points[-2:]], memory[-2:]),
            }
            for (size, _), seconds, peak in zip(points, times, memory, strict=True)
        ]
    return rows


def _slope(sizes: list[float], values: list[float]) -> float:
    x, y = ([math.log(number) for number in numbers] for numbers in (sizes, values))
    middle = [sum(logarithms) / len(logarithms) for logarithms in (x, y)]
    return sum((a - middle[0]) * (b - middle[1]) for a, b in zip(x, y, strict=True)) / sum(
        (a - middle[0]) ** 2 for a in x
    )


def _memory(case: Case) -> float:
    """Peak memory of one gradient above that before it, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (case,))


def _peak(case: Case) -> float:

    torch.set_num_threads(1)
    gradient = _contenders("cpu", case, warm=False)["spectral"]
    _contenders("cpu", dataclasses.replace(case, records=1_000))  # loads what every gradient needs
    start = peak_memory_mib()
    gradient()
    return peak_memory_mib() - start


def _contenders(device: str, case: Case, *, warm: bool = True) -> dict[str, Callable[[], object]]:

    torch.manual_seed(0)
    model = _model(case).to(device)
    inputs = torch.randn(case.records, *((1, 28, 28) if not case.widths else case.widths[:1])).to(device)
    with torch.no_grad():
        targets = torch.randn_like(model(inputs[:1])).expand(case.records, -1)
    d, half = targets.shape[1], case.records // 2
    turned = directions.draw(
        "iid", dimension=d, count=case.projections, generator=noise.seeded(0), device=inputs.device
    )
    M, L, C = 2**-0.5, 2**0.5, 10.0
    if case.fixed:
        points = torch.randn(case.records, d).to(device)
        objective = Objective(
            groups=(
                Group(name="0", records=case.records, batch=case.records, jacobian_norm=L),
                Group(name="1", records=case.records, batch=case.records, jacobian_norm=None),
            ),
            pairs=(ComparedGroups("0", "1"),),
            output_norm=M,
        )
        batches, aims, loss = {"0": inputs, "1": points}, None, None
    else:
        objective = statistical_parity(
            alpha=0.75, records=(half, half), batches=(half, half), output_norm=M, jacobian_norm=L, loss_norm=C
        )
        batches = {"0": inputs[:half], "1": inputs[half:]}
        aims = {"0": targets[:half], "1": targets[half:]}

        def loss(outputs: Tensor, aims: Tensor) -> Tensor:
            return (outputs - aims).square().sum(dim=1)

    engine = WassersteinEngine(model)
    parameters = list(model.parameters())

    def plain() -> object:
        if case.fixed:
            value = sliced.sliced_wasserstein_power(model(inputs), points, turned)
        else:
            assert loss is not None
            outputs = model(inputs)
            distance = sliced.sliced_wasserstein_power(outputs[:half], outputs[half:], turned)
            value = 0.25 * loss(outputs, targets).mean() + 0.75 * distance
        return torch.autograd.grad(value, parameters)

    def ours(clipping: Clipping) -> object:
        return engine.gradient(objective, batches, directions=turned, loss=loss, targets=aims, clipping=clipping)

    def peer(at_once: int) -> object:
        other = {"1": points} if case.fixed else {}
        C_ = None if case.fixed else C
        return _decomposed(model, inputs, other, turned, M=M, L=L, C=C_, aims=targets, at_once=at_once)

    contenders = {"non-private": plain, "spectral": lambda: ours("spectral"), "rows": lambda: ours("rows")}
    for contender in contenders.values() if warm else ():
        contender()  # the first pass makes what later ones find
    if case.peer:
        contenders |= {name: functools.partial(peer, at_once) for name, at_once in PEERS.items()}
    return contenders


def _model(case: Case) -> nn.Module:

    if case.widths:
        layers: list[nn.Module] = []
        for inputs, outputs in zip(case.widths, case.widths[1:], strict=False):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        return nn.Sequential(*layers[:-1])
    head: list[nn.Module] = [] if case.outputs == 320 else [nn.Linear(320, case.outputs)]
    return nn.Sequential(
        nn.Conv2d(1, 32, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(32, 20, 5), nn.MaxPool2d(2), nn.Sigmoid(),
        nn.Flatten(), *head,
    )  # fmt: skip


def _decomposed(
    model: nn.Module,
    inputs: Tensor,
    other: dict[str, Tensor],
    turned: Tensor,
    *,
    M: float,
    L: float,
    C: float | None,
    aims: Tensor,
    at_once: int,
) -> torch.Tensor:
    """The same gradient the plain way: Jacobians of some examples at a time, each decomposed."""

    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
    with torch.no_grad():
        outputs = model(inputs)
    half = len(inputs) if other else len(inputs) // 2
    clip = lambda points: points / (points.norm(dim=1, keepdim=True) / M).clamp(min=1)  # noqa: E731
    left, right = clip(outputs[:half]).requires_grad_(), clip(other.get("1", outputs[half:])).requires_grad_(not other)
    value = (1.0 if other else 0.75) * sliced.sliced_wasserstein_power(left, right, turned)
    pulls = torch.cat(torch.autograd.grad(value, [side for side in (left, right) if side.requires_grad]))
    jacobian = vmap(jacrev(lambda values, one: functional_call(model, values, (one[None],))[0]), in_dims=(None, 0))
    total = torch.zeros(sum(parameter.numel() for parameter in parameters.values()), device=inputs.device)
    for first in range(0, len(inputs), at_once):
        part = slice(first, first + at_once)
        jacobians = jacobian(parameters, inputs[part])
        J = torch.cat([jacobians[name].flatten(start_dim=2) for name in parameters], dim=2)
        found_svd = torch.linalg.svd(J, full_matrices=False)
        clipped = found_svd.U @ (found_svd.S.clamp(max=L)[:, :, None] * found_svd.Vh)
        total += torch.einsum("ndp,nd->p", clipped, pulls[part])
        if C is not None:
            rows = torch.einsum("ndp,nd->np", J, 2 * (outputs[part] - aims[part]))
            factors = 1 / (rows.norm(dim=1) / C).clamp(min=1)
            total += 0.25 / len(inputs) * factors @ rows
    return total
