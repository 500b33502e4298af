"""Pictures of graphs and their pools, and the interactive page."""

from cliquepool.view.dependencies import draw_dependencies
from cliquepool.view.explorer import show
from cliquepool.view.figures import draw_hierarchy
from cliquepool.view.page import Page

__all__ = ["Page", "draw_dependencies", "draw_hierarchy", "show"]
