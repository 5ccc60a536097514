"""Table kinds, one per file.

A kind offers ``Options``, a pydantic model of its options, and
``build(runs, history, options) -> data frame``.
"""

from wassdp.plugins import Plugins

TABLES = Plugins(__name__, "kind")
