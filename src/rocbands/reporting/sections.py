"""Sections of a report: areas, points, rates, costs, net benefit and scores; comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.comparison.compare_many import compare_many
from rocbands.comparison.difference_band import build_difference_band
from rocbands.comparison.result import Comparisons, DifferenceBand
from rocbands.core.checks import FloatArray, IndexArray, freeze
from rocbands.core.counting import bisect, cut_pieces
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.cost import cost_difference, cost_interval
from rocbands.cost.curve import CostCurve
from rocbands.cost.envelope import cost_curve
from rocbands.cost.result import CostDifference
from rocbands.cost.thresholds import choose_half, cost_thresholds
from rocbands.decision.net_benefit import net_benefit
from rocbands.errors import Message, collect_warnings
from rocbands.overview.metrics import area_interval
from rocbands.points import operating_points
from rocbands.points.result import OperatingPoints
from rocbands.precision.average_precision import average_precision_interval
from rocbands.rates import rate_bounds
from rocbands.rates.difference import rate_difference
from rocbands.reporting.formatting import (
    NO_CALL,
    SURE_DIGITS,
    describe_thresholds,
    format_percent,
    list_thresholds,
    name_no_call,
    round_column,
    round_fields,
    round_number,
)
from rocbands.reporting.jobs import Job
from rocbands.reporting.request import Omitted, ReportRequest
from rocbands.reporting.sentences import describe_pair
from rocbands.reporting.words import say
from rocbands.resample.streams import map_columns

FPR = (0.001, 0.005, 0.01, 0.05, 0.1, 0.2)
# Operating conditions; at 0 and 1 themselves one kind of error is free.
_ENDS = np.array([0.0005, 0.001, 0.002, 0.005])
W = np.concatenate([_ENDS, np.arange(1, 100) / 100, 1.0 - _ENDS[::-1]])
MOST_PAIRS = 15  # of models up to which all differences of costs are computed
_LOW = [1e-4, 2e-4, 5e-4, 0.001, 0.0015, 0.002, 0.003, 0.004]
RATES = np.unique(np.concatenate([_LOW, np.arange(201) / 200]))
BINS = 40  # of a histogram
BENEFIT_COLUMNS = (
    *("threshold", "net_benefit", "net_benefit_lower", "net_benefit_upper", "treat_all"),
    *("difference", "difference_lower", "difference_upper"),
)
NARROW = 0.1  # of the range: if nearly all scores lie within less, ranks are shown instead


def build_auc_section(request: ReportRequest, name: str) -> dict[str, Any]:
    """Describe the area, with its interval if there is one."""
    roc, level = request.curves[name], request.each(request.level)
    ask, what = request.omitted.attempt, "An interval of the AUC"
    found = ask("auc limits", name, what, area_interval, roc, level=level)
    if found is None:
        return {
            "estimate": round_number(mean_auc(roc)),
            **dict.fromkeys(("low", "high", "method")),
            "level": request.level,
            "target": "average AUC of the folds' models on new cases" if roc.folds else "true AUC",
            "notes": [],
        }
    facts = {"method": found.method, "level": request.level, "target": found.target}
    return {**round_fields(found, "estimate", "low", "high"), **facts, "notes": list(found.notes)}


def build_precision_section(request: ReportRequest, name: str) -> dict[str, Any] | None:
    """Average precision with its interval, at the given prevalence or that of the rows."""
    roc, what = request.curves[name], "Average precision"
    how = {"level": request.each(request.level), "prevalence": request.given_prevalence}
    ask = average_precision_interval
    found = request.omitted.attempt("average precision", name, what, ask, roc, **how)
    if found is None:
        return None
    numbers = round_fields(found, "estimate", "low", "high")
    return {**numbers, "method": found.method, "notes": list(found.notes)}


def build_benefit_section(request: ReportRequest, name: str) -> dict[str, Any] | None:
    """Net benefit at threshold probabilities, compared with treating all and treating none."""
    roc = request.curves[name]
    highest, lowest = (float(score) for score in roc.thresholds[[0, -1]])
    if lowest < 0.0 or highest > 1.0 or roc.thresholds.size <= 2:  # no probabilities
        request.omitted.add("net benefit", say("omitted", "no_probabilities"), name)
        return None
    level = request.each(request.level)
    how: dict[str, Any] = {"level": level, "prevalence": request.given_prevalence}
    how |= {"n_resamples": count_draws(level), "rng": request.seed}
    found = request.omitted.attempt("net benefit", name, "Net benefit", net_benefit, roc, **how)
    if found is None:
        return None
    better = [
        {"from": round_number(part.low), "to": round_number(part.high)}
        for part in found.better
        if part.model == 1
    ]
    drawn = found.simulation and found.simulation.note  # which the page says by its seed
    return {
        **round_fields(found, *BENEFIT_COLUMNS),
        "better": better,
        "sentence": found.sentence,
        "coverage": found.coverage,
        "notes": [note for note in found.notes if note != drawn],
    }


def mean_auc(roc: RocCurve) -> float:
    """Return the AUC; with folds their mean."""
    return float(np.mean([fold.auc for fold in roc.folds])) if roc.folds else roc.auc


def build_points_section(request: ReportRequest, name: str) -> list[dict[str, Any]] | None:
    """Thresholds for fixed false positive rates, and the best one by Youden's index."""
    roc = request.curves[name]
    n_neg = request.sizes_of(name)[1]
    level = request.each(request.level)
    places = sorted({*FPR, request.preset.fpr})
    wanted = [fpr for fpr in places if fpr * n_neg >= 1.0 - 1e-9]
    if len(wanted) < len(places):
        _note_beyond(request, name, [fpr for fpr in places if fpr not in wanted])
    points = []
    if wanted:
        at = operating_points(roc, fpr=wanted, level=level, rng=request.seed)
        points = [{"fpr": fpr, **_describe_point(at, i)} for i, fpr in enumerate(wanted)]
    best = operating_points(roc, best="youden", level=level)
    own = {"fpr": best.fpr, "fpr_low": best.fpr_lower, "fpr_high": best.fpr_upper}
    rates = {name: round_number(rate[0]) for name, rate in own.items()}
    return [*points, {"best": "youden", **rates, **_describe_point(best, 0)}]


