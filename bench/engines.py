"""Samples per second of each per-example engine on each model, beside Opacus and the non-private step.

Each engine works in a process of its own, so that its peak memory is its own; the processes take turns,
and the median turn counts. On a processor the time is that of one thread at work (other work on the
machine does not count), on a GPU it is the clock's. Opacus's better mode is the peer: `times_opacus` is
how many times as many samples as that a second takes, `times_non_private` how many times as long as
the ordinary step of the same model, all of the batch at once. The last engine, an ordinary step in the
parts and the memory layout of `ghost_norms`, says how much of its speed is due to those. Opacus's ghost clipping is
timed as Opacus has it, and is no engine here: it measures one backward pass and adds up another one, which may be
longer than the clip norm by any factor where terms cancel.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from torch import Tensor, nn

from bench._clock import devices, mean_seconds
from wassdp import models
from wassdp.pipeline.provenance import peak_memory_mib
from wassdp.training import engines
from wassdp.training.clipping import parts
from wassdp.training.clipping.opacus import quiet

OPACUS_GHOST = "opacus_ghost"
PRIVATE = ("ghost_norms", "opacus_hooks", OPACUS_GHOST, "functional")
PLAIN, PLAIN_IN_PARTS = "non-private", "non-private, in parts"
TURNS, LEAST_SECONDS = 4, 0.1
PART = 64


@dataclass(frozen=True)
class Case:
    """One model, and what it is fed with."""

    what: str
    model: str
    shape: tuple[int, ...]
    batch: int = 256
    options: dict[str, str] = field(default_factory=dict)


CASES = (
    Case("26k CNN", "cnn_small", (1, 28, 28)),
    Case("model A, group norm", "model_a", (1, 28, 28), options={"normalisation": "group"}),
    Case("model B, group norm", "model_b", (3, 32, 32), options={"normalisation": "group"}),
    Case("550k CIFAR CNN", "cnn_cifar", (3, 32, 32)),
    Case("CNN on scattering", "scattering_cnn", (81, 7, 7), batch=1024),
    Case("linear on scattering", "linear", (81, 7, 7), batch=8192),
)


def main(cases: tuple[Case, ...] = CASES) -> list[dict[str, Any]]:
    """Rows: device, model, engine, batch, samples per second, the two ratios, peak memory above the start."""

    return [row for device in devices() for case in cases for row in _rows(device, case)]


def _rows(device: str, case: Case) -> list[dict[str, Any]]:
    # Forked from a process that has imported everything and done nothing: as fresh as a new one, and at once there.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "opacus", "wassdp.models", "wassdp.training.engines", "bench.engines"])
    workers: dict[str, tuple[Any, Connection]] = {}
    for engine in (PLAIN, *PRIVATE, PLAIN_IN_PARTS):
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, device, case, engine), daemon=True)
        process.start()
        workers[engine] = process, here
    refused = {engine: _ask(pipe, None) for engine, (_, pipe) in workers.items()}
    seconds: dict[str, list[float]] = {engine: [] for engine, reason in refused.items() if reason is None}
    for _ in range(TURNS):
        for engine, taken in seconds.items():
            taken.append(_ask(workers[engine][1], "turn"))
    median = {engine: statistics.median(taken) for engine, taken in seconds.items()}
    peak = {engine: _ask(workers[engine][1], "peak") for engine in seconds}
    for process, pipe in workers.values():
        pipe.close()
        process.join(timeout=10)
    opacus = min((median[engine] for engine in median if engine.startswith("opacus")), default=math.nan)
    return [
        {
            "device": device,
            "model": case.what,
            "engine": engine,
            "batch": case.batch,
            "samples_per_second": case.batch / median.get(engine, math.nan),
            "times_non_private": median.get(engine, math.nan) / median[PLAIN],
            "times_opacus": opacus / median.get(engine, math.nan),
            "peak_mib": peak.get(engine, math.nan),
            "refused": reason or "",
        }
        for engine, reason in refused.items()
    ]


def _ask(pipe: Connection, question: str | None) -> Any:
    if question is not None:
        pipe.send(question)
    answer = pipe.recv()
    if isinstance(answer, Exception):
        raise answer
    return answer


def _work(pipe: Connection, device: str, case: Case, engine: str) -> None:
    """Prepare, say whether the engine refuses the model, then answer until the other end closes."""

    torch.set_num_threads(1)
    start = _peak_mib(device)
    try:
        step = _step(device, case, engine)
        step()  # the first step makes what later ones find
        pipe.send(None)
    except ValueError as error:
        pipe.send(str(error))
        return
    except Exception as error:
        pipe.send(error)
        return
    with contextlib.suppress(EOFError):
        while True:
            turn = pipe.recv() == "turn"
            pipe.send(mean_seconds(step, device, least=LEAST_SECONDS) if turn else _peak_mib(device) - start)


def _peak_mib(device: str) -> float:

    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**20
    return peak_memory_mib()


def _opacus_ghost(model: nn.Module, inputs: Tensor, losses_of: Callable[[Tensor], Tensor]) -> Callable[[], object]:
    """Norms in one backward pass, and another one of the losses times their clip factors (Li et al. 2022)."""
    try:
        followed = GradSampleModuleFastGradientClipping(model, loss_reduction="sum", max_grad_norm=1.0)
    except NotImplementedError as error:
        raise ValueError(f"refused by Opacus: {error}") from error
    parameters = list(model.parameters())

    def step() -> Tensor:
        with quiet():
            losses = losses_of(followed(inputs))
            losses.sum().backward(retain_graph=True)
        followed.disable_hooks()
        gradients = torch.autograd.grad((losses * followed.get_clipping_coef()).sum(), parameters)
        followed.enable_hooks()
        followed.zero_grad(set_to_none=True)
        return torch.cat([gradient.flatten() for gradient in gradients])

    return step


def _step(device: str, case: Case, engine: str) -> Callable[[], object]:

    torch.manual_seed(0)
    choice = models.Model(name=case.model, options=case.options)
    model = choice.architecture.build(case.shape, 10).to(device)
    inputs = torch.randn(case.batch, *case.shape).to(device)
    targets = torch.randint(0, 10, (case.batch,)).to(device)

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return nn.functional.cross_entropy(outputs, targets, reduction="none")

    if engine == OPACUS_GHOST:
        return _opacus_ghost(model, inputs, lambda outputs: loss(outputs, targets))
    if engine not in (PLAIN, PLAIN_IN_PARTS):
        prepared = engines.load(engine, model)
        return lambda: prepared.clipped_gradient_sum(loss, (inputs, targets), 1.0)

    parameters = list(model.parameters())
    images = any(isinstance(layer, nn.Conv2d) for layer in model.modules())
    part = PART if engine == PLAIN_IN_PARTS and images else case.batch

    def plain() -> Tensor:
        total = torch.zeros(sum(parameter.numel() for parameter in parameters), device=device)
        for some, wanted in zip(inputs.split(part), targets.split(part), strict=True):
            values = parts.channels_last(some) if part < case.batch else some
            gradients = torch.autograd.grad(loss(model(values), wanted).sum(), parameters)
            total += torch.cat([gradient.flatten() for gradient in gradients])
        return total

    return plain
