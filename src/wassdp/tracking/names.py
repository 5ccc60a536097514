"""Short names that tell the runs of an experiment apart: MLflow's table cuts longer ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, takewhile
from operator import and_

from wassdp.labels import parts_of
from wassdp.tracking.shorter import CLAIM, SPELT, STAGES, Rule, shorter

LONGEST = 25
"""Characters of a name that MLflow's table of runs shows."""
LEAST = 10
"""Characters that are left for the setting, however long a seed is."""
MOST_PARTS = 10
"""Parts of a label of which some are left out; of more there are too many choices."""
_NUMBER = re.compile(r"(noise of )?[εσβ] ")
_NONE = re.compile(r"no (privacy|noise)$")

Parts = tuple[str, ...]


def short_names(settings: Sequence[tuple[str, int | None]]) -> list[str]:
    """A name of at most `LONGEST` characters for each run of an experiment, all different.

    What all settings share is left out. Where a name is still too long, seeds lose a word, then the parts of all labels
    have shorter words (`wassdp.tracking.shorter`), then each keeps as few parts as tell it apart, its method and its
    budget among them where there is room. What has no shorter words loses its middle; if names are alike then, all are
    numbered.

    Args:
        settings: label and seed of each run, each pair once.

    >>> short_names([("linear, batch 512, ε = 1", 0), ("linear, batch 512, ε = 3", 0)])
    ['ε = 1', 'ε = 3']
    >>> short_names([("linear", 0), ("linear", 1)])
    ['linear, seed 0', 'linear, seed 1']
    """
    seeds = list(dict.fromkeys(seed for _, seed in settings))
    labels = list(dict.fromkeys(label for label, _ in settings))
    parts = _parted(labels)
    for joint in (", seed ", " s"):
        endings = {seed: f"{joint}{'system' if seed is None else seed}" if len(seeds) > 1 else "" for seed in seeds}
        room = max(LEAST, LONGEST - max(map(len, endings.values())))
        if max(map(len, _joined(parts))) <= room:
            break
    told = dict(zip(labels, _fitted(parts, room), strict=True))
    return [told[label] + endings[seed] for label, seed in settings]


def _parted(labels: Sequence[str]) -> list[Parts]:
    """The parts of each label, spelt as people do, without those that all have."""
    if not any(" " in label for label in labels):  # claims: their paper's name is not in each
        words = [label.split("-") for label in labels]
        columns = zip(*words, strict=False)
        shared = sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, columns)) if len(labels) > 1 else 0
        return [("-".join(own[shared:] or own),) for own in words]
    found = _without_shared([tuple(parts_of(label)) for label in labels])
    return _by(SPELT, found)


def _by(rules: Sequence[Rule], found: list[Parts]) -> list[Parts]:
    """``found`` in other words, if they are still all different."""
    other = [tuple(shorter(part, rules) for part in parts) for parts in found]
    return other if len(set(_joined(other))) == len(found) else found


def _fitted(found: list[Parts], room: int) -> list[str]:
    """Names of ``found``, which are all different, in at most ``room`` characters each."""
    for rules in STAGES:
        if max(map(len, _joined(found))) > room:
            found = _by(rules, found)
    if max(map(len, _joined(found))) > room:
        held, longest = _held(found), _longest(found)
        found = [_telling(parts, held, longest, room) for parts in found]
    names = [shorter(name, CLAIM) if len(name) > room else name for name in _joined(found)]
    squeezed = [_squeezed(name, room) for name in names]
    if len(set(squeezed)) == len(found):
        return squeezed
    return [f"#{place} {_squeezed(name, room - len(f'#{place} '))}" for place, name in enumerate(names, start=1)]


def _without_shared(found: list[Parts]) -> list[Parts]:
    """``found`` without the parts that all of them have; one of nothing else keeps them."""
    shared = set(found[0]).intersection(*found[1:]) if len(found) > 1 else set()
    left = [tuple(part for part in parts if part not in shared) or parts for parts in found]
    return left if len(set(left)) == len(set(found)) else found


def _held(found: list[Parts]) -> dict[str, int]:
    """Part to the labels that have it, a bit for each: thousands of labels are compared at once."""
    held: dict[str, int] = {}
    for place, parts in enumerate(found):
        for part in parts:
            held[part] = held.get(part, 0) | 1 << place
    return held


def _longest(found: list[Parts]) -> dict[str, int]:
    """Characters of the longest budget of each kind."""
    longest: dict[str, int] = {}
    for part in {part for parts in found for part in parts if _NUMBER.match(part)}:
        longest[_kind(part)] = max(len(part), longest.get(_kind(part), 0))
    return longest


def _telling(parts: Parts, held: Mapping[str, int], longest: Mapping[str, int], room: int) -> Parts:
    """The fewest of ``parts``, in their order, that fit and that no other label has; all if there are none.

    One that has all of ``parts`` and more needs no telling from: what it is called has something of the rest. A budget
    takes as much room as the longest of its kind: settings that differ in it alone keep the same parts.
    """
    others = ~_having(parts, held)

    def told(chosen: Parts) -> tuple[bool | int | tuple[int, ...], ...]:
        budget = any(_NUMBER.match(part) for part in chosen)
        none = any(_NONE.match(part) for part in chosen)
        places = tuple(parts.index(part) for part in reversed(chosen))
        first, second = (set(parts[:count]) <= set(chosen) for count in (1, 2))
        return budget, first, none, parts[-1] in chosen, second, -len(chosen), places

    def length(chosen: Parts) -> int:
        own = [part for part in chosen if _NUMBER.match(part)]
        return len(", ".join(chosen)) + sum(longest[_kind(part)] - len(part) for part in own)

    fitting = [chosen for chosen in _choices(parts) if length(chosen) <= room and not _having(chosen, held) & others]
    return max(fitting, key=told, default=parts)


def _having(parts: Parts, held: Mapping[str, int]) -> int:
    """The labels that have all of these parts, a bit for each."""
    return reduce(and_, (held[part] for part in parts))


def _kind(budget: str) -> str:
    return re.sub(r"[\d.]+", "", budget)


def _choices(parts: Parts) -> Iterator[Parts]:
    if len(parts) <= MOST_PARTS:
        for count in range(1, len(parts) + 1):
            yield from combinations(parts, count)


def _joined(found: Sequence[Parts]) -> list[str]:
    return [", ".join(parts) for parts in found]


def _squeezed(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    tail = (room - 1) // 2
    return f"{name[: room - 1 - tail].rstrip()}…{name[len(name) - tail :].lstrip()}"
