"""Benchmarks against peers, in one process: `python -m bench`."""
