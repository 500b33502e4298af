"""Block the network, except for loopback, in every Python process with this folder on its PYTHONPATH."""

import ipaddress
import socket
from typing import Any

_LOOPBACK_NAMES = {"localhost", "ip6-localhost", "", None}


def _is_loopback(host: Any) -> bool:
    host = host.decode() if isinstance(host, bytes) else host
    if host in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check(host: Any) -> None:
    if not _is_loopback(host):
        raise OSError(101, f"the network is cut off, {host} was asked for")


def _guarded(name: str) -> Any:
    original = getattr(socket.socket, name)

    def connect(self: socket.socket, address: Any) -> Any:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            _check(address[0])
        return original(self, address)

    return connect


_getaddrinfo = socket.getaddrinfo


def _guarded_getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
    _check(host)
    return _getaddrinfo(host, *arguments, **options)


socket.socket.connect = _guarded("connect")  # type: ignore[method-assign]
socket.socket.connect_ex = _guarded("connect_ex")  # type: ignore[method-assign]
socket.getaddrinfo = _guarded_getaddrinfo
