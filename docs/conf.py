"""The documentation site: ``make docs`` builds it into ``docs/_build/html``, with every warning an error.

Pages are Markdown that a code host shows as well; ``<!-- site: NAME WORD ... -->`` in one of them stands for what a
file of ``_extensions`` makes of the data, the parsers or the models. Nothing is fetched from a network, neither when it
is built nor when it is read.
"""

import logging
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent / "src")]

from wassdp.version import __version__  # noqa: E402

project = "wassdp"
author = "The wassdp maintainers"
release = version = __version__
project_copyright = author
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "formulas", "made"]
exclude_patterns = ["_build", "results/*/*", "_extensions"]
root_doc = "index"

# Markdown as a code host reads it: its headings' anchors, dollar signs around formulas.
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "attrs_inline"]
myst_heading_anchors = 4
myst_update_mathjax = False
html_math_renderer = "mathml"

# Tutorials are run by every build, and have to come through.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds on the clock: a machine may have other things to do
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Privacy", "Source"]
default_role = "py:obj"
python_display_short_literal_types = True

html_theme = "furo"
html_title = "wassdp: privacy measured, not claimed"
html_short_title = "wassdp"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sphinx = False
# A summary of what a search finds would be fetched, which a page that is opened from a disk may not do.
html_show_search_summary = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
