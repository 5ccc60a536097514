"""Wrong implementations, each a few lines beside its correct twin, that an auditor has to tell apart.

One file for each, which defines one class derived from `wassdp.audit.specimen.Specimen`: the fault, where it was seen,
what its author claims, the pair of neighbours and the attacks. A file that is put here is tried by `wassdp audit zoo`.
"""

from wassdp.audit.specimen import Specimen
from wassdp.plugins import Plugins

SPECIMENS = Plugins(__name__, "specimen")


def load(name: str) -> type[Specimen]:
    """The specimen called ``name``.

    Raises:
        ValueError: there is none.
    """
    return SPECIMENS.choice(name, Specimen)  # type: ignore[type-abstract]  # whatever derives from it
