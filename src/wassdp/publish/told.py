"""What a configuration holds of methods that are called alike, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wassdp.experiment import Description
from wassdp.labels import flat, told_apart

_MOMENTS = "features.normalisation.noise_multiplier"
_WORDS: Mapping[str, Callable[[Any], str]] = {
    "features.deskew": lambda deskewed: "deskewed" if deskewed else "",
    "features.normalisation.damped": lambda directions: "damped" if directions else "",
    _MOMENTS: lambda noise: f"standardised by private moments (σ = {noise:g})",
    "features.normalisation.name": lambda name: "by moments of photographs" if name == "photographs" else "",
}
"""Parameter to what is said of it; nothing of what is not so."""


def features(parameters: Mapping[str, Any]) -> str:
    """What was done to the features of a classification, in words; nothing of one that has none.

    >>> features({"features": {"name": "scattering", "deskew": True, "normalisation": {"name": "feature",
    ...     "noise_multiplier": 30.0, "damped": 50}}})
    'deskewed, damped, standardised by private moments (σ = 30)'
    >>> features({"features": None})
    ''
    """
    values = flat(parameters)
    said = (say(values[name]) for name, say in _WORDS.items() if values.get(name) is not None)
    return ", ".join(filter(None, said))


def methods(names: Sequence[str], experiments: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """``names`` of the methods of one problem, told apart by the parameters in which their experiments differ.

    Args:
        names: a method of each experiment.
        experiments: the parameters of all its settings; only what they share tells experiments apart.
    """
    shared = [_shared(map(flat, settings)) for settings in experiments]
    return [part.method for part in told_apart([Description(method=name) for name in names], shared)]


def _shared(settings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    first, *others = settings
    return {key: value for key, value in first.items() if all(other.get(key, value) == value for other in others)}
