"""A local server of one page: on 127.0.0.1, for those who know its token, and for reading alone."""

from __future__ import annotations

import hmac
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cliquepool.view.page import Page

__all__ = ["PageServer"]

_HOST: Final = "127.0.0.1"
_TOKEN_BYTES: Final = 16


class PageServer(ThreadingHTTPServer):
    """Serve one page under an address that holds a secret token; any other request is refused.

    The name of the host is checked too, so that no other site can read the page through a name that it lets
    point to this machine. Port 0 takes a free port. Raises OSError for a port in use.

    >>> from cliquepool.view.page import Page
    >>> with PageServer(Page("A page", "graph", {})) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, page: Page, port: int = 0) -> None:
        self.content = page.html().encode()
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        super().__init__((_HOST, port), _Handler)

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{_HOST}:{self.server_address[1]}/{self.token}/"

    def allows(self, host: str | None, path: str) -> bool:
        """Tell whether a request names this server and the token."""
        port = self.server_address[1]
        known = host in {f"{_HOST}:{port}", f"localhost:{port}"}
        wanted = f"/{self.token}/".encode()
        return known and hmac.compare_digest(urlsplit(path).path.encode(), wanted)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "cliquepool"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def _answer(self, *, with_content: bool) -> None:
        if not self.server.allows(self.headers.get("Host"), self.path):
            self.send_error(HTTPStatus.FORBIDDEN, "expected the address that the command printed")
            return
        content = self.server.content
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.end_headers()
        if with_content:
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 (the name of the base class)
        """Print nothing: requests are none of the user's concern."""
