"""Recall when a fixed share of cases is acted on (the rate), with bounds."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.checks import FloatArray, check_choice, check_future
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.data import Data, as_roc_curve, refuse_beside
from rocbands.core.method import Extra, refuse_extras, refuse_with_design, resolve_method
from rocbands.core.models import Models
from rocbands.core.randomness import Rng
from rocbands.core.result import bound
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.errors import Message, arg, call
from rocbands.rates.baselines import BaselineBeta, BaselineNormal, BaselineT
from rocbands.rates.bootstrap import Adjust, Conditional, Discard
from rocbands.rates.consensus import Consensus, Scheme, build_consensus, choose_default_rates
from rocbands.rates.exact import Exact
from rocbands.rates.method import Limits, RateMethod, Sampling, check_rates, refuse_first
from rocbands.rates.parametric import Parametric
from rocbands.rates.result import RateBounds
from rocbands.rates.score import Score
from rocbands.rates.table import RateTable

__all__ = [
    "Adjust",
    "BaselineBeta",
    "BaselineNormal",
    "BaselineT",
    "Conditional",
    "Discard",
    "Exact",
    "Limits",
    "Parametric",
    "RateMethod",
    "RateTable",
    "Score",
    "bound_table",
]

METHODS: dict[str, type[RateMethod]] = {
    "score": Score,
    "parametric": Parametric,
    "exact": Exact,
    "conditional": Conditional,
    "discard": Discard,
    "adjust": Adjust,
    "baseline-t": BaselineT,
    "baseline-normal": BaselineNormal,
    "baseline-beta": BaselineBeta,
}
DEFAULT = "score"
STRATIFIED_DEFAULT = "parametric"  # where the class sizes are fixed, or given
SHARED_FILES: dict[str, str] = {
    "conditional": "in bootstrap.py: the three bootstraps differ in how a fold is drawn",
    "discard": "in bootstrap.py: the same distribution as conditional, drawn as in the paper",
    "adjust": "in bootstrap.py: as discard, with samples stretched instead of discarded",
    "baseline-t": "in baselines.py: the three baselines differ in one quantile",
    "baseline-normal": "in baselines.py: the three baselines differ in one quantile",
    "baseline-beta": "in baselines.py: the three baselines differ in one quantile",
}
_FIXED = (
    Message(
        "If the number of positives was not fixed in advance, these limits are too narrow: "
        "{} allows for its variation.",
        arg("sampling", "full"),
    ),
)


@explain
def rate_bounds(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | RateMethod | None = None,
    rate: Numbers | None = None,
    level: float = 0.95,
    sampling: Sampling | None = None,
    future: tuple[int, int] | None = None,
    scheme: Scheme | None = None,
    prevalence: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> RateBounds:
    """Bound the share of positives found when a fixed share of cases is acted on.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or RateMethod, default 'score'
        'score', for a random share of positives; for fixed class sizes 'parametric', 'exact',
        'conditional', 'discard', 'adjust', 'baseline-t', 'baseline-normal' or 'baseline-beta'; or
        an instance from `rocbands.rates` with its parameters, or of your own subclass of
        `rocbands.rates.RateMethod`.
    level : float, default 0.95
        Confidence level at each rate, strictly between 0 and 1.
    sampling : {'full', 'stratified'}, optional
        'full', the default: the rows are a sample of a population, and the share of positives is
        random. 'stratified': class sizes are fixed and the share of positives is known, as in the
        paper; the default method is then 'parametric'. It is the default with `future`,
        `prevalence` or ``scheme='reference'``, which determine the share, and with a `method` for
        fixed sizes.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of a future test set, whose recall the limits are then for. They
        must be those of the rows, except with 'parametric' (then the default) and no folds.
    rate : float or array-like, optional
        Shares of cases acted on. By default every k/n of folds of n rows, up to 2,000; otherwise
        0, 0.005, ..., 1.
    scheme : {'counts', 'reference'}, optional
        How folds are combined. 'counts': act on the same share of each fold and add up the
        positives found. 'reference': intersect each fold's ROC curve with the rate isometric of
        one reference prevalence. By default 'counts', unless the folds' prevalences differ so much
        that it would be biased; a warning says so.
    prevalence : float, optional
        Share of positives of the reference population; by default that of all folds.
    n_resamples : int, optional
        Number of tables that 'conditional', 'discard' and 'adjust' draw, by default 2000.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    RateBounds
        Recall and its limits at each rate.

    Notes
    -----
    'score' inverts a test of the recall, with its variance in a random sample. The other methods
    take the share of positives as known. They estimate, from the folds' labels by rank, the
    probability that the case at a rate is positive. Limits are quantiles of the consensus of new
    folds drawn from that curve, a parametric bootstrap. On a random sample they are too narrow, by
    far where most of the cases acted on are positive.

    All but the baselines assume that the folds share one curve: see `RateBounds.heterogeneity`,
    and prefer 'baseline-t' where for ten folds or more it is above 1.5. Limits are pointwise.

    References
    ----------
    Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds for ROC curves, ECML
    PKDD, LNCS 8725, 404-421.

    Examples
    --------
    >>> import rocbands as rb
    >>> bounds = rb.rate_bounds(rb.load_example()["logistic"], rate=[0.1, 0.3])
    >>> print(bounds.tpr.round(2), bounds.tpr_lower.round(2), bounds.tpr_upper.round(2))
    [0.26 0.66] [0.23 0.61] [0.29 0.71]
    """
    for value, choices, name in ((sampling, Sampling, "sampling"), (scheme, Scheme, "scheme")):
        if value is not None:
            check_choice(value, get_args(choices), name)
    sizes = check_future(future)
    wanted = None if rate is None else check_rates(rate, "rate")
    table, frame, roc = _read_table(y_true, y_score, positive)
    # Arguments that determine the share of positives, and so the default method.
    given = sizes is not None or prevalence is not None or scheme == "reference"
    given = given or sampling == "stratified" or (scheme is None and table.apart)
    given = given and sampling != "full"
    default = STRATIFIED_DEFAULT if given else DEFAULT
    maker = resolve_method(method, METHODS, RateMethod, default, n_resamples=n_resamples)
    _check_together(maker, sampling, sizes, prevalence, scheme)
    if sizes is not None and roc is not None:
        own = ", because a future test set has a design of its own"
        refuse_with_design(arg("future"), roc.design, own)
    if prevalence is None:
        prevalence = _share_in_future(maker, table, sizes)
    consensus, notes = build_consensus(
        table, wanted, scheme="counts" if sampling == "full" else scheme, prevalence=prevalence
    )
    limits = maker(consensus, level=level, future=sizes, rng=rng)
    n_pos, n_neg = consensus.table.totals
    return RateBounds(
        rate=consensus.rates,
        tpr=consensus.tpr,
        tpr_lower=limits.lower,
        tpr_upper=limits.upper,
        model_mean=limits.mean,
        fpr_limits=limits.fpr_limits,
        near=limits.near,
        prevalence=consensus.prevalence,
        n_folds=consensus.n_folds,
        n_pos=n_pos,
        n_neg=n_neg,
        level=float(level),
        method=maker.name,
        parameters=maker.parameters,
        target=maker.describe_target(consensus, sizes),
        sampling=maker.sampling,
        future=sizes,
        scheme=consensus.scheme,
        heterogeneity=consensus.heterogeneity,
        notes=(
            *(() if roc is None else roc.value_notes),
            *notes,
            *_note_bins(table, consensus.rates),
            *maker.find_notes(consensus, limits),
            *(_FIXED if maker.sampling == "stratified" and not given else ()),
        ),
        frame=frame,
        roc=roc,
        simulation=limits.simulation,
    )


def bound_table(
    table: RateTable | npt.ArrayLike,
    method: str | RateMethod | None = None,
    *,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    rates: FloatArray | None = None,
    rng: Rng = 0,
) -> Limits:
    """Return the limits of the recall from ranked labels, for studies.

    `table` (folds, n): labels by falling score, one row for each fold; equal scores share their
    mean label. `method`, `level`, `future`, `rng`: as in `rate_bounds`. `rates`: shares of cases
    acted on, rising; by default 0, 1/n, ..., 1.
    """
    labels = table if isinstance(table, RateTable) else RateTable.from_labels(table)
    wanted = choose_default_rates(labels) if rates is None else rates
    maker = resolve_method(method, METHODS, RateMethod, STRATIFIED_DEFAULT)
    return maker(Consensus.by_counts(labels, wanted), level=level, future=future, rng=rng)


def _refuse_rows(design: tuple[Extra, ...]) -> None:
    """Refuse folds of weighted or dependent rows, and repeated ones."""
    refuse_with_design(arg("folds"), design)
    refuse_extras(call("rate_bounds"), ("folds", "bins"), design, {})


def _read_table(
    y_true: Any, y_score: Any, positive: object
) -> tuple[RateTable, str | None, RocCurve | None]:
    """Return the ranked labels, the kind of frame, and for one test set its curve."""
    if isinstance(y_true, Sample) and y_true.folds is not None:
        refuse_beside(y_true, y_score=y_score, positive=positive)
        _refuse_rows(y_true.design)
        return (RateTable.from_folds(y_true.leave_out_zeros().split_folds()), y_true.frame, None)
    roc = as_roc_curve(y_true, y_score, positive)
    if roc.folds:
        _refuse_rows(roc.design)
    if isinstance(y_true, (RocCurve, Models)) and not isinstance(y_true, Sample):
        return RateTable.from_roc(roc), roc.frame, None if roc.folds else roc
    return RateTable.from_folds([roc]), roc.frame, roc


def _check_together(
    method: RateMethod,
    sampling: Sampling | None,
    future: tuple[int, int] | None,
    prevalence: float | None,
    scheme: Scheme | None,
) -> None:
    """Refuse arguments that contradict each other."""
    full, stratified = arg("sampling", "full"), arg("sampling", "stratified")
    random = Message("With {} the share of positives is random", full)
    leave = Message("Leave one of the two out, or use {}.", stratified)
    is_full, given = sampling == "full", prevalence is not None
    refuse_first(
        (is_full and future is not None, random, Message("{} determines it", arg("future")), leave),
        (is_full and given, random, Message("{} determines it", arg("prevalence")), leave),
        (
            is_full and scheme == "reference",
            random,
            Message("{} determines it", arg("scheme", "reference")),
            leave,
        ),
        (
            is_full and method.sampling != "full",
            Message(
                "Method {!r} takes class sizes as fixed and has no form for {}", method.name, full
            ),
            "",
            Message("Use {}, or {}.", arg("method", DEFAULT), stratified),
        ),
        (
            sampling == "stratified" and method.sampling != "stratified",
            Message(
                "Method {!r} takes the share of positives as random and has no form for {}",
                method.name,
                stratified,
            ),
            "",
            Message("Use {}, or {}.", arg("method", STRATIFIED_DEFAULT), full),
        ),
        (
            future is not None and given,
            Message("{} determines the share of positives", arg("future")),
            Message("{} was given as well", arg("prevalence")),
            Message("Leave {} out.", arg("prevalence")),
        ),
        (
            given and scheme == "counts",
            Message(
                "{} is that of the reference population; {} has none",
                arg("prevalence"),
                arg("scheme", "counts"),
            ),
            "",
            Message("Use {}, or leave {} out.", arg("scheme", "reference"), arg("prevalence")),
        ),
    )


def _share_in_future(
    method: RateMethod, table: RateTable, future: tuple[int, int] | None
) -> float | None:
    """Return the share of positives of a future test set, if it determines the isometrics."""
    if future is None or not method.any_future or table.n_folds > 1 or table.binned:
        return None
    share = future[0] / sum(future)
    return share if abs(share - table.prevalence) > 1e-12 else None


def _note_bins(table: RateTable, rates: FloatArray) -> tuple[str, ...]:
    """Note how precisely bins determine the recall; empty without bins."""
    if table.roc is None or not table.roc.binned:
        return ()
    least, own, most = (
        RateTable.from_roc(curve).counts(rates)
        for curve in (table.roc.extremes[0], table.roc, table.roc.extremes[1])
    )
    known = float(np.maximum(own - least, most - own).max() / table.n_pos[0])
    how = f"known within {bound(known)} or better" if known > 0.0 else "exact"
    return (Message(f"Counts in bins: the recall is {how}."),)