def _note_beyond(request: ReportRequest, name: str, places: Sequence[float]) -> None:
    """Note rates that these negatives cannot resolve; groups and classes differ in this."""
    if request.kind == "model":
        rates = ", ".join(f"{fpr:g}" for fpr in places)
        negatives = request.sizes[1]
        request.omitted.add("points", say("omitted", "beyond", negatives=negatives, rates=rates))
        return
    for fpr in places:
        why = say("omitted", "beyond_each", negatives=math.ceil(1.0 / fpr - 1e-9), rate=fpr)
        request.omitted.add("points", why, name)


def _describe_point(at: OperatingPoints, i: int) -> dict[str, Any]:
    rates = {
        "threshold_fpr": at.threshold_fpr,
        "threshold_tpr": at.threshold_tpr,
        "tpr": at.tpr,
        "low": at.tpr_lower,
        "high": at.tpr_upper,
    }
    return {
        "threshold": list_thresholds(at.threshold[i : i + 1])[0],
        "threshold_text": name_no_call(at.threshold_text[i]),
        **{name: round_number(rate[i]) for name, rate in rates.items()},
        "method": at.method,
        "notes": list(at.notes),
    }


def _count_called(roc: RocCurve, cuts: npt.NDArray[Any]) -> list[int]:
    """Count the rows at or above each threshold."""
    steps = bisect(roc.thresholds.size, lambda at: roc.thresholds[at] >= cuts, cuts.shape)
    return list(map(int, np.append(0, roc.fp + roc.tp)[steps]))


