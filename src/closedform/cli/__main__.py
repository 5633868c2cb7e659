"""`python -m closedform.cli`."""

from . import main

main()
