"""What *replace one inside its class* means where classes are protected groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KIND = "fair_learning"
"""The experiments whose classes they are."""


def groups_are_public(sensitive: str, *, and_label: bool) -> str:
    """A budget's note that names the group inside which a record is replaced.

    Args:
        sensitive: the protected attribute.
        and_label: whether the label tells groups apart too, as for equality of odds.

    >>> groups_are_public("sex", and_label=False)
    'a neighbour has one record replaced by another of the same sex: the sex of every record is public'
    """
    group = f"{sensitive} and label" if and_label else sensitive
    return f"a neighbour has one record replaced by another of the same {group}: the {group} of every record is public"


def groups_of(kind: str, parameters: Mapping[str, Any]) -> str:
    """The same of an experiment as a plan holds it; empty where its classes are no protected groups, or it is public.

    Args:
        kind: of the experiment.
        parameters: of the run.
    """
    if kind != KIND or parameters.get("privacy") is None:
        return ""
    odds = parameters.get("penalty") == "equality_of_odds"
    return groups_are_public(str(parameters.get("sensitive", "attribute")), and_label=odds)