def build_rates_section(request: ReportRequest, name: str) -> dict[str, Any] | None:
    """Share of positives found when a share of all rows is acted on."""
    capacity = request.preset.capacity
    rate = np.union1d(RATES, capacity)
    roc, level = request.curves[name], request.each(request.level)
    ask, what = request.omitted.attempt, "The bound at a rate"
    with collect_warnings() as said:
        found = ask("rates", name, what, rate_bounds, roc, level=level, rate=rate)
    if found is None:
        return None
    columns = round_fields(found, "rate", "tpr", "tpr_lower", "tpr_upper")
    cut, none = found.threshold, np.isnan(found.precision)  # no case is acted on
    right = round_column(np.where(none, 0.0, found.precision))
    notes = list(dict.fromkeys([*(str(Message(text)) for text in said), *found.notes]))
    nothing = dict.fromkeys(("threshold", "threshold_text"))
    return {
        **{part.removeprefix("tpr_"): column for part, column in columns.items()},
        "precision": [None if n else p for n, p in zip(none.tolist(), right, strict=True)],
        "cases": found.cases.tolist(),
        "called": None if cut is None else _count_called(roc, cut),
        **(nothing if cut is None else describe_thresholds(roc, cut)),
        "sentence": found.sentence_at(capacity),
        "level": request.level,
        "method": found.method,
        "target": found.target,
        "notes": notes,
    }


def build_rate_differences(request: ReportRequest, focus: Sequence[str]) -> list[dict[str, Any]]:
    """Compare the models in focus at the initial capacity; limits hold for all their pairs."""
    rows, rate = request.rows, request.preset.capacity
    pairs = list(combinations([name for name in request.curves if name in focus], 2))
    found: list[dict[str, Any]] = []
    if rows is None:
        return found
    for pair in pairs:
        how = {"rate": rate, "level": 1.0 - (1.0 - request.level) / len(pairs)}
        what, data = "A difference at a rate", rows[list(pair)]
        ask = request.omitted.attempt
        gap = ask("rates: differences", None, what, rate_difference, data, **how)
        if gap is None:
            break
        columns = {"difference": gap.difference, "low": gap.lower, "high": gap.upper}
        found.append(
            {
                **dict(zip(("first", "second"), pair, strict=True)),
                "rate": rate,
                **{name: round_number(float(column[0])) for name, column in columns.items()},
                "sentence": gap.sentence_at(rate),
                "level": round_number(how["level"]),
                "notes": list(gap.notes),
            }
        )
    return found


@dataclass(frozen=True, eq=False)
class CostStudy:
    """Costs of the models: thresholds chosen on one half of the rows, evaluated on the other."""

    w: FloatArray  # operating conditions
    n_chosen: int  # number of rows on which thresholds are chosen
    thresholds: Mapping[str, npt.NDArray[Any]]  # each model's thresholds
    # The rows on which they are evaluated. A score matters only by how many of its model's distinct
    # thresholds it reaches, so this rank replaces it; `least` has the ranks of the thresholds.
    judged: Sample
    least: Mapping[str, npt.NDArray[np.int16]]

    @classmethod
    def from_rows(cls, request: ReportRequest, rows: Sample) -> CostStudy:
        """Choose thresholds on a random half of the rows."""
        first = choose_half(rows, request.seed)
        w = W if request.preset.w is None else np.union1d(W, request.preset.w)

        def study(name: str) -> tuple[npt.NDArray[Any], ...]:
            cut = cost_thresholds(rows[name].take(first).roc, w=w).thresholds
            steps, place = np.unique(cut, return_inverse=True)
            column = rows[name].values
            parts = (
                np.searchsorted(steps, column[part][~first[part]], side="right").astype(np.int16)
                for part in cut_pieces(column.size)
            )
            least = (place.reshape(-1) + 1).astype(np.int16)
            return cut, freeze(np.concatenate(list(parts))), least

        found = map_columns(study, list(rows.models), first.size)
        cuts, ranks, least = (
            dict(zip(rows.models, parts, strict=True)) for parts in zip(*found, strict=True)
        )
        # Labels stand in for scores while rows are taken: they need less memory.
        light = rows._copy(_columns=dict.fromkeys(rows.models, rows.is_positive))
        judged = light.take(~first)._copy(_columns=ranks)
        return cls(w, int(np.count_nonzero(first)), cuts, judged, least)

    def compare(self, first: str, second: str, level: float) -> CostDifference:
        """Compare two models on the evaluation rows, at each w."""
        cuts = {name: self.least[name] for name in (first, second)}
        return cost_difference(self.judged[[first, second]], thresholds=cuts, w=self.w, level=level)


