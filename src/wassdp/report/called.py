"""What figures and pages call things that configurations name: accountants, figures and tables."""

from __future__ import annotations

import re
from functools import reduce

from wassdp.accounting.rounding import kind_of

FRAMEWORKS = {"moments": "DP", "bayesian": "BDP", "wasserstein": "WDP"}
"""The framework whose budget a published formula states, by the first word of its name."""
WORDS = {
    **{word: word.upper() for word in ("cnn", "mlp", "pld", "rdp", "gdp", "clt", "mnist", "usps", "svhn", "sgd")},
    "zcdp": "zCDP",
    "swd": "SWD",
    "dann": "DANN",
    "merf": "MERF",
    "dp": "DP",
    "bernstein": "Bernstein",
    "bayesian": "Bayesian",
    "wasserstein": "Wasserstein",
    "renyi": "Rényi",
    "delta": "δ",
    "epsilon": "ε",
    "gibbs": "Gibbs",
    "cifar10": "CIFAR-10",
    "caltech10": "Caltech-10",
    "office": "Office",
    "fashion": "Fashion",
    "adult": "Adult",
    "german": "German",
    "celeba": "CelebA",
    "googlenet": "GoogLeNet",
    "decaf": "DeCAF",
    "surf": "SURF",
    "dslr": "DSLR",
    "amazon": "Amazon",
}
HYPHENED = ("Fashion MNIST", "DP SGD", "DP SWD", "DP DANN", "DP MERF", "trade off")
FAMILY = "_family"


def words(name: str) -> str:
    """A name in words.

    >>> words("swd_bernstein_code"), words("moments-order-1"), words("dp-sgd-fashion-mnist")
    ('SWD Bernstein code', 'moments order 1', 'DP-SGD Fashion-MNIST')
    """
    spelt = " ".join(WORDS.get(word, word) for word in re.split(r"[-_]", name))
    return reduce(lambda text, apart: text.replace(apart, apart.replace(" ", "-")), HYPHENED, spelt)


def title(name: str) -> str:
    """The heading of a figure or table, by its name.

    >>> title("figure-4-left"), title("fair-adult-sex-trade-off"), title("table-2")
    ('Figure 4, left', 'Fair Adult sex trade-off', 'Table 2')
    """
    numbered = re.fullmatch(r"(figure|table)-(\d+)(?:-(.+))?", name)
    if numbered:
        kind, number, rest = numbered.groups()
        return f"{kind.capitalize()} {number}" + (f", {words(rest)}" if rest else "")
    spelt = words(name)
    return spelt[:1].upper() + spelt[1:]


def accountant(label: str) -> str:
    """An accountant, by its ``kind/name``: what kind of budget, and by what.

    >>> accountant("upper/pld"), accountant("published/moments-order-1"), accountant("published/gdp_uniform")
    ('proven (PLD)', 'published: DP (moments order 1)', 'published: GDP uniform')
    >>> accountant("lower/one_run"), accountant("lower/noise_scale_family")
    ('attacked, assuming nothing (one run)', 'attacked, by a family (noise scale)')
    """
    name = label.split("/", 1)[-1]
    match kind_of(label):
        case "upper":
            return f"proven ({words(name)})"
        case "lower":
            how = "by a family" if name.endswith(FAMILY) else "assuming nothing"
            return f"attacked, {how} ({words(name.removesuffix(FAMILY))})"
        case _:
            own = framework(label)
            return f"published: {own} ({words(name)})" if own else f"published: {words(name)}"


def framework(label: str) -> str | None:
    """DP, BDP or WDP, of which a published accountant states the budget; None of any other.

    >>> framework("published/wasserstein_text"), framework("published/gdp"), framework("upper/pld")
    ('WDP', None, None)
    """
    if kind_of(label) != "published":
        return None
    return FRAMEWORKS.get(re.split(r"[-_]", label.split("/", 1)[-1])[0])
