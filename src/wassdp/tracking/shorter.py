"""Shorter words for the parts of a label, where a name has no room for those that figures and tables have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from wassdp.report import called

Rule = tuple[str, str | Callable[[re.Match[str]], str]]
"""An expression of a whole part, and what stands in its place."""

_QUANTILE = r"C the 0?(\S+) quantile of the "


def _spelt(found: re.Match[str]) -> str:
    return called.words(found[1].replace(" ", "_"))


def _rate(found: re.Match[str]) -> str:
    """The shorter of .0001 and 1e-4."""
    digits, power = f"{float(found[1]):e}".split("e")
    scientific = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    return f"lr {min(found[1].removeprefix('0'), scientific, key=len)}"


SPELT: tuple[Rule, ...] = (
    ("renyi", "Rényi"),
    (r"([a-z0-9_]+)", _spelt),
    (r"wasserstein dp (.+)", lambda found: f"WDP {_spelt(found)}"),
    (r"dp sliced wasserstein (.+)", lambda found: f"SWD {_spelt(found)}"),
    (r"that of (ε = \S+)", r"noise of \1"),
)
"""What is called otherwise in every name: what people do not call so, and what says nothing without its neighbours."""
_FEWER_WORDS: tuple[Rule, ...] = (
    ("not clipped", "unclipped"),
    (rf"{_QUANTILE}batch's norms", r"q \1 batch"),
    (rf"{_QUANTILE}norm's law", r"q \1 law"),
    ("accounted in full", "in full"),
    ("as published", "published"),
    ("statistical parity", "parity"),
    ("equality of odds", "odds"),
    ("Wasserstein gradient", "gradient"),
    ("labels by outer product", "outer labels"),
    (r"averages of (\S+)", r"\1 means"),
    (r"(\d+ gradients) in \d+ points", r"\1"),
    (r"(\S+ final models) a world", r"\1"),
    (r"(dropout|ε = \S+) (?:in 1 epoch|of an exact draw)", r"\1"),
    (r"(ε = \S+) by gdp", r"\1 by GDP"),
    ("replace one inside its class", "in its class"),
    (r"\w+ on (\w+) features", r"\1"),
    (r"(\S+) loss", r"\1"),
    (r"network of (\d+) units", r"\1 units"),
    # Domains of Office-Caltech have their first letters in the papers' tables.
    (r"(\w)\w* to (\w)\w* \(office_caltech10, \w+\)", lambda found: f"{found[1]}-{found[2]}".upper()),
    ("German credit", "German"),
    ("Fashion-MNIST", "Fashion"),
)
_LETTERS: tuple[Rule, ...] = (
    (r"(.*)([αβεσ]) = 0?(\S+)(.*)", r"\1\2 \3\4"),
    ("replace one", "any"),
    ("in its class", "in class"),
    (r"dimension (\d+)", r"\1-d"),
    (r"projections (\d+)", r"k \1"),
    (r"left (\d+)", r"n \1"),
    (r"learning rate (\d+(?:\.\d+)?(?:e-?\d+)?)", _rate),
    (r"(outer|public|joint) labels", r"\1"),
    ("raw rows", "raw"),
    (r"(\S+×\S+) rows", r"\1"),
    (r"(DP-)?SW gradients", lambda found: f"{found[1] or ''}SWG"),
)
_ONE_WORD: tuple[Rule, ...] = (("in class", "class"),)
STAGES = (_FEWER_WORDS, _LETTERS, _ONE_WORD)
"""What is tried one after the other where there is no room: fewer words, then letters and bare numbers, then less."""
CLAIM: tuple[Rule, ...] = (
    (r"(.*)proposition(.*)", r"\1prop\2"),
    (r"(.*)sensitivity(.*)", r"\1sens\2"),
    (r"(.*)jensen-shannon(.*)", r"\1JSD\2"),
)
"""Shorter names of claims, whose words hyphens join."""


def shorter(part: str, rules: Sequence[Rule]) -> str:
    """A part of a label by the first of ``rules`` that is about it; else as it is.

    >>> [shorter(part, STAGES[0]) for part in ("not clipped", "C the 0.05 quantile of the batch's norms", "linear")]
    ['unclipped', 'q .05 batch', 'linear']
    >>> shorter("noise of ε = 0.5", STAGES[1]), shorter("fashion_mnist", SPELT)
    ('noise of ε .5', 'Fashion-MNIST')
    """
    for pattern, shown in rules:
        found = re.fullmatch(pattern, part)
        if found:
            return found.expand(shown) if isinstance(shown, str) else shown(found)
    return part
