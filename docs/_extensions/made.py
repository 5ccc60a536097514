"""``<!-- site: NAME WORD ... -->`` in a page becomes what the function ``NAME`` below makes, as Markdown.

A page reads well without it: a code host shows what is written around it, with a link to the same on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx

import benchmarks
import commands
import configuration
import links
import members
import sets

MARK = re.compile(r"^<!-- site: (?P<name>[\w-]+)(?P<words>(?: [^\s>]+)*) -->$", flags=re.MULTILINE)
MAKERS: dict[str, Callable[..., str]] = {
    "file": lambda page, root, name: sets.file(page, root, name),
    "set": sets.published,
    "verdicts": sets.verdicts,
    "printed": sets.printed,
    "claims": sets.claims,
    "benchmarks": benchmarks.tables,
    "commands": commands.reference,
    "configuration": configuration.reference,
    "members": members.of,
}


def made(text: str, page: str, root: Path) -> str:
    """A page with all that is made for it, its links leading to pages of the site."""
    text = links.moved(text, page, page, root)
    return MARK.sub(lambda mark: MAKERS[mark["name"]](page, root, *mark["words"].split()), text)


def _read(app: Sphinx, docname: str, content: list[str]) -> None:
    root = Path(app.srcdir).parent
    content[0] = made(content[0], app.env.doc2path(docname, base=False).as_posix().join(["docs/", ""]), root)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make pages as they are read."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
