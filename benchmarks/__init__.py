"""Ours beside the peers: one run, one table. `python -m benchmarks --help`; see README.md in this folder."""
