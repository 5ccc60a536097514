"""What a generator is trained towards: a loss against a release of private images. All after a release is free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxtyping import Float, Int64
from torch import Tensor

from wassdp.noise import Bits


@dataclass
class Target:
    """A loss whose private part is released before it is used.

    It keeps where the stream stood before the release at hand, so that a resumed run makes the same one again. Whoever
    watches it is told of each new release, once.
    """

    before: Tensor | None = field(default=None, init=False)
    watch: Callable[[], None] | None = field(default=None, init=False)
    lost: bool = field(default=False, init=False)

    def advance(self, step: int, generator: Bits) -> None:
        """Release what step ``step`` (from 0) needs, if the release at hand is not to be used again."""
        if self.before is None or self.due(step):
            self.before = generator.get_state()
            self.renew(generator)
            if self.watch is not None:
                self.watch()
        elif self.lost:
            now = generator.get_state()
            generator.set_state(self.before)
            self.renew(generator)
            generator.set_state(now)
        self.lost = False

    def due(self, step: int) -> bool:
        """Whether ``step`` wants a release of its own; no step but the first does, unless a target says otherwise."""
        return False

    def renew(self, generator: Bits) -> None:
        """Release."""
        raise NotImplementedError

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        """The loss of generated images of balanced labels in order; post-processing of the release at hand."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Where the release at hand came from."""
        return {"before": self.before}

    def load_state_dict(self, state: Mapping[str, Any], /) -> None:
        """Let the next `advance` make the release at hand again, bit by bit."""
        self.before, self.lost = state["before"], True
