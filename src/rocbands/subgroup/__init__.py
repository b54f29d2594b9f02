"""The ROC curve of one model in several groups: simultaneous bands and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rocbands.auc.score_delong import ScoreDeLong
from rocbands.bands import DEFAULT, METHODS
from rocbands.comparison.group_differences import (
    WAYS,
    Against,
    build_group_differences,
    pair_groups,
)
from rocbands.core.arguments import explain_with
from rocbands.core.band import BandMethod
from rocbands.core.checks import check_level, check_number
from rocbands.core.columns import Column, Labels, find_alike
from rocbands.core.data import Data, as_sample, refuse_beside
from rocbands.core.interval import Interval
from rocbands.core.method import Extra, Handling, resolve_method
from rocbands.core.models import Models, list_names
from rocbands.core.phrases import FEW, name_some, say_cases, say_few_clusters
from rocbands.core.randomness import Rng, Simulation, share_source
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.core.rows import check_both_classes, check_class_clusters, check_order
from rocbands.core.sample import Sample
from rocbands.core.table import list_notes
from rocbands.core.thresholds import repeat_threshold, write_given, write_threshold
from rocbands.errors import InputError, Message, arg, in_python, warn
from rocbands.precision.average_precision import average_precision_interval
from rocbands.subgroup.gaps import GroupGaps
from rocbands.subgroup.limits import GroupRates, choose_threshold, find_gaps, limit_rates
from rocbands.subgroup.result import Subgroups

IDEA = "bands, areas and rates of groups, and their differences"
HANDLED: tuple[Extra, ...] = ("clusters", "weights", "class weights", "strata")
HANDLING = Handling("subgroups", "subgroup", IDEA, HANDLED)


@explain_with(
    **dict.fromkeys(
        ("data", "label", "score"),
        "Columns of a frame: rb.subgroups(rb.Sample.from_frame(df, label=..., score=..., "
        'keep=["sex"]), by="sex").',
    )
)
def subgroups(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    by: str | Labels | None = None,
    method: str | BandMethod | None = None,
    against: Against = "pairs",
    threshold: float | None = None,
    at_fpr: float | None = None,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    prevalence: float | None = None,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> Subgroups:
    """Compare the ROC curve of one model in several groups of people.

    Parameters
    ----------
    y_true : Sample or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or BandMethod, default 'likelihood'
        How to compute bands: a name from :func:`methods`, or an instance with its parameters.
    by : str, or array-like of shape (n,)
        The group of each row: the name of a column that the sample keeps, or a column. Every group
        needs both classes. Not needed for counts by a column.
    against : str, default 'pairs'
        Compare each pair of groups; with 'rest' each group with the pooled rows of all others, for
        scores with the same meaning in all of them; or each with the group of this name. A group
        that is itself called 'pairs' or 'rest' cannot be named: these are ways to compare.
    threshold : float, optional
        The common threshold of the rates, best fixed in advance. By default it is chosen on these
        rows.
    at_fpr : float, optional
        Without `threshold`: the largest false positive rate over all rows that the chosen
        threshold may have. By default 0.1, and less if positives are rare.
    level : float, default 0.95
        Joint confidence level over all groups or all comparisons of them, for each quantity on its
        own: bands, differences of curves at all fpr, each area and rate, and its differences.
    fpr : (float, float), default (0.05, 0.95)
        The range of false positive rates for which differences of curves are stated.
    prevalence : float, optional
        Prevalence for average precision. By default that of each group; average precisions at
        different prevalences are not comparable.
    n_resamples : int, default 5000
        Number of drawn curves, for the differences.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Subgroups
        ``.gaps``, the differences of AUC, TPR, FPR, PPV, NPV and selection rate with their limits;
        a table of areas and rates; ``.bands``; ``.differences`` of curves and ``.found``: for each
        pair where the curves differ, and the area between them.

    See Also
    --------
    difference_band : two groups or two test sets.

    Notes
    -----
    Each band, area and rate of K groups has the level ``level ** (1 / K)``. Limits of rates are
    Clopper and Pearson's. Each of C differences of an area or rate has the level
    ``level ** (1 / C)``; its limits combine those of both groups (MOVER, with mid-P limits of rates
    and 'score-delong' limits of areas). Differences of curves have one critical value for all pairs
    and all fpr (docs/compare.md). A threshold that was chosen on these rows is treated as fixed:
    the limits are for the rates of that threshold. Measured coverage: docs/subgroups.md.

    With weights, clusters or strata of the sample, effective numbers of rows replace counts. Rows
    of one cluster, such as the lesions of a patient, may be in several groups by `by`:
    their differences have the correlation that this implies, and each difference of curves has the
    level ``level ** (1 / C)``.

    The area between two empirical curves (ABROCA) is never 0: with 100 + 100 cases in each of two
    groups with the same true curve its mean is .05. Its lower limit is the area between the
    difference band and 0.

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
    >>> for gap in groups.gaps.of("tpr", "fpr"):
    ...     print(gap.quantity, f"{gap.difference:.2f} ({gap.low:.2f} to {gap.high:.2f})")
    tpr 0.41 (0.32 to 0.49)
    fpr 0.01 (-0.05 to 0.07)
    """
    level = check_level(level)
    chosen = resolve_method(method, METHODS, BandMethod, DEFAULT)
    curves, pool, about = _read_groups(y_true, y_score, by, positive)
    against = _check_against(against, curves)
    every = pool_curves(list(curves.values()))
    if threshold is None:
        fpr_there = None if at_fpr is None else check_number(at_fpr, "at_fpr", above=0, below=1)
        cut, chosen_fpr = choose_threshold(every, fpr_there)
    elif at_fpr is not None:
        raise InputError(
            Message("{} is for choosing a threshold", arg("at_fpr")),
            Message("{} was given", arg("threshold")),
            "Leave one of them out.",
        )
    else:
        cut, chosen_fpr = check_number(threshold, "threshold"), None
    shared = share_source(rng)
    each = math.exp(math.log(level) / len(curves))
    areas = [ScoreDeLong()(roc, level=each) for roc in curves.values()]
    precisions = [
        average_precision_interval(roc, level=each, prevalence=prevalence)
        for roc in curves.values()
    ]
    bands = tuple(chosen(roc, level=each, rng=shared) for roc in curves.values())
    pairs = pair_groups(curves, against, pool)
    differences = build_group_differences(
        curves, pairs, level=level, fpr=fpr, n_resamples=n_resamples, rng=shared
    )
    binned = any(roc.binned for roc in curves.values())  # whose edges have all their digits
    write = write_given if chosen_fpr is None else write_threshold
    about |= {
        "against": against,
        "threshold": cut,
        "threshold_text": repeat_threshold(cut) if binned else write(every, cut),
        "at_fpr": chosen_fpr,
        "sizes": {name: (roc.n_pos, roc.n_neg) for name, roc in curves.items()},
    }
    groups = [GroupRates(roc, cut) for roc in curves.values()]
    gaps = find_gaps(pairs, level=level, groups=groups, **about)
    rates: dict[str, Any] = {**limit_rates(groups, each)}
    for name, found in (("auc", areas), ("average_precision", precisions)):
        for end, of in (("", "estimate"), ("_lower", "low"), ("_upper", "high")):
            rates[name + end] = np.array([getattr(one, of) for one in found])
    return Subgroups(
        group=tuple(curves),
        bands=bands,
        differences=differences,
        gaps=gaps,
        against=against,
        level=level,
        method=chosen.name,
        prevalence=prevalence,
        threshold=cut,
        at_fpr=chosen_fpr,
        notes=(*_write_notes(curves, prevalence, areas, gaps), *gaps.notes),
        frame=next(iter(curves.values())).frame,
        simulation=Simulation.join(part.simulation for part in (*differences, *bands)),
        **rates,
    )


def _read_groups(
    y_true: Any, y_score: Any, by: Any, positive: object
) -> tuple[dict[str, RocCurve], Callable[[str], RocCurve] | None, dict[str, Any]]:
    """Return the curve of each group, from rows or from counts by a column, and what it is of.

    Also a function that returns the curve of all others, if rows have a design.
    """
    pool, clusters = None, None
    if isinstance(y_true, Models) and not isinstance(y_true, Sample):
        refuse_beside(y_true, y_score=y_score, positive=positive)
        data: Models = y_true
        parts = y_true.split(by)  # type: ignore[attr-defined]
        curves = {str(name): part.roc for name, part in parts.items()}
    else:
        data = sample = as_sample(y_true, y_score, positive)
        if by is None:
            kept = f"it keeps {', '.join(map(repr, sample.kept))}" if sample.kept else ""
            raise InputError(
                "must say which group each row is in",
                kept or "it was not given",
                in_python("Pass the name of a column that the sample keeps, or a column.", "by"),
                argument="by",
            )
        sample.check_one_model()
        check_order({"y_true": y_true, "by": by})
        HANDLING.check(sample.design)
        sample = sample.leave_out_zeros()
        if not sample.design:
            sample = sample.replace(clusters=None, weights=None, strata=None)
        if sample.clusters is not None and "clusters" in sample.design:
            clusters = int(sample.clusters.max()) + 1
        labels, codes = sample.code_by(by)
        if alike := find_alike(labels):
            raise _look_alike(alike)
        title, curves = by if isinstance(by, str) else "by", {}
        for code, label in enumerate(labels):
            own = codes == code
            check_both_classes(sample.is_positive[own], label, title)
            part = sample.take(own)
            if part.clusters is not None and "clusters" in part.design:
                check_class_clusters(part.is_positive, part.clusters, f" of {label!r}")
            curves[str(label)] = part.roc
        if sample.drawn.given:
            places = {str(label): code for code, label in enumerate(labels)}
            pool = lambda name: sample.take(codes != places[name]).roc  # noqa: E731
    for roc in curves.values():
        HANDLING.check(roc)
    if len(curves) < 2:
        raise InputError(
            "must name at least two groups", f"every row is in {next(iter(curves), None)!r}",
            argument="by",
        )  # fmt: skip
    if alike := find_alike(curves):
        raise _look_alike(alike)
    about = {name: getattr(data, name) for name in ("positive", "negative")}
    return curves, pool, about | {"model": data.models[0], "clusters": clusters}


def _check_against(against: object, groups: Mapping[str, RocCurve]) -> str:
    """Return the way to compare, or the name of the group to compare with."""
    name = str(against)
    if name not in WAYS and name not in groups:
        known = ", ".join(map(repr, WAYS))
        raise InputError(
            f"must be {known} or the name of a group: {list_names(list(groups))}",
            f"got {against!r}",
            argument="against",
        )
    return name


def _look_alike(names: Sequence[str]) -> InputError:
    """Return the error of groups that differ only in case or blanks."""
    return InputError(
        "must name each group in one way",
        f"{' and '.join(map(repr, names))} differ only in case or blanks, and look like one group",
        "Write them alike, or rename one of them.",
        argument="by",
    )


def _write_notes(
    curves: Mapping[str, RocCurve],
    prevalence: float | None,
    areas: Sequence[Interval],
    gaps: GroupGaps,
) -> tuple[str, ...]:
    notes = list_notes(
        {
            name: roc.value_notes if roc.independent else area.notes  # effective numbers of rows
            for (name, roc), area in zip(curves.items(), areas, strict=True)
        }
    )
    said = say_few_clusters(gaps.clusters)  # by the sentence
    notes = [note for note in notes if note != said]
    if gaps.against in curves.keys() & WAYS:
        how = "in pairs" if gaps.against == "pairs" else "each with all others"
        notes.append(
            f"A group is called {gaps.against!r}, but groups were compared {how}. To compare with "
            "it, rename it."
        )
    if small := gaps.find_small():
        both = ("positives", "negatives")
        named = [
            f"{name} ({', '.join(map(say_cases, size, both))})" for name, size in small.items()
        ]
        notes.append(
            f"Fewer than {FEW} positives or negatives in {name_some(named)}: limits of "
            "differences are wide, and where a curve has hooks or steps those of curves held 0.65 "
            "at 0.90. Join small groups."
        )
        warn(notes[-1])
    shares = [roc.prevalence for roc in curves.values()]
    if prevalence is None and max(shares) - min(shares) > 0.01:
        notes.append(
            f"Prevalences are {min(shares):.3g} to {max(shares):.3g}; PPV, NPV, selection rate and "
            "average precision depend on them. To compare average precisions, specify the "
            "prevalence."
        )
    return tuple(notes)
