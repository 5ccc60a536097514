"""What methods that promise nothing share: they draw target batches, train nothing of their own and release nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wassdp.adaptation import method

if TYPE_CHECKING:
    from torch import Tensor, nn

    from wassdp.noise import Bits


class Plain:
    """A method without privacy.

    Args:
        setting: the run.
        extra: what it trains beside encoder and head; None if nothing.
    """

    def __init__(self, setting: method.Setting, extra: nn.Module | None = None) -> None:
        self.setting = setting
        self.extra = nothing() if extra is None else extra

    def sample(self, generator: Bits) -> Tensor | None:
        return batch(self.setting, generator)

    def event(self, steps: int) -> None:
        return None

    def metrics(self) -> dict[str, float]:
        return {}


def batch(setting: method.Setting, generator: Bits) -> Tensor:
    """Indices of a batch of target records, drawn without replacement."""
    from wassdp import noise

    return noise.subset(setting.records, setting.batch, generator=generator)


def nothing() -> nn.Module:
    """A module without parameters."""
    from torch import nn

    return nn.Identity()
