"""Sizes of reader studies: how many readers and cases the comparison of two tests needs.

Power is computed in :mod:`rocbands.readers.power`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.arguments import explain
from rocbands.core.attributes import Count, Level, Rate, type_columns
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_level,
    check_number,
    read_numbers,
    wrong_value,
)
from rocbands.core.phrases import join_words
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.errors import InputError, Message, arg
from rocbands.readers.method import RANDOM, Random
from rocbands.readers.pilot import COMPONENTS, Pilot, change_share, read_pilot
from rocbands.readers.power import Aim
from rocbands.readers.result import SCOPE, ReaderStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
Searched: TypeAlias = Literal["cases", "readers", "power"]

MOST_READERS = 1000
MOST_CASES = 10_000_000
_MOST_SIZES = 100  # rows of the table
_MOST_LINES = 7  # of the picture
_USUAL_READERS = (3, 4, 5, 6, 8, 10, 12)
_FEW = 5  # readers


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReaderStudySize(Result):
    """The readers and cases that a reader study needs, and the power that they achieve.

    Attributes
    ----------
    searched : {'cases', 'readers', 'power'}
        What was looked for: the smallest number of cases, the smallest number of readers, or the
        power of given numbers.
    readers, cases : tuple of int or None
        Sizes of studies, one for each row of the table; None if no number is enough.
    n_pos, n_neg : tuple of int or None, or None
        Cases of each class, if the share of positives is known.
    power : ndarray of shape (k,)
        Probability that the study shows what it is for; where no number is enough, the largest
        possible one.
    power_lower, power_upper : ndarray of shape (k,), or None
        Power at the 75% and the 25% point of the variance of test x reader, which a pilot of few
        readers estimates poorly; None if the number of its readers is not known, and for these
        readers.
    wanted : float
        The power that was asked for.
    n_readers, n_cases : int or None
        The study that the sentence names: of those with enough power the one with the fewest
        readings.
    least_readers, least_cases : int or None
        Where no number of cases is enough for any of the readers asked for, the smallest number of
        readers for which one is; and the reverse.
    difference, margin : float, float or None
        What the study is to show.
    level : float
        Confidence level: the test rejects at 1 - level.
    random : {'both', 'cases', 'readers'}
        Whom the study stands for.
    quantity : str or None
        What the tests differ in, such as 'AUC', if the pilot says it.
    components : mapping
        Components of variance for a pilot of `cases` cases; `var_tr_25` and `var_tr_75` are the
        values of `var_tr` that the true one is below with 25% and 75% confidence.
    sizes, lines, achieved : ndarrays of shape (s,), (l,) and (l, s)
        Numbers of cases, numbers of readers, and their power, for the picture.
    notes : tuple of str
        Notes on this plan.
    """

    schema: ClassVar[str] = "rocbands.reader-plan/1"
    FACTS: ClassVar[str] = (
        "n_readers n_cases least_readers least_cases searched wanted difference margin level "
        "random quantity components notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Count | None, "readers cases n_pos n_neg"), (Rate | None, "power power_lower power_upper")
    )

    searched: Searched
    readers: tuple[int | None, ...]
    cases: tuple[int | None, ...]
    n_pos: tuple[int | None, ...] | None
    n_neg: tuple[int | None, ...] | None
    power: FloatArray
    power_lower: FloatArray | None
    power_upper: FloatArray | None
    wanted: Rate
    difference: float
    margin: float | None
    level: Level
    random: Random
    quantity: str | None
    components: Mapping[str, float]
    least_readers: Count | None
    least_cases: Count | None
    sizes: FloatArray
    lines: FloatArray
    achieved: FloatArray
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        require(((self.power >= 0.0) & (self.power <= 1.0)).all(), "Power must be from 0 to 1.")
        if self.power_lower is not None and self.power_upper is not None:
            falling = np.diff([self.power_lower, self.power, self.power_upper], axis=0) >= -1e-9
            require(falling.all(), "Power must fall with the variance between readers.")

    @property
    def _found(self) -> list[int]:
        """The rows with a number of readers and of cases."""
        return [k for k, pair in enumerate(zip(self.readers, self.cases, strict=True)) if all(pair)]

    @property
    def _best(self) -> int | None:
        """The row of the sentence."""
        enough = [k for k in self._found if self.power[k] >= self.wanted]
        if enough:
            return min(enough, key=lambda k: (self.readers[k] or 0) * (self.cases[k] or 0))
        return max(self._found, key=lambda k: float(self.power[k]), default=None)

    @property
    def n_readers(self) -> Count | None:
        """Readers of the study that the sentence names."""
        return None if self._best is None else self.readers[self._best]

    @property
    def n_cases(self) -> Count | None:
        """Cases of the study that the sentence names."""
        return None if self._best is None else self.cases[self._best]

    def _brief(self) -> str:
        return f"reader study, power {self.wanted:g} {self._purpose}"

    @property
    def _purpose(self) -> str:
        """What the study is to show."""
        if self.margin is None:
            what = "" if self.quantity is None else f" in {self.quantity}"
            return f"to find a difference of {abs(self.difference):g}{what} between two tests"
        than = f"better by {self.difference:g}" if self.difference > 0.0 else "as good"
        than = f"worse by {-self.difference:g}" if self.difference < 0.0 else than
        return (
            f"to show that a test is not worse than another by {self.margin:g} or more, if it is "
            f"{than}"
        )

    @property
    def sentence(self) -> str:
        """The numbers of readers and cases, and the power that they achieve."""
        end, best = f"{self._purpose}, {SCOPE[self.random]}.", self._best
        if best is None:
            given, bound, least = self.cases, MOST_READERS, self.least_cases
            if self.searched == "cases":
                given, bound, least = self.readers, MOST_CASES, self.least_readers
            other = _other(self.searched)
            more = f" Plan at least {least:,} {other}." if least else ""
            return (
                f"No number of {self.searched} up to {bound:,} is enough for "
                f"{join_words([f'{one:,}' for one in given])} {other}: the power is at most "
                f"{self.power.max():.2f} {end}{more}"
            )
        share = "" if self.n_pos is None else f" ({self.n_pos[best]:,} positive)"
        count = f"{self.readers[best]:,} reader{'s' * (self.readers[best] != 1)}"
        size = f"{count} and {self.cases[best]:,} cases{share}"
        many, power = len(self._found) > 1, float(self.power[best])
        limits = ""
        if self.power_lower is not None and self.power_upper is not None:
            low, high = (f"{ends[best]:.2f}" for ends in (self.power_lower, self.power_upper))
            limits = f" ({low} to {high}, given the size of the pilot)" if low != high else ""
        if power < self.wanted:
            highest = ", the highest of these sizes," if many else ""
            return f"{size} have a power of {power:.2f}{limits}{highest} {end}"
        fewest = ", the fewest readings of these sizes" if many else ""
        return f"Plan {size}{fewest}: power {power:.2f}{limits} {end}"

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        sides = "one-sided" if self.margin is not None else "two-sided"
        shown = ", ".join(f"{name} {self.components[name]:.4g}" for name in COMPONENTS)
        lines = [
            f"Power of Obuchowski and Rockette's test, {sides} at {percent(1.0 - self.level)}, by "
            "Hillis, Obuchowski and Berbaum (2011).",
            f"Components for {self.components['cases']:g} cases: {shown}.",
        ]
        if self.power_lower is not None:
            lines.append(
                "power_lower and power_upper: power at the 75% and 25% points of var_tr, "
                f"{self.components['var_tr_75']:.4g} and {self.components['var_tr_25']:.4g}."
            )
        hidden = {name for name in self.COLUMNS if getattr(self, name) is None}
        rows = {name: column for name, column in self.columns().items() if name not in hidden}
        return "\n".join([*lines, *self.notes]), rows

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None, legend: bool | str = True) -> Axes:
        """Draw the power by the number of cases, with a line for each number of readers."""
        return self._draw(ax, color=color, legend=legend)


@explain
def reader_study_size(
    pilot: ReaderStudy | Mapping[str, float],
    *,
    difference: float,
    readers: int | Sequence[int] | None = None,
    cases: int | Sequence[int] | None = None,
    power: float = 0.8,
    margin: float | None = None,
    level: float = 0.95,
    random: Random = "both",
    prevalence: float | None = None,
) -> ReaderStudySize:
    """Compute how many readers and cases a reader study needs, from a pilot.

    Every reader of the new study reads every case under two tests. For each number of `readers`
    the result has the smallest number of cases, for each number of `cases` the smallest number of
    readers, and if both are given the power of each pair of them. Where no number is enough, it
    has the largest possible power.

    More cases do not always help: where readers differ, the power of few readers has a maximum,
    because with many cases the degrees of freedom are those of the readers alone.

    Parameters
    ----------
    pilot : ReaderStudy or mapping
        A pilot study whose readers read all cases under all tests (`compare_readers`), or published
        components of variance: `var_tr` (test x reader), `var`, `cov1` (same reader, other test),
        `cov2` (same test, other reader), `cov3` (both other) and the number of `cases` that they
        are for. Also used if given: `n_pos` and `n_neg` for class sizes; `n_readers` and `n_tests`
        (2 by default) for the uncertainty of `var_tr`.
    difference : float
        The true difference of the two tests that the study should find; without `margin` the test
        is two-sided, and the sign does not matter.
    readers, cases : int or sequence of int, optional
        Numbers of readers or cases. By default 3 to 12 readers, or more where these are too few;
        with ``random='cases'`` those of the pilot.
    power : float, default 0.8
        Probability that the study shows what it is for.
    margin : float, optional
        Margin of a non-inferiority study, above 0: it shows that the difference is above -margin,
        by a one-sided test at 1 - level.
    level : float, default 0.95
        Confidence level.
    random : {'both', 'cases', 'readers'}, default 'both'
        Whether the study stands for other readers and cases, for these readers only ('cases'), or
        for these cases only ('readers').
    prevalence : float, optional
        Share of positives in the new study, by default that of the pilot. Another share needs a
        `ReaderStudy`, from whose readings the variances of both classes are computed.

    Returns
    -------
    ReaderStudySize
        A table of readers, cases and power.

    References
    ----------
    Hillis, Obuchowski and Berbaum (2011), Power estimation for multireader ROC methods: an updated
    and unified approach, Academic Radiology 18, 129-142.

    Examples
    --------
    >>> import rocbands as rb
    >>> published = {
    ...     "var_tr": 0.00020, "var": 0.00080, "cov1": 0.00035, "cov2": 0.00034, "cov3": 0.00024,
    ...     "cases": 114, "n_readers": 5,
    ... }
    >>> plan = rb.reader_study_size(published, difference=0.05, readers=[4, 6, 8])
    >>> plan.readers, plan.cases
    ((4, 6, 8), (357, 165, 130))
    """
    known = read_pilot(pilot)
    check_choice(random, RANDOM, "random")
    level = check_level(level)
    wanted = check_number(power, "power", above=0.0, below=1.0)
    aim = Aim(*_check_difference(difference, margin), level, random)
    least_readers = 1 if random == "cases" else 2
    asked_readers = _check_sizes(readers, "readers", least_readers, MOST_READERS)
    asked_cases = _check_sizes(cases, "cases", 4, MOST_CASES)
    known = known if prevalence is None else change_share(pilot, known, prevalence)
    search = _Search(known, aim, wanted, least_readers)
    if asked_readers is None and asked_cases is None:
        own = (known.n_readers,) if random == "cases" and known.n_readers else None
        asked_readers = own or search.choose_readers()
    return search.answer(asked_readers, asked_cases)


class _Row(NamedTuple):
    """A study; None where no number is enough, and then the largest possible power."""

    readers: int | None
    cases: int | None
    power: float


@dataclass(frozen=True)
class _Search:
    """The search for sizes."""

    pilot: Pilot
    aim: Aim
    wanted: float
    least_readers: int

    def answer(
        self, readers: tuple[int, ...] | None, cases: tuple[int, ...] | None
    ) -> ReaderStudySize:
        """Return the sizes that were asked for."""
        least: tuple[int | None, int | None] = None, None  # readers, cases
        searched: Searched
        if readers is not None and cases is not None:
            searched = "power"
            rows = [_Row(r, n, self.find_power(r, n)) for r in readers for n in cases]
        elif readers is not None:
            searched, rows = "cases", [self.find_cases(r) for r in readers]
            if not any(row.cases for row in rows):
                least = self._find_least(lambda r: self.find_cases(r).cases is not None), None
        else:
            searched, rows = "readers", [self.find_readers(n) for n in cases or ()]
            if not any(row.readers for row in rows):
                least = None, self.find_cases(MOST_READERS).cases
        found_readers, found_cases, power = zip(*rows, strict=True)
        parts = self.pilot.components
        listed = {name: float(getattr(parts, name)) for name in (*COMPONENTS, "cases")}
        lower = upper = None
        if self.pilot.df is not None and self.aim.random != "cases":
            # The uncertainty of `var_tr` is known, and matters.
            quartiles = {share: self.pilot.move_var_tr(share / 100.0) for share in (25, 75)}
            for share, moved in quartiles.items():
                listed[f"var_tr_{share}"] = max(moved.components.var_tr, 0.0)
            upper, lower = (self._find_powers(moved, rows) for moved in quartiles.values())
        drawn = rows if least[0] is None else [*rows, self.find_cases(least[0])]
        sizes, lines = self._choose_drawn(drawn)
        n_pos, n_neg = self.pilot.split(found_cases)
        return ReaderStudySize(
            searched=searched,
            readers=found_readers,
            cases=found_cases,
            n_pos=n_pos,
            n_neg=n_neg,
            power=np.array(power),
            power_lower=lower,
            power_upper=upper,
            wanted=self.wanted,
            **self.aim._asdict(),
            quantity=self.pilot.quantity,
            components=listed,
            least_readers=least[0],
            least_cases=least[1],
            sizes=sizes,
            lines=lines,
            achieved=parts.find_power(lines[:, None], sizes, self.aim),
            notes=(*self._list_notes(searched, rows), *self.pilot.notes),
        )

    def choose_readers(self) -> tuple[int, ...]:
        """Choose numbers of readers: the usual ones, or more where these are too few."""
        least = self._find_least(lambda r: self.find_cases(r).cases is not None)
        if least is None or least <= _USUAL_READERS[-1]:
            return _USUAL_READERS
        more = (round(least * factor) for factor in (1.0, 1.25, 1.5, 2.0, 3.0))
        return tuple(readers for readers in more if readers <= MOST_READERS)

    def find_power(self, readers: float, cases: float) -> float:
        """Power of one study."""
        return float(self.pilot.components.find_power(readers, cases, self.aim))

    def find_cases(self, readers: int) -> _Row:
        """Find the smallest number of cases that is enough.

        Power can fall again with more cases, so bisection begins at the first of many sizes.
        """
        tried = np.geomspace(self.pilot.least_cases, MOST_CASES, 200)
        power = self.pilot.components.find_power(readers, tried, self.aim)
        first = int(np.argmax(power >= self.wanted))
        if power[first] < self.wanted:
            return _Row(readers, None, float(power.max()))
        if first == 0:
            return _Row(readers, self.pilot.least_cases, float(power[0]))
        low, high = math.floor(tried[first - 1]), math.ceil(tried[first])
        cases = _bisect(low, high, lambda n: self.find_power(readers, n) >= self.wanted)
        return _Row(readers, cases, self.find_power(readers, cases))

    def find_readers(self, cases: int) -> _Row:
        """Find the smallest number of readers that is enough; power grows with it."""
        readers = self._find_least(lambda r: self.find_power(r, cases) >= self.wanted)
        return _Row(readers, cases, self.find_power(readers or MOST_READERS, cases))

    def _find_least(self, enough: Any) -> int | None:
        """Smallest number of readers that is enough; None if there is none."""
        if not enough(MOST_READERS):
            return None
        least = self.least_readers
        return least if enough(least) else _bisect(least, MOST_READERS, enough)

    def _find_powers(self, pilot: Pilot, rows: list[_Row]) -> FloatArray:
        """Power of the sizes found with the components of another pilot, or the largest one."""
        moved = replace(self, pilot=pilot, wanted=2.0)  # no number of cases is enough
        return np.array([
            moved.find_cases(row.readers or MOST_READERS).power
            if row.cases is None
            else moved.find_power(row.readers or MOST_READERS, row.cases)
            for row in rows
        ])  # fmt: skip

    def _choose_drawn(self, rows: list[_Row]) -> tuple[FloatArray, FloatArray]:
        """Numbers of cases and of readers for the picture."""
        readers = sorted({row.readers for row in rows if row.readers is not None})
        lines = np.array(readers or _USUAL_READERS, dtype=np.float64)
        if lines.size > _MOST_LINES:
            lines = lines[np.linspace(0, lines.size - 1, _MOST_LINES).round().astype(int)]
        found = [row.cases for row in rows if row.cases is not None]
        cases = found or [round(self.pilot.components.cases)]
        low = max(min(cases) / 4.0, self.pilot.least_cases)
        return np.geomspace(low, max(2.0 * max(cases), 4.0 * low), 80), lines

    def _list_notes(self, searched: Searched, rows: list[_Row]) -> list[str]:
        """List notes on the sizes and on the components."""
        pilot, parts, notes = self.pilot, self.pilot.components, []
        lost = [row for row in rows if row.readers is None or row.cases is None]
        if lost and len(lost) < len(rows):
            names = [f"{row.readers if row.cases is None else row.cases:,}" for row in lost]
            notes.append(
                f"With {join_words(names)} {_other(searched)} no number of {searched} is enough; "
                "the table has the largest possible power."
            )
        if self.aim.random == "both" and any((row.readers or _FEW + 1) <= _FEW for row in rows):
            notes.append(
                "The default method 'bounded' has less power with few readers: in simulated "
                "studies .209 against .234 with 3 readers, .367 against .386 with 5, .560 against "
                ".567 with 10."
            )
        if self.aim.margin is not None:
            notes.append(
                "The default limits of the difference are wider where a test is nearly perfect; "
                "such a study has less power."
            )
        if parts.var_tr < 0.0 and self.aim.random != "cases":
            notes.append(
                f"The variance of test x reader is estimated as {parts.var_tr:.4g} and taken as 0: "
                "the sizes may be too small."
            )
        if parts.cov2 < parts.cov3 and self.aim.random != "readers":
            notes.append(
                f"Cov2 - Cov3 is estimated as {parts.cov2 - parts.cov3:.4g} and taken as 0: the "
                "sizes may be too small."
            )
        if pilot.n_readers is not None and pilot.n_readers <= _FEW and self.aim.random != "cases":
            notes.append(
                f"A pilot of {pilot.n_readers} readers says little about how much readers differ; "
                "the power may be that of power_lower."
            )
        return notes


def _other(searched: Searched) -> str:
    return "cases" if searched == "readers" else "readers"


def _bisect(low: int, high: int, enough: Any) -> int:
    """Smallest whole number that is enough; `low` is not, `high` is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_difference(difference: Any, margin: Any) -> tuple[float, float | None]:
    """Return the difference and the margin, if a study can show them."""
    difference = check_number(difference, "difference", above=-1.0, below=1.0)
    if margin is None:
        if difference == 0.0:
            raise InputError(
                "must not be 0 without a margin",
                "got 0",
                Message(
                    "For a study that shows that tests are nearly equal pass {}.",
                    arg("margin", 0.05),
                ),
                argument="difference",
            )
        return difference, None
    margin = check_number(margin, "margin", above=0.0, below=1.0)
    if difference <= -margin:
        raise InputError(
            "must be above minus the margin",
            Message("got {:g} and {}", difference, arg("margin", margin)),
            "A test that is worse by the margin or more is inferior.",
            argument="difference",
        )
    return difference, margin


def _check_sizes(sizes: Any, name: str, least: int, most: int) -> tuple[int, ...] | None:
    """Return whole numbers in increasing order; None if none are given."""
    if sizes is None:
        return None
    given = read_numbers(sizes)
    good = given is not None and given.ndim <= 1 and 0 < given.size <= _MOST_SIZES
    if given is None or not good or not (given == np.floor(given)).all():
        must = f"must be a whole number, or up to {_MOST_SIZES} of them"
        raise wrong_value(name, sizes, must, example=6 if name == "readers" else 200)
    wrong = given[(given < least) | (given > most)]
    if wrong.size:
        first = float(wrong.flat[0])
        remedy = Message("One reader cannot stand for others; pass {}.", arg("random", "cases"))
        raise InputError(
            f"must be from {least} to {most:,}",
            f"got {first:g}",
            remedy if name == "readers" and first == 1.0 else "",
            argument=name,
        )
    return tuple(np.unique(given).astype(int).tolist())
