"""Table kinds, one per file, each a `wassdp.report.kinds.Table`."""

from wassdp.plugins import Plugins

TABLES = Plugins(__name__, "kind")
