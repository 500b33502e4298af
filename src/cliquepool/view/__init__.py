"""Pictures of graphs and their pools."""

from cliquepool.view.figures import draw_hierarchy

__all__ = ["draw_hierarchy"]
