"""The documentation site: its tree of pages, its pictures, and what it adds to Sphinx (`extension`)."""
