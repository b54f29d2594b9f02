"""Comparing many classifiers on the same rows: one joint test, and all pairs at once."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, ndtri, stdtr, stdtrit

from rocbands.comparison.delong import (
    Contrast,
    DeLongTest,
    ScoreDifference,
    check_cases,
    contrast_areas,
    estimate_each,
    measure_pair,
    relate,
)
from rocbands.comparison.result import Comparisons
from rocbands.core.arguments import explain
from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    IndexArray,
    check_level,
    check_resamples,
    check_rng,
)
from rocbands.core.delong import (
    ClassGroups,
    CovarianceParts,
    Placements,
    compute_covariance_parts,
    compute_placements,
    compute_residuals,
)
from rocbands.core.method import Handling, Request
from rocbands.core.pair import Pair, split_groups
from rocbands.core.randomness import (
    Rng,
    digest_arguments,
    join_keys,
    key_floats,
    key_models,
    sort_keys,
    sum_keys,
)
from rocbands.core.sample import Sample
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, call, in_python
from rocbands.resample.gaussian_maximum import CriticalValue, find_gaussian_critical_value
from rocbands.resample.quantiles import check_enough_draws
from rocbands.resample.sign_flips import SignFlips
from rocbands.resample.streams import run_chunks

HANDLING = Handling(
    "compare_many",
    "comparison",
    "joint test of equal areas, and differences of all pairs with simultaneous limits",
    ("paired", "groups", "class weights"),
)
REFERENCES = (
    "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6, 65-70.",
)

NEGLIGIBLE = 1e-10  # a variance this small beside the largest is rounding
CHUNK = 2500  # vectors that one thread draws at once
ENOUGH = 20  # draws beyond a value, to count them
FEW = 9.0  # cases of a class with which its variance counts as if nothing were known of it
NO_VARIANCE = (
    "Some areas differ without any variance, which the joint test cannot judge; the joint p-value "
    "is the smallest of Holm's."
)
SINGULAR = "The covariance is singular: some models do not differ; a generalised inverse was used."
FEW_CASES = (
    "A class has fewer than 50 cases: models of equal AUC whose curves differ in shape are found "
    "different in up to .10 of test sets at .05."
)
NEAR_ONE = (
    "With so few cases and AUCs so close to 1 two or three rows decide: equal models are found "
    "different in less than .03 of test sets at .05, and real differences more rarely, too."
)
TOO_FEW = (
    "There are too few cases of a class for a joint test of so many models; the joint p-value is "
    "that of the largest difference in standard errors."
)

Pairs = tuple[tuple[int, int], ...]


@explain
def compare_many(
    sample: Sample,
    *,
    level: float = 0.95,
    n_resamples: int = 100_000,
    rng: Rng = "data",
) -> Comparisons:
    """Compare the areas of two or more classifiers on the same rows.

    Parameters
    ----------
    sample : Sample
        Two or more models' scores of the same rows.
    level : float, default 0.95
        Probability with which the intervals of all pairs hold at once.
    n_resamples : int, default 100,000
        Draws for p-values and limits; the default places a limit to within about .01 standard
        errors.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness. By default the seed is made from the data, so that a call repeated
        gives the same numbers; None draws afresh.

    Returns
    -------
    Comparisons
        A joint test that all areas are equal (Hotelling's T2, with DeLong's covariance, or
        Obuchowski's for groups; a generalised inverse where it is singular), and for each pair the
        difference, model 1 minus model 2, with simultaneous limits and Holm's p-value.

    Notes
    -----
    Two models have the limits and the p-value that :func:`rocbands.compare` gives by default, and
    nothing is drawn. The rest is about three models or more.

    With few cases of a class, or an AUC near 1, a few rows make up most of the variance, and
    statistics in standard errors follow neither the normal distribution nor Student's. Here their
    distribution for equal models is drawn: the signs of all rows' residuals are turned at random,
    those of all models of a row together. The joint p-value is the share of draws whose T2 reaches
    the observed one; p-values of pairs likewise, and beyond the draws the tail goes on as that of
    Hotelling's or Student's distribution, with the degrees of freedom of Krishnamoorthy and Yu
    (2004) or Satterthwaite.

    Limits on the side of 0 lie as many standard errors away as the largest of all abs(t) exceeds
    with probability 1 - level: they contain 0 where the largest abs(t) says so. On the other side
    the AUCs would be farther apart than they were seen, and near AUC 1 vary more than was seen:
    there the limits are those of 'score-delong', at the same joint level. Limits and Holm's
    p-values are different procedures: either can find a difference that the other does not.

    Ten cases that happen to be placed alike hardly vary, and a small variance would make any
    difference large: to the variance of each AUC a share (9 / m)^2 of the largest that m cases can
    have is added, and the same in each draw. The reported statistic and the standard errors are
    DeLong's; p-values and limits have the raised ones. Models that are nearly the same have wider
    limits for it (2.3 times as wide with 10 + 200 cases and a correlation of .995), others do not.
    The 9 was chosen on the populations with different shapes that are named below.

    Measured at .05 (docs/compare.md), 3 to 10 models, from 10 + 200 cases, 200 test sets a cell:
    with equal models of AUC .6 to .95 and correlations of .3 to .9 the joint test rejected in .01
    to .08 of test sets, .05 on average, and some limit missed in .02 to .08. Models of equal AUC
    whose curves have different shapes (positives' sd 1 and 2, 1 and .5, or all three): .05 to .10
    with 10 and 20 cases of a class, .03 to .07 with 50; before variances were raised .08 to .22
    with 10. With 10 cases of a class, 10 models and an AUC of .95, or any with .99, .00 to .02.
    Notes of the result say so. One model of AUC .99 and others of .95: some limit missed in .00 to
    .05 of test sets; standard errors alone miss in .10 to .58.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65-70.
    Krishnamoorthy and Yu (2004), Modified Nel and Van der Merwe test for the multivariate
    Behrens-Fisher problem, Statistics and Probability Letters 66, 161-169.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> scores = {name: sample[name].values for name in sample}
    >>> scores["sum"] = scores["logistic"] + scores["neighbours"]
    >>> many = rb.compare_many(rb.Sample(sample.is_positive, scores))
    >>> many.df, many.pairs
    (2, ((0, 1), (0, 2), (1, 2)))
    >>> print(many.pvalues.round(4))
    [0.    0.106 0.   ]
    """
    if not isinstance(sample, Sample):
        raise InputError(
            "must be a sample of two or more models",
            f"it is {type(sample).__name__}",
            in_python("Pass rb.Sample(y_true, {'a': scores_a, 'b': scores_b})."),
            argument="sample",
        )
    return compare_models(sample, level=level, n_resamples=n_resamples, rng=rng)


def compare_models(
    models: Sample,
    *,
    level: float = 0.95,
    n_resamples: int = 100_000,
    rng: Rng = "data",
) -> Comparisons:
    """Compare the areas of models whose scores are checked already; see :func:`compare_many`."""
    level, source = check_level(level), check_rng(rng)
    check_resamples(n_resamples)
    check_enough_draws(n_resamples, 1.0 - level, level)
    HANDLING.check(models.design)
    if len(models.models) < 2:
        raise InputError(
            "must contain at least two models",
            f"it contains {len(models.models)}",
            f"For one model see {call('auc_interval')}.",
            argument="sample",
        )
    if len(models.models) == 2:
        return _compare_two(models, level)
    scores = [models.rows_of(name) for name in models]
    owners = models.groups
    class_groups = split_groups(models.is_positive, owners)
    check_cases(scores[0])
    found = _arrange(
        [compute_placements(one.is_positive, one.values) for one in scores], class_groups
    )
    scores, places, class_groups = [scores[i] for i in found.order], found.places, found.groups
    asked = Request(level, source, digest=lambda: found.digest)
    areas = np.array([place.auc for place in places])
    parts = compute_covariance_parts(places, class_groups)
    pairs: Pairs = tuple(combinations(range(len(places)), 2))
    contrasts = [
        contrast_areas(
            places[i],
            places[j],
            class_groups,
            alike=all(map(np.array_equal, places[i], places[j]))
            and Pair(scores[i], scores[j]).ranked_alike,
        )
        for i, j in pairs
    ]
    gaps = np.array([one.difference for one in contrasts])
    errors = np.array([one.standard_error for one in contrasts])
    differences = _build_contrasts(pairs, len(places))
    df = parts.find_df(differences)
    floor = _find_floor(areas, parts)
    raised = np.where(errors > 0, np.sqrt(errors**2 + 2.0 * floor), 0.0)
    t = np.abs(np.divide(gaps, raised, out=np.zeros_like(gaps), where=errors > 0))
    joint = _summarise(areas, parts, floor)
    drawn = _flip_signs(
        places,
        class_groups,
        joint,
        _Pairs(differences, gaps, raised, t),
        parts,
        floor,
        n_resamples,
        asked.rng,
    )
    raw = drawn.find_pvalues(t, 2.0 * stdtr(df, -t), 2.0 * stdtr(df, -drawn.far[1:]))
    adjusted = adjust_by_holm(raw)
    pvalue, notes = _judge(joint, drawn, float(adjusted.min()), float(t.max()))
    inner = CriticalValue(0.0, 0.0)
    if (errors > 0).any():
        inner = CriticalValue.from_draws(drawn.maxima, level)
    critical_value = inner.value
    far = _find_critical_value(parts.total, differences, errors, df, level, n_resamples, asked.rng)
    outer, off = far.at_least(critical_value)
    reach = critical_value * raised
    limits = []
    estimates, variances, cases = estimate_each(scores, areas.tolist(), parts, owners)
    for (i, j), one, freedom, near in zip(pairs, contrasts, df, reach, strict=True):
        score = ScoreDifference(
            (estimates[i], estimates[j]),
            (variances[i], variances[j]),
            *relate(parts, cases, i, j),
        )
        arms = score.limits(float(stdtr(freedom, -outer))), max(outer * one.standard_error, near)
        limits.append(_limit(one.difference, float(near), *arms))
    lower, upper = np.array(limits).T
    back = found.find_pairs(pairs)
    simulation = asked.simulated(
        n_resamples,
        max(inner.error * float(raised.max()), off * float(errors.max())),
        math.sqrt(pvalue * (1.0 - pvalue) / n_resamples),
    )
    return Comparisons(
        names=models.models,
        estimates=areas[found.place],
        covariance=parts.total[np.ix_(found.place, found.place)],
        statistic=joint.statistic,
        df=joint.df,
        df_error=joint.df_error,
        pvalue=pvalue,
        pairs=pairs,
        differences=back.turn(gaps),
        standard_errors=errors[back.row],
        lower=np.where(back.turned, -upper[back.row], lower[back.row]) + 0.0,
        upper=np.where(back.turned, -lower[back.row], upper[back.row]) + 0.0,
        pvalues=adjusted[back.row],
        raw_pvalues=raw[back.row],
        critical_value=critical_value,
        level=level,
        method="delong" if class_groups is None else "delong, by groups",
        n_pos=scores[0].n_pos,
        n_neg=scores[0].n_neg,
        notes=(
            *_name_notes(models.models, pairs, [contrasts[row] for row in back.row]),
            *notes,
            *_name_limits(areas, parts),
        ),
        simulation=simulation,
        frame=models.frame,
    )


def _compare_two(models: Sample, level: float) -> Comparisons:
    """Compare two models as `compare` does by default: one comparison has one answer."""
    pair = Pair.from_sample(models)
    found = DeLongTest()(pair, level=level)
    _, parts, _ = measure_pair(pair)
    pvalue = np.array([found.pvalue])
    return Comparisons(
        names=models.models,
        estimates=np.array(found.estimates),
        covariance=parts.total[:2, :2],
        statistic=(found.statistic or 0.0) ** 2,
        df=1,
        df_error=None,
        pvalue=found.pvalue,
        pairs=((0, 1),),
        differences=np.array([found.difference]),
        standard_errors=np.array([found.standard_error or 0.0]),
        lower=np.array([found.low]),
        upper=np.array([found.high]),
        pvalues=pvalue,
        raw_pvalues=pvalue,
        critical_value=float(ndtri((1.0 + level) / 2.0)),
        level=level,
        method="delong" if pair.groups is None else "delong, by groups",
        n_pos=found.n_pos,
        n_neg=found.n_neg,
        notes=found.notes,
        frame=models.frame,
    )


class _Back(NamedTuple):
    """Where each pair of models, as they were given, is among the arranged ones."""

    row: IndexArray
    turned: BoolArray  # its models are in the other order there

    def turn(self, values: FloatArray) -> FloatArray:
        """Put differences in the order in which the models were given."""
        return np.where(self.turned, -values[self.row], values[self.row]) + 0.0


class _Arranged(NamedTuple):
    """Models and rows in an order that depends on what they contain.

    Random draws then depend neither on the order of rows and models nor on names of groups.
    """

    order: list[int]  # the given models
    places: list[Placements]
    groups: ClassGroups | None
    digest: int

    @property
    def place(self) -> IndexArray:
        """Where each of the given models is."""
        return np.argsort(self.order)

    def find_pairs(self, pairs: Pairs) -> _Back:
        """Find the given pairs among the arranged ones, which have the same numbers."""
        place = self.place.tolist()
        rows = {pair: row for row, pair in enumerate(pairs)}
        ends = [(place[i], place[j]) for i, j in pairs]
        row = np.array([rows[min(pair), max(pair)] for pair in ends])
        return _Back(row, np.array([i > j for i, j in ends]))


def _arrange(places: list[Placements], groups: ClassGroups | None) -> _Arranged:
    """Find such an order from the placements, which order and scale of rows do not change."""
    n_pos = places[0].pos.size
    sides = [np.concatenate(place) for place in places]
    is_positive = np.arange(sides[0].size) < n_pos
    rows = [join_keys(key_floats(side), is_positive) for side in sides]
    codes = None if groups is None else np.concatenate(groups)
    size = 0 if groups is None else groups.size
    models = key_models(rows, codes, size)
    order = sorted(range(len(models)), key=models.__getitem__)
    keys = join_keys(*(rows[i] for i in order))
    if groups is not None and codes is not None:
        number = sort_keys(sum_keys(keys, codes, size))[1]
        groups = ClassGroups(number[groups.pos], number[groups.neg])
    pos, neg = np.argsort(keys[:n_pos]), np.argsort(keys[n_pos:])
    if groups is not None:
        groups = ClassGroups(groups.pos[pos], groups.neg[neg])
    arranged = [Placements(places[i].pos[pos], places[i].neg[neg]) for i in order]
    return _Arranged(order, arranged, groups, digest_arguments(is_positive.size, *sorted(models)))


def _limit(
    gap: float, reach: float, outer: tuple[float, float], least: float
) -> tuple[float, float]:
    """Limits of one difference.

    A true difference between 0 and the observed one is left out where it lies more than `reach`
    away, by DeLong's standard error, as in the test of equal areas. One farther out has AUCs that
    are farther apart than they were seen, and near 1 a larger variance than was seen: there the
    score limits `outer` apply ('score-delong' for two models), at least `least` away. If the test
    keeps 0, with a share gap / reach of its reach, the limit on the other side of 0 has what is
    left of the score limit's distance.
    """
    if reach == 0.0:
        return gap, gap
    below, above = max(gap - outer[0], least), max(outer[1] - gap, least)
    left = 1.0 - abs(gap) / reach
    low = gap - below if gap <= 0.0 else -below * left if left > 0.0 else gap - reach
    high = gap + above if gap >= 0.0 else above * left if left > 0.0 else gap + reach
    return max(low, -1.0), min(high, 1.0)


def adjust_by_holm(pvalues: FloatArray) -> FloatArray:
    """Adjust p-values by Holm's rule: the smallest times k, the next times k - 1, never falling."""
    order = np.argsort(pvalues)
    stepped = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _find_floor(areas: FloatArray, parts: CovarianceParts) -> float:
    """Find what is added to the variance of each AUC, so that few cases do not seem to be alike.

    Ten positives of which none is misplaced hardly vary, and a small variance makes any difference
    large. Of g cases with a mean placement a, the AUC has a variance of at most a (1 - a) / g. A
    share (FEW / g)^2 of that is added; with 50 cases it is hardly anything.
    """
    a = float(areas.mean())
    shares = [(FEW / cases) ** 2 / cases for cases in parts.n_groups[:2]]
    return a * (1.0 - a) * float(sum(shares))


class _Joint(NamedTuple):
    """Hotelling's statistic that all areas are equal, in the p directions in which they vary."""

    statistic: float
    tested: float  # the same, with variances that are raised by `floor`
    df: int  # p
    df_error: float | None  # None: there is no joint test
    root: FloatArray  # (k, p) contrasts in which the raised covariance is the unit matrix
    shares: tuple[FloatArray, FloatArray]  # (p,) how much of each contrast is due to either class
    added: FloatArray  # (p, p) what `floor` adds to the covariance of these contrasts
    notes: tuple[str, ...] = ()

    def find_tail(self, statistic: float) -> float:
        """Probability beyond a value of the statistic by Hotelling's distribution."""
        assert self.df_error is not None
        scaled = statistic * self.df_error / ((self.df_error + self.df - 1.0) * self.df)
        return float(fdtrc(self.df, self.df_error, scaled))


def _summarise(areas: FloatArray, parts: CovarianceParts, floor: float) -> _Joint:
    """Compute the joint statistic and its degrees of freedom.

    With C the matrix that subtracts the mean, the statistic is T2 = a' C (C S C)^+ C a for areas a
    with covariance S; it is the same for any k - 1 independent contrasts (DeLong et al. 1988). In
    coordinates in which C S C is the unit matrix, its parts of m positives and n negatives are P
    and N, and

        nu = (p + p^2) / ((tr P^2 + (tr P)^2) / (m - 1) + (tr N^2 + (tr N)^2) / (n - 1))

    (Krishnamoorthy and Yu 2004). With f = nu - p + 1, T2 f / ((f + p - 1) p) is near F on p and f.
    """
    values, vectors, varies = _decompose(parts.total)
    along = vectors.T @ (areas - areas.mean())
    p = int(np.count_nonzero(varies))
    raised = values[varies] + floor
    wide, root = (vectors[:, varies] / np.sqrt(by) for by in (values[varies], raised))
    white = along[varies] / np.sqrt(values[varies])
    sides = [side + parts.across / 2.0 for side in (parts.pos, parts.neg)]
    own = [wide.T @ side @ wide for side in sides]
    shares = [root.T @ side @ wide @ white for side in sides]
    found = _Joint(
        float((white**2).sum()),
        float((along[varies] ** 2 / raised).sum()),
        p,
        None,
        root,
        (shares[0], shares[1]),
        np.diag(floor / raised),
    )
    if np.abs(along[~varies]).max() > SLACK:
        return found._replace(notes=(NO_VARIANCE,))
    notes = () if p == areas.size - 1 else (SINGULAR,)
    # A class with p cases or fewer varies in fewer directions than the models: along the others
    # its variance would seem to be 0. With one case more it is known far too badly.
    if p and min(parts.n_groups[:2]) <= p + 1:
        return found._replace(notes=(*notes, TOO_FEW))
    if p == 0:
        return found._replace(notes=notes)
    doubt = sum(
        (float(np.sum(part * part)) + float(np.trace(part)) ** 2) / (cases - 1.0)
        for part, cases in zip(own, parts.n_groups, strict=False)
    )
    return found._replace(df_error=(p + p * p) / doubt - p + 1.0, notes=notes)


def _judge(
    joint: _Joint, drawn: _Drawn, smallest: float, largest: float
) -> tuple[float, tuple[str, ...]]:
    """Return the joint p-value, and what to know about it."""
    if joint.df_error is not None:
        tails = (np.array([joint.find_tail(at)]) for at in (joint.tested, float(drawn.far[0])))
        return float(drawn.find_pvalues(np.array([joint.tested]), *tails, first=0)[0]), joint.notes
    if TOO_FEW in joint.notes:
        reached = int(np.count_nonzero(drawn.maxima >= largest - SLACK))
        # Too few draws to count: Holm's p-value goes on into the tail.
        return (reached / drawn.maxima.size if reached >= ENOUGH else smallest), joint.notes
    return (smallest if joint.df or joint.notes[:1] == (NO_VARIANCE,) else 1.0), joint.notes


class _Pairs(NamedTuple):
    contrasts: FloatArray  # (c, k) rows subtract the second model of each pair from the first
    gaps: FloatArray
    errors: FloatArray  # standard errors, raised
    t: FloatArray  # absolute values


class _Drawn(NamedTuple):
    """Statistics of sets with equal models: the joint one, then those of the pairs."""

    maxima: FloatArray  # (draws,) largest abs(t) of all pairs
    counts: FloatArray  # (1 + c,) how many draws reach the observed value
    far: FloatArray  # (1 + c,) a value that draws exceed with probability `tail`
    tail: float

    def find_pvalues(
        self, observed: FloatArray, tails: FloatArray, far: FloatArray, *, first: int = 1
    ) -> FloatArray:
        """Share of the draws that reach an observed value; beyond them the tail goes on.

        `tails`, `far`: probabilities beyond the observed values and beyond `self.far`, by Student's
        or Hotelling's distribution: its tail, scaled to meet the drawn one, goes on where there are
        too few draws to count. `first`: of the statistics from this one on.
        """
        place = slice(first, first + observed.size)
        beyond = (observed > self.far[place]) | (self.far[place] == 0.0)
        scale = np.divide(self.tail, far, out=np.ones_like(far), where=(far > 0.0) & (far < 1.0))
        counted = self.counts[place] / self.maxima.size
        found: FloatArray = np.where(beyond, np.minimum(tails * scale, 1.0), counted)
        return found


def _flip_signs(
    places: list[Placements],
    groups: ClassGroups | None,
    joint: _Joint,
    pairs: _Pairs,
    parts: CovarianceParts,
    floor: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> _Drawn:
    """Draw all statistics for models whose areas are equal, by turning signs of residuals.

    A residual is a placement less the AUC, plus the share of the observed difference that its class
    accounts for: those of equal models. For that the residuals have one more column, of ones.
    """
    pos, neg, n_groups = compute_residuals(places, groups)
    extra = [np.full(side.size, 1.0 / side.size) for side in places[0]]
    if groups is not None:
        extra = [
            np.bincount(codes, side, groups.size).astype(np.float64)
            for codes, side in zip(groups, extra, strict=True)
        ]
    pos, neg = (np.column_stack(both) for both in zip((pos, neg), extra, strict=True))
    flips = SignFlips.from_residuals(pos, neg, n_groups, shared=groups is not None)
    by_joint = tuple(np.vstack((joint.root, share)) for share in joint.shares)
    own = [
        np.einsum("ci,ij,cj->c", pairs.contrasts, side + parts.across / 2.0, pairs.contrasts)
        for side in (parts.pos, parts.neg)
    ]
    # A standard error that does not come from the covariance: let the pair vary on its own.
    alone = (pairs.errors > 0.0) & (own[0] + own[1] < NEGLIGIBLE**2 * pairs.errors**2)
    total = np.where(own[0] + own[1] > 0.0, own[0] + own[1], 1.0)
    by_pair = tuple(np.vstack((pairs.contrasts.T, pairs.gaps * side / total)) for side in own)
    seen = np.concatenate(([joint.tested], pairs.t)) - SLACK

    def draw(draws: int, stream: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        sums = flips.draw(draws, stream)
        every = np.zeros((draws, seen.size))
        if joint.df_error is not None:
            every[:, 0] = flips.hotelling(sums, by_joint, joint.added)
        every[:, 1:] = flips.student(sums, by_pair, 2.0 * floor)
        every[:, 1:][:, pairs.errors == 0.0] = 0.0  # pairs that do not differ at all
        if alone.any():
            normal = stream.standard_normal((draws, int(alone.sum())))
            every[:, 1:][:, alone] = np.abs(normal)
        return every[:, 1:].max(axis=1), (every >= seen).sum(axis=0), every.max(axis=0)

    chunks = run_chunks(draw, n_resamples, rng, size=CHUNK)
    maxima, counts, far = zip(*chunks, strict=True)
    # Half of the chunks, of n draws each, have no value beyond the median of their largest ones.
    tail = math.log(2.0) / min(CHUNK, n_resamples)
    return _Drawn(np.concatenate(maxima), np.sum(counts, axis=0), np.median(far, axis=0), tail)


def _decompose(covariance: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Eigenvalues and eigenvectors of C S C, and which of them are directions that vary."""
    centre = np.eye(len(covariance)) - 1.0 / len(covariance)
    values, vectors = np.linalg.eigh(centre @ covariance @ centre)
    varies = values > NEGLIGIBLE * max(float(np.diag(covariance).max()), NEGLIGIBLE**2)
    return values, vectors, varies


def _build_contrasts(pairs: Pairs, n_models: int) -> FloatArray:
    """Build the matrix whose rows subtract the second model of each pair from the first."""
    contrasts = np.zeros((len(pairs), n_models))
    for row, (i, j) in enumerate(pairs):
        contrasts[row, [i, j]] = 1.0, -1.0
    return contrasts


def _find_critical_value(
    covariance: FloatArray,
    contrasts: FloatArray,
    errors: FloatArray,
    df: FloatArray,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> CriticalValue:
    """Find how many standard errors the largest abs(t) of all pairs stays within, at `level`."""
    if len(contrasts) == 1:
        return CriticalValue(float(stdtrit(df[0], (1.0 + level) / 2.0)), 0.0)
    kept = errors > 0  # pairs that do not differ at all are left out
    if not kept.any():
        return CriticalValue(0.0, 0.0)
    error, contrasts = errors[kept], contrasts[kept]
    correlation = contrasts @ covariance @ contrasts.T / np.outer(error, error)
    # A standard error that does not come from the covariance: let the pair vary on its own.
    alone = np.diag(correlation) < NEGLIGIBLE**2
    correlation[alone, :] = correlation[:, alone] = 0.0
    correlation[alone, alone] = 1.0
    shared = float(np.median(df[kept]))
    return find_gaussian_critical_value(
        correlation, level, n_resamples, rng, df=shared, chunk=CHUNK
    )


def _name_limits(areas: FloatArray, parts: CovarianceParts) -> tuple[str, ...]:
    """Say where levels were measured not to hold."""
    cases = float(min(parts.n_groups[:2]))
    near_one = cases * (1.0 - float(areas.mean())) < 1.0
    return (FEW_CASES,) * (cases < 50) + (NEAR_ONE,) * near_one


def _name_notes(names: tuple[str, ...], pairs: Pairs, contrasts: list[Contrast]) -> tuple[str, ...]:
    """Name the pair that each note is about."""
    return tuple(
        f"{names[i]} and {names[j]}: {note[0].lower()}{note[1:]}"
        for (i, j), one in zip(pairs, contrasts, strict=True)
        for note in one.notes
    )
