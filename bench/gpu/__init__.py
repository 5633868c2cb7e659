"""Programs on a GPU, against others: `python -m bench gpu`, `docs/gpu.md`."""
