"""Numbers in sentences: rates as a number out of 100, with limits, and the rate to speak of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

RARE = 0.01  # share of positives below which low false positive rates are what matters
FEW = 30  # cases of a class below which a test set, a group or a class is called small
FEW_MISPLACED = 5.0  # cases out of order: those of the smaller class times 1 - AUC
FEW_CLUSTERS = 10  # below which the first finding says so
_ROUNDING = 1e-9  # by which a rate times a number of rows may be off
_NO_WORDS = {
    *("yes", "no", "true", "false", "pos", "neg", "positive", "negative", "the rest"),
    *("ja", "nein", "nee", "nej", "oui", "non", "si", "sí", "sì", "sim", "não"),
}
UNNAMED = ("score", "y_score", "model")  # names that say nothing about a model
_LONGEST_LABEL = 24  # characters of a label that a sentence takes
_MOST_DIGITS = 4  # decimals of a number out of 100
_ENDS = (0.0, 100.0, -100.0)
_FEW_CLUSTERS = "The rows come from only "
_MOST_NAMES = 3  # that a sentence has of many
_NOISE = 10  # decimals that rounding errors leave


def in_100(rate: float, low: float | None = None, high: float | None = None, of: str = "") -> str:
    """Write a rate as a number out of 100, and its limits with the decimals that they allow.

    Examples
    --------
    >>> in_100(0.6887, 0.5962, 0.7709, of="positives")
    '69 of 100 positives (60 to 77)'
    >>> in_100(0.00213, 0.0019, 0.0024), in_100(0.1)
    ('0.21 of 100 (0.19 to 0.24)', '10 of 100')
    >>> in_100(0.9953, 0.9738, 0.9992)
    '99.5 of 100 (97.4 to 99.9)'
    """
    ends = (rate, rate) if low is None or high is None else (low, high)
    digits = choose_digits(100.0 * rate, 100.0 * (ends[1] - ends[0]))
    digits = max(digits, choose_digits(100.0 - 100.0 * rate, 0.0))  # few are not all
    what = f" {of}" if of else ""
    limits = "" if low is None or high is None else f" ({say_limits(low, high, digits)})"
    return f"{write_number(100.0 * rate, digits)} of 100{what}{limits}"


def say_limits(low: float, high: float, digits: int) -> str:
    """Write limits of a rate as numbers out of 100.

    Examples
    --------
    >>> say_limits(-0.0312, 0.14, 0)
    '-3 to 14'
    """
    return f"{write_number(100.0 * low, digits)} to {write_number(100.0 * high, digits)}"


def write_number(value: float, digits: int) -> str:
    """Write a number out of 100; one that is neither 0 nor 100 does not look so.

    Examples
    --------
    >>> write_number(0.03, 0), write_number(99.97, 1), write_number(2e-6, 1), write_number(-0.0, 1)
    ('0.03', '99.97', 'less than 0.0001', '0')
    """
    value = round(value, _NOISE) + 0.0  # adding 0 turns -0.0 into 0.0
    if value in _ENDS:
        return f"{value:.0f}"
    while digits < _MOST_DIGITS and round(value, digits) in _ENDS:
        digits += 1
    if round(value, digits) in _ENDS:
        step = 10.0**-digits
        near = round(value) + (step if value > round(value) else -step)
        return f"{'less' if value < near else 'more'} than {near:.{digits}f}"
    return f"{value:.{digits}f}"


def choose_digits(value: float, width: float) -> int:
    """Choose decimals such that a number, and limits `width` apart, show two digits that differ.

    Examples
    --------
    >>> choose_digits(69.0, 17.0), choose_digits(0.21, 0.05), choose_digits(100.0, 0.0)
    (0, 2, 0)
    """
    digits, step = 0, 2.0
    while digits < _MOST_DIGITS and (0.0 < width < step or 0.0 < abs(value) < step / 2.0):
        digits, step = digits + 1, step / 10.0
    return digits


def say_reversed(areas: Mapping[str, float]) -> str:
    """Ask about models whose AUCs are below one half.

    Examples
    --------
    >>> say_reversed({"rf": 0.1})
    'rf (AUC 0.100) ranks positives below negatives: do larger scores mean more positive?'
    """
    verb = "ranks" if len(areas) == 1 else "rank"
    said = join_words([f"{name} (AUC {write_share(area)})" for name, area in areas.items()])
    return f"{said} {verb} positives below negatives: do larger scores mean more positive?"


def write_share(value: float, digits: int = 3) -> str:
    """Write a share or a difference of shares; one that is neither 0 nor 1 does not look so.

    Examples
    --------
    >>> write_share(0.9), write_share(0.99987), write_share(0.99999), write_share(-1e-17)
    ('0.900', '0.9999', 'more than 0.9999', '0.000')
    >>> write_share(2e-6), write_share(-2e-6)
    ('less than 0.0001', 'more than -0.0001')
    """
    digits = _count_decimals(digits, value)
    shown = round(value, digits) + 0.0
    if not _looks_whole(value, digits):
        return f"{shown:.{digits}f}"
    near = shown + math.copysign(10.0**-digits, value - shown)
    return f"{'less' if value < near else 'more'} than {near:.{digits}f}"


def write_shares(*values: float, digits: int = 3) -> list[str]:
    """Write a share and its limits with the same decimals, at least so many.

    Examples
    --------
    >>> write_shares(0.9988, 0.9941, 0.99987)
    ['0.9988', '0.9941', '0.9999']
    """
    digits = _count_decimals(digits, *values)
    return [write_share(value, digits) for value in values]


def _count_decimals(least: int, *values: float) -> int:
    return next(
        (k for k in range(least, _MOST_DIGITS) if not any(_looks_whole(x, k) for x in values)),
        max(least, _MOST_DIGITS),
    )


def _looks_whole(value: float, digits: int) -> bool:
    """Tell whether a number between -1 and 1 looks like 0, 1 or -1, and is not."""
    value = round(value, _NOISE)
    return abs(value) < 1.0 and value != 0.0 and round(value, digits) in (-1.0, 0.0, 1.0)


def split_gap(
    gap: float,
    low: float,
    high: float,
    write: Callable[[float], str],
    words: tuple[str, str] = ("more", "fewer"),
) -> tuple[str, str, str]:
    """Write the size of a difference, its direction, and its limits.

    Limits on both sides of 0 have a direction each.

    Examples
    --------
    >>> split_gap(-6, -9, -3, str), split_gap(6, -3, 14, str)
    (('6', 'fewer', '3 to 9'), ('6', 'more', '3 fewer to 14 more'))
    """
    chance = low <= 0.0 <= high
    ends = [
        f"{write(abs(end))}{f' {words[end < 0.0]}' if chance else ''}"
        for end in ((low, high) if gap >= 0.0 else (high, low))
    ]
    return write(abs(gap)), words[gap < 0.0], " to ".join(ends)


def say_ends(ends: Sequence[str], alternative: str) -> str:
    """Write limits; a one-sided interval has one, and ends where the possible values do.

    Examples
    --------
    >>> say_ends(["-0.195", "1.000"], "greater"), say_ends(["0.1", "0.2"], "two-sided")
    ('at least -0.195', '0.1 to 0.2')
    """
    low, high = ends
    if alternative == "greater":
        return f"at least {low}"
    return f"at most {high}" if alternative == "less" else f"{low} to {high}"


def say_alarms(rate: float, negatives: str = "negatives") -> str:
    """Write a false positive rate as a number of false alarms.

    Examples
    --------
    >>> say_alarms(0.1), say_alarms(0.01), say_alarms(0.005, "benign ones").partition(" in ")[2]
    ('10 false alarms in 100 negatives', '1 false alarm in 100 negatives', '1000 benign ones')
    """
    size = 100
    while rate * size < 1.0 - _ROUNDING and size < 10**6:
        size *= 10
    number = f"{rate * size:.3g}"
    return f"{number} {'false alarm' if number == '1' else 'false alarms'} in {size} {negatives}"


def say_few_clusters(count: int | None) -> str:
    """Say that rows come from few clusters, which all that follows depends on; else nothing.

    Examples
    --------
    >>> say_few_clusters(3).partition(",")[0], say_few_clusters(10), say_few_clusters(None)
    ('The rows come from only 3 clusters', '', '')
    """
    if count is None or count >= FEW_CLUSTERS:
        return ""
    return (
        f"{_FEW_CLUSTERS}{count} clusters, so that little is known for sure; groups of people are "
        "not clusters."
    )


def put_first(notes: Sequence[str]) -> tuple[str, ...]:
    """Put the note on few clusters before all others."""
    return tuple(sorted(notes, key=lambda note: not note.startswith(_FEW_CLUSTERS)))


def name_model(name: str, kind: str = "model") -> str:
    """Name a model, a group or a class in a sentence, in quotes if it would not read as a name.

    Examples
    --------
    >>> name_model("logistic"), name_model("2", "group"), name_model("CA-125 (U/ml)")
    ('logistic', 'group "2"', '"CA-125 (U/ml)"')
    """
    try:
        float(name)
    except ValueError:
        plain = all(sign.isalnum() or sign in " _-.'" for sign in name)
        return name if plain else f'"{name}"'
    return f'{kind} "{name}"'


def name_some(names: Sequence[str]) -> str:
    """List names, of more than four the first three.

    Examples
    --------
    >>> name_some(["a", "b"]), name_some(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 others')
    """
    if len(names) > _MOST_NAMES + 1:
        names = [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} others"]
    return join_words(names)


def say_cases(count: int, cases: str) -> str:
    """Write a number of cases, in the singular if there is one.

    Examples
    --------
    >>> say_cases(1, "positives"), say_cases(1200, "benign ones")
    ('1 positive', '1,200 benign ones')
    """
    return f"{count:,} {cases.removesuffix('s') if count == 1 else cases}"


def count_classes(
    n_pos: int, n_neg: int, cases: tuple[str, str] = ("positives", "negatives")
) -> str:
    """Write the sizes of both classes.

    Examples
    --------
    >>> count_classes(1, 26), count_classes(12, 1, ("malignant cases", "benign ones"))
    ('1 positive, 26 negatives', '12 malignant cases, 1 benign one')
    """
    sizes = zip((n_pos, n_neg), cases, strict=True)
    return ", ".join(f"{n} {name.removesuffix('s') if n == 1 else name}" for n, name in sizes)


def name_cases(positive: object, negative: object) -> tuple[str, str]:
    """Name the cases of both classes by their labels, if these are words.

    Examples
    --------
    >>> name_cases("malignant", "benign"), name_cases(1, 0), name_cases("yes", "no")
    (('malignant cases', 'benign ones'), ('positives', 'negatives'), ('positives', 'negatives'))
    """
    labels = (positive, negative)
    for label in labels:
        if not isinstance(label, str) or len(label) > _LONGEST_LABEL or label.lower() in _NO_WORDS:
            return "positives", "negatives"
        if not label[:1].isalpha() or len(label) == 1:
            return "positives", "negatives"
    return f"{positive} cases", f"{negative} ones"


def join_words(words: Sequence[str]) -> str:
    """List words, the last after 'and'.

    Examples
    --------
    >>> join_words(["a", "b", "c"]), join_words(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def usual_fpr(n_pos: int, n_neg: int, odds: float | None = None) -> float:
    """Choose the false positive rate to speak of where none was asked for.

    It is the largest of 0.1, 0.05, 0.02, 0.01, ... with no more false alarms than positives, or a
    higher one where less than one negative lies below it. `odds`: positives for each negative, by
    weight if rows are weighted.

    Examples
    --------
    >>> usual_fpr(212, 357), usual_fpr(43, 19_957), usual_fpr(204, 39_796), usual_fpr(2, 4)
    (0.1, 0.002, 0.005, 0.5)
    """
    odds = n_pos / n_neg if odds is None else odds
    size = math.floor(math.log10(max(min(odds, 0.1), 1e-12))) - 1
    rates = [float(f"{digit}e{power}") for power in range(size, 0) for digit in (1, 2, 5)]
    able = [rate for rate in rates if rate * n_neg >= 1.0 - _ROUNDING] or [0.5]
    low = [rate for rate in able if rate <= min(odds, 0.1) * (1.0 + _ROUNDING)]
    return max(low, default=able[0])


def usual_fprs(n_pos: int, n_neg: int, odds: float | None = None) -> tuple[float, ...]:
    """Choose a lower and a higher rate beside the usual one, where negatives resolve them.

    Examples
    --------
    >>> usual_fprs(212, 357), usual_fprs(204, 39_796), usual_fprs(20, 30)
    ((0.01, 0.1, 0.3), (0.0005, 0.005, 0.05), (0.1, 0.3))
    """
    middle = usual_fpr(n_pos, n_neg, odds)
    rates = (float(f"{rate:.10g}") for rate in (middle / 10.0, middle, min(10.0 * middle, 0.3)))
    return tuple(sorted({rate for rate in rates if rate * n_neg >= 1.0 - _ROUNDING} | {middle}))
