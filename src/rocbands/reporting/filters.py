"""Numbers as the page writes them; its script writes them the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["chance", "count", "ended", "limits", "percent", "plain", "rate", "signed"]

Number = float | int | str | None
MISSING = "–"


def rate(value: float | None) -> str:
    """Write a rate with three decimals, or more where it would look like 0 or 1.

    Examples
    --------
    >>> rate(0.95), rate(0.99987), rate(0.00002), rate(1.0), rate(None)
    ('0.950', '0.99987', '0.000020', '1.000', '–')
    """
    if value is None:
        return MISSING
    edge = min(abs(value), abs(1 - value))
    digits = min(7, 1 + math.ceil(-math.log10(edge))) if 0 < edge < 0.001 else 3
    return f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> signed(0.0123), signed(-0.5)
    ('+0.012', '−0.500')
    """
    if value is None:
        return MISSING
    return ("−" if value < 0 else "+") + rate(abs(value))


def chance(value: float | None) -> str:
    """Write a p value.

    Examples
    --------
    >>> chance(0.0312), chance(1e-9), chance(1.0)
    ('0.031', '< 0.0001', '1.000')
    """
    if value is None:
        return MISSING
    if value < 1e-4:
        return "< 0.0001"
    return f"{value:.{4 if value < 0.001 else 3}f}"


def plain(value: Number) -> str:
    """Write a number of any size, such as a threshold, with about four digits.

    Examples
    --------
    >>> plain(0.123456), plain(1234.56), plain("inf"), plain(-2.0), plain(3e-7)
    ('0.1235', '1,235', '∞', '−2', '3.00e−7')
    """
    if value is None:
        return MISSING
    if isinstance(value, str):
        return {"inf": "∞", "-inf": "−∞"}.get(value, value)
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1e7 or size < 1e-4:
        mantissa, power = f"{value:.2e}".split("e")
        return f"{mantissa}e{int(power)}".replace("-", "−")
    text = f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def percent(value: float) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> percent(0.95), percent(0.001), percent(0.8762)
    ('95%', '0.1%', '87.62%')
    """
    return f"{plain(round(value * 100, 4))}%"


def limits(interval: Mapping[str, Any]) -> str:
    """Write both ends of an interval.

    Examples
    --------
    >>> limits({"low": 0.25, "high": 0.75}), limits({"low": None, "high": None})
    ('0.250 to 0.750', '–')
    """
    if interval["low"] is None:
        return MISSING
    return f"{rate(interval['low'])} to {rate(interval['high'])}"


def count(value: int | None) -> str:
    """Write a whole number with thousands apart.

    Examples
    --------
    >>> count(1234567)
    '1,234,567'
    """
    return MISSING if value is None else f"{value:,}"


def ended(words: str) -> str:
    """End words with a full stop.

    Examples
    --------
    >>> ended("so it is"), ended("Is it?")
    ('so it is.', 'Is it?')
    """
    return words if words.endswith((".", "!", "?")) else f"{words}."
