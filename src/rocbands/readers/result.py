"""The result of a reader study."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rocbands.core.arguments import explain_constructor
from rocbands.core.attributes import Axes, Count, Level, Number, Rate, type_columns
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray, IndexArray, check_choice
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative
from rocbands.core.phrases import name_model, say_ends, split_gap, write_share, write_shares
from rocbands.core.randomness import Rng
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.readers.average import average_curve
from rocbands.readers.contrast import JointTest
from rocbands.readers.method import Random
from rocbands.readers.readings import Readings

SCOPE: dict[Random, str] = {
    "both": "for readers and cases like these",
    "cases": "for these readers and cases like these",
    "readers": "for readers like these and these cases",
}
# Tables of a study, and what they show; {metric} and {scope} are those of the study.
TABLES = {
    "differences": "Differences in {metric} with {scope}",
    "tests": "{metric} of each test, averaged over readers, with {scope}",
    "readers": "{metric} of each reader, with {level} confidence limits for cases like these",
    "components": "Components of the variance, as Obuchowski and Rockette define them",
    "inferences": "{metric} and differences for readers and cases like these (both), for these "
    "readers (cases) and for these cases (readers), with {level} confidence limits",
}
_COMPONENTS = {
    "var_r": "variance of readers",
    "var_tr": "variance of tests x readers",
    "var": "variance of an estimate, given the reader",
    "cov1": "covariance of estimates: same reader, other test",
    "cov2": "other reader, same test",
    "cov3": "other reader, other test",
    "ms_t": "mean square of tests",
    "ms_r": "mean square of readers",
    "ms_tr": "mean square of tests and readers",
    "cases": "number of cases",
    "n_readers": "number of readers",
    "n_tests": "number of tests",
}


class Inference(NamedTuple):
    """One mean or difference, with readers, cases or both as random."""

    target: str
    random: Random
    estimate: float
    low: float
    high: float
    standard_error: float
    df: Number
    statistic: Number | None
    pvalue: Rate | None


@dataclass(frozen=True, eq=False, repr=False)
class ReaderTable(Result):
    """One table of a reader study.

    Attributes
    ----------
    title : str
        What the table shows.
    design : str
        The design of the study in words.
    cells : mapping of str to sequence
        Its columns.
    """

    schema: ClassVar[str] = "rocbands.reader-table/1"
    FACTS: ClassVar[str] = "title design"

    title: str
    design: str
    cells: Mapping[str, Any]
    frame: str | None = None

    def columns(self) -> Mapping[str, Any]:
        return self.cells

    @property
    def sentence(self) -> str:
        """What the table shows."""
        return f"{self.title}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        shown = dict(self.cells)
        if "random" in shown:  # all three kinds, in the width of a terminal
            del shown["statistic"]
        if "value" in shown:  # numbers of cases among variances, which need more decimals
            shown["value"] = [str(int(x)) if x >= 1.0 else f"{x:.4g}" for x in shown["value"]]
        return f"{_capitalize(self.design)}.", _drop_empty(shown)

    def _brief(self) -> str:
        return self.title


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReaderStudy(Result):
    """Tests compared by the average over readers, with what the result generalises to.

    Attributes
    ----------
    readings : Readings
        The data.
    metric : str
        'auc', 'partial_auc', 'sensitivity' or 'specificity'.
    quantity : str
        Its name in texts, such as 'AUC'.
    design : str
        The design in words, such as 'factorial: 5 readers x 2 tests x 114 cases (45 + 69)'.
    tests, readers : tuple of str
        Names; the readers without the algorithm.
    algorithm : str or None
        The stand-alone algorithm.
    areas, area_errors : ndarray of shape (n_tests, n_readers)
        The metric of each reader under each test, and its standard error given the reader; NaN
        where not read.
    area_lower, area_upper : ndarray of shape (n_tests, n_readers)
        Limits of each reader's metric, with cases as random; NaN where not read.
    cases_read : ndarray of int, shape (n_tests, n_readers)
        Number of cases that each reader read under each test.
    algorithm_areas : tuple of Interval or None
        The algorithm under each test, if there is one.
    means : tuple of Interval
        The average over readers for each test.
    differences : tuple of Comparison
        For each pair of tests, test 1 minus test 2; or for each test, the algorithm minus readers.
    holm : tuple of float
        P-values of `differences`, adjusted by Holm's method for their number.
    joint : JointTest or None
        Test that three tests or more, which all readers read, have the same mean.
    components : mapping of str to float
        Variance components of Obuchowski and Rockette, if all readers read all tests and every
        pair of tests shares as many cases: `var_r` of readers, `var_tr` of tests and readers, `var`
        of errors, their covariances `cov1` (other test), `cov2` (other reader), `cov3` (both
        other), mean squares, and numbers of cases, readers and tests. Components may be negative.
    by_reader : tuple of Comparison
        The first difference for each reader in `reader_names`, with cases as random.
    reader_names : tuple of str
        The readers of `by_reader`.
    inferences : tuple of Inference
        Each mean and difference with both as random, cases only (these readers), and readers only
        (these cases).
    random : {'both', 'cases', 'readers'}
        What means and differences generalise to.
    level : float
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': test 1, or the algorithm, is better.
    margin : float or None
        Margin of non-inferiority.
    null : float or None
        Value that means are tested against.
    method, parameters
        The method and its parameters.
    n_pos, n_neg : int
        Cases of each class.
    notes : tuple of str
        Notes on this study.
    """

    schema: ClassVar[str] = "rocbands.reader-study/1"
    FACTS: ClassVar[str] = (
        "metric quantity design tests readers algorithm areas area_errors area_lower "
        "area_upper cases_read joint components reader_names by_reader inferences random level "
        "alternative margin null method parameters n_pos n_neg verdict notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "kind name"),
        (float, "estimate low high standard_error"),
        (Number, "df"),
        (Number | None, "statistic"),
        (Rate | None, "pvalue holm"),
    )

    readings: Readings
    metric: str
    quantity: str
    design: str
    tests: tuple[str, ...]
    readers: tuple[str, ...]
    areas: FloatArray
    area_errors: FloatArray
    area_lower: FloatArray
    area_upper: FloatArray
    cases_read: IndexArray
    means: tuple[Interval, ...]
    random: Random
    level: Level
    method: str
    n_pos: Count
    n_neg: Count
    differences: tuple[Comparison, ...] = ()
    holm: tuple[float, ...] = ()
    joint: JointTest | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    by_reader: tuple[Comparison, ...] = ()
    reader_names: tuple[str, ...] = ()
    inferences: tuple[Inference, ...] = ()
    algorithm: str | None = None
    algorithm_areas: tuple[Interval | None, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    alternative: Alternative = "two-sided"
    margin: float | None = None
    null: float | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def _check(self) -> None:
        require(len(self.means) == len(self.tests), "Each test must have a mean.")
        require(len(self.holm) == len(self.differences), "Each difference must have a p-value.")

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        if not self.differences:
            return self.means[0].sentence
        if not self._of_pairs:
            return f"{_say_pair(self.differences[0])[0]}."
        if self.joint is not None:
            some = "Differences" if self.joint.pvalue < 1.0 - self.level else "No differences"
            return f"{some} in {self.quantity} are shown."
        pairs = zip(self.differences, self.holm, strict=True)
        shown = [gap.names for gap, pvalue in pairs if pvalue < 1.0 - self.level]
        which = f"{len(shown)} of {len(self.holm)} pairs of tests" if shown else "No two tests"
        which = " and ".join(shown[0]) if len(shown) == 1 else which
        return f"{which} are shown to differ in {self.quantity}."

    @property
    def _of_pairs(self) -> bool:
        """Whether the answer is about several pairs of tests together."""
        return len(self.differences) > 1 and self.margin is None and self.algorithm is None

    @property
    def sentence(self) -> str:
        """The answer, with the number of readers and what it generalises to."""
        over, scope = f"on average over {self._count_readers()}", SCOPE[self.random]
        if not self.differences:
            means = "; ".join(map(_name_mean, self.tests, self.means))
            return f"{means} {over}, {scope}."
        if self._of_pairs:
            far = max(self.differences, key=lambda one: round(abs(one.difference), 12))
            return (
                f"{self.verdict.removesuffix('.')}, among {len(self.tests)} tests, {over} and "
                f"{scope}. The largest difference, with limits for this pair alone: "
                f"{''.join(_say_pair(far))}."
            )
        first = self.differences[0]
        said = "".join(_say_pair(first))
        both = [
            f"{write_share(value)} ({name})"
            for name, value in zip(first.names, first.estimates, strict=True)
        ]
        if not _has_direction(first) and first.difference < 0.0:
            both.reverse()
        more = len(self.differences) - 1
        rest = f" The table has {more} more difference{'s' * (more > 1)}." if more else ""
        stop = ";" if ":" in said else ":"
        return f"{said}{stop} {' and '.join(both)} {over}, {scope}.{rest}"

    def _count_readers(self) -> str:
        """Say how many readers are behind the means of the sentence."""
        read = self.cases_read > 0
        if self._of_pairs:
            sizes = [len(self.readers)]
        elif self.algorithm is not None:  # compared under the first test that it read
            known = [area is not None for area in self.algorithm_areas]
            sizes = [int(read[known.index(True)].sum())]
        elif self.differences and not (read[0] & read[1]).any():
            sizes = [int(own.sum()) for own in read[:2]]
        else:
            sizes = [int(read[:2].all(axis=0).sum())]
        if len(sizes) > 1:
            return f"{sizes[0]} and {sizes[1]} different readers"
        return f"{sizes[0]} reader{'s' * (sizes[0] != 1)}"

    def columns(self) -> Mapping[str, Any]:
        columns = _transpose([one for one in self.inferences if one.random == self.random])
        first = len(self.tests)  # means of tests stand before differences
        kind = ["test"] * first + ["difference"] * len(self.holm)
        columns |= {"kind": kind, "name": columns["target"], "holm": [None] * first + [*self.holm]}
        return {name: columns[name] for name in self.COLUMNS}

    @explain_constructor
    def to_frame(self, kind: str | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        kind : str, optional
            The library, as for every result; or a table, as for :meth:`table`.
        """
        return self.table(kind).to_frame() if kind in TABLES else super().to_frame(kind)

    def table(self, name: str) -> ReaderTable:
        """Return one table of the study, which can be written like every result.

        Parameters
        ----------
        name : {'differences', 'tests', 'readers', 'components', 'inferences'}
            'readers': each reader under each test. 'inferences': readers, cases or both as random.
        """
        check_choice(name, tuple(TABLES), "name")
        level = percent(self.level)
        scope = f"{level} confidence limits {SCOPE[self.random]}"
        title = TABLES[name].format(metric=self.quantity, scope=scope, level=level)
        design = self.design
        if name == "components" and not self.components:
            design += (
                ". Components need two readers or more who all read every test, and as many common "
                "cases in every pair of tests"
            )
        return ReaderTable(_capitalize(title), design, self._cells(name), self.frame)

    def _cells(self, name: str) -> Mapping[str, Any]:
        if name in ("differences", "tests"):
            first = len(self.tests)
            part = slice(first) if name == "tests" else slice(first, None)
            return {key: cells[part] for key, cells in self.columns().items() if key != "kind"}
        if name == "components":
            return {
                "component": list(self.components),
                "value": list(self.components.values()),
                "meaning": [_COMPONENTS[name] for name in self.components],
            }
        if name == "inferences":
            return _transpose(self.inferences)
        parts = (self.areas, self.area_lower, self.area_upper, self.area_errors)
        rows = [
            (self.readers[j], self.tests[i], *(float(part[i, j]) for part in parts), int(count))
            for (i, j), count in np.ndenumerate(self.cases_read)
            if count
        ]
        keys = ("reader", "test", "estimate", "low", "high", "standard_error", "cases")
        rows += self._list_algorithm()
        return dict(zip(keys, map(list, zip(*rows, strict=True)), strict=True))

    def _list_algorithm(self) -> list[tuple[Any, ...]]:
        """Return the rows of the algorithm: each test that it read, perhaps one of its own."""
        if self.algorithm is None:
            return []
        counts = self.readings.read[:, self.readings.readers.index(self.algorithm)].sum(axis=1)
        of_test = dict(zip(self.tests, self.algorithm_areas, strict=True))
        if not set(self.tests) & {self.readings.tests[i] for i in np.flatnonzero(counts)}:
            of_test = {self.readings.tests[int(counts.argmax())]: self.algorithm_areas[0]}
        rows = []
        for test, count in zip(self.readings.tests, counts.tolist(), strict=True):
            if count and (area := of_test.get(test)) is not None:
                numbers = area.estimate, area.low, area.high, area.standard_error
                rows.append((self.algorithm, test, *numbers, count))
        return rows

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        if self.margin is not None:
            side = ", those of differences one-sided (greater)"
        among = "" if self.algorithm is None else f"; {self.algorithm} is counted among the readers"
        lines = [
            f"{_capitalize(self.design)}{among}.",
            f"{_capitalize(self.quantity)}, averaged over readers, with "
            f"{percent(self.level)} confidence limits {SCOPE[self.random]} ({self.method}{side}).",
        ]
        if self.joint is not None:
            df2 = "inf" if math.isinf(self.joint.df2) else f"{self.joint.df2:.4g}"
            lines.append(
                f"Test of equal {self.quantity} of all tests: F({self.joint.df1:g}, {df2}) = "
                f"{self.joint.statistic:.4g}, p = {self.joint.pvalue:.4g}."
            )
        if self.null is not None:
            lines.append(f"P-values of means are for the test of {self.quantity} = {self.null:g}.")
        dropped = {"kind"} if len(self.differences) > 1 else {"kind", "holm"}
        rows = {key: cells for key, cells in self.columns().items() if key not in dropped}
        return "\n".join([*lines, *self.notes]), _drop_empty(rows)

    def _brief(self) -> str:
        return f"{self.design}; {self.quantity}, {self.method}"

    def average_curve(
        self,
        test: str | None = None,
        *,
        level: float | None = None,
        n_resamples: int = 1000,
        rng: Rng = 0,
    ) -> Band:
        """Average the ROC curves of the readers under one test, with a band for these readers.

        Curves are averaged along lines of slope -1, so that the area under the average is the mean
        AUC. The band is simultaneous: it is for the whole average curve of these readers, not of
        others. Cases are resampled with all their readings, patients with all their cases.

        Parameters
        ----------
        test : str, optional
            The test; may be left out if there is one only.
        level : float, optional
            Confidence level; by default that of the study.
        n_resamples : int, default 1000
            Number of resampled sets of cases.
        rng : None, int, SeedSequence or Generator, default 0
            Source of randomness.

        Returns
        -------
        Band
            The average curve is its `centre`; the curves of the readers are ``band.roc.folds``.

        Examples
        --------
        >>> import numpy as np, rocbands as rb
        >>> reader, case = (part.ravel() for part in np.indices((4, 60)))
        >>> noise = np.random.default_rng(1).normal(size=(2, 240))
        >>> score = noise[0] + noise[1, :60][case] + 2 * (case < 30)
        >>> study = rb.compare_readers(rb.Readings(case < 30, score, reader=reader, case=case))
        >>> band = study.average_curve()
        >>> print(f"{band.auc:.4f} {study.means[0].estimate:.4f}")
        0.8378 0.8378
        """
        readings = self.readings.take(self.readers)
        level = self.level if level is None else level
        return average_curve(readings, test, level=level, n_resamples=n_resamples, rng=rng)

    @document_plot
    def plot(
        self, kind: str = "forest", ax: Axes | None = None, *, legend: bool | str = True
    ) -> Axes:
        """Draw readers, averages and differences; or the curves.

        Parameters
        ----------
        kind : {'forest', 'curves'}, default 'forest'
            'forest': a row for each reader with all tests and the reader's difference; below, the
            averages and their differences. 'curves': a panel for each test, with the curves of all
            readers, and their average with its band for these readers; on given axes, the averages
            of all tests.
        """
        return self._draw(ax, kind=kind, legend=legend)


