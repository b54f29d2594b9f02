"""Coverage of bands on data like the user's own, at the same sample size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocbands._math.binormal import SUSPECT, NoFit, check_binormal, fit_binormal
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.attributes import Count, Level, Rate, type_columns
from rocbands.core.band import BandMethod
from rocbands.core.checks import check_flag, check_level, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.result import Result, document_plot, percent
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, in_python
from rocbands.resample.population import Population as Masses
from rocbands.resample.population import smooth_rows
from rocbands_studies.measurements import Cell, FutureCurve, TrueCurve, name_method
from rocbands_studies.populations import (
    Discrete,
    FixedClasses,
    Normal,
    Pair,
    Population,
    TwoColumns,
)
from rocbands_studies.results import CellResult, Figure, StudyResult
from rocbands_studies.spec import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TIED = 0.5  # distinct scores per row, below which the population is taken to have ties
_LATER = 20  # future test sets for each band


@dataclass(frozen=True, eq=False)
class Smooth:
    """A population whose ROC curve consists of straight pieces, along which scores are drawn."""

    fpr: tuple[float, ...]  # vertices of its curve, from (0, 0) to (1, 1)
    tpr: tuple[float, ...]
    name: str  # what tables call it

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> TwoColumns:
        # A score is a position along the curve, so both classes invert their rate by interpolation.
        place = -np.arange(len(self.fpr), dtype=np.float64)
        positives = np.interp(rng.random(n_pos), self.tpr, place)
        return positives, np.interp(rng.random(n_neg), self.fpr, place)

    @cached_property
    def truth(self) -> Curve:
        return Curve(np.array(self.fpr), np.array(self.tpr))


def estimate_population(roc: RocCurve, name: str = "like yours") -> Population:
    """Make a population that looks like a test set.

    Scores that are mostly distinct are smoothed, because their steps are noise. Scores on few
    levels stay on these levels, with the observed shares.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.load_example()["logistic"].roc
    >>> population = estimate_population(roc)
    >>> type(population).__name__, round(population.truth.area - roc.auc, 2)
    ('Smooth', -0.01)
    """
    rows = Masses.from_curve(roc)
    distinct = len(roc.fp) / (roc.n_pos + roc.n_neg)
    if distinct < _TIED:
        return _keep_levels(rows, roc.auc in (0.0, 1.0), name)
    curve = smooth_rows(rows).curve
    return Smooth(tuple(map(float, curve.x)), tuple(map(float, curve.y)), f"{name}, smoothed")


def _keep_levels(rows: Masses, separated: bool, name: str) -> Discrete:
    """Make a population on the observed levels.

    Test sets drawn from separated classes would always be separated, and a band without any width
    would contain their curve. So half a row of each class is added to each level.
    """
    counts = [np.diff(side)[::-1] for side in (rows.pos, rows.neg)]
    if counts[0].size == 1:
        raise InputError(
            "All scores are equal. Every test set like this one has the same curve, and any "
            "band contains it: there is nothing to measure. Check the column of scores."
        )
    name = f"{name}, with its ties"
    if separated:
        counts = [count + 0.5 for count in counts]
        name += " and half a row more on each level"
    pos, neg = (tuple(map(float, count / count.sum())) for count in counts)
    return Discrete(pos, neg, name)


def fit_binormal_population(roc: RocCurve) -> Population:
    """Make a population of normal scores whose curve is the binormal one fitted to a test set.

    Examples
    --------
    >>> import rocbands as rb
    >>> fit_binormal_population(rb.roc_curve([0, 0, 1, 0, 1, 0, 1, 1], range(8))).name
    'binormal scores fitted to yours'
    """
    # Counts at each score, from the lowest up.
    neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (roc.fp, roc.tp))
    fit, check = fit_binormal(neg, pos), check_binormal(neg, pos)
    if isinstance(fit, NoFit):
        why = f"no binormal curve fits: {fit.reason}"
    elif check is not None and check.p_value < SUSPECT:
        why = f"these do not look binormal (p = {check.p_value:.2g})"
    else:
        # tpr = Phi(a + b u) at fpr = Phi(u): negatives N(0, 1), positives N(a / b, 1 / b).
        scores = Normal(fit.a / fit.b, 1.0 / fit.b), Normal(0.0, 1.0)
        return Pair(*scores, name="binormal scores fitted to yours")
    raise InputError(
        "Method 'working-hotelling' is for binormal scores, and its level means nothing for others",
        why,
        "Leave it out.",
        argument="method",
    )


def plan_own_data(
    roc: RocCurve,
    methods: Iterable[BandMethod],
    *,
    level: float = 0.95,
    future: bool = False,
    replicates: int = 400,
    seed: int = 1,
) -> Study:
    """Plan a study of some methods on data like `roc`, at its class sizes.

    Working-Hotelling bands assume binormal scores, and no smoothed copy of a test set is exactly
    binormal. They are studied with binormal scores fitted to the test set; scores that do not look
    binormal are refused. With `future` the target is the curve of a later test set of the same
    size, not the true curve.
    """
    check_resamples(replicates, name="replicates")
    check_flag(future, "future")
    for extra in roc.design:
        if extra != "bins":
            raise InputError(
                Message(
                    "A study of one's own data is for independent rows that count equally and were "
                    "scored by one model. Leave {} out{}.",
                    arg(extra),
                    in_python(" of the sample"),
                )
            )
    population, classes = estimate_population(roc), FixedClasses(roc.n_pos, roc.n_neg)
    level = check_level(level)

    def make_cell(method: BandMethod) -> Cell:
        binormal = isinstance(method, WorkingHotelling)
        source = fit_binormal_population(roc) if binormal else population
        if future:
            return FutureCurve(source, classes, method, level, _LATER)
        return TrueCurve(source, classes, method, level)

    return Study("own data", tuple(map(make_cell, methods)), replicates, seed=seed)


@dataclass(frozen=True, eq=False, repr=False)
class OwnDataResult(Result):
    """Measured coverage and area of bands on data like the user's own.

    Attributes
    ----------
    found : StudyResult
        Result of a study planned by :func:`plan_own_data`.
    """

    schema: ClassVar[str] = "rocbands.own-study/1"
    DRAW_FUNCTION: ClassVar[tuple[str, str]] = ("rocbands_studies.pictures", "draw_own_data")
    FACTS: ClassVar[tuple[str, ...]] = ("seed", "level", "best")
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "method"), (Rate, "holds low high area"), (str, "verdict")
    )

    found: StudyResult

    @property
    def seed(self) -> Count:
        """Seed of the random streams."""
        return self.found.seed

    @property
    def level(self) -> Level:
        """Nominal level."""
        level: float = self.found.cells[0].cell.level  # type: ignore[attr-defined]
        return level

    def _make_row(self, found: CellResult) -> dict[str, Any]:
        held = found.figures.get("holds") or found.figures["contained"]
        area = found.figures["area"]
        if not (isinstance(held, Figure) and isinstance(area, Figure)):
            raise InputError(
                "A study of one's own data has one share and one area for each band",
                "this one measured something else",
                "Plan it by plan_own_data.",
            )
        return {
            "method": name_method(found.cell.method),  # type: ignore[attr-defined]
            "holds": held.value,
            "low": held.low,
            "high": held.high,
            "area": area.value,
            "verdict": self._verdict(held, found.figures.get("fitted")),
        }

    def _verdict(self, held: Figure, fitted: object) -> str:
        if isinstance(fitted, Figure) and fitted.high < self.level:
            return "often not fitted"
        if held.high < self.level:
            return "too narrow"
        return "wider than needed" if held.low > (1.0 + self.level) / 2.0 else "holds"

    @property
    def best(self) -> str | None:
        """The narrowest band whose coverage is not significantly too low; None if there is none.

        A band evaluated on a different population counts only if it is the only one.
        """
        fair = [found for found in self.found.cells if not _assumes_binormal(found.cell)]
        rows = map(self._make_row, fair or self.found.cells)
        kept = [row for row in rows if row["verdict"] in ("holds", "wider than needed")]
        return min(kept, key=lambda row: float(row["area"]))["method"] if kept else None

    def columns(self) -> Mapping[str, Any]:
        rows = [self._make_row(found) for found in self.found.cells]
        return {name: [row[name] for row in rows] for name in self.COLUMNS}

    def _brief(self) -> str:
        bands = len(self.found.cells)
        return f"{bands} band{'s' * (bands != 1)}, seed {self.found.seed}"

    @property
    def sentence(self) -> str:
        """The narrowest band that attains its level on data like these."""
        if self.best is None:
            return "On data like yours no band attains its level at this size."
        return f"On data like yours the narrowest band that attains its level is {self.best}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        facts = self.found.cells[0].cell.facts()
        others = [cell.cell for cell in self.found.cells if _assumes_binormal(cell.cell)]
        apart = ""
        if others and len(others) < len(self.found.cells):
            facts = next(c.cell for c in self.found.cells if c.cell not in others).facts()
            apart = (
                f"\n{name_method(others[0].method)} is evaluated on {others[0].population.name}, "  # type: ignore[attr-defined]
                "so ignore it if yours are not binormal."
            )
        return (
            f"{self.found.cells[0].n} test sets of {facts['size']} rows, {facts['population']}: "
            f"how often does a {percent(self.level)} band contain the {facts['target']}?"
            f"{apart}\n"
            "The truth is an estimate from your rows: a look at data like yours, not a proof.",
            self.columns(),
        )

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the measured coverage of each band and the nominal level."""
        return self._draw(ax, color=color)


def _assumes_binormal(cell: Cell) -> bool:
    return isinstance(getattr(cell, "method", None), WorkingHotelling)
