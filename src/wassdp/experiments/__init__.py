"""What can be run, one file per experiment kind.

The file's name is the ``kind`` used in a configuration. Each file offers

- ``PHASE``: one of `PHASES`, the workflow rule that runs it;
- ``Parameters``: a `wassdp.experiment.Parameters` model of one run;
- ``run(parameters, *, seed, context) -> Findings``.
"""

from wassdp.plugins import Plugins

KINDS = Plugins(__name__, "kind")
PHASES = ("generate", "train", "audit")
