"""Pictures of graphs and their pools."""

from cliquepool.view.dependencies import draw_dependencies
from cliquepool.view.figures import draw_hierarchy

__all__ = ["draw_dependencies", "draw_hierarchy"]
