"""The documentation site: `make docs`. Only settings; what the site adds to Sphinx is in tools/site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

project = "closedform"
author = "The closedform authors"
copyright = "the closedform authors, Apache-2.0"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "tools.site.extension"]
root_doc = "index"
exclude_patterns = ["_static"]
smartquotes = False  # what is written is what is shown
suppress_warnings: list[str] = []

# Types in signatures that have no entry of their own; everything else that is named must exist (-n).
nitpick_ignore_regex = [("py:class", r".*")]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Array", "ArrayLike", "DTypeLike", "NDArray")}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
add_module_names = False

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "closedform"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"  # MathML, drawn by browsers without a script
html_show_sphinx = False
html_show_search_summary = False  # summaries are fetched, which browsers refuse for pages opened as files
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