def build_cost_section(
    request: ReportRequest, name: str, study: CostStudy | None
) -> dict[str, Any] | None:
    """Describe the hull, which gives the best cost at any w, and measured costs with limits."""
    if request.kind != "model":
        request.omitted.add("cost", say(request.kind, "no_costs"))
        return None
    attempt, roc = request.omitted.attempt, request.curves[name]
    curve = attempt("cost", name, "The cost of thresholds", cost_curve, roc)
    if curve is None:
        return None
    section: dict[str, Any] = {"hull": _describe_hull(curve)}
    found = None
    if study is not None:
        asked = {"thresholds": study.least[name], "w": study.w, "level": request.level}
        data, what = study.judged[name].roc, "A limit of a cost"
        found = attempt("cost limits", None, what, cost_interval, data, **asked)
    if study is None or found is None:
        nothing = dict.fromkeys(("w", "cost", "lower", "upper", "threshold", "threshold_text"))
        return {**section, **nothing, "how": say("cost", "how_optimistic")}
    columns = round_fields(found, "w", "cost", "lower", "upper")
    how = say(
        "cost",
        "how",
        chosen=study.n_chosen,
        judged=study.judged.n,
        level=format_percent(request.level),
    )
    return {**section, **columns, **describe_thresholds(roc, study.thresholds[name]), "how": how}


