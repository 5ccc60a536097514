"""What people call a setting: short, and no two settings of an experiment alike.

A setting is all runs that differ in their seeds alone. Its label comes from the experiment's own template, else from
its kind's `Parameters.describe`; where these leave two settings alike, the parameters in which they differ are added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wassdp.experiment import Description, Parameters

LONGEST = 300
"""Characters of a label; those of the published sets have at most half of it."""
_COMMA = re.compile(r", (?![^(]*\))")
_PLACE = re.compile(r"\{([\w.]+)\}")


class Label(NamedTuple):
    """A setting in words: all of it, and its parts."""

    text: str = ""
    problem: str = ""
    method: str = ""
    privacy: str = ""


def title(experiment: str, label: str, *, seed: str | None = None) -> str:
    """What a line for people calls a run, or a setting without its seed.

    >>> title("dp-sgd-digits", "linear, ε = 3", seed="0"), title("tail-bound", "tail-bound")
    ('dp-sgd-digits: linear, ε = 3, seed 0', 'tail-bound')
    """
    setting = experiment if label == experiment else f"{experiment}: {label}"
    return setting if seed is None else f"{setting}, seed {seed}"


def parts_of(label: str) -> list[str]:
    """What stands between the commas of a label; those in parentheses part nothing.

    >>> parts_of("DANN, amazon to dslr (office_caltech10, surf), ε = 1")
    ['DANN', 'amazon to dslr (office_caltech10, surf)', 'ε = 1']
    """
    return _COMMA.split(label)


def labels(name: str, settings: Sequence[Parameters], template: str | None = None) -> list[Label]:
    """A label for each setting of an experiment.

    Args:
        name: of the experiment; the label where there is nothing else to say.
        settings: their parameters.
        template: words of the configuration, with ``{dotted.name}`` for a parameter's value.

    Raises:
        ValueError: the template names a parameter that a setting does not have, or a label is no line to read.
    """
    values = [flat(setting.model_dump(mode="json")) for setting in settings]
    parts = [setting.describe() for setting in settings]
    if template is not None:
        parts = [Description(method=_filled(template, parameters)) for parameters in values]
    several = len({part.problem for part in parts}) > 1
    parts = told_apart(parts, values)
    texts = [", ".join(filter(None, [part.problem * several, part.method, part.privacy])) for part in parts]
    for text in texts:
        _readable(text)
    return [Label(text or name, *part) for text, part in zip(texts, parts, strict=True)]


def _readable(text: str) -> None:
    """Refuse what no table, figure, file or database shows.

    Raises:
        ValueError: it has control characters or line ends, or is too long.
    """
    if len(text) > LONGEST:
        raise ValueError(f"label = {text[:40]!r}...: has {len(text)} characters; at most {LONGEST}")
    if not text.isprintable():
        raise ValueError(f"label = {text!r}: must be one line of printable characters")


def told_apart(parts: list[Description], values: Sequence[Mapping[str, Any]]) -> list[Description]:
    """``parts`` with as few parameters in the words for the method as leave no two alike."""
    keys = list(dict.fromkeys(key for parameters in values for key in parameters))
    varying = [key for key in keys if len({repr(parameters.get(key)) for parameters in values}) > 1]
    while varying and max(Counter(parts).values()) > 1:
        alike = Counter(parts)
        longer = {
            key: [
                _joined(part, key, parameters.get(key)) if alike[part] > 1 else part
                for part, parameters in zip(parts, values, strict=True)
            ]
            for key in varying
        }
        best = max(varying, key=lambda key: len(set(longer[key])))
        if len(set(longer[best])) == len(alike):
            break  # runs that are the same twice
        parts = longer[best]
        varying.remove(best)
    return parts


def _joined(part: Description, key: str, value: Any) -> Description:
    return part._replace(method=", ".join(filter(None, [part.method, _words(key, value)])))


def _words(key: str, value: Any) -> str:
    """A parameter and its value; of a thing's ``name`` the value alone.

    >>> _words("model.name", "cnn_small"), _words("privacy.clip_norm", 0.5), _words("clip", False)
    ('cnn small', 'clip norm 0.5', 'no clip')
    """
    if value is None:
        return ""
    short = key.rsplit(".", 1)[-1].replace("_", " ")
    if isinstance(value, bool):
        return short if value else f"no {short}"
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    return text.replace("_", " ") if short == "name" else f"{short} {text}"


def flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys joined by dots; lists become their text.

    >>> flat({"a": {"b": 1}, "c": [1, 2]})
    {'a.b': 1, 'c': '[1, 2]'}
    """
    values: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            values |= flat(item, f"{prefix}{key}.")
        else:
            values[f"{prefix}{key}"] = str(item) if isinstance(item, list | tuple) else item
    return values


def _filled(template: str, values: Mapping[str, Any]) -> str:
    def value(named: re.Match[str]) -> str:
        if named[1] not in values:
            raise ValueError(f"label: has {{{named[1]}}}, which is no parameter of every run")
        parameter = values[named[1]]
        return f"{parameter:.12g}" if isinstance(parameter, float) else str(parameter)

    return _PLACE.sub(value, template)
