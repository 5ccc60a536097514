"""One-run attacks on methods of adaptation, one file each; the file's name is the method's.

Each offers one class derived from `wassdp.audit.trainings.adapted.Adapted`.
"""

from wassdp.plugins import Plugins

ATTACKS = Plugins(__name__, "method with canaries")
