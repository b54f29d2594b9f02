"""A user's own question: which band to trust at one's sample size, on data like one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocbands._math.binormal import SUSPECT, NoFit, check_binormal, fit_binormal
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.attributes import Count, Level, Rate
from rocbands.core.band import BandMethod
from rocbands.core.checks import FloatArray, check_flag, check_level, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.result import Result, percent
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, arg, in_python
from rocbands.resample.population import Population as Masses
from rocbands.resample.smooth import smooth_rows
from rocbands.study.measurements import Cell, FutureCurve, TrueCurve, describe_method
from rocbands.study.populations import Discrete, FixedClasses, Normal, Pair, Population
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TIED = 0.5  # of the rows may share their score before ties belong to the picture
_LATER = 20


@dataclass(frozen=True, eq=False)
class Smooth:
    """A smooth population: straight pieces of an ROC curve, along which scores are drawn."""

    fpr: tuple[float, ...]  # vertices of its curve, from (0, 0) to (1, 1)
    tpr: tuple[float, ...]
    name: str  # what tables call it

    def draw(
        self, rng: np.random.Generator, n_pos: int, n_neg: int
    ) -> tuple[FloatArray, FloatArray]:
        # A score says how far along the curve a case stands.
        place = -np.arange(len(self.fpr), dtype=np.float64)
        sides = zip((self.tpr, self.fpr), (n_pos, n_neg), strict=True)
        one, other = (np.interp(rng.random(size), masses, place) for masses, size in sides)
        return one, other

    @cached_property
    def truth(self) -> Curve:
        """The curve itself."""
        return Curve(np.array(self.fpr), np.array(self.tpr))


def estimate_population(roc: RocCurve, name: str = "like yours") -> Population:
    """Make a population that looks like a test set.

    Scores that hardly repeat are smoothed: their own steps are noise. Scores on few levels stay on
    these levels, with the shares that were seen.

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
    """Make a population on the levels that were seen.

    Test sets drawn from separated classes would be separated too, with one and the same curve, and
    a band without any width would hold it. So half a row of either class is added to each level.
    """
    counts = [np.diff(side)[::-1] for side in (rows.pos, rows.neg)]
    if counts[0].size == 1:
        raise InputError(
            "All scores are equal. Every test set like this one has the same curve, so that any "
            "band holds it: there is nothing to measure. Check the column of scores."
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
    that. They are judged on what they are for: binormal scores fitted to the test set. Scores that
    do not look binormal are refused. With `future` it asks for curves of later test sets of the
    same size, not for the true curve.
    """
    check_resamples(replicates, name="replicates")
    check_flag(future, "future")
    for extra in roc.design:
        if extra != "bins":
            raise InputError(
                "A study of one's own data is for independent rows that count equally and were "
                f"scored by one model. Leave {arg(extra)} out{in_python(' of the sample')}."
            )
    population, classes = estimate_population(roc), FixedClasses(roc.n_pos, roc.n_neg)
    level = check_level(level)
    cells: list[TrueCurve | FutureCurve] = []
    for method in methods:
        world = fit_binormal_population(roc) if isinstance(method, WorkingHotelling) else population
        if future:
            cells.append(FutureCurve(world, classes, method, level, _LATER))
        else:
            cells.append(TrueCurve(world, classes, method, level))
    return Study("own data", tuple(cells), replicates, seed=seed)


@dataclass(frozen=True, eq=False, repr=False)
class OwnDataResult(Result):
    """Which bands hold as often as they say on data like one's own, and how wide they are.

    Attributes
    ----------
    found : StudyResult
        Of a study planned by :func:`plan_own_data`.
    """

    schema: ClassVar[str] = "rocbands.own-study/1"
    FACTS: ClassVar[tuple[str, ...]] = ("seed", "level", "best")
    COLUMNS: ClassVar[Mapping[str, Any]] = {
        "method": str,
        "holds": Rate,
        "low": Rate,
        "high": Rate,
        "area": Rate,
        "verdict": str,
    }

    found: StudyResult

    @property
    def seed(self) -> Count:
        """Of the random streams."""
        return self.found.seed

    @property
    def level(self) -> Level:
        """Nominal level."""
        level: float = self.found.cells[0].cell.level  # type: ignore[attr-defined]
        return level

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for cell in self.found.cells:
            held = cell.figures.get("holds") or cell.figures["contained"]
            area = cell.figures["area"]
            if not (isinstance(held, Figure) and isinstance(area, Figure)):
                raise InputError(
                    "A study of one's own data has one share and one area for each band",
                    "this one measured something else",
                    "Plan it by plan_own_data.",
                )
            rows.append(
                {
                    "method": describe_method(cell.cell.method),  # type: ignore[attr-defined]
                    "holds": held.value,
                    "low": held.low,
                    "high": held.high,
                    "area": area.value,
                    "verdict": self._verdict(held, cell.figures.get("fitted")),
                }
            )
        return rows

    def _verdict(self, held: Figure, fitted: object) -> str:
        if isinstance(fitted, Figure) and fitted.high < self.level:
            return "often not fitted"
        if held.high < self.level:
            return "too narrow"
        return "wider than needed" if held.low > (1.0 + self.level) / 2.0 else "holds"

    @property
    def best(self) -> str | None:
        """The narrowest band that is not seen to hold too rarely; None if there is none.

        One that was judged on a population of its own counts only if it is alone.
        """
        rows = self._rows()
        fair = [
            row
            for row, cell in zip(rows, self.found.cells, strict=True)
            if not _assumes_binormal(cell.cell)
        ]
        kept = [row for row in fair or rows if row["verdict"] in ("holds", "wider than needed")]
        return min(kept, key=lambda row: float(row["area"]))["method"] if kept else None

    def columns(self) -> Mapping[str, Any]:
        rows = self._rows()
        return {name: [row[name] for row in rows] for name in self.COLUMNS}

    def _brief(self) -> str:
        bands = len(self.found.cells)
        return f"{bands} band{'s' * (bands != 1)}, seed {self.found.seed}"

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        facts = self.found.cells[0].cell.facts()
        others = [cell.cell for cell in self.found.cells if _assumes_binormal(cell.cell)]
        apart = ""
        if others and len(others) < len(self.found.cells):
            facts = next(c.cell for c in self.found.cells if c.cell not in others).facts()
            apart = (
                f"\n{describe_method(others[0].method)} is judged on {others[0].population.name}, "  # type: ignore[attr-defined]
                "and is no choice if yours are not binormal."
            )
        advice = (
            f"The narrowest that holds is {self.best}."
            if self.best
            else "None of them holds as often as it says at this size."
        )
        return (
            f"{self.found.cells[0].n} test sets of {facts['size']} rows, {facts['population']}: "
            f"how often does a {percent(self.level)} band contain the {facts['target']}?\n"
            f"{advice}{apart}\n"
            "The truth is an estimate from your rows: a look at data like yours, not a proof.",
            self.columns(),
        )

    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the measured coverage of each band and the nominal level.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        color : color, optional
            Of all rows.

        Returns
        -------
        Axes
            The axes.
        """
        return self._draw(locals())


def _assumes_binormal(cell: Cell) -> bool:
    return isinstance(getattr(cell, "method", None), WorkingHotelling)
