"""Which model to use, at which threshold, and what it then finds: one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rocbands.comparison.compare_many import compare_many
from rocbands.core.checks import check_costs, check_level, check_number, check_share
from rocbands.core.models import Models, plural
from rocbands.core.phrases import usual_fpr
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.core.words import pick_one
from rocbands.errors import InputError, arg
from rocbands.overview.goals import (
    AtFpr,
    AtRate,
    Candidates,
    Estimate,
    Goal,
    LowCost,
    MeanAuc,
    OptimisticCost,
)
from rocbands.overview.metrics import area_interval
from rocbands.overview.wording import HigherAuc, Wording

FEW = 30  # cases of a class below which a note says that they are few
UNTESTED = "Whether the difference from the other models is chance was not tested: "


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Which of some models to use, at which threshold, and what it then finds.

    Attributes
    ----------
    sentence : str
        All of it in words. It says "Use ..." only if limits show that the model is better than each
        of the others.
    model : str
        The model with the best estimate.
    models : tuple of str
        The models it was chosen from.
    goal : {'fpr', 'rate', 'costs', 'auc'}
        What it was chosen for: positives found at a false positive rate, or when a share of the
        cases is acted on; a low cost; with folds, whose models have no threshold in common, the
        mean AUC.
    at : float, (float, float) or None
        The false positive rate, the share, or the costs.
    threshold : float or None
        Its threshold; inf calls no case positive.
    tpr, tpr_low, tpr_high : float or None
        Rate of positives that it finds there, with limits that allow for the choice among `models`.
    fpr : float or None
        Its false positive rate on these rows.
    ppv, ppv_low, ppv_high : float or None
        Share of alarms that are right, at a given prevalence.
    cost, cost_low, cost_high : float or None
        Its cost for each 1000 cases.
    auc, auc_low, auc_high : float or None
        Its mean AUC, with folds.
    rival : str or None
        The model that it is compared with: the next best, or of those that cannot be told apart
        from it the best.
    difference, difference_low, difference_high : float or None
        By how much it is better than the rival, as a rate or a cost for each 1000 cases; limits
        are simultaneous for all pairs of models. None where the data do not allow a comparison.
    alike : tuple of str
        Models that cannot be told apart from it.
    guessing : bool
        Whether the limits allow for a model that knows nothing: those of the rate that it was
        chosen for and those of its AUC, or those of its cost.
    reversed : bool
        Whether it ranks positives below negatives.
    level : float
        Confidence level.
    notes : tuple of str
        What the reader should know.
    """

    sentence: str
    model: str
    models: tuple[str, ...]
    goal: str
    at: float | tuple[float, float] | None
    threshold: float | None
    tpr: float | None
    tpr_low: float | None
    tpr_high: float | None
    fpr: float | None
    ppv: float | None
    ppv_low: float | None
    ppv_high: float | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    auc: float | None
    auc_low: float | None
    auc_high: float | None
    rival: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    alike: tuple[str, ...]
    guessing: bool
    reversed: bool
    level: float
    notes: tuple[str, ...]


def recommend(
    models: Models | RocCurve | Mapping[str, RocCurve],
    *,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    rate: float | None = None,
    level: float = 0.95,
    rng: Rng = 0,
) -> Recommendation:
    """Choose a model and a threshold, and say in one sentence what they achieve.

    At most one of these is given: `fpr`, the largest false positive rate, by default 0.1, or lower
    if positives are rare; `costs` of a missed positive and of a false alarm, for thresholds that
    are chosen on one half of the rows and judged on the other, where possible; `rate`, the share of
    the cases that can be acted on. `prevalence`, the share of positives where the model will be
    used, is for `costs` and for the share of alarms that are right. Models are of the same rows;
    they are compared only where there are rows.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = recommend(rb.load_example())
    >>> print(found.sentence.partition("; ")[2].partition(".")[0])
    neighbours finds 23 fewer (11 to 36)
    """
    among = Candidates({"model": models} if isinstance(models, RocCurve) else models)
    goal, name, at = _read_goal(among, fpr, costs, rate, prevalence, check_level(level), rng)
    names = among.names
    order = sorted(names, key=goal.rank, reverse=True)  # equal ones stay in the order of the data
    best = order[0]
    found = goal.describe(best)
    gaps, notes, refused = _compare_all(goal, order)
    alike = tuple(other for other, gap in gaps.items() if gap.low <= 0.0)
    rival = (*alike, *order[1:], None)[0]
    turned = area_interval(among.curve(best), level).high < 0.5
    gap = gaps.get(rival) if rival is not None else None
    words = Wording(
        among=among,
        goal=goal,
        name=name,
        at=at,
        order=order,
        alike=alike,
        rival=rival,
        gap=gap,
        turned=turned,
        tested=bool(gaps),
        refused=refused,
        prevalence=prevalence,
        higher=_find_higher_auc(among, (best, *alike), level, rng) if alike else None,
    )
    roc = among.curve(best)
    if min(roc.n_pos, roc.n_neg) < FEW:
        sizes = f"{plural(roc.n_pos, 'positive')} and {plural(roc.n_neg, 'negative')}"
        notes = (*notes, f"{sizes} are few: limits are wide.")
    numbers: dict[str, Any] = {}
    for kind in ("tpr", "ppv", "cost", "auc"):
        numbers |= _spread(kind, getattr(found, kind))
    return Recommendation(
        sentence=words.write(found),
        model=best,
        models=names,
        goal=name,
        at=at,
        threshold=found.threshold,
        fpr=found.fpr,
        rival=rival,
        alike=alike,
        guessing=found.guessing,
        reversed=turned,
        level=level,
        notes=notes,
        **numbers,
        **_spread("difference", gap),
    )