def _transpose(rows: Sequence[Inference]) -> dict[str, list[Any]]:
    return dict(zip(Inference._fields, map(list, zip(*rows, strict=True)), strict=True))


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _drop_empty(columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave columns without values out."""
    return {key: cells for key, cells in columns.items() if not cells or {*cells} != {None}}


def _name_mean(test: str, one: Interval) -> str:
    """Name a test, its mean with limits, and whether it is shown to differ from `null`."""
    mean, *ends = write_shares(one.estimate, one.low, one.high)
    limits = f"{percent(one.level)} interval {say_ends(ends, one.alternative)}"
    said = f"{test}: {one.quantity} {mean} ({limits})"
    if one.pvalue is None:
        return said
    verb = {"two-sided": "differ from", "greater": "exceed", "less": "be below"}[one.alternative]
    shown = "shown" if one.pvalue < 1.0 - one.level else "not shown"
    return f"{said}, {shown} to {verb} {one.null:g},"


def _has_direction(gap: Comparison) -> bool:
    """Tell whether one direction was asked for, so that the larger mean does not come first."""
    return gap.margin is not None or gap.alternative != "two-sided"


def _say_pair(gap: Comparison) -> tuple[str, str]:
    """Say whether two means are shown to differ, the larger first; then by how much."""
    if _has_direction(gap):
        size, *ends = write_shares(gap.difference, gap.low, gap.high)
        said = f" (difference {size}, {say_ends(ends, gap.alternative)})"
        return gap.verdict.removesuffix("."), said
    one, two = (name_model(name.replace("readers, ", "readers with ", 1)) for name in gap.names)
    low, high = gap.low, gap.high
    if gap.difference < 0.0:
        one, two, low, high = two, one, -high, -low
    words = ("higher", "lower")
    size, _, limits = split_gap(abs(gap.difference), low, high, write_share, words)
    if low > 0.0:
        return f"{one} has a higher {gap.quantity} than {two}", f" by {size} ({limits})"
    none = f"{one} and {two} are not shown to differ in {gap.quantity}"
    return none, f": {size} higher for {one} ({limits})"
