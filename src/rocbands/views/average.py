"""Averages of curves over folds or runs, in the coordinates of any view, with pointwise limits.

The curves of k folds are averaged at fixed abscissae x: recalls, rates, false positive rates or
weights of costs. With the standard deviation s(x) of the folds' ordinates the limits are

    mean(x) -+ t sqrt(c s(x)^2 + e(x)^2),                                                   (1)

where t is Student's quantile with k - 1 degrees of freedom. For independent runs c = 1/k; for a
cross-validation c = 1/k + 1/(j - 1), j the folds of a repetition, since folds share training rows
(Nadeau and Bengio 2003). e(x) is what one case of the whole sample changes. It matters only where
all folds agree, as on the flat end of a curve: there (1) without it would have no width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from rocbands.core.arguments import explain
from rocbands.core.attributes import Axes, Count, Derived, Level, Number, type_columns
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_flag,
    check_level,
    check_share,
    check_unit_interval,
)
from rocbands.core.columns import Numbers
from rocbands.core.curve import Curve
from rocbands.core.data import as_roc_curve
from rocbands.core.method import Coverage, Handling
from rocbands.core.phrases import count_classes, usual_fpr
from rocbands.core.region import BetweenRegion
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import count_independent_cases
from rocbands.errors import InputError, Message, arg, call, in_python
from rocbands.views.coordinates import COORDINATES, Coordinates, Cost
from rocbands.views.sections import Sections
from rocbands.views.view import SMALLEST_SHARE, evaluate_curve

HANDLING = Handling(
    "average_curve",
    "views",
    "mean of the folds' curves at fixed abscissae, with Student's limits",
    ("folds", "repeats", "clusters", "weights", "class weights"),
    needs=("folds",),
)
FEWEST = 3  # folds
_MOST_ROWS = 20  # of the printed table
_SHARED = "Folds share training rows, which the limits allow for by a rule of thumb."
_INDEPENDENT = "Runs are taken as independent: no row was used by two of them."
_OPTIMISTIC = (
    "Optimistic: the best threshold of each fold is found in the rows that it is judged by."
)
_OWN_SHARE = "Each fold is taken at its own share of positives."
_AGREE = "Where all folds agree, the limits are as wide as one case makes them."
# The whole unit square: its limits in a view are the values that a curve can have there.
_SQUARE = BetweenRegion(
    Curve(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])),
    Curve(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AverageCurve(Result):
    """Average of the curves of folds or runs at fixed abscissae, with pointwise limits.

    Attributes
    ----------
    view : str
        The coordinates, as in ``band.view("pr")``.
    abscissa, ordinate : str
        What the curves are averaged at, and what is averaged.
    at : ndarray of shape (n,)
        Abscissae.
    mean, lower, upper : ndarray of shape (n,)
        Mean of the folds' ordinates, and its limits, each for its own abscissa.
    fold_curves : ndarray of shape (k, n)
        The ordinates of each fold.
    level : float
        Nominal confidence level.
    coverage : {'pointwise'}
        The level is for each abscissa alone.
    target : str
        What the limits are for.
    independent : bool
        Whether folds were taken as independent.
    n_folds : int
        Number of folds, of all repetitions.
    prevalence : float or None
        The prevalence that was given; None where each fold has its own, or none is needed.
    n_pos, n_neg : int
        Class sizes, of all folds together.
    notes : tuple of str
        Notes on this average.

    See Also
    --------
    rocbands.average_curve : make one.
    """

    schema: ClassVar[str] = "rocbands.average-curve/1"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("at", "lower", "mean", "upper")
    FACTS: ClassVar[str] = (
        "view abscissa ordinate level coverage target independent n_folds prevalence fold_curves "
        "n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns((Number, "at mean lower upper"))

    view: str
    at: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    fold_curves: tuple[FloatArray, ...]
    level: Level
    independent: bool
    prevalence: float | None
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def _check(self) -> None:
        held = (self.lower <= self.mean) & (self.mean <= self.upper)
        require(held.all(), "The limits of an average must contain it.")

    _coordinates = Derived[Coordinates](lambda found: COORDINATES[found.view](), "The axes.")
    abscissa = Derived[str](lambda found: found._coordinates.abscissa, "Where curves are averaged.")
    ordinate = Derived[str](lambda found: found._coordinates.ordinate, "What is averaged.")
    coverage = Derived[Coverage](lambda found: "pointwise", "The level is for each abscissa alone.")
    n_folds = Derived[Count](lambda found: len(found.fold_curves), "Number of all folds.")
    folds_word = Derived[str](
        lambda found: "runs" if found.independent else "folds", "What the parts are called."
    )
    target = Derived[str](
        lambda found: (
            f"expected {found._coordinates.title} of models trained as the {found.folds_word}' "
            "models were"
        ),
        "What the limits are for.",
    )

    @property
    def sentence(self) -> str:
        """The average at one abscissa in words."""
        view = self._coordinates
        spoken = usual_fpr(self.n_pos, self.n_neg) if view.abscissa == "fpr" else view.spoken_at
        place = int(np.abs(self.at - spoken).argmin())
        at, *found = (float(c[place]) for c in (self.at, self.mean, self.lower, self.upper))
        lead = f"On average over {self.n_folds} {self.folds_word}"
        if not isinstance(view, Cost):
            said = view.say(at, *found)
            return f"{lead}, {said[0].lower()}{said[1:]}"
        mean, low, high = found
        return (
            f"{lead}, the {view.ordinate} at {view.abscissa} {at:.4g} is {mean:.3f} ({low:.3f} to "
            f"{high:.3f}), each fold at its best threshold."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"{percent(self.level)} pointwise confidence limits (Student's t) for the "
            f"{self.target}.",
            f"{self.n_folds} folds, {count_classes(self.n_pos, self.n_neg)}.",
            *self.notes,
        ]
        shown = np.arange(self.at.size)
        if shown.size > _MOST_ROWS:  # round numbers, if they are among the abscissae
            tenths = 10.0 * self.at
            round_ones = np.flatnonzero(np.abs(tenths - tenths.round()) < SLACK)
            shown = round_ones if round_ones.size > 5 else shown[:: shown.size // 10]
        names = {"at": self.abscissa, "mean": self.ordinate}
        rows = {names.get(name, name): column[shown] for name, column in self.columns().items()}
        return "\n".join(lines), rows

    def _brief(self) -> str:
        return (
            f"{self.view}, mean of {self.n_folds} folds, {percent(self.level)} pointwise "
            "confidence limits"
        )

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the average, its limits, and the curves of the folds as thin lines."""
        return self._draw(
            ax,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            legend=legend,
        )


