"""Which modules pytest leaves alone when it looks for doctests."""

from __future__ import annotations

from importlib.util import find_spec

# Importable only where tgp is installed.
collect_ignore = [] if find_spec("tgp") else ["src/cliquepool/nn/tgp.py", "src/cliquepool/pyg/tgp.py"]
