"""How a figure becomes text: what is proven is never rounded to more than was proven.

One function for every place that shows a budget: ledger, tables, figures, command line and MLflow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from wassdp import checks
from wassdp.accounting.guarantee import Kind

DIGITS = 4
"""Significant digits of a budget in a text."""
PLAIN = (-5, 7)
"""Decimal exponents, both ends left out, between which a number is written without a power of ten."""

_TOWARDS = {"upper": ROUND_CEILING, "lower": ROUND_FLOOR, "published": ROUND_HALF_EVEN}


def rounded(value: float, kind: Kind, *, digits: int = DIGITS, infinite: str = "∞") -> str:
    """``value`` as text of at most so many significant digits: an upper bound up, a lower one down, others to nearest.

    Exact in decimals: the text of an upper bound, read as a float, is never below ``value``; that of a lower one
    never above. So are what belongs to a bound, its delta or a noise that keeps it ("upper"), rounded.

    Args:
        value: not NaN.
        kind: of the figure, as in `wassdp.accounting.guarantee.Guarantee`.
        digits: at least 1.
        infinite: what infinity is called.

    Raises:
        ValueError: the value is not a number, or an argument is outside its range.

    >>> rounded(1.01927, "upper"), rounded(1.01927, "lower"), rounded(1.01927, "published")
    ('1.02', '1.019', '1.019')
    >>> rounded(84266.77, "upper"), rounded(3.3154e-06, "upper", digits=2), rounded(2.0, "upper")
    ('84270', '3.4e-06', '2')
    """
    checks.whole("digits", digits, least=1)
    towards = _TOWARDS[checks.one_of("kind", kind, _TOWARDS)]
    if math.isnan(value):
        raise ValueError("value = nan: must be a number")
    if math.isinf(value):
        return infinite if value > 0 else f"-{infinite}"
    # The shortest decimal that reads as this very float: text that is no smaller reads as a float that is no smaller.
    return _written(Context(prec=digits, rounding=towards).create_decimal(Decimal(repr(float(value)))))


def fixed(value: float, kind: Kind, *, decimals: int = 2) -> str:
    """A finite ``value`` with so many decimals and commas between thousands, rounded as by `rounded`.

    Raises:
        ValueError: the value is not finite.

    >>> fixed(2.1812, "upper"), fixed(19627.2, "upper", decimals=0), fixed(2.1812, "lower")
    ('2.19', '19,628', '2.18')
    """
    if not math.isfinite(value):
        raise ValueError(f"value = {value!r}: must be finite")
    towards = _TOWARDS[checks.one_of("kind", kind, _TOWARDS)]
    # No double has more than 309 digits before the point; so many are kept that none is lost.
    exact = Context(prec=700, rounding=towards)
    return f"{Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), context=exact):,f}"


def exact(value: float) -> str:
    """``value`` as the shortest text that reads as the same float.

    >>> exact(1e-5), exact(2.0), exact(0.30000000000000004)
    ('1e-05', '2', '0.30000000000000004')
    """
    return rounded(value, "published", digits=17) if math.isfinite(value) else rounded(value, "published")


def delta_text(value: float) -> str:
    """``value`` as text that is neither more nor less, or says that it is: bounds of both kinds may stand beside it.

    >>> delta_text(1e-5), delta_text(0.1 / 32_561), delta_text(0.3 / 7)
    ('1e-05', '1/325610', 'about 0.0428571')
    """
    text = exact(value)
    if len(text) <= 10 or not value > 0:
        return text
    parts = round(1 / value)
    # A tenth over a number of records is off by its own rounding.
    if math.isclose(1 / parts, value, rel_tol=4e-16):
        return f"1/{parts}"
    return f"about {rounded(value, 'published', digits=6)}"


def worst(values: Iterable[float], kind: Kind) -> float:
    """What holds for all of several runs: the largest upper bound, the smallest lower one.

    Published figures have nothing that holds for all of them: their mean.

    Raises:
        ValueError: there is none, or one is not a number.

    >>> worst([1.0, 3.0], "upper"), worst([1.0, 3.0], "lower"), worst([1.0, 3.0], "published")
    (3.0, 1.0, 2.0)
    """
    numbers = [float(value) for value in values]
    if not numbers or any(map(math.isnan, numbers)):
        raise ValueError(f"values = {numbers!r}: must be numbers, at least one")
    checks.one_of("kind", kind, _TOWARDS)
    if kind == "published":
        return math.inf if math.inf in numbers else math.fsum(numbers) / len(numbers)
    return max(numbers) if kind == "upper" else min(numbers)


def of_all(values: Iterable[float], kind: Kind) -> float:
    """As `worst`, of runs some of which may lack the figure (NaN): a bound that one lacks is none for all of them.

    An upper bound is infinite then, a lower one 0. Of published figures the mean of those that are there. NaN where
    none has it.

    >>> of_all([1.0, math.nan], "upper"), of_all([1.0, math.nan], "lower"), of_all([math.nan], "upper")
    (inf, 0.0, nan)
    """
    numbers = [float(value) for value in values]
    there = [number for number in numbers if not math.isnan(number)]
    if not there:
        return math.nan
    if len(there) < len(numbers) and kind != "published":
        return math.inf if kind == "upper" else 0.0
    return worst(there, kind)


def kind_of(label: str) -> Kind:
    """The kind of an accountant's label, ``kind/name``, of its column ``epsilon/kind/name`` or of a column of another.

    >>> kind_of("upper/pld"), kind_of("epsilon/lower/canary"), kind_of("accuracy")
    ('upper', 'lower', 'published')
    """
    first, *_ = label.removeprefix("epsilon/").split("/")
    return "upper" if first == "upper" else "lower" if first == "lower" else "published"


def _written(value: Decimal) -> str:
    """A decimal as short as C's ``%g`` writes it, without changing a digit."""
    if value == 0:
        return "0"
    value = value.normalize(Context(prec=800))
    if PLAIN[0] < value.adjusted() < PLAIN[1]:
        return f"{value:f}"
    mantissa, exponent = f"{value:e}".split("e")
    return f"{mantissa}e{int(exponent):+03d}"
