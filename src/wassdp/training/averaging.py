"""Averages of the weights along a training. They are functions of weights already released: post-processing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp import checks
from wassdp.sections import Section


class Average:
    r"""A running average of the weights w_t after each step t; the share s_t says which one.

    .. math:: v_t = v_{t-1} + s_t (w_t - v_{t-1})

    Args:
        share: from t >= 1 to s_t in [0, 1]: how far the average moves towards the weights after step t; 0 leaves them
            out. Without it there is no average: the weights after the last step count.
    """

    def __init__(self, share: Callable[[int], float] = lambda step: 0.0) -> None:
        self.share = share
        self.steps = 0
        self.mean: list[Tensor] = []

    def update(self, parameters: Sequence[nn.Parameter]) -> None:
        """Take the weights after one more step into account."""
        self.steps += 1
        share = self.share(self.steps)
        if share == 0:
            return
        if not self.mean:
            self.mean = [parameter.detach().clone() for parameter in parameters]
            return
        # A checkpoint brings them back on the processor.
        self.mean = [mean.to(weight.device) for mean, weight in zip(self.mean, parameters, strict=True)]
        for mean, weight in zip(self.mean, parameters, strict=True):
            mean.lerp_(weight.detach(), share)

    def settle(self, parameters: Sequence[nn.Parameter]) -> None:
        """Set the parameters to their average; before there is one, the latest weights count."""
        if self.mean:
            with torch.no_grad():
                for parameter, mean in zip(parameters, self.mean, strict=True):
                    parameter.copy_(mean)

    def state_dict(self) -> dict[str, Any]:
        """Everything that a resumed run needs."""
        return {"steps": self.steps, "mean": self.mean}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Put back what `state_dict` gave."""
        self.steps = state["steps"]
        self.mean = list(state["mean"])


class Averaging(Section):
    """An average of the weights along a training."""

    def share(self, step: int, steps: int) -> float:
        """The share of the weights after step ``step`` of ``steps``, as `Average` wants it."""
        raise NotImplementedError

    def over(self, steps: int) -> Average:
        """A fresh average, of a training of so many steps.

        Raises:
            ValueError: ``steps`` is below 1.
        """
        checks.whole("steps", steps, least=1)
        return Average(lambda step: self.share(step, steps))


class Exponential(Averaging):
    r"""Exponential moving average of the weights, with a short start.

    .. math:: v_t = d_t v_{t-1} + (1 - d_t) w_t, \quad d_t = \min\bigl(d, (1 + t) / (10 + t)\bigr)

    Source: De et al. (2022), arXiv:2204.13650, Section 3 ("parameter averaging").
    """

    name: Literal["exponential"]
    decay: float = Field(gt=0, lt=1, description="d")

    def share(self, step: int, steps: int) -> float:
        return 1 - min(self.decay, (1 + step) / (10 + step))


class Tail(Averaging):
    """Plain mean of the weights after each of the last steps; at least one is averaged.

    Source: Polyak and Juditsky (1992), SIAM J. Control Optim. 30(4); the tail only: Rakhlin et al. (2012),
    arXiv:1109.5647.
    """

    name: Literal["tail"]
    fraction: float = Field(gt=0, le=1, description="share of the steps that are averaged")

    def share(self, step: int, steps: int) -> float:
        skipped = steps - max(1, round(self.fraction * steps))
        return 1 / (step - skipped) if step > skipped else 0.0


@contextmanager
def applied(average: Average, parameters: Sequence[nn.Parameter]) -> Iterator[None]:
    """The parameters at their average within the block, and exactly as they were afterwards."""
    before = [parameter.detach().clone() for parameter in parameters]
    average.settle(parameters)
    try:
        yield
    finally:
        with torch.no_grad():
            for parameter, value in zip(parameters, before, strict=True):
                parameter.copy_(value)
