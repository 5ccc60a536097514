"""What a results folder holds of a plan and cannot be used: named, set aside, and so made again.

Snakemake asks whether a file is there, never whether it can be read. Before it looks, outcomes and results that were
cut short, edited or put into another run's folder are set aside, and so are results that lack a budget which is asked
for now: the outcome behind them is accounted for again. So are tables of all runs that are not what was collected.

Whether a result is of today's code Snakemake knows where it made it, and nowhere else: in a results folder that comes
from elsewhere stand budgets that an accountant which was mended since no longer gives. Those are accounted for
again, and outcomes of other code are named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from wassdp.config import AccountantChoice
from wassdp.files import RUNS, read_object
from wassdp.pipeline import stored
from wassdp.pipeline.job import PlannedJob
from wassdp.result import Result, is_control, load_outcome, load_result

COLLECTED = "collected.json"
"""Name of the file, in a results folder, with the SHA-256 of each table of all runs as it was written."""
TABLES = (RUNS, "history.csv", "pictures.csv")
DAMAGED, EARLIER = ".damaged", ".earlier"
"""Added to the name of a file that is set aside. It is kept, since somebody may want to know what happened to it."""


def damaged(results: Path, specifications: Mapping[str, Mapping[str, Any]]) -> dict[Path, str]:
    """Outcomes and results that are there and cannot be used, each with the reason in one line.

    Args:
        results: the results folder.
        specifications: run id to specification, of all runs that count.
    """
    reasons: dict[Path, str] = {}
    restored = stored.restored(results)
    for run, spec in specifications.items():
        folder = results / "runs" / run
        load_own = partial(load_result, undigested=run in restored)
        digests = []
        for path, load in ((folder / "outcome.json", load_outcome), (folder / "result.json", load_own)):
            if not path.exists():
                continue
            try:
                record = load(path)
            except (ValueError, OSError) as error:
                reasons[path] = str(error)
                continue
            if record.run != run or record.spec != spec:
                reasons[path] = f"{path}: belongs to another run, {record.run}"
                continue
            digests.append(record.digest if path.name == "outcome.json" else getattr(record, "outcome", None))
        if len(set(digests)) == 2:
            path = folder / "result.json"
            reasons[path] = f"{path}: stems from another outcome than the one beside it"
    return reasons


def sound(
    results: Path, jobs: Mapping[str, PlannedJob], damaged: Collection[Path]
) -> dict[Path, tuple[Result, PlannedJob]]:
    """The results that are there, but for damaged ones, each with the job of its run.

    Args:
        results: the results folder.
        jobs: run to what it takes.
        damaged: files that are passed over.
    """
    restored = stored.restored(results)
    paths = {run: results / "runs" / run / "result.json" for run in jobs}
    return {
        path: (load_result(path, undigested=run in restored), jobs[run])
        for run, path in paths.items()
        if path.exists() and path not in damaged
    }


def lacking(found: Mapping[Path, tuple[Result, PlannedJob]]) -> dict[Path, tuple[str, ...]]:
    """Of these results (`sound`) those without a budget that is asked for now, with the names of what they lack."""
    budgets = {path: _lacking(result, job) for path, (result, job) in found.items()}
    return {path: names for path, names in budgets.items() if names}


def _lacking(result: Result, job: PlannedJob) -> tuple[str, ...]:
    if result.delta is None or is_control(result):
        return ()  # it released nothing private
    present = {(budget.accountant, budget.delta) for budget in result.guarantees}
    asked = [AccountantChoice.model_validate(choice) for choice in job.accountants]
    # Under one name a result that is older than the record of its accountants may hold another's budget.
    made = result.accountants if result.accountants is not None else [choice.model_dump() for choice in asked]
    return tuple(
        choice.key
        for choice in asked
        if (choice.key, choice.delta or result.delta) not in present or choice.model_dump() not in made
    )


def of_other_code(
    results: Path,
    jobs: Mapping[str, PlannedJob],
    found: Mapping[Path, tuple[Result, PlannedJob]],
    damaged: Collection[Path],
) -> tuple[list[Path], list[Path]]:
    """Outcomes that other code computed than the plan's, and results that other code accounted for.

    Which code accounts depends on the accountants: results with others than are asked for now, or that are older than
    the record of them, and results without an outcome beside them are not among the latter.

    Args:
        results: the results folder.
        jobs: run to what it takes, of the runs that count.
        found: the results that can be used (`sound`).
        damaged: files that are passed over.
    """
    computed, accounted = [], []
    for run, job in jobs.items():
        outcome, path = (results / "runs" / run / name for name in ("outcome.json", "result.json"))
        result = found[path][0] if path in found else None
        if result is None and (outcome in damaged or not outcome.exists()):
            continue
        code = (load_outcome(outcome) if result is None else result).provenance.code
        if code != job.code:
            computed.append(outcome)
        if result is not None and result.accountants == job.accountants and result.accounting_code != job.accounting:
            accounted += [path] if outcome.exists() else []
    return computed, accounted


def put_back_of_other_code(found: Mapping[Path, tuple[Result, PlannedJob]], put_back: Collection[str]) -> list[Path]:
    """Of the results that were put back (`wassdp restore`) those that other code than the plan's computed or accounted.

    Of the latter none with other accountants than are asked for now (`of_other_code`).

    Args:
        found: the results that can be used (`sound`).
        put_back: their runs.
    """
    return [
        path
        for path, (result, job) in found.items()
        if result.run in put_back
        and (
            result.provenance.code != job.code
            or (result.accountants == job.accountants and result.accounting_code != job.accounting)
        )
    ]


def collected(results: Mapping[str, Result], facts: str) -> dict[str, Any]:
    """What tables of all runs are made of: the plan's facts, and the digest of each result."""
    return {"facts": facts, "results": {run: result.digest for run, result in results.items()}}


def tables(
    results: Path, found: Mapping[Path, tuple[Result, PlannedJob]] | None = None, facts: str = ""
) -> dict[Path, str]:
    """Tables of all runs that are not what was collected, each with the reason in one line.

    Args:
        results: the results folder.
        found: every result of the plan (`sound`), where none is missing: tables of others are named too, which
            Snakemake takes by their dates for made of these. Where one is missing, it makes them anew in any case.
        facts: the plan's.
    """
    try:
        digests = read_object(results / COLLECTED)
    except (ValueError, OSError):
        return {}  # of an earlier version, or damaged itself: nothing vouches for them, and nothing speaks against them
    there = {path: digests[name] for name in TABLES if name in digests and (path := results / name).is_file()}
    changed = "was changed after it was collected (its digest is that of another content)"
    wrong = {path: changed for path, digest in there.items() if stored.sha256(path.read_bytes()) != digest}
    if found is not None and "results" in digests:
        today = collected({result.run: result for result, _ in found.values()}, facts)
        if any(digests[key] != today[key] for key in today):
            wrong = dict.fromkeys(there, "was collected of other results, or for another plan") | wrong
    return {path: f"{path}: {reason}" for path, reason in wrong.items()}


def set_aside(files: Collection[Path], ending: str = DAMAGED) -> None:
    """Rename these files, over what was set aside before under the same name."""
    for path in files:
        path.replace(path.with_name(path.name + ending))
