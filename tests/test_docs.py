"""What the pages on theory and words state can be computed, and leads somewhere."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("docs/theory.md", "docs/glossary.md", "docs/faq.md", "docs/threat-model.md", "docs/start.md", "docs/index.md")
THEORY = (ROOT / "docs" / "theory.md").read_text()


def anchor(heading: str) -> str:
    """What a heading is called in a link: GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize(("page", "least"), [("docs/theory.md", 15), ("docs/faq.md", 6)])
def test_every_example_shows_what_the_library_computes(page, least):
    text = "\n\n".join(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert len(examples.examples) >= least
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for path, _, part in (link.partition("#") for link in re.findall(r"\]\(([^):]+)\)", (ROOT / page).read_text())):
        target = (ROOT / page).parent / path if path else ROOT / page
        headings = re.findall(r"^#+ (.+)$", target.read_text(), flags=re.MULTILINE)
        assert not part or part in map(anchor, headings), part


def test_places_in_the_code_exist():
    paths = re.findall(r"`((?:src|docs)/[^`]*)`", (ROOT / "docs" / "glossary.md").read_text())
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def exists(name):
    """Whether a name with dots is a module's, or that of something that one holds."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            held = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            # A field of a dataclass or of a model may have no default.
            if not hasattr(held, part):
                return part in getattr(held, "__annotations__", {})
            held = getattr(held, part)
        return True
    return False


def named(text):
    """Names of this package that a text has in backticks, or that the description of a field has."""
    found = set(re.findall(r"`(wassdp(?:\.\w+)+)`", text))
    for description in re.findall(r'description=\s*"([^"]*)"', text):
        found.update(re.findall(r"wassdp(?:\.\w+)+", description))
    return found


def test_what_the_theory_names_exists():
    assert len(named(THEORY)) > 10
    assert [name for name in sorted(named(THEORY)) if not exists(name)] == []


def test_what_the_code_names_exists():
    names = set().union(*(named(path.read_text()) for path in (ROOT / "src").rglob("*.py")))
    assert len(names) > 100
    assert [name for name in sorted(names) if not exists(name)] == []


def test_a_name_of_nothing_is_found():
    assert named('x: int = Field(description="file of wassdp.accounting.upper")  # see `wassdp.data`') == {
        "wassdp.accounting.upper",
        "wassdp.data",
    }
    for name in ("wassdp.accounting.upper", "wassdp.accounting.event.Gibbs", "wassdp.nowhere"):
        assert not exists(name)


def test_each_paper_that_is_cited_is_listed():
    body, listed = THEORY.split("## Papers")
    cited = re.findall(r"\(([A-Z]\w+)[\w, ]*? (?:and \w+ )?(?:et al\. )?(\d{4})", body)
    assert len(cited) >= 8
    for name, year in cited:
        assert re.search(rf"^- {name}\b.*\({year}\)", listed, flags=re.MULTILINE), (name, year)