@explain
def average_curve(
    sample: Sample | RocCurve,
    *,
    view: str = "roc",
    at: Numbers | None = None,
    level: float = 0.95,
    independent: bool = False,
    prevalence: float | None = None,
) -> AverageCurve:
    """Average of the curves of several folds or runs, with pointwise limits.

    Scores of different folds come from different models and are never compared: each fold has a
    curve of its own, and their ordinates are averaged at fixed abscissae.

    Parameters
    ----------
    sample : Sample or RocCurve
        One model's sample with at least three folds, each with both classes; or its curve. For
        runs, the number of the run is the fold.
    view : {'roc', 'pr', 'gains', 'lift', 'det', 'cost', 'net-benefit'}
        The coordinates. Averaged are the tpr or fnr at each fpr, precision at each recall, recall
        or lift at each rate, the least cost at each weight of false negatives, or the largest net
        benefit at each threshold probability. The points of a fold are joined in ROC space, so
        precision between two points is not overstated (Davis and Goadrich 2006).
    at : array-like, optional
        Abscissae; by default 0, 0.01, ..., 1, as far as the ordinate is defined.
    level : float, default 0.95
        Confidence level, for each abscissa alone.
    independent : bool, default False
        Whether no row was used by two folds, neither for training nor for testing, as in runs with
        data of their own. By default folds are those of a cross-validation, and the limits are
        widened as in ``fold_auc_interval(method="nadeau-bengio")``.
    prevalence : float, optional
        Share of positives for 'pr', 'gains', 'lift' and 'net-benefit'; by default each fold has
        its own.

    Returns
    -------
    AverageCurve
        Means, limits and the curves of all folds. The limits are for the expected curve of models
        trained as these were, on test sets as large as the folds.

    Notes
    -----
    In 'cost' and 'net-benefit' every fold has the best of all thresholds for its own rows. That is
    optimistic, and the more so the smaller the folds are. Measured coverage: docs/other-curves.md.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> import rocbands as rb
    >>> sample = rb.load_example()["logistic"]
    >>> folds = np.arange(sample.n) % 5
    >>> average = rb.average_curve(sample.replace(folds=folds), view="pr", at=[0.5, 0.8])
    >>> average.mean.round(3), average.lower.round(3)
    (array([0.856, 0.711]), array([0.726, 0.485]))
    """
    if not isinstance(sample, (Sample, RocCurve)):
        raise InputError(
            "must be a sample with folds",
            f"it is {type(sample).__name__}",
            in_python("Pass rb.Sample(y_true, y_score, folds=...)."),
            argument="sample",
        )
    check_choice(view, tuple(COORDINATES), "view")
    check_flag(independent, "independent")
    level, coordinates, roc = check_level(level), COORDINATES[view](), as_roc_curve(sample)
    HANDLING.check(roc)
    if len(roc.folds) < FEWEST:
        raise InputError(
            f"must say the fold of each row, and an average needs at least {FEWEST} folds",
            f"there are {len(roc.folds)}" if roc.folds else "there are none",
            Message("For one test set see {}.", call("roc_band")),
            argument="folds",
        )
    if independent and roc.repeats > 1:
        raise InputError(
            "Repetitions of a cross-validation have the same rows and are not independent",
            Message("{} was given", arg("independent", True)),
            "Leave it out.",
        )
    if prevalence is not None:
        if not coordinates.uses_prevalence:
            raise InputError(
                f"View {view!r} does not depend on the prevalence",
                Message("{} was given", arg("prevalence")),
                Message("Leave {} out.", arg("prevalence")),
            )
        prevalence = check_share(prevalence, "prevalence", SMALLEST_SHARE)
    x = _choose_abscissae(coordinates, at)
    shares = [fold.prevalence if prevalence is None else prevalence for fold in roc.folds]
    each = np.stack(
        [
            evaluate_curve(fold.curve, coordinates, x, share)
            for fold, share in zip(roc.folds, shares, strict=True)
        ]
    )
    least, most = coordinates.limits(Sections(_SQUARE), x, min(shares), max(shares))
    mean, spread = np.clip(each.mean(axis=0), least, most), each.std(axis=0, ddof=1)
    count = len(roc.folds)
    factor = 1.0 / count + (0.0 if independent else 1.0 / (count / roc.repeats - 1.0))
    share = roc.prevalence if prevalence is None else prevalence
    case = _find_change(view, x, share, roc)
    half = -float(stdtrit(count - 1.0, (1.0 - level) / 2.0)) * np.sqrt(factor * spread**2 + case**2)
    notes = (
        _INDEPENDENT if independent else _SHARED,
        *([_OPTIMISTIC] if isinstance(coordinates, Cost) else []),
        *([_OWN_SHARE] if coordinates.uses_prevalence and prevalence is None else []),
        *([_AGREE] if (spread <= case).any() else []),
    )
    return AverageCurve(
        view=view,
        at=x,
        mean=mean,
        lower=np.minimum(np.maximum(mean - half, least), mean),
        upper=np.maximum(np.minimum(mean + half, most), mean),
        fold_curves=tuple(each),
        level=level,
        independent=bool(independent),
        prevalence=prevalence,
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        notes=notes,
        frame=roc.frame,
    )


