"""Numbers and short phrases as a report writes them: in its data, its sentences and its tables.

The page's script writes numbers in the same way.

>>> round_number(1 / 3), round_column([0, 2 / 3, 1.23456789e-5])
(0.333333, [0.0, 0.666667, 1.23457e-05])
>>> list_thresholds(np.array([np.inf, 0.1]))
['inf', 0.1]
>>> [format_rate(value) for value in (0.95, 0.99987, 0.00002, 1.0, None)]
['0.950', '0.99987', '0.000020', '1.000', '–']
>>> format_difference(0.0123), format_difference(-0.5), format_difference(-2e-4, 3)
('+0.012', '−0.500', '−0.0002')
>>> format_signed(0.0123), format_signed(-0.5)
('0.012', '−0.500')
>>> format_pvalue(0.0312), format_pvalue(1e-9), format_pvalue(1.0)
('0.031', '< 0.0001', '1.000')
>>> [format_number(value) for value in (0.123456, 1234.56, "inf", -2.0, 3e-7)]
['0.1235', '1,235', '∞', '−2', '3.00e−7']
>>> format_percent(0.95), format_percent(0.001), format_percent(0.8762)
('95%', '0.1%', '87.62%')
>>> [format_share(value) for value in (0.37258, 1 / 19957, 2.04e-7, 0.9951, 1.0)]
['37%', '0.005%', '0.00002%', '99.5%', '100%']
>>> format_limits({"low": 0.25, "high": 0.75}), format_limits({"low": None, "high": None})
('0.250 to 0.750', '–')
>>> format_count(1234567), count_things(1, "positive"), count_things(1200, "row")
('1,234,567', '1 positive', '1,200 rows')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rocbands.core.phrases import write_share
from rocbands.core.result import require
from rocbands.core.thresholds import write_thresholds

if TYPE_CHECKING:
    from rocbands.core.roc import RocCurve

DIGITS = 6  # significant ones, of every number but thresholds
# Numbers half way between two of so many digits are common. They are first rounded to this many, so
# that their rounding errors do not decide.
SURE_DIGITS = 12
NO_CALL = "none"  # in place of a threshold that nobody reaches
MISSING = "–"


def round_number(value: float) -> float:
    """Round a number to the digits that a report shows."""
    require(math.isfinite(value), f"A report must contain finite numbers only; got {value}.")
    return float(f"{float(f'{value:.{SURE_DIGITS}g}'):.{DIGITS}g}")


def round_column(values: npt.ArrayLike) -> list[float]:
    """Round a column; return a plain list."""
    column = np.asarray(values, dtype=np.float64)
    require(np.isfinite(column).all(), "A report must contain finite numbers only.")
    rounded: list[float] = column.tolist()
    for digits in (SURE_DIGITS, DIGITS):
        # All in one call: a report has a hundred thousand numbers.
        rounded = list(map(float, (f"%.{digits}g " * column.size % tuple(rounded)).split()))
    return rounded


def round_fields(result: Any, *names: str) -> dict[str, Any]:
    """Round numbers and columns of a result, by name."""
    values = {name: getattr(result, name) for name in names}
    return {
        name: round_column(value) if np.ndim(value) else round_number(value)
        for name, value in values.items()
    }


def list_thresholds(values: npt.NDArray[Any]) -> list[float | str]:
    """Return thresholds with all digits, because rows are compared with them."""
    column = (values.astype(np.int64) if values.dtype.kind == "b" else values).tolist()
    return [("inf" if v > 0 else "-inf") if math.isinf(v) else v for v in column]


def describe_thresholds(
    roc: RocCurve, cuts: npt.NDArray[Any], name: str = "threshold"
) -> dict[str, list[Any]]:
    """Return thresholds of a curve with all digits, and as text that makes the same calls."""
    texts = [name_no_call(text) for text in write_thresholds(roc, cuts)]
    return {name: list_thresholds(cuts), f"{name}_text": texts}


def name_no_call(text: str) -> str:
    """Return the text of a threshold, and a word for one that no row reaches."""
    return NO_CALL if text == "inf" else text


def count_decimals(rates: Iterable[float | None]) -> int:
    """Decimals of a column of rates: three, or more where one would look like 0 or 1."""
    edges = [min(abs(value), abs(1 - value)) for value in rates if value is not None]
    small = [edge for edge in edges if 0 < edge < 0.001]
    return min(7, 1 + math.ceil(-math.log10(min(small)))) if small else 3


def format_decimals(value: float | None, digits: int) -> str:
    """Write a number with a given number of decimals."""
    return MISSING if value is None else f"{value:.{digits}f}"


def format_rate(value: float | None) -> str:
    """Write a rate with three decimals, or more where it would look like 0 or 1."""
    return format_decimals(value, count_decimals([value]))


def format_difference(value: float | None, digits: int | None = None) -> str:
    """Write a difference with its sign, with `digits` decimals or more, so that it is not 0."""
    if value is None:
        return MISSING
    if digits is None:
        return ("−" if value < 0 else "+") + format_rate(abs(value))
    text = write_share(value, digits).replace("-", "−")
    return text if text.startswith(("−", "less", "more")) else f"+{text}"


def format_signed(value: float | None) -> str:
    """Write a rate or a difference, with a sign if it is negative."""
    return MISSING if value is None else "−" * (value < 0) + format_rate(abs(value))


def format_pvalue(value: float | None) -> str:
    """Write a p-value."""
    if value is None:
        return MISSING
    if value < 1e-4:
        return "< 0.0001"
    return f"{value:.{4 if value < 0.001 else 3}f}"


def format_number(value: float | str | None) -> str:
    """Write a number of any size, such as a threshold, with about four digits."""
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


def format_percent(value: float) -> str:
    """Write a share in percent."""
    return f"{format_number(float(f'{100.0 * value:.6g}'))}%"


def format_share(value: float) -> str:
    """Write a share in percent with two digits, as text that is read and not computed with."""
    size = 100.0 * value
    digits = 3 if 99.0 < size < 100.0 else 2
    decimals = max(0, digits - 1 - math.floor(math.log10(size))) if size > 0 else 0
    text = f"{size:.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def format_limits(interval: Mapping[str, Any]) -> str:
    """Write both limits of an interval."""
    if interval["low"] is None:
        return MISSING
    return f"{format_rate(interval['low'])} to {format_rate(interval['high'])}"


def format_count(value: int | None) -> str:
    """Write a whole number with thousands separated."""
    return MISSING if value is None else f"{value:,}"


def end_sentence(words: str) -> str:
    """Add a full stop, unless the text ends with one."""
    return words if words.endswith((".", "!", "?")) else f"{words}."


def count_things(count: int, what: str) -> str:
    """Write a number of things."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
