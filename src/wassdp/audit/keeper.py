"""Tries the zoo's specimens: is the wrong twin caught, and the correct one left alone?"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from wassdp import checks, processes
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.audit import game, zoo
from wassdp.audit.specimen import Specimen
from wassdp.audit.statistics import claim, clopper_pearson

CONFIDENCE = 0.999
"""With which a wrong implementation is rejected, and at which a correct one may be."""
DELTA = 1e-5
"""At which the claimed ε, and the one that was measured, are told."""


@dataclass(frozen=True)
class Trial:
    """What all attacks together found on one twin.

    Args:
        attack: the one with the smallest p-value.
        p_value: that one's times the number of attacks (Bonferroni), at most 1. It is no smaller than a hundredth of
            1 - confidence: none smaller is told.
        rejected: whether what the code does contradicts its claim, at the confidence asked for.
        measured: what ε at `DELTA` is not below, at the same confidence and without any assumption (Clopper and
            Pearson), by the best of all attacks.
        seconds: of releases, attacks and tests.
    """

    attack: str
    p_value: float
    rejected: bool
    measured: float
    seconds: float


@dataclass(frozen=True)
class Examined:
    """One specimen: what was found on either twin.

    Args:
        name: its file's.
        fault: what is wrong, in one line.
        source: where it was seen.
        neighbours: the two worlds' records.
        claimed: the ε at `DELTA` that is proven of what either twin says that it releases.
        wrong: the trial of the wrong twin.
        twins: trials of the correct one, one for each repetition.
    """

    name: str
    fault: str
    source: str
    neighbours: str
    claimed: float
    wrong: Trial
    twins: tuple[Trial, ...]

    @property
    def alarms(self) -> int:
        """How many repetitions rejected the correct twin."""
        return sum(twin.rejected for twin in self.twins)

    @property
    def told_apart(self) -> bool:
        """Whether the wrong twin was caught and the correct one was not."""
        return self.wrong.rejected and not self.alarms


def trial(
    specimen: type[Specimen], *, wrong: bool, seed: int, confidence: float = CONFIDENCE, trials: int | None = None
) -> Trial:
    """All attacks on one twin, each at its share of the permitted error.

    Args:
        specimen: whose twin.
        wrong: which of the two. Attacks are not told.
        seed: of all that is drawn.
        confidence: of all attacks together: a correct twin is rejected with probability at most 1 - confidence.
        trials: releases in each world; None for as many as the specimen asks for.

    Raises:
        ValueError: an argument is outside its range.
    """
    started = time.monotonic()
    share = (1 - checks.open_unit("confidence", confidence)) / len(specimen.attacks)
    verdicts, measured = {}, 0.0
    for attack in specimen.attacks:
        twin = specimen(wrong=wrong, attack=attack)
        scores = game.play(twin, trials=specimen.trials if trials is None else trials, seed=seed)
        verdicts[attack] = claim.test(scores, twin.event(), confidence=1 - share)
        measured = max(measured, clopper_pearson.bound(scores, delta=DELTA, confidence=1 - share).epsilon)
    best = min(verdicts, key=lambda attack: verdicts[attack].p_value)
    return Trial(
        attack=best,
        p_value=min(1.0, len(verdicts) * verdicts[best].p_value),
        rejected=verdicts[best].rejected,
        measured=measured,
        seconds=time.monotonic() - started,
    )


def examine(
    name: str, *, seed: int = 0, repetitions: int = 1, confidence: float = CONFIDENCE, trials: int | None = None
) -> Examined:
    """Both twins of the specimen called ``name``: the wrong one once, the correct one as often as asked for.

    Args:
        name: its file's.
        seed: of the wrong twin and of the first repetition; the next one has the next.
        repetitions: how often the correct twin is tried. Alarms to be expected are at most 1 - confidence of these.
        confidence: of each trial.
        trials: releases in each world; None for as many as the specimen asks for.

    Raises:
        ValueError: there is no such specimen, or an argument is outside its range.
    """
    checks.whole("seed", seed)
    checks.whole("repetitions", repetitions, least=1)
    specimen = zoo.load(name)
    event = specimen(wrong=True, attack=specimen.attacks[0]).event()
    claimed = PLDAccountant().epsilon(event, DELTA).value
    wrong = trial(specimen, wrong=True, seed=seed, confidence=confidence, trials=trials)
    twins = tuple(
        trial(specimen, wrong=False, seed=seed + repetition, confidence=confidence, trials=trials)
        for repetition in range(repetitions)
    )
    return Examined(name, specimen.fault, specimen.source, specimen.neighbours, claimed, wrong, twins)


def examine_each(names: Sequence[str], *, jobs: int = 1, **asked: Any) -> Iterator[Examined]:
    """What `examine` finds on each specimen, in the order of ``names``; it does not depend on the number of processes.

    Args:
        names: of the specimens' files.
        jobs: specimens tried at a time, each in a process of its own where there are several.
        **asked: what else `examine` is told.

    Raises:
        ValueError: there is no such specimen, or an argument is outside its range.
    """
    one = functools.partial(examine, **asked)
    if checks.whole("jobs", jobs, least=1) == 1:
        yield from map(one, names)
        return
    # Threads of several processes on the same processors take twice the time.
    with processes.pool(jobs, prepare=functools.partial(torch.set_num_threads, 1)) as pool:
        try:
            yield from pool.map(one, names)
        finally:
            pool.shutdown(cancel_futures=True)
