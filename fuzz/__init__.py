"""Seeded attacks on the library: what it must get right, or refuse with an error that names the culprit."""
