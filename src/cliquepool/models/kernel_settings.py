"""Settings of classifiers by graph kernels."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat

from cliquepool.models.kernel_features.keys import NodeLabels  # noqa: TC001 (pydantic reads it)

Iterations = Annotated[int, Field(ge=0, le=64)]

__all__ = ["GraphletSettings", "KernelSettings", "LabelledKernelSettings", "WLSettings"]


class KernelSettings(BaseModel):
    """The support vector machine over a kernel, and how its C is chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    C: Annotated[tuple[PositiveFloat, ...], Field(min_length=1, max_length=64)] = (
        0.001,
        0.01,
        0.1,
        1.0,
        10.0,
        100.0,
        1000.0,
    )
    """The values of C, the weight of errors, to choose from."""
    inner_folds: Annotated[int, Field(ge=2, le=1000)] = 5
    """The number of folds of the training graphs that choose among the candidates."""


class LabelledKernelSettings(KernelSettings):
    """A kernel over graphs with node labels."""

    labels: NodeLabels = "auto"
    """The node labels: those of the data set, degrees, or the same for all nodes. "auto" takes those of the
    data set where it has some."""


class WLSettings(LabelledKernelSettings):
    """A kernel over colours of the Weisfeiler–Leman algorithm."""

    iterations: Annotated[tuple[Iterations, ...], Field(min_length=1, max_length=65)] = (1, 2, 3, 4, 5)
    """The numbers of iterations to choose from."""


class GraphletSettings(KernelSettings):
    """A kernel over graphlets."""

    size: Annotated[int, Field(ge=3, le=4)] = 4
    """The number of nodes of a graphlet."""
    connected: bool = False
    """Whether only connected graphlets count, or all."""
