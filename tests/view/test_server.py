"""The local server: one page, for requests that name the host and the token, and for reading alone."""

from __future__ import annotations

import http.client
import threading
from typing import TYPE_CHECKING

import pytest

from cliquepool.view.page import Page
from cliquepool.view.server import PageServer

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Page("A page", "graph", {})


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer(PAGE) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.05,))
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def answer(server: PageServer, path: str, method: str = "GET", host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    headers = {} if host is None else {"Host": host}
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, content


def test_the_page_is_served_under_its_token(server: PageServer) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    assert answer(server, f"/{server.token}/") == (200, PAGE.html().encode())
    assert answer(server, f"/{server.token}/?x=1")[0] == 200
    assert answer(server, f"/{server.token}/", "HEAD") == (200, b"")


def test_other_addresses_hosts_and_methods_are_refused(server: PageServer) -> None:
    for path in ("/", "/favicon.ico", f"/{server.token}", f"/{server.token}x/", f"/{server.token}/../"):
        assert answer(server, path)[0] == 403
    assert answer(server, f"/{server.token}/", host="evil.example")[0] == 403
    assert answer(server, f"/{server.token}/", host="evil.example:80")[0] == 403
    for method in ("POST", "PUT", "DELETE"):
        assert answer(server, f"/{server.token}/", method)[0] == 501


def test_every_server_has_another_token() -> None:
    with PageServer(PAGE) as one, PageServer(PAGE) as other:
        assert one.token != other.token
        assert len(one.token) >= 20


def test_a_port_in_use_is_an_error(server: PageServer) -> None:
    with pytest.raises(OSError, match="in use"):
        PageServer(PAGE, server.server_address[1])
