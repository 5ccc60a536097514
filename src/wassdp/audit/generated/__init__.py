"""One-run attacks on methods of generation, one file each; the file's name is the method's.

Each offers one class derived from `wassdp.audit.trainings.crafted_images.Generated`.
"""

from wassdp.plugins import Plugins

ATTACKS = Plugins(__name__, "method with canaries")
