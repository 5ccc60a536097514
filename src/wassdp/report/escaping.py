"""Text that people wrote, in Markdown, LaTeX, a page or a figure: shown as it is, never taken for a mark.

Formulas between dollar signs stay formulas where they say nothing but mathematics. What nobody sees, as control
characters or marks that turn the direction of letters, is spelt out.
"""

from __future__ import annotations

import re

from wassdp import complaints

# What Markdown takes for a mark, by those parsers alike that show it: of code hosts, of the site and of MLflow.
_MARK = re.compile(
    r"<(?=[A-Za-z/!?])"  # a tag, a comment, an address
    r"|&(?=#?\w+;)"  # an entity
    r"|[`$\"]"  # code and roles, formulas; what ends an attribute that MLflow makes of a column's head
    r"|\*|(?<![^\W_])_|_(?![^\W_])"  # emphasis; an underscore inside a word is none
    r"|~(?=\S)|(?<=\S)~"  # what is struck out
    r"|\\(?=[!-/:-@\[-`{-~]|$)"  # a backslash that takes the meaning of what follows
    r"|\](?=\s*[(\[{])"  # the end of a link's or a picture's text
)
# Each parser has a list of its own of what a backslash takes the meaning of; entities are letters to all of them.
_SPELT = {"<": "&lt;", "&": "&amp;", '"': "&quot;", "*": r"\*", "_": r"\_", "~": r"\~"}
_NO_FORMULA = re.compile(r"[`\"]|<[A-Za-z/!?]|\][(\[{]")
_MATHS = re.compile(r"(\$(?!\s)[^$]*(?<!\s)\$)")
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

    return _MATHS.sub(shown, visible(text))


def markdown(text: object) -> str:
    r"""A cell of a Markdown table: one line, no bar that ends it, no mark.

    >>> print(markdown("|x| < 3 <script>alert(1)</script>"))
    \|x\| < 3 &lt;script>alert(1)&lt;/script>
    """
    return words(text).replace("|", "\\|")


def words(text: object) -> str:
    r"""Part of a line of Markdown, but not its beginning: as a cell, in which a bar is a bar.

    >>> print(words("[x](javascript:alert(1)) *a_b* for $5, $\delta$"))
    [x&#93;(javascript:alert(1)) \*a_b\* for &#36;5, $\delta$
    """
    return "".join(
        part if _formula(part) and not _NO_FORMULA.search(part) else _MARK.sub(_entity, part)
        for part in _MATHS.split(visible(text))
    )


def code(name: object) -> str:
    r"""A name as Markdown shows code; as it is where code could not hold it.

    >>> code("upper/pld"), code("a`|")
    ('`upper/pld`', 'a&#96;\\|')
    """
    return f"`{name}`" if re.fullmatch(r"[\w./:+-]+", str(name)) else markdown(name)


def visible(text: object) -> str:
    r"""A text in one line, what nobody sees in it spelt out.

    >>> print(visible("a\n b\0\u202ec"))
    a b\x00\u202ec
    """
    return complaints.readable(str(text))


def figure(text: object) -> str:
    r"""A text in a figure: dollar signs that hold no formula are dollar signs, and what nobody sees is spelt out.

    >>> print(figure(r"$\delta$ for $\input{x}$"), figure(r"$\frac$"))
    $\delta$ for \$\input{x}\$ \$\frac\$
    """
    parts = _MATHS.split("\n".join(visible(line) for line in str(text).split("\n")))
    return "".join(part if _formula(part) and _drawable(part) else part.replace("$", r"\$") for part in parts)


def _drawable(formula: str) -> bool:
    from matplotlib.mathtext import MathTextParser  # a cell of a table should not cost its import

    try:
        MathTextParser("path").parse(formula)
    except (ValueError, RuntimeError):
        return False
    return True


def _entity(mark: re.Match[str]) -> str:
    return _SPELT.get(mark[0], f"&#{ord(mark[0])};")


def latex(text: str) -> str:
    r"""A cell of a LaTeX table; what stands between dollar signs and says nothing but mathematics is a formula.

    >>> print(latex(r"a_b at $\varepsilon$"), latex(r"$\input{/etc/passwd}$"))
    a\_b at $\varepsilon$ \$\textbackslash{}input\{/etc/passwd\}\$
    """
    return "".join(
        part if _formula(part) else "".join(_LATEX.get(letter, letter) for letter in part)
        for part in _MATHS.split(visible(text))
    )


def _formula(part: str) -> bool:
    return (
        bool(_MATHS.fullmatch(part))
        and "^^" not in part
        and all(command in MATHEMATICS for command in _COMMAND.findall(part))
    )
