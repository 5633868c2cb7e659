"""Logs: recorded motions read, checked, repaired and filtered."""
