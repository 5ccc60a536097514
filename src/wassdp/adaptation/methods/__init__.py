"""What draws two domains' features together, one file per method; the file's name is its ``name`` in a configuration.

Each file offers ``Options``, a `wassdp.adaptation.method.Options` of what the method leaves open, and
``Method(options, setting)``, a `wassdp.adaptation.method.Method`. No file imports torch at module level, so that
a configuration is checked without it.
"""

from wassdp.plugins import Plugins

METHODS = Plugins(__name__, "method")
