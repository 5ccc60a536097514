"""Seeds of which a merge renews some runs and leaves others as older code computed them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from wassdp.pipeline.plan import PlannedRun
from wassdp.publish.sets import ResultSet


def mixed_seeds(found: ResultSet, merged: Collection[str], codes: Mapping[str, str]) -> Iterator[str]:
    """In words, each seed of an experiment that has merged runs, and others of older code than these.

    Runs of one seed share its batches, its first weights and what is trained before they part; other code may draw all
    of these otherwise. Then a difference between two rows is not that of their settings alone.

    Args:
        found: the set, merged runs included.
        merged: runs whose results came with the merge.
        codes: run to the hash of the code that would compute it where the merged ones come from; what is not in it is
            taken to be of today's.
    """
    seeds: dict[tuple[str, int | None], list[PlannedRun]] = defaultdict(list)
    for row in found.plan.runs:
        if row.run in found.results:
            seeds[row.experiment, row.seed].append(row)
    for (experiment, seed), rows in seeds.items():
        older = [row for row in rows if row.run not in merged and _older(found, row, codes)]
        if older and any(row.run in merged for row in rows):
            names = older[0].label if len(older) == 1 else f"{older[0].label}, …"
            yield (
                f"{experiment}, seed {seed}: {len(older)} of {len(rows)} runs ({names}) are of older code than the "
                "merged ones: a difference between these rows may be the code's"
            )


def _older(found: ResultSet, row: PlannedRun, codes: Mapping[str, str]) -> bool:
    code = found.results[row.run].provenance.code
    return codes.get(row.run, code) != code
