# What has to stand before the configuration is read; no rules.
import importlib.util
import os
import sys
from pathlib import Path

from snakemake.logging import logger
from snakemake.settings.types import ExecMode, Quietness

# A checkout works without installing the package, on every node that sees it, also as a module of another workflow. Rules
# that are read from a code host have no package beside them: the installed one is theirs, linked where jobs find it alone.
HERE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent
BESIDE = (HERE.parent / "src").is_dir()
SOURCE = HERE.parent / "src" if BESIDE else Path.cwd() / ".snakemake" / "wassdp"
# Linting reads rules, not runs: it needs no library of the package, and leaves the plan alone.
LINT = "--lint" in sys.argv
# Jobs that read the rules for themselves, and the report's own Snakemake, find the plan of the main process.
MAIN = (
    workflow.exec_mode == ExecMode.DEFAULT
    and not os.environ.get("WASSDP_PLANNED")
    and not LINT
)

if MAIN and not BESIDE:
    if (installed := importlib.util.find_spec("wassdp")) is None:
        sys.exit(
            "wassdp: rules that are read from elsewhere need the package installed"
        )
    SOURCE.mkdir(parents=True, exist_ok=True)
    (SOURCE / "wassdp").unlink(missing_ok=True)
    (SOURCE / "wassdp").symlink_to(Path(installed.origin).resolve().parent)
if MAIN:
    sys.path.insert(0, str(SOURCE))
    from wassdp.pipeline.progress import Progress, quieten

    if (
        Quietness.RULES in (workflow.output_settings.quiet or ())
        and not workflow.output_settings.dryrun
    ):
        quieten(logger)
