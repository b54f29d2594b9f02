"""One model and several groups of people: whether its curve is the same for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocbands.auc.score_delong import ScoreDeLong
from rocbands.bands import DEFAULT, METHODS
from rocbands.by_group.result import GroupDifference, Subgroups
from rocbands.comparison.group_differences import Against, build_group_differences
from rocbands.core.band import BandMethod
from rocbands.core.checks import FloatArray, check_choice, check_level, check_number
from rocbands.core.columns import against_rest, label_codes
from rocbands.core.method import resolve_method
from rocbands.core.randomness import Rng, SharedSeed, Simulation, digest_curves
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Scores
from rocbands.errors import InputError, arg, warn
from rocbands.points.clopper_pearson import PointClopperPearson
from rocbands.views.average_precision import average_precision_interval

__all__ = ["GroupDifference", "Subgroups", "subgroups"]

FEW = 25  # cases of a class in a group, below which a warning is given


def subgroups(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    by: Any = None,
    against: Against = "pairs",
    threshold: float | None = None,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    prevalence: float | None = None,
    n_resamples: int = 5000,
    positive: object = None,
    rest: bool = False,
    rng: Rng = "data",
) -> Subgroups:
    """Compare the ROC curve of one model in several groups of people.

    Parameters
    ----------
    y_true : array-like of shape (n,), or mapping of str to RocCurve
        Two labels of any kind; or, alone, the curve of each group, already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive.
    method : str or BandMethod, default 'likelihood'
        Of the groups' bands: a name from :func:`methods`, or an instance with its parameters.
    by : array-like of shape (n,)
        The group of each row. Every group needs both classes.
    against : {'pairs', 'rest'}
        Compare each pair of groups, or each group with the pooled rows of all others. Pooling
        supposes that a score means the same in all of them.
    threshold : float, optional
        A common threshold that was fixed beforehand; adds the rates of all groups there.
    level : float, default 0.95
        Probability with which all statements of a kind hold simultaneously: all bands, all
        differences at all fpr, all areas, all average precisions, all rates.
    fpr : (float, float), default (0.05, 0.95)
        The range of false positive rates for which differences are stated.
    prevalence : float, optional
        Share of positives that average precision is for. By default that of each group, so that
        average precisions of groups with different shares must not be compared.
    n_resamples : int, default 5000
        Number of drawn curves, for the differences.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness.

    Returns
    -------
    Subgroups
        ``.bands``, ``.differences``, a table of areas and rates, and ``.found``: for each pair
        where the curves differ, and the area between them.

    See Also
    --------
    difference_band : two groups or two test sets, with ``paired=False``.

    Notes
    -----
    Bands, areas and rates of groups are independent: each has the root of `level` that makes all
    hold simultaneously. Limits of rates are Clopper and Pearson's. The differences have one
    critical value for all pairs and all fpr (docs/difference.md).

    The area between two curves (ABROCA) is never 0 in data: of two groups of 100 + 100 people with
    the same true curve it is .05 on average. Its lower limit is what lies between the difference
    band and 0; it is 0 unless the band shows a difference.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 800)
    >>> sex = np.where(rng.random(800) < 0.5, "f", "m")
    >>> score = rng.normal(size=800) + y * np.where(sex == "f", 2.5, 1.0)
    >>> groups = rb.subgroups(y, score, by=sex, rng=1)
    >>> print(groups.auc.round(2), [round(one.abroca_low, 2) for one in groups.found])
    [0.95 0.78] [0.05]
    """
    check_choice(against, ("pairs", "rest"), "against")
    level = check_level(level)
    chosen = resolve_method(method, METHODS, BandMethod, DEFAULT)
    curves = _read_groups(y_true, y_score, by, against_rest(positive, rest))
    if threshold is not None:
        threshold = check_number(threshold, "threshold")
    shared = SharedSeed(rng, lambda: digest_curves(curves.values()))
    each = math.exp(math.log(level) / len(curves))
    areas = [ScoreDeLong()(roc, level=each) for roc in curves.values()]
    precisions = [
        average_precision_interval(roc, level=each, prevalence=prevalence)
        for roc in curves.values()
    ]
    bands = tuple(chosen(roc, level=each, rng=shared) for roc in curves.values())
    differences = build_group_differences(
        curves, against, level=level, fpr=fpr, n_resamples=n_resamples, rng=shared
    )
    rates: dict[str, Any] = {**_find_rates(curves, threshold, each)}
    return Subgroups(
        group=tuple(curves),
        bands=bands,
        auc=np.array([one.estimate for one in areas]),
        auc_low=np.array([one.low for one in areas]),
        auc_high=np.array([one.high for one in areas]),
        average_precision=np.array([one.estimate for one in precisions]),
        average_precision_low=np.array([one.low for one in precisions]),
        average_precision_high=np.array([one.high for one in precisions]),
        differences=differences,
        against=against,
        level=level,
        method=chosen.name,
        prevalence=prevalence,
        threshold=threshold,
        notes=_write_notes(curves, prevalence),
        frame=next(iter(curves.values())).frame,
        simulation=Simulation.join(part.simulation for part in (*differences, *bands)),
        **rates,
    )


def _read_groups(y_true: Any, y_score: Any, by: Any, positive: object) -> dict[str, RocCurve]:
    """Return the curve of each group, from rows or as they were given."""
    if isinstance(y_true, Mapping):
        curves = {str(name): roc for name, roc in y_true.items()}
        if y_score is not None or by is not None or positive is not None:
            raise InputError(
                "Curves of groups are already counted and need no rows",
                f"{arg('y_score')}, {arg('by')} or {arg('positive')} was given as well",
            )
        if not all(isinstance(roc, RocCurve) and not roc.binned for roc in curves.values()):
            raise InputError(
                f"{arg('y_true')} must contain labels, or map each group to its RocCurve",
                remedy="Curves must be of single scores, not of bins.",
            )
    else:
        if by is None or y_score is None:
            missing = "by" if by is None else "y_score"
            raise InputError("must be given", "it is missing", argument=missing)
        curves = _split_rows(Scores.from_columns(y_true, y_score, positive=positive), by)
    if len(curves) < 2:
        raise InputError(
            "must name at least two groups", f"every row is in {next(iter(curves), None)!r}",
            argument="by",
        )  # fmt: skip
    return curves


def _split_rows(scores: Scores, by: Any) -> dict[str, RocCurve]:
    labels, codes = label_codes(by, "by")
    if codes.size != len(scores):
        raise InputError(
            f"{arg('y_true')} and {arg('by')} must have one value for each row",
            f"they have {len(scores)} and {codes.size}",
            "Check that both come from the same rows.",
        )
    curves = {}
    for code, label in enumerate(labels):
        rows = codes == code
        part = Scores(scores.is_positive[rows], scores.values[rows], scores.positive, scores.frame)
        if part.n_pos == 0 or part.n_neg == 0:
            kind = "negative" if part.n_pos == 0 else "positive"
            raise InputError(
                "Every group must contain both classes",
                f"all {len(part)} rows of group {label!r} are {kind}",
                "Join it with another group, or leave its rows out.",
            )
        curves[str(label)] = RocCurve.from_scores(part)
    return curves


def _find_rates(
    curves: Mapping[str, RocCurve], threshold: float | None, level: float
) -> dict[str, FloatArray]:
    """Rates of all groups at a common threshold; both of a group hold simultaneously at `level`."""
    if threshold is None:
        return {}
    points = [
        PointClopperPearson()(roc, threshold=np.array([threshold]), joint=True, level=level)
        for roc in curves.values()
    ]
    names = (f"{rate}{end}" for rate in ("tpr", "fpr") for end in ("", "_low", "_high"))
    return {name: np.array([getattr(one, name)[0] for one in points]) for name in names}


def _write_notes(curves: Mapping[str, RocCurve], prevalence: float | None) -> tuple[str, ...]:
    notes = []
    small = [
        f"{name} ({roc.n_pos} + {roc.n_neg})"
        for name, roc in curves.items()
        if min(roc.n_pos, roc.n_neg) < FEW
    ]
    if small:
        notes.append(
            f"Fewer than {FEW} positives or negatives in {', '.join(small)}: differences of such "
            "groups have been measured to fall short of their level. Join small groups."
        )
        warn(notes[0])
    shares = [roc.n_pos / (roc.n_pos + roc.n_neg) for roc in curves.values()]
    if prevalence is None and max(shares) - min(shares) > 0.01:
        notes.append(
            f"Shares of positives are {min(shares):.3g} to {max(shares):.3g}, and average "
            "precision depends on them: to compare groups, specify the prevalence."
        )
    return tuple(notes)
