"""Figure kinds, one per file, each a `wassdp.report.kinds.Figure`."""

from wassdp.plugins import Plugins

FIGURES = Plugins(__name__, "kind")
