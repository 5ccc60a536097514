"""Pages of the site hold what the repository holds; `make docs` builds them and follows every link."""

import re
from pathlib import Path

import pytest

import commands
import configuration
import links
import made
import sets
from wassdp.cli import VERBS
from wassdp.experiments import KINDS

ROOT = Path(__file__).parents[2]
PAPERS = ("wasserstein-dp", "dp-sliced-wasserstein", "dp-wasserstein-gradients", "tangent-dp")
PAGES = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts and "results" not in path.parts]


def shown(page):
    return made.made((ROOT / page).read_text(), page, ROOT)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT / "docs")))
def test_all_that_a_page_asks_for_is_made(path):
    marks = [name for name, _ in made.MARK.findall(path.read_text())]
    assert set(marks) <= set(made.MAKERS)
    if not {"benchmarks", "commands", "configuration", "members"} & set(marks):
        assert not made.MARK.search(shown(str(path.relative_to(ROOT))))


@pytest.mark.parametrize("name", [*PAPERS, "equal-budgets", "attacks", "private-images", "head-to-head"])
def test_every_published_figure_and_table_stands_on_its_sets_page(name):
    page = links.PAGES[f"docs/results/{name}/README.md"]
    text, folder = shown(page), ROOT / "docs" / "results" / name
    pictures = {(ROOT / page).parent.joinpath(path).resolve() for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)}
    figures = {path.resolve() for path in folder.glob("figures/*/*.png")}
    assert figures or name == "attacks"
    assert figures <= pictures
    for path in folder.glob("tables/*.md"):
        assert text.count(path.read_text().strip()) == 1, "its rows, once"


@pytest.mark.parametrize("paper", PAPERS)
def test_verdicts_are_those_of_the_coverage_table(paper):
    text = sets.verdicts("docs/papers/x.md", ROOT, paper)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    said = re.search(r"^(\d+) statements .*?: (.*?)\. All", text)
    counts = {status: int(number) for number, status in re.findall(r"(\d+) ([a-z ]+)", said[2])}
    assert sum(counts.values()) == int(said[1])
    assert len(rows) - 1 == counts.get("refuted", 0) + counts.get("repaired", 0)


def test_a_paper_that_nobody_checked_is_an_error():
    with pytest.raises(ValueError, match=r"docs/coverage\.csv has none of this paper"):
        sets.verdicts("docs/papers/x.md", ROOT, "another")


def test_printed_values_are_those_of_the_claims():
    text = sets.printed("docs/papers/x.md", ROOT, "wasserstein-dp")
    assert "**Table 2, as printed**" in text, "of several units, which its cells tell"
    assert "**Deep Learning, as printed (epochs)**" in text
    assert "WDP, δ = 1e-10" in text
    assert re.search(r"^\| CIFAR-10 \|.* 0\.52 \|", text, flags=re.MULTILINE)


def test_every_verb_and_option_is_in_the_reference():
    text = commands.reference("docs/reference/commands.md", ROOT)
    for name in VERBS.names():
        assert f"## `wassdp {name}`" in text
    for words in ("`wassdp audit zoo`", "`--delta D`", "Has to be given", "`--repetitions"):
        assert words in text


def test_every_key_of_a_kind_is_in_the_reference():
    text = configuration.reference("docs/reference/configuration.md", ROOT)
    for kind in KINDS.names():
        section = text.split(f"### `{kind}`\n", 1)[1].split("\n(configuration-", 1)[0]
        for key in KINDS.load(kind).Parameters.model_json_schema()["properties"]:
            assert f"`{key}`\n: " in section, (kind, key)


def test_links_to_folders_of_sets_lead_to_their_pages():
    assert links.moved("[x](results/tangent-dp/README.md#figures)", "docs/faq.md", "docs/faq.md", ROOT) == (
        "[x](papers/tangent-dp.md#figures)"
    )
    assert links.moved("[x](runs.csv.xz)", "docs/results/attacks/README.md", "docs/attacks.md", ROOT) == (
        "[x](path:results/attacks/runs.csv.xz)"
    )
    assert links.moved("![x](a.png)", "docs/x.md", "docs/x.md", ROOT).startswith(f"![x]({links.REPOSITORY}docs")
