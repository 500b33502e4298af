"""Mutated files for every loader; see `python -m tests.fuzz --help`."""
