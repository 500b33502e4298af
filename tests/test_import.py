"""Importing the package is quick and imports no optional dependency."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_package_imports_neither_torch_nor_scipy() -> None:
    code = "import sys, cliquepool; print(*{'torch', 'scipy', 'networkx'}.intersection(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_importing_models_and_protocols_imports_no_pytorch_geometric() -> None:
    code = "import sys, cliquepool.models, cliquepool.evaluate; print('torch_geometric' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_importing_the_package_takes_little_longer_than_importing_numpy() -> None:
    """In time of the processor, the least of several: neither this machine nor what else it does decides."""

    def least_seconds(module: str) -> float:
        code = (
            f"import time; began = time.process_time(); import {module}; print(time.process_time() - began)"
        )
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    assert least_seconds("cliquepool") < 3 * least_seconds("numpy")
