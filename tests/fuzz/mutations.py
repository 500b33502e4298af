"""Changes to the bytes of a file, all drawn from one random generator."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

_NUMBER = re.compile(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NUMBERS = (
    *(b"0", b"1", b"-1", b"2", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483649"),
    *(b"4294967296", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616"),
    *(b"1" + b"0" * 30, b"9" * 5000, b"1e308", b"1e999", b"-0.0", b"NaN", b"Infinity", b"nan", b"inf"),
    *(b"0.5", b"1.5", b"null", b"true", b'""', b"[]", b"{}", b"[1]", b""),
)
_TOKENS = (
    b"\n",
    b"\r\n",
    b"\0",
    b",",
    b" ",
    b'"',
    b"\\",
    b"{",
    b"[",
    b"}",
    b"]",
    b"\xff",
    b"%",
    b"#",
    b"p edge ",
)


def mutated(content: bytes, draw: random.Random, others: Sequence[bytes]) -> bytes:
    """Change `content` in one to four ways; parts of the valid files `others` may be inserted."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        content = draw.choice(_WAYS)(content, draw, others)
    return content


def _position(content: bytes, draw: random.Random) -> int:
    """Choose a position, near the beginning more often: that is where headers are."""
    most = len(content) if draw.random() < 0.6 else min(len(content), 300)
    return draw.randrange(most) if most else 0


def _flip_bit(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(content)
    if changed:
        changed[_position(content, draw)] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _set_bytes(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    begin, count = _position(content, draw), draw.choice((1, 2, 4, 8, 16))
    made = draw.choice((b"\0", b"\xff", b"\x7f", b"\x80", b"0", b"9")) * count
    if draw.random() < 0.5:
        made = draw.randbytes(count)
    return content[:begin] + made + content[begin + count :]


def _truncate(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    return content[: _position(content, draw)]


def _insert(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    begin = _position(content, draw)
    made = draw.choice(_TOKENS) if draw.random() < 0.7 else draw.randbytes(draw.choice((1, 3, 9, 600)))
    return content[:begin] + made * draw.choice((1, 1, 1, 2, 50)) + content[begin:]


def _delete(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    begin = _position(content, draw)
    return content[:begin] + content[begin + draw.choice((1, 2, 4, 8, 64, 512)) :]


def _repeat(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    begin = _position(content, draw)
    end = begin + draw.choice((1, 4, 16, 100, 512))
    return content[:end] + content[begin:end] * draw.choice((1, 2, 20)) + content[end:]


def _splice(content: bytes, draw: random.Random, others: Sequence[bytes]) -> bytes:
    other = draw.choice(others)
    begin, end = _position(content, draw), _position(other, draw)
    if draw.random() < 0.5:
        return content[:begin] + other[end:]
    return content[:begin] + other[end : end + draw.choice((4, 32, 256))] + content[begin:]


def _replace_number(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(content[:20_000]))
    if not found:
        return content
    chosen = draw.choice(found)
    return content[: chosen.start()] + draw.choice(_NUMBERS) + content[chosen.end() :]


def _replace_integer(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    """Write an extreme binary number, in either byte order."""
    count = draw.choice((2, 4, 8))
    extremes = (0, 1, 2, 2 ** (8 * count - 1) - 1, 2 ** (8 * count - 1), 2 ** (8 * count) - 1, len(content))
    number = draw.choice(extremes) % 2 ** (8 * count)
    begin = _position(content, draw)
    made = number.to_bytes(count, draw.choice(("little", "big")))
    return content[:begin] + made + content[begin + count :]


def _swap_lines(content: bytes, draw: random.Random, _: Sequence[bytes]) -> bytes:
    lines = content.split(b"\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


_WAYS: tuple[Callable[[bytes, random.Random, Sequence[bytes]], bytes], ...] = (
    *(_flip_bit, _flip_bit, _set_bytes, _truncate, _insert, _delete, _repeat, _splice),
    *(_replace_number, _replace_number, _replace_number, _replace_integer, _swap_lines),
)