def build_cost_differences(
    request: ReportRequest, study: CostStudy | None, focus: Sequence[str]
) -> list[dict[str, Any]]:
    """Differences of the models' costs with limits; with many pairs only those in focus."""
    if study is None:
        return []
    pairs = list(combinations(study.thresholds, 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pair for pair in pairs if set(pair) & set(focus)]
    found, what = [], "A limit of a cost"
    for first, second in pairs:
        asked = (study.compare, first, second, request.level)
        gap = request.omitted.attempt("cost limits", None, what, *asked)
        if gap is None:
            break
        columns = round_fields(gap, "difference", "lower", "upper")
        found.append({"first": first, "second": second, **columns})
    return found


def _describe_hull(curve: CostCurve) -> dict[str, Any]:
    roc = curve.roc
    rows = curve.hull_fp + curve.hull_tp
    step = bisect(roc.fp.size, lambda at: roc.fp[at] + roc.tp[at] < rows, rows.shape)
    cuts = describe_thresholds(roc, roc.thresholds[step[1:]])
    return {
        "fpr": round_column(curve.hull_fpr),
        "tpr": round_column(curve.hull_tpr),
        "threshold": ["inf", *cuts["threshold"]],
        "threshold_text": [NO_CALL, *cuts["threshold_text"]],
    }


def build_scores_section(roc: RocCurve) -> dict[str, Any]:
    """Share of each class in bins of the score, or of its rank where the scores are skewed.

    `edges` are scores, or with scale 'rank' shares of all rows that score less; `at` are the scores
    at the edges, whatever the scale.
    """
    scores = _RisingScores(roc)
    low, high = scores.read(np.array([0, scores.size - 1])).tolist()
    if scores.are_spread_evenly():
        if low == high:
            low, high = low - 0.5, high + 0.5
        at = edges = np.linspace(low, high, BINS + 1)
        scale, place = "linear", scores.read
    else:
        edges = np.linspace(0.0, 1.0, BINS + 1)
        scale, place, at = "rank", scores.find_ranks, scores.find_quantiles(edges)
    # All scores below an edge, and at the last edge all scores.
    start = bisect(scores.size, lambda at: place(at) < edges[:-1], (BINS,))
    start = np.append(start, scores.size)
    shares = [np.diff(scores.count_below(start, side)) / side[-1] for side in _sum_sides(roc)]
    return {
        "edges": round_column(edges),
        "positives": round_column(shares[0]),
        "negatives": round_column(shares[1]),
        "scale": scale,
        "at": list_thresholds(at),
    }


def _sum_sides(roc: RocCurve) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Positives and negatives at or above each score: their number, or the sum of their weights."""
    if roc.weights is None or roc.weights.equal:
        return roc.tp, roc.fp
    return np.cumsum(roc.weights.pos), np.cumsum(roc.weights.neg)


class _RisingScores:
    """Distinct scores in increasing order, read by position: there may be ten million."""

    def __init__(self, roc: RocCurve) -> None:
        self.size = roc.thresholds.size
        self._roc = roc
        self._total = int(roc.fp[-1] + roc.tp[-1])

    def read(self, place: IndexArray) -> FloatArray:
        """Return the scores at some places."""
        return self._roc.thresholds[self.size - 1 - place].astype(np.float64)

    def count_below(self, place: IndexArray, side: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Count the rows of one class, whose cumulative counts are given, that score less."""
        step = self.size - 1 - place  # the last step whose scores are not less
        return np.asarray(side[-1] - np.where(step >= 0, side[step], 0))

    def _count_all_below(self, place: IndexArray) -> npt.NDArray[Any]:
        below = (self.count_below(place, side) for side in (self._roc.fp, self._roc.tp))
        return np.asarray(np.add(*below))

    def find_ranks(self, place: IndexArray) -> FloatArray:
        """Share of all rows that score less; those with the same score count one half."""
        total, below = self._count_all_below(place + 1), self._count_all_below(place)
        return np.asarray((total - 0.5 * (total - below)) / self._total)

    def find_quantiles(self, share: FloatArray) -> FloatArray:
        """Lowest scores at or below which these shares of all rows lie."""
        rows = share * self._total
        place = bisect(self.size, lambda at: self._count_all_below(at + 1) < rows, share.shape)
        return self.read(np.minimum(place, self.size - 1))

    def are_spread_evenly(self) -> bool:
        """Tell whether bins of equal width suit the scores: finite, and not concentrated."""
        low, high = self.read(np.array([0, self.size - 1]))
        with np.errstate(over="ignore", invalid="ignore"):
            whole = float(high - low)
        if not math.isfinite(whole):
            return False
        middle = float(np.diff(self.find_quantiles(np.array([0.01, 0.99])))[0])
        return self.size == 1 or middle > NARROW * whole


MOST_BANDS = 15  # pairs of models up to which each gets a band of its own
DRAWS = 5000  # for simultaneous limits, or so many that 20 of them lie beyond these
NARROWEST = 3.0  # negatives that a range of false positive rates must contain to be claimed


def count_draws(level: float) -> int:
    """Choose a number of draws for simultaneous limits at this level."""
    return max(DRAWS, min(10 * DRAWS, math.ceil(20.0 / (1.0 - level))))


def plan_comparison(request: ReportRequest, focus: Sequence[str]) -> list[Job]:
    """Jobs that compare the models: all areas, and then where one curve lies above the other.

    For :func:`build_comparison_section`, once they are done.
    """
    names, rows = tuple(request.curves), request.rows
    if len(names) < 2 or request.kind != "model":
        return []
    if rows is None:
        return [lambda own: own.omitted.add("comparison", say("omitted", "counts"))]
    pairs = list(combinations(names, 2))
    return [
        partial(_compare_areas, rows=rows, focus=focus),
        *(
            partial(_build_band, rows=rows, pair=pair, n_pairs=len(pairs))
            for pair in pairs
            if len(pairs) <= MOST_BANDS or set(pair) & set(focus)
        ),
    ]


def _compare_areas(
    request: ReportRequest, rows: Sample, focus: Sequence[str]
) -> Comparisons | None:
    how: dict[str, Any] = {"level": request.level, "rng": request.seed}
    ask = request.omitted.attempt
    found = ask("comparison", None, "A comparison", compare_many, rows, **how)
    if found is not None and len(found.pairs) > MOST_BANDS:
        shown = " or ".join(map(repr, focus))
        why = say("omitted", "pairs", pairs=len(found.pairs), focus=shown)
        request.omitted.add("comparison: bands", why)
    return found


def _build_band(
    request: ReportRequest, rows: Sample, pair: tuple[str, str], n_pairs: int
) -> tuple[tuple[str, str], DifferenceBand | None, Omitted]:
    first, second = pair
    omitted = Omitted()  # which counts only if the areas can be compared
    curves = None if request.extras else (request.curves[first], request.curves[second])
    # Bonferroni: all bands hold simultaneously, as the intervals of the areas do.
    level = 1.0 - (1.0 - request.level) / n_pairs
    band = omitted.attempt(
        f"comparison: band of {first} and {second}",
        None,
        "A band of the difference",
        build_difference_band,
        Pair.from_sample(rows[[first, second]]),
        level=level,
        n_resamples=count_draws(level),
        rng=request.seed,
        curves=curves,
    )
    return pair, band, omitted


def build_comparison_section(request: ReportRequest, done: Sequence[Any]) -> dict[str, Any] | None:
    """All pairs of models, from what the jobs of :func:`plan_comparison` found."""
    found: Comparisons | None = done[0] if done else None
    if found is None:
        return None
    bands = {pair: band for pair, band, _ in done[1:]}
    for *_, omitted in done[1:]:
        request.omitted.extend(omitted)
    joint = None
    if len(request.curves) > 2:
        joint = {**round_fields(found, "statistic", "df", "pvalue"), "df": found.df}
    pairs = [
        _describe_pair(found, i, bands.get((found.names[j], found.names[k])), request.sizes[1])
        for i, (j, k) in enumerate(found.pairs)
    ]
    return {
        "method": found.method,
        "level": found.level,
        "joint": joint,
        "notes": list(found.notes),
        "pairs": pairs,
    }


def _describe_pair(
    found: Comparisons, i: int, band: DifferenceBand | None, n_neg: int
) -> dict[str, Any]:
    first, second = (found.names[k] for k in found.pairs[i])
    columns = {
        "difference": found.differences,
        "low": found.lower,
        "high": found.upper,
        "pvalue": found.raw_pvalues,
        "adjusted_pvalue": found.pvalues,
    }
    # The sentence rounds these itself: once, or 0.1753497 would be 0.17535 and then 0.1754.
    exact = {name: float(f"{column[i]:.{SURE_DIGITS}g}") for name, column in columns.items()}
    numbers = {name: round_number(number) for name, number in exact.items()}
    ranges = [] if band is None else list_ranges(band, n_neg)
    return {
        "first": first,
        "second": second,
        **numbers,
        "sentence": describe_pair(first, second, exact, ranges, found.level, len(found.pairs)),
        "better": ranges,
        "band": None if band is None else describe_difference_band(band),
    }


def list_ranges(band: DifferenceBand, n_neg: int) -> list[dict[str, Any]]:
    """List the rates at which one of two is better, but none that a few negatives decide."""
    return [
        {
            "from": round_number(part.low),
            "to": round_number(part.high),
            "model": band.names[part.model - 1],
        }
        for part in band.better
        if (part.high - part.low) * n_neg >= NARROWEST
    ]


def describe_difference_band(band: DifferenceBand) -> dict[str, Any]:
    """Return the points of a band of a difference."""
    columns = round_fields(band, "fpr", "difference", "lower", "upper")
    return {**columns, "level": band.level, "notes": list(band.notes)}
