"""Formulas as MathML, which browsers show by themselves: no script, and one font that lies beside the pages.

Without a font for mathematics, as on most phones, browsers put exponents and indices where they do not belong, so the
site brings STIX Two Math (SIL Open Font License), which the package ``ziamath`` carries, cut to what formulas here use.
"""

from __future__ import annotations

import functools
import importlib.resources
import logging as standard
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
FONT = "stix-two-math.woff"
# Latin, accents, Greek, punctuation, letter-like symbols and arrows, operators, brackets, italic and script letters.
LETTERS = [(0x20, 0xFF), (0x300, 0x338), (0x391, 0x3F5), (0x2010, 0x2057), (0x2100, 0x22FF), (0x27E6, 0x27EF)]
LETTERS += [(0x1D434, 0x1D467), (0x1D49C, 0x1D4CF), (0x1D538, 0x1D56B), (0x1D6E2, 0x1D71B)]
FUNCTION = re.compile(r"(<mi>(?:log|exp|tanh|Pr)</mi>)(?!<mo stretchy=\"false\">&#x00028;|</m)")


def mathml(formula: str, *, block: bool) -> str:
    r"""A formula of LaTeX as an element ``math``.

    >>> mathml("x^2", block=False)[:5]
    '<math'
    >>> "&#x0223C;" in mathml(r"D \sim D'", block=False)
    True
    """
    made = convert(formula.strip(), display="block" if block else "inline")
    # What the converter takes for a letter: a tilde between two sides is a relation, and a function has an argument.
    made = made.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")
    return FUNCTION.sub(r"\1<mspace width='0.17em'/>", made)


def _shown(visitor: Any, node: nodes.Element, *, block: bool) -> None:
    try:
        made = mathml(node.astext(), block=block)
    except Exception as error:  # whatever the converter meets, the place in the page is what helps
        LOG.warning("formula %r: %s", node.astext(), error, location=node)
        made = visitor.encode(node.astext())
    visitor.body.append(f'<div class="formula">{made}</div>' if block else made)
    raise nodes.SkipNode


def _font(app: Sphinx, error: Exception | None) -> None:
    """Write the font beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    carried = importlib.resources.files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    standard.getLogger("fontTools").setLevel(standard.WARNING)
    with importlib.resources.as_file(carried) as path:
        font = TTFont(path)
    options = subset.Options(layout_features=["ssty"])
    cut = subset.Subsetter(options)
    cut.populate(unicodes=[code for first, last in LETTERS for code in range(first, last + 1)])
    cut.subset(font)
    font.flavor = "woff"
    font.save(Path(app.outdir) / "_static" / FONT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer ``mathml``."""
    inline, block = (functools.partial(_shown, block=block) for block in (False, True))
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("build-finished", _font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
