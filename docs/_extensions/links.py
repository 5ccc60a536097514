"""Links as a code host follows them, made to lead to pages of the site.

A page of the site stands in for some files of the repository (`PAGES`); what is no page is copied beside the site if it
is data, and else lies where the repository is.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

REPOSITORY = "https://github.com/wassdp/wassdp/blob/main/"
PAGES = {
    "CONTRIBUTING.md": "docs/contributing.md",
    "CHANGELOG.md": "docs/changelog.md",
    "docs/results/wasserstein-dp/README.md": "docs/papers/wasserstein-dp.md",
    "docs/results/dp-sliced-wasserstein/README.md": "docs/papers/dp-sliced-wasserstein.md",
    "docs/results/dp-wasserstein-gradients/README.md": "docs/papers/dp-wasserstein-gradients.md",
    "docs/results/tangent-dp/README.md": "docs/papers/tangent-dp.md",
    "docs/results/equal-budgets/README.md": "docs/equal-budgets.md",
    "docs/results/private-images/README.md": "docs/private-images.md",
    "docs/results/head-to-head/README.md": "docs/head-to-head.md",
    "docs/results/attacks/README.md": "docs/attacks.md",
    "docs/results/benchmarks": "docs/benchmarks.md",
}
"""Files and folders of the repository, and the page that shows what they hold."""
LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\]\([^)]*\))*\]\()(?P<target>[^()\s]+)(?P<after>\))")


def moved(text: str, source: str, page: str, root: Path) -> str:
    """Text of the file ``source`` as it has to stand in the page ``page``, both relative to the repository ``root``.

    >>> moved("[code](../src/wassdp), [here](#b), [x](https://a.b)", "docs/faq.md", "docs/faq.md", Path("."))
    '[code](https://github.com/wassdp/wassdp/blob/main/src/wassdp), [here](#b), [x](https://a.b)'
    >>> moved("[set](results/attacks/README.md)", "docs/faq.md", "docs/papers/x.md", Path("."))
    '[set](../attacks.md)'
    """

    def led(link: re.Match[str]) -> str:
        path, sharp, part = link["target"].partition("#")
        if not path or ":" in path:
            return link[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        shown = PAGES.get(wanted)
        if shown is not None:
            target = posixpath.relpath(shown, posixpath.dirname(page)) + sharp + part
        elif wanted.startswith("docs/") and (root / wanted).is_file():
            target = posixpath.relpath(wanted, posixpath.dirname(page)) + sharp + part
            if wanted.startswith("docs/results/") and wanted.count("/") > 2 and not link["before"].startswith("!"):
                target = f"path:{target}"
        else:
            target = f"{REPOSITORY}{wanted}{sharp}{part}"
        return f"{link['before']}{target}{link['after']}"

    return LINK.sub(led, text)
