"""Captions in the report: reStructuredText of which nothing is taken for markup that is none."""

import io
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
from docutils.core import publish_doctree

from wassdp import config
from wassdp.pipeline import plan as plans

ROOT = Path(__file__).parents[2]
CONFIGURATIONS = [ROOT / "config.yaml", *sorted((ROOT / "workflow" / "presets").glob("*.yaml"))]


def complaints(caption):
    """What docutils says of a caption, as the report shows it."""
    template = jinja2.Template((ROOT / "workflow" / "report" / "figure.rst").read_text())
    text = template.render(snakemake=SimpleNamespace(params=SimpleNamespace(caption=caption)))
    said = io.StringIO()
    tree = publish_doctree(text, settings_overrides={"warning_stream": said, "report_level": 1, "raw_enabled": False})
    return said.getvalue(), tree.astext()


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_captions_are_whole(path):
    captions = {
        output.caption
        for experiment in plans.plan(config.read(path)).experiments
        for output in (*experiment.figures, *experiment.tables)
    }
    assert captions
    for caption in captions:
        said, text = complaints(caption)
        assert not said, caption
        assert text.count("|") == caption.count("|")


def test_bars_are_bars():
    said, text = complaints("the largest |log p/q| over all")
    assert (said, text) == ("", "the largest |log p/q| over all")
