"""What a generator is trained towards, one file per method; the file's name is its ``name`` in a configuration.

Each file offers one class derived from `wassdp.generation.method.GenerationMethod`: the choices that the method leaves
open, which release private records for a run and give the loss of that release.
"""

from wassdp.plugins import Plugins

METHODS = Plugins(__name__, "method")
