"""Numbers with their nouns, for messages."""

from __future__ import annotations

__all__ = ["counted", "plural"]


def plural(noun: str, number: int) -> str:
    """Return the noun in the singular or plural.

    >>> plural("class", 2), plural("node", 1)
    ('classes', 'node')
    """
    return noun if number == 1 else noun + ("es" if noun.endswith("s") else "s")


def counted(number: int, noun: str) -> str:
    """Return a number and its noun.

    >>> counted(1797, "image")
    '1,797 images'
    """
    return f"{number:,} {plural(noun, number)}"
