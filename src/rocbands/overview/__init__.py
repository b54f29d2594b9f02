"""The answer first: all models with the usual metrics in one table, and which of them to use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocbands.core.arguments import explain
from rocbands.core.checks import check_level, check_share
from rocbands.core.columns import Labels
from rocbands.core.data import Data, as_data, as_roc_curve
from rocbands.core.method import Handling
from rocbands.core.models import Models
from rocbands.core.phrases import say_few_clusters
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.sample_columns import Scores
from rocbands.core.table import list_notes
from rocbands.errors import InputError
from rocbands.overview.metrics import Metric, Settings, Value, read_metrics
from rocbands.overview.recommendation import Recommendation, recommend
from rocbands.overview.result import Summary

# Each metric uses the design of the rows if its function does; else its cell is empty.
HANDLING = Handling(
    "summary",
    "overview",
    "the usual metrics of all models; what a metric cannot use leaves its cell empty",
    ("clusters", "weights", "class weights", "strata", "folds", "repeats", "bins"),
)


@explain
def summary(
    y_true: Labels | Data,
    y_score: Scores | None = None,
    *,
    positive: object = None,
    metrics: str | Sequence[str] | None = None,
    fpr: float | None = None,
    rate: float | None = None,
    costs: tuple[float, float] | None = None,
    level: float = 0.95,
    prevalence: float | None = None,
    rng: Rng = 0,
) -> Summary:
    """Summarise one or several models: metrics with confidence limits, and which model to use.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one or several models; or two labels of any kind.
    y_score : array-like of shape (n,), or mapping of str to array-like, or data frame, optional
        With labels, the scores of one model; or of several, by name. A larger score means more
        positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    metrics : str or list of str, optional
        Names of metrics. By default 'auc', 'average precision', and 'brier' if all scores lie
        between 0 and 1. See Notes.
    fpr, rate, costs : float, float, (float, float), optional
        What the thresholds are for: a largest false positive rate; a largest share of cases that
        can be acted on; costs of a missed positive and of a false alarm. Of several the one with
        the fewest alarms rules. Without one the model is chosen by its AUC, and its thresholds are
        for three usual false positive rates.
    level : float, default 0.95
        Confidence level of each interval.
    prevalence : float, optional
        Share of positives where the models will be used, for metrics that depend on it; by default
        that of the rows.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Summary
        A table, one row for each model; ``.sentence`` says which model to use.

    See Also
    --------
    rocbands.compare_many : differences of AUCs with simultaneous limits.
    rocbands.report : all of it as a page.

    Notes
    -----
    A metric is written as 'auc', 'average precision', 'brier', or as QUANTITY at CONDITION NUMBER,
    such as 'sensitivity at specificity 0.9', 'specificity at sensitivity 0.95', 'precision at rate
    0.05', 'recall at rate 0.05', 'npv at threshold 0.5', 'accuracy at threshold 0.5' or 'partial
    auc at fpr 0.1'. 'sensitivity@specificity=0.9' and 'sensitivity at 90% specificity' mean the
    same. Quantities are sensitivity (recall, tpr), specificity, fpr, precision (ppv), npv, f1,
    accuracy; conditions are those of :func:`operating_points`.

    Each number is that of the question's own function, such as :func:`auc_interval`,
    :func:`average_precision_interval`, :func:`operating_points`, :func:`rate_bounds` or
    :func:`brier_score_interval`. What a metric cannot use, such as clusters, leaves its cell empty,
    and a note says why. Limits are for each number by itself; those of the sentence allow for the
    choice of the best model.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.summary(rb.load_example(), metrics=["auc", "sensitivity at specificity 0.9"])
    >>> print(found.to_markdown(sentence=False))
    | model | AUC | sensitivity at 90% specificity |
    |---|---|---|
    | logistic | 0.900 (0.872, 0.922) | 0.689 (0.596, 0.771) |
    | neighbours | 0.800 (0.761, 0.834) | 0.454 (0.338, 0.557) |
    """
    level = check_level(level)
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence")
    data = _read(y_true, y_score, positive)
    parts: dict[str, Data] = (
        {"model": data} if isinstance(data, RocCurve) else {name: data[name] for name in data}
    )
    curves = [as_roc_curve(part) for part in parts.values()]
    asked = read_metrics(metrics, curves)
    use = Settings(level, prevalence, rng)
    values: dict[str, dict[str, Value]] = {}
    said: dict[str, tuple[str, ...]] = {}
    for name, part in parts.items():
        values[name], said[name] = _compute_all(asked, part, use)
    values_said = {name: roc.value_notes for name, roc in zip(parts, curves, strict=True)}
    rules = {"fpr": fpr, "rate": rate, "costs": costs}
    found, notes = _try_recommend(data, level=level, prevalence=prevalence, rng=rng, **rules)
    return Summary(
        models=tuple(parts),
        metrics=tuple(metric.name for metric in asked),
        values=values,
        recommendation=found,
        level=level,
        n_pos=curves[0].n_pos,
        n_neg=curves[0].n_neg,
        positive=getattr(data, "positive", None),
        negative=getattr(data, "negative", None),
        falling=tuple(metric.name for metric in asked if metric.falls),
        notes=(*list_notes(values_said), *notes, *list_notes(said)),
        frame=curves[0].frame,
    )


def _read(y_true: Any, y_score: Any, positive: object) -> Models | RocCurve:
    """Read the models from any form of data."""
    return as_data(y_true, y_score, positive, own=True, several=True)


def _compute_all(
    asked: Sequence[Metric], data: Data, use: Settings
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Compute the metrics of one model; notes say why one is missing."""
    found: dict[str, Value] = {}
    notes: list[str] = []
    said = say_few_clusters(as_roc_curve(data).n_clusters)  # by the sentence
    for metric in asked:
        try:
            found[metric.name] = metric.ask(data, use)
        except InputError as problem:
            notes.append(f"No {metric.name}: {' '.join(str(problem).split())}")
        else:
            own = found[metric.name].notes
            notes += [f"{metric.name}: {note}" for note in own if note != said]
    return found, tuple(notes)


def _try_recommend(
    data: Models | RocCurve, **asked: Any
) -> tuple[Recommendation | None, tuple[str, ...]]:
    """Recommend a model, unless the data do not allow it; a wrong rule is refused."""
    try:
        found = recommend(data, **asked)
    except InputError as problem:
        if any(asked[name] is not None for name in ("fpr", "rate", "costs")):
            raise
        return None, (f"No recommendation: {' '.join(str(problem).split())}",)
    return found, found.notes
