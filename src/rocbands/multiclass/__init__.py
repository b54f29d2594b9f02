"""Several classes at once: simultaneous bands, and average areas."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rocbands.auc.score_delong import ScoreDeLong
from rocbands.bands import DEFAULT, METHODS
from rocbands.core.arguments import explain
from rocbands.core.band import BandMethod
from rocbands.core.checks import check_choice, check_level
from rocbands.core.columns import Frame, Labels, ScoreTable, as_text
from rocbands.core.data import refuse_beside
from rocbands.core.interval import Interval
from rocbands.core.method import Extra, Handling, resolve_method
from rocbands.core.models import Models
from rocbands.core.phrases import name_some, say_few_clusters
from rocbands.core.randomness import Rng, Simulation, share_source
from rocbands.core.roc import RocCurve
from rocbands.core.rows import check_several_clusters
from rocbands.core.sample import Sample
from rocbands.core.table import list_notes
from rocbands.errors import InputError, Message, arg, in_python, warn
from rocbands.multiclass.average_area import count_cases, estimate_average_area
from rocbands.multiclass.problems import (
    MultiClass,
    build_curve,
    count_calls,
    count_members,
    split_classes,
)
from rocbands.multiclass.result import ORDER, REST, ClassBands

HANDLED: tuple[Extra, ...] = ("clusters", "weights", "strata")
HANDLING = Handling("class_bands", "multiclass", "simultaneous bands of several classes", HANDLED)
FEW = 10  # fewer rows of a class give a note


_COLUMNS = 'rb.class_bands(y_true=df["label"], y_score=df[["class_1", "class_2", ...]])'


@explain
def class_bands(
    y_true: Labels | Sample,
    y_score: ScoreTable | Frame | None = None,
    *,
    method: str | BandMethod | None = None,
    multi_class: MultiClass = "ovr",
    classes: Sequence[object] | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> ClassBands:
    """Simultaneous bands for the ROC curves of several classes, and average areas.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of :meth:`Sample.of_classes`; or two or more labels of any kind.
    y_score : array-like of shape (n, K), data frame, or mapping of classes to columns, optional
        With labels, a score of each row for each class, such as scikit-learn's ``predict_proba``.
        Columns of an array are in the sorted order of the classes; columns of a frame or mapping
        are named after the classes.
    method : str or BandMethod, default 'likelihood'
        A name from :func:`methods`, or an instance with its parameters.
    multi_class : {'ovr', 'ovo'}
        One class against the rest; or each ordered pair of classes, on the rows of the two classes
        and with the scores of the first.
    classes : sequence, optional
        The class of each column, if the columns are in another order.
    level : float, default 0.95
        Joint confidence level of all bands, of all areas, and level of each average area.
    n_resamples : int, optional
        Number of resamples, for methods that have this parameter.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    ClassBands
        ``bands["a"]`` is the band of class a; ``.macro_auc`` and ``.hand_till_auc`` are average
        areas with limits, ``.average`` is the average curve, ``.micro`` the micro-average.

    See Also
    --------
    roc_band : the band of one class, of ``Sample(..., positive="a", rest=True)``.

    Notes
    -----
    Each of k bands has the level ``level ** (1 / k)``. The curves share rows. To first order they
    are jointly normal, so that the joint level is at least the product of the levels (Royen 2014).
    Measured coverage: docs/multiclass.md. Limits of average areas come from the variance of each
    row's contribution to the average, over all curves.

    References
    ----------
    Hand and Till (2001), A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45, 171-186.
    Royen (2014), A simple proof of the Gaussian correlation conjecture extended to some
    multivariate gamma distributions, Far East Journal of Theoretical Statistics 48, 139-145.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["cat", "dog", "owl"], 60)
    >>> scores = rng.normal(size=(180, 3)) + 1.5 * (y[:, None] == np.unique(y))
    >>> bands = rb.class_bands(y, scores)
    >>> print(f"{bands.each_level:.3f} {bands['owl'].auc:.2f} {bands.macro_auc.low:.2f}")
    0.983 0.90 0.83
    """
    check_choice(multi_class, ("ovr", "ovo"), "multi_class")
    if isinstance(y_true, Sample) and y_true.classes:
        refuse_beside(y_true, y_score=y_score, classes=classes)
        data = y_true
    elif isinstance(y_true, (RocCurve, Models)):
        raise InputError(
            "Bands of several classes need a score of each row for each class",
            f"got a {type(y_true).__name__}",
            in_python("Make a sample of classes: rb.Sample.of_classes(y_true, scores)."),
        )
    elif y_score is None:
        raise InputError(
            Message("must be given with {}", arg("y_true")),
            "it is missing",
            Message(
                "Pass one column of scores for each class: an array, a mapping, or a frame{}.",
                in_python(f", as {_COLUMNS}"),
            ),
            argument="y_score",
        )
    else:
        data = Sample.of_classes(y_true, y_score, classes=classes)
    HANDLING.check(data.design)
    if data.clusters is not None and "clusters" in data.design:
        for code, label in enumerate(data.classes):
            check_several_clusters(
                data.clusters[data.codes == code], f"The rows of class {label!r}"
            )
    level = check_level(level)
    chosen = resolve_method(method, METHODS, BandMethod, DEFAULT, n_resamples=n_resamples)
    names = [as_text(label) for label in data.classes]
    splits = list(split_classes(data, multi_class))
    each = math.exp(math.log(level) / len(splits))
    curves = [build_curve(data, split) for split in splits]
    shared = share_source(rng)
    bands = [chosen(roc, level=each, rng=shared) for roc in curves]
    areas = [ScoreDeLong()(roc, level=each) for roc in curves]
    cases = count_cases(data, curves if multi_class == "ovr" else ())
    positive = tuple(names[split.positive] for split in splits)
    negative = tuple(REST if s.negative is None else names[s.negative] for s in splits)
    effects = {  # of the design
        f"{one} against {other}": () if roc.independent else area.notes
        for one, other, roc, area in zip(positive, negative, curves, areas, strict=True)
    }
    few = say_few_clusters(max(roc.n_clusters or 0 for roc in curves) or None)  # by the sentence
    return ClassBands(
        classes=data.classes,
        class_sizes=tuple(count_members(data).tolist()),
        multi_class=multi_class,
        positive=positive,
        negative=negative,
        bands=tuple(bands),
        auc=np.array([area.estimate for area in areas]),
        auc_lower=np.array([area.low for area in areas]),
        auc_upper=np.array([area.high for area in areas]),
        level=level,
        each_level=each,
        macro_auc=estimate_average_area(data, "ovr", level, cases),
        hand_till_auc=estimate_average_area(data, "ovo", level, cases),
        confusion=count_calls(data),
        method=chosen.name,
        notes=(
            *_ask_order(names, positive, areas),
            *_write_notes(data),
            *(note for note in list_notes(effects) if note != few),
        ),
        frame=data.frame,
        simulation=Simulation.join(band.simulation for band in bands),
    )


def _ask_order(
    names: Sequence[str], positive: Sequence[str], areas: Sequence[Interval]
) -> tuple[str, ...]:
    """Ask whether columns are exchanged, if an AUC is below 0.5 beyond the error of all."""
    low = [name for name, area in zip(positive, areas, strict=True) if area.high < 0.5]
    if not low:
        return ()
    other = in_python(" Pass another order by classes=[...].")
    of = name_some(list(dict.fromkeys(low)))
    return (Message("{} {}? The AUC is below 0.5 for {}.{}", ORDER, name_some(names), of, other),)


def _write_notes(data: Sample) -> tuple[str, ...]:
    small = [
        f"{label!r} ({size})"
        for label, size in zip(data.classes, count_members(data).tolist(), strict=True)
        if size < FEW
    ]
    if not small:
        return ()
    note = f"Fewer than {FEW} rows of a class, so that its band is wide: {', '.join(small)}."
    warn(note)
    return (note,)
