"""What a final evaluation was asked for, and whether all came: a look at the plan is no reading of test records."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from snakemake.cli import parse_args
from snakemake.exceptions import CliException

from wassdp.pipeline import stored

# As `snakemake.cli.args_to_api` has it: each of these does something else than to run jobs.
INSTEAD = frozenset(
    {
        *("dryrun", "touch", "lint", "list_rules", "list_target_rules", "print_compilation", "containerize"),
        *("generate_unit_tests", "dag", "rulegraph", "filegraph", "d3dag", "unlock", "archive"),
        *("cleanup_metadata", "cleanup_shadow", "container_cleanup_images", "conda_cleanup_envs"),
        *("conda_create_envs_only", "list_conda_envs", "list_changes", "list_input_changes", "list_params_changes"),
        *("list_untracked", "summary", "detailed_summary", "delete_all_output", "delete_temp_output"),
    }
)


def working_folder(words: Sequence[str]) -> Path | None:
    """Where Snakemake runs jobs when it is called with these words; None where it runs none.

    It reads them itself, profiles too: options may be shortened, joined, and values of others. Words that it refuses
    run nothing.

    >>> command = ["--snakefile", "none", "--cores", "1"]
    >>> [working_folder([*command, *more]) for more in (["-pn"], ["--summ"], ["--config", "n=1"], ["-d", "a"])]
    [None, None, PosixPath('.'), PosixPath('a')]
    """
    try:
        # It says which profile it uses, or why it refuses, when it is called in earnest.
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            _, asked = parse_args(list(words))
    except (SystemExit, CliException):
        return None
    told = {name: value for name, value in vars(asked).items() if value}
    reports = {"report", "reporter"} & set(told) and "report_after_run" not in told
    if reports or INSTEAD & set(told):
        return None
    return Path(told.get("directory", "."))


def computed(folder: Path, runs: Iterable[str]) -> list[str]:
    """Those of these runs that have an outcome or a result, whatever it is."""
    names = ("outcome.json", "result.json")
    return [run for run in runs if any((folder / "runs" / run / name).exists() for name in names)]


def results(folder: Path, runs: Iterable[str]) -> dict[str, str | None]:
    """Run to the digest of its result, of those of these runs that have one that can be read.

    Args:
        folder: a results folder.
        runs: those that count: others may lie beside them, of whatever was computed there before.
    """
    found: dict[str, str | None] = {}
    for run in runs:
        with contextlib.suppress(ValueError, OSError):
            found |= {name: result.digest for name, result in stored.load(folder, [run]).items()}
    return found