def _choose_abscissae(coordinates: Coordinates, at: Numbers | None) -> FloatArray:
    """Return the given abscissae, or the view's own; precision and lift have none at 0."""
    grid, starts = coordinates.grid(), coordinates.ordinate in ("precision", "lift")
    if at is None:
        return grid[1:] if starts else grid
    x = np.atleast_1d(check_unit_interval(at, "at"))
    if x.ndim > 1 or not x.size:
        must = "must be numbers from 0 to 1 in one dimension, at least one"
        raise InputError(must, f"its shape is {x.shape}", argument="at")
    if starts and x.min() <= 0.0:
        must = f"must lie above 0: there is no {coordinates.ordinate} at {coordinates.abscissa} 0"
        raise InputError(must, f"got {x.min():g}", argument="at")
    if grid[-1] < 1.0 and x.max() >= 1.0:  # the odds of 1 are infinite
        raise InputError("must lie below 1", "got 1", argument="at")
    return x


def _find_change(view: str, x: FloatArray, p: float, roc: RocCurve) -> FloatArray:
    """Return what one case more or less of the whole sample changes in the ordinate at x."""
    # A step of the tpr, and of the fpr; with clusters or weights, by effective numbers of cases.
    found, false = (roc.repeats / number for number in count_independent_cases(roc))
    if view == "pr":  # from precision 1 down, by one false positive
        return np.asarray((1.0 - p) * false / (p * x + (1.0 - p) * false))
    if view == "lift":
        return found / np.maximum(x, SLACK)
    if view == "cost":
        return np.hypot(x * found, (1.0 - x) * false)
    if view == "net-benefit":
        return np.hypot(p * found, (1.0 - p) * false * x / (1.0 - x))
    return np.full(x.shape, found)
