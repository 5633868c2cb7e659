"""What results are compared with: other libraries, derivations by hand, robots and paths with known answers.

Tests, bench and fuzz import from here; nothing here imports them, and the wheel does not hold it.
"""
