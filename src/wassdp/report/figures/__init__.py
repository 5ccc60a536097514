"""Figure kinds, one per file.

A kind offers ``Options``, a pydantic model of its options, and
``draw(runs, history, options) -> (figure, data)``, where ``data`` is the data frame of what is drawn.
"""

from wassdp.plugins import Plugins

FIGURES = Plugins(__name__, "kind")
