"""Reports on runs: one page to mail, made from their records."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.report.page import HtmlReport, html_report

__all__ = ["HtmlReport", "html_report"]
