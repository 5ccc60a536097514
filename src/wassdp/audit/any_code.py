r"""Attacks on anybody's code: a release as a callable, two neighbouring sets of records, and what the code claims.

A tutorial. Opacus clips and adds noise; when a loop calls it wrongly, nothing says so, and the accountant never knows.
Here is a training of one weight over two passes, each on all records, with noise as large as the clip norm. It is meant
to be two Gaussian mechanisms of multiplier 1. ``accumulated`` is the number of passes whose gradients are gathered
before the optimiser steps, as one does where a batch does not fit into memory:

>>> import torch
>>> from opacus import GradSampleModule
>>> from opacus.optimizers import DPOptimizer
>>> def train(records, generator, accumulated):
...     model = GradSampleModule(torch.nn.Linear(1, 1, bias=False))
...     torch.nn.init.zeros_(model._module.weight)
...     optimiser = DPOptimizer(
...         torch.optim.SGD(model.parameters(), lr=1.0),
...         noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=4, generator=generator,
...     )
...     weights = []
...     for number in range(2):
...         optimiser.zero_grad()
...         optimiser.signal_skip_step(do_skip=number % accumulated < accumulated - 1)
...         (-model(records.clone().requires_grad_())).mean().backward()
...         optimiser.step()
...         weights.append(model._module.weight.detach().flatten().clone())
...     return torch.cat(weights)

What it claims is an event, of which every accountant gives the budget:

>>> from wassdp import Gaussian, PLDAccountant, repeated
>>> claimed = repeated(Gaussian(noise_multiplier=1.0, adjacency="add-remove"), 2)
>>> round(PLDAccountant().epsilon(claimed, 1e-5).epsilon, 2)
6.57

An attack needs two neighbouring sets of records, the first with the record in question, the second without it: the more
that record stands out, the more is found. It runs the training many times on both, learns on some of the runs what
tells them apart, fixes that, and counts on the others how often it is right:

>>> others = torch.zeros(3, 1)
>>> neighbours = (torch.cat([torch.tensor([[50.0]]), others]), others)
>>> def right(records, generator):
...     return train(records, generator, accumulated=1)
>>> found = attack(right, neighbours, event=claimed, trials=600, delta=1e-5, seed=1)
>>> found.contradicted
False

So far nothing speaks against the claim. With gathered gradients the record enters twice, and noise is added once: the
two passes are one Gaussian mechanism whose sensitivity is twice the clip norm.

>>> def wrong(records, generator):
...     return train(records, generator, accumulated=2)
>>> found = attack(wrong, neighbours, event=claimed, trials=600, delta=1e-5, seed=1)
>>> found.contradicted
True
>>> print(found)
claimed: ...

The lower bounds that are printed assume less or more. The *distribution-free* one assumes nothing, and needs many
trials at a small delta: here it alone would not have found the error. The *family-based* one assumes that the worlds
differ as the event says, with another amount of noise, and tells how far off that is. The verdict assumes nothing
either: it sets the attacker's errors against all budgets (epsilon, delta) that the claim promises at once, so that it
finds with few trials what one bound at one delta does not. A correct code is called contradicted in one of a thousand
attacks at most.

Whoever knows what to look for hands over a ``score``, which costs no trials: any number that is larger where the record
seems to be there. Without an event there are only lower bounds. Trials have to be independent of each other: a release
that keeps noise or weights from one call to the next has to be made anew in each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from wassdp import checks, noise
from wassdp.accounting import limits
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.rounding import exact, rounded
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import claim, clopper_pearson, family

Release = Callable[[Any, torch.Generator], Any]
"""Records and a source of randomness to what leaves: numbers of one shape, as an array or a tensor."""
Score = Callable[[Any], float]
Learnt = Callable[[np.ndarray], np.ndarray]
"""Releases as rows of numbers to a score of each."""
LEARNED, SURE, LEAST = 0.25, 0.999, 40
"""Share of the trials that a score is learned on, confidence of the verdict, and least number of trials."""
MOST_NUMBERS = 1 << 28
"""That are kept to learn from."""
TOGETHER = 1000
"""Releases that a learned score is evaluated on at a time."""


@dataclass(frozen=True, kw_only=True)
class AttackedCode:
    """What an attack found. The two kinds of bound say different things.

    Args:
        distribution_free: a lower bound on ε that assumes nothing.
        family_based: one that assumes the event's own trade-off curve at an unknown noise; None without an event.
        verdict: whether the claim as a whole is contradicted, at confidence 99.9 %; None without an event.
        claimed: what is proven of the event; None without one.
    """

    distribution_free: Estimate
    family_based: Estimate | None = None
    verdict: claim.ClaimVerdict | None = None
    claimed: Guarantee | None = None

    @property
    def contradicted(self) -> bool:
        """Whether the code gives away more than the event claims; never without an event."""
        return self.verdict is not None and self.verdict.rejected

    def __str__(self) -> str:
        lines = []
        if self.claimed is not None:
            claimed = rounded(self.claimed.value, self.claimed.kind)
            lines.append(f"claimed: epsilon = {claimed} at delta = {exact(self.claimed.delta)}")
        for estimate in (self.distribution_free, self.family_based):
            if estimate is not None:
                fit = f", fit {estimate.shown_fit}" if estimate.basis == "family-based" else ""
                how = f"confidence {exact(estimate.confidence)}, {estimate.trials:,} trials{fit}"
                reached = rounded(estimate.epsilon, "lower")
                lines.append(f"{estimate.basis}: epsilon >= {reached} at delta = {exact(estimate.delta)} ({how})")
        if self.verdict is not None:
            told = "contradicted" if self.contradicted else "not contradicted"
            lines.append(f"the claim is {told} (p = {self.verdict.p_value:.2g})")
        return "\n".join(lines)


def attack(
    release: Release,
    neighbours: tuple[Any, Any],
    *,
    event: Event | None = None,
    score: Score | None = None,
    trials: int,
    delta: float,
    confidence: float = 0.95,
    seed: int = 0,
) -> AttackedCode:
    """Measure how well two neighbouring sets of records can be told apart by what a code releases of them.

    The module's own description is a tutorial.

    Args:
        release: called with records and a `torch.Generator`, anew for every trial; what it returns is one release.
        neighbours: records with the one in question, and without it (or with another in its place).
        event: what the code claims one release to be; None: lower bounds only.
        score: of one release, larger where the record seems to be there. None: learned on the first quarter of the
            trials: of linear discriminant analysis, and of logistic regression on the numbers, their squares and, of a
            few, their products, the one that does better on a part of these.
        trials: releases of each set of records, at least 40.
        delta: in (0, 1).
        confidence: one-sided, of each bound by itself.
        seed: of the generators that ``release`` is handed.

    Raises:
        ValueError: an argument is outside its range, the event has no proven budget, releases differ in shape, or a
            score is not a number; the first one that is not ends the attack.
    """
    checks.whole("trials", trials, least=LEAST)
    limits.computable_delta(delta)
    checks.open_unit("confidence", confidence)
    checks.whole("seed", seed)
    if len(neighbours) != 2:
        raise ValueError(f"neighbours: must be records with the one in question and without it, not {len(neighbours)}")
    claimed = None if event is None else PLDAccountant().epsilon(event, delta)
    if claimed is not None and not claimed.bounded:
        raise ValueError("event: has no finite budget, so that nothing can contradict it; leave it out")
    present, absent = (_Trials(release, records, seed, world) for world, records in enumerate(neighbours))
    if score is None:
        pilot = math.ceil(LEARNED * trials)
        learnt = learned(*(each.rows(pilot) for each in (present, absent)))
        scores = Scores(*(each.scores(learnt, trials - pilot) for each in (present, absent)))
    else:
        scores = Scores(*(_scored(score, each, trials) for each in (present, absent)))
    free = clopper_pearson.bound(scores, delta=delta, confidence=confidence)
    if event is None:
        return AttackedCode(distribution_free=free)
    return AttackedCode(
        distribution_free=free,
        family_based=family.bound(scores, event=event, delta=delta, confidence=confidence),
        verdict=claim.test(scores, event, confidence=SURE),
        claimed=claimed,
    )


class _Trials:
    """Releases of one set of records, one after the other, from a stream of their own."""

    def __init__(self, release: Release, records: Any, seed: int, world: int) -> None:
        self.release, self.records = release, records
        self.size: int | None = None
        words = noise.seeded(seed, "attack", str(world)).words(1)
        self.generator = torch.Generator().manual_seed(int(words[0] >> np.uint64(1)))

    def __call__(self) -> Any:
        return self.release(self.records, self.generator)

    def rows(self, count: int) -> Float[np.ndarray, "count numbers"]:
        """So many releases, each as a row.

        Raises:
            ValueError: they differ in shape, or are too many numbers.
        """
        found = []
        for _ in range(count):
            row = flat(self())
            self.size = row.size if self.size is None else self.size
            if row.size != self.size:
                raise ValueError(f"release: has {row.size} numbers, and had {self.size} before; give a score")
            if row.size * count > MOST_NUMBERS:
                raise ValueError(f"release: has {row.size} numbers, too many to learn a score from; give one")
            found.append(row)
        return np.stack(found)

    def scores(self, learnt: Learnt, count: int) -> Float[np.ndarray, " count"]:
        """Scores of so many releases."""
        parts = [min(TOGETHER, count - first) for first in range(0, count, TOGETHER)]
        return np.concatenate([learnt(self.rows(part)) for part in parts])


def _scored(score: Score, trials: _Trials, count: int) -> Float[np.ndarray, " count"]:
    """Scores of so many releases by the caller's own function.

    Raises:
        ValueError: one is not a number.
    """
    found = np.empty(count)
    for trial in range(count):
        found[trial] = score(trials())
        if np.isnan(found[trial]):
            raise ValueError(f"score = nan of release {trial + 1}: must be a number")
    return found


def flat(released: Any) -> Float[np.ndarray, " numbers"]:
    """A release as one row of numbers."""
    if isinstance(released, torch.Tensor):
        released = released.detach().cpu().double().numpy()
    return np.asarray(released, dtype=np.float64).ravel()


def learned(present: Float[np.ndarray, "count numbers"], absent: Float[np.ndarray, "count_absent other"]) -> Learnt:
    """A score that tells rows of the two kinds apart; of two classifiers the one that does better on a third of them.

    What is not finite counts as 0, and that it is not finite as a number of its own.

    Raises:
        ValueError: the two kinds differ in how many numbers a row has.
    """
    if present.shape[1] != absent.shape[1]:
        raise ValueError(
            f"release: has {present.shape[1]} numbers with the record and {absent.shape[1]} without it; give a score"
        )
    rows = _features(np.concatenate((present, absent)))
    labels = np.repeat([1, 0], [len(present), len(absent)])
    tried = np.concatenate([np.arange(len(each)) % 3 == 0 for each in (present, absent)])
    varying = np.ptp(rows, axis=0) > 0
    if not varying.any():
        return lambda released: np.zeros(len(released))
    few = int(varying.sum()) <= 16
    classifiers = (
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
        make_pipeline(
            StandardScaler(),
            # By which noise of another size is seen.
            PolynomialFeatures(2, include_bias=False) if few else FunctionTransformer(_with_squares),
            StandardScaler(),
            LogisticRegression(max_iter=1000),
        ),
    )
    chosen, best = None, -math.inf
    for classifier in classifiers:
        classifier.fit(rows[~tried][:, varying], labels[~tried])
        reached = roc_auc_score(labels[tried], classifier.decision_function(rows[tried][:, varying]))
        if reached > best:
            chosen, best = classifier, reached
    assert chosen is not None, "there are classifiers"
    return lambda released: np.asarray(chosen.decision_function(_features(released)[:, varying]))


def _with_squares(rows: Float[np.ndarray, "count numbers"]) -> Float[np.ndarray, "count twice"]:
    return np.concatenate((rows, rows**2), axis=1)


def _features(rows: Float[np.ndarray, "count numbers"]) -> Float[np.ndarray, "count features"]:
    finite = np.isfinite(rows)
    return np.concatenate((np.where(finite, rows, 0.0), ~finite), axis=1)
