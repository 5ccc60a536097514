"""What draws two domains' features together, one file per method; the file's name is its ``name`` in a configuration.

Each file offers one class derived from `wassdp.adaptation.method.AdaptationMethod`: the choices that the method leaves
open, which build the method for a run.
"""

from wassdp.plugins import Plugins

METHODS = Plugins(__name__, "method")