def _find_higher_auc(
    among: Candidates, alike: Sequence[str], level: float, rng: Rng
) -> HigherAuc | None:
    """Find which of some models the largest of their AUCs is shown to be higher than.

    The limits are those of :func:`rocbands.compare_many`, for all pairs of all models.
    """
    if not isinstance(among.data, Sample):
        return None
    try:
        found = compare_many(among.data, level=level, rng=rng)
    except InputError:
        return None
    top = max(alike, key=dict(zip(found.names, found.estimates, strict=True)).__getitem__)
    shown = set()
    for (i, j), low, high in zip(found.pairs, found.lower, found.upper, strict=True):
        one, two = found.names[i], found.names[j]
        shown |= {(one, two)} if low > 0.0 else {(two, one)} if high < 0.0 else set()
    lower = tuple(other for other in alike if (top, other) in shown)
    return HigherAuc(top, lower) if lower else None


def _spread(name: str, numbers: Estimate | None) -> dict[str, float | None]:
    value, low, high = numbers or (None, None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _read_goal(
    among: Candidates,
    fpr: float | None,
    costs: tuple[float, float] | None,
    rate: float | None,
    prevalence: float | None,
    level: float,
    rng: Rng,
) -> tuple[Goal, str, Any]:
    """Check what the best model is to achieve."""
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence")
    given: dict[str, Any] = {"fpr": fpr, "costs": costs, "rate": rate}
    name, value = "fpr", None
    if any(one is not None for one in given.values()):
        name, value = pick_one(f"Pass, for example, {arg('fpr', 0.1)}.", **given)
    common: dict[str, Any] = {"among": among, "level": level, "rng": rng}
    first = among.curve(among.names[0])
    if name == "costs":
        pair = check_costs(value)
        kind = LowCost if LowCost.can_use(among.data) else OptimisticCost
        return kind(**common, costs=pair, prevalence=prevalence), name, pair
    if name == "rate":
        if prevalence is not None:
            raise InputError(
                f"{arg('rate')} is a share of cases like these rows",
                f"{arg('prevalence')} was given, too",
                f"Leave {arg('prevalence')} out.",
            )
        share = check_number(value, "rate", above=0, below=1)
        return AtRate(**common, rate=share), name, share
    if first.folds:
        return MeanAuc(**common), "auc", None
    if value is None:
        value = usual_fpr(first.n_pos, first.n_neg)
    value = check_number(value, "fpr", above=0, below=1)
    return AtFpr(**common, fpr=value, prevalence=prevalence), name, value


def _compare_all(
    goal: Goal, order: Sequence[str]
) -> tuple[dict[str, Estimate], tuple[str, ...], str]:
    """Compare the best model with each other one, by limits for all pairs (Bonferroni).

    Returned with notes, and the design that could not be used.
    """
    pairs = len(order) * (len(order) - 1) // 2
    gaps: dict[str, Estimate] = {}
    for other in order[1:]:
        try:
            gaps[other] = goal.compare(order[0], other, 1.0 - (1.0 - goal.level) / pairs)
        except InputError as problem:
            return {}, (UNTESTED + " ".join(str(problem).split()),), problem.extra
    return gaps, (), ""
