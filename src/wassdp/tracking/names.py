"""Short names that tell the runs of an experiment apart: MLflow's table cuts longer ones."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 25
"""Characters of a name that MLflow's table of runs shows."""
LEAST = 10
"""Characters that are left for the setting, however long a seed is."""


def short_names(settings: Sequence[tuple[str, int | None]]) -> list[str]:
    """A name of at most `LONGEST` characters for each run of an experiment, all different.

    What all settings share is left out: parts between commas first, then words. A name that is still too long loses its
    middle; if names are alike then, all are numbered.

    Args:
        settings: label and seed of each run, each pair once.

    >>> short_names([("linear, batch 512, ε = 1", 0), ("linear, batch 512, ε = 3", 0)])
    ['ε = 1', 'ε = 3']
    >>> short_names([("linear", 0), ("linear", 1)])
    ['linear, seed 0', 'linear, seed 1']
    """
    seeds = list(dict.fromkeys(seed for _, seed in settings))
    labels = list(dict.fromkeys(label for label, _ in settings))
    parts = _without_shared(labels, ", ")
    for joint in (", seed ", " s"):
        endings = {seed: f"{joint}{'system' if seed is None else seed}" if len(seeds) > 1 else "" for seed in seeds}
        room = max(LEAST, LONGEST - max(map(len, endings.values())))
        if max(map(len, parts)) <= room:
            break
    names = _fitted(parts, room)
    told = dict(zip(labels, names, strict=True))
    return [told[label] + endings[seed] for label, seed in settings]


def _fitted(found: list[str], room: int) -> list[str]:
    """``found``, which are all different, in at most ``room`` characters each."""
    if max(map(len, found)) > room:
        found = _without_shared(found, "-")
        pairs = zip(found, _without_shared(found, " "), strict=True)
        shorter = [less if len(name) > room else name for name, less in pairs]
        found = shorter if len(set(shorter)) == len(found) else found
    squeezed = [_squeezed(name, room) for name in found]
    if len(set(squeezed)) == len(found):
        return squeezed
    return [f"#{place} {_squeezed(name, room - len(f'#{place} '))}" for place, name in enumerate(found, start=1)]


def _without_shared(names: Sequence[str], joint: str) -> list[str]:
    """``names`` without the parts that all of them have; a name of nothing else keeps them."""
    parts = [name.split(joint) for name in names]
    shared = set(parts[0]).intersection(*parts[1:]) if len(parts) > 1 else set()
    found = [joint.join(part for part in own if part not in shared) or joint.join(own) for own in parts]
    return found if len(set(found)) == len(set(names)) else list(names)


def _squeezed(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    tail = (room - 1) // 2
    return f"{name[: room - 1 - tail].rstrip()}…{name[len(name) - tail :].lstrip()}"
