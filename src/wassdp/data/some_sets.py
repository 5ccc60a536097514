"""Those datasets that a configuration may name in some place, told by what they declare of themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wassdp import complaints
from wassdp.data import SETS, Dataset, descriptor
from wassdp.plugins import Plugins


@dataclass(frozen=True)
class SomeSets(Plugins):
    """Those datasets whose declaration ``fits`` accepts; as an annotation, a string that names one of them.

    >>> SomeSets(fits=lambda declared: declared.origin == "embedded").names()
    ('digits',)
    """

    package: str = SETS.package
    what: str = SETS.what
    fits: Callable[[Dataset], bool] = bool

    def names(self) -> tuple[str, ...]:
        return tuple(name for name in super().names() if self.fits(descriptor(name)))

    def _validated(self, name: str) -> str:
        super()._validated(name)
        if not self.fits(descriptor(name)):  # only a refusal costs a look at every dataset
            raise ValueError(complaints.choices(name, self.names()))
        return name
