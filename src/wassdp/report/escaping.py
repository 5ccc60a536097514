"""Text that people wrote, in a cell of Markdown or LaTeX: shown as it is, never taken for a mark."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MATHS = re.compile(r"(\$[^$]*\$)")
# A formula may say nothing but mathematics: no file, no definition, no category of letters.
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
MATHEMATICS = frozenset("{},;!%&# ") | {
    *("alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "lambda", "mu", "nu", "rho", "sigma", "tau", "theta"),
    *("phi", "pi", "eta", "Delta", "Sigma", "Phi", "frac", "sqrt", "log", "exp", "cdot", "times", "infty", "pm", "le"),
    *("leq", "ge", "geq", "approx", "sim", "neq", "ell", "max", "min", "sum", "prod", "to", "in", "mathrm", "text"),
    *("left", "right", "quad", "hat", "bar", "tilde", "sup", "inf"),
}
_LATEX = {
    "\\": r"\textbackslash{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "λ": r"$\lambda$",
    "σ": r"$\sigma$",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "–": "--",
}


SIGNS = {"varepsilon": "ε", "delta": "δ", "sigma": "σ", "lambda": "λ", "alpha": "α", "beta": "β", "infty": "∞"}
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SIGN, _POWER = re.compile(rf"\\({'|'.join(SIGNS)})(?![A-Za-z])"), re.compile(r"\^\{?(-?\d+)\}?")


def plain(text: object) -> str:
    r"""A cell without marks of mathematics, where they are Greek letters and powers; other formulas stay.

    >>> plain(r"$\delta$ = $10^{-5}$"), plain("costs $5"), plain(r"$\frac{1}{2}$")
    ('δ = 10⁻⁵', 'costs $5', '$\\frac{1}{2}$')
    """

    def shown(found: re.Match[str]) -> str:
        inner = _SIGN.sub(lambda sign: SIGNS[sign[1]], found[0][1:-1])
        inner = _POWER.sub(lambda power: power[1].translate(RAISED), inner)
        return found[0] if re.search(r"[\\^_{}]", inner) else inner

    return _MATHS.sub(shown, str(text))


def markdown(text: object) -> str:
    r"""A cell of a Markdown table: one line, no bar that ends it, no tag.

    >>> print(markdown("|x| < 3 <script>alert(1)</script>"))
    \|x\| < 3 &lt;script>alert(1)&lt;/script>
    """
    return _TAG.sub("&lt;", " ".join(str(text).split())).replace("|", "\\|")


def words(text: object) -> str:
    """A paragraph of Markdown: as a cell, in which a bar is a bar."""
    return _TAG.sub("&lt;", " ".join(str(text).split()))


def latex(text: str) -> str:
    r"""A cell of a LaTeX table; what stands between dollar signs and says nothing but mathematics is a formula.

    >>> print(latex(r"a_b at $\varepsilon$"), latex(r"$\input{/etc/passwd}$"))
    a\_b at $\varepsilon$ \$\textbackslash{}input\{/etc/passwd\}\$
    """
    return "".join(
        part if _formula(part) else "".join(_LATEX.get(letter, letter) for letter in part)
        for part in _MATHS.split(" ".join(text.split()))
    )


def _formula(part: str) -> bool:
    return (
        bool(_MATHS.fullmatch(part))
        and "^^" not in part
        and all(command in MATHEMATICS for command in _COMMAND.findall(part))
    )
