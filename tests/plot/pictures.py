"""Every picture that the library draws: `PICTURES` by name, each a function of the axes.

A function gets axes, or None for a figure of its own, and returns the axes that it drew on. The
tests of the layout draw all of them; a result that can be drawn and is missing here fails a test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

import rocbands as rb
from rocbands.plot import draw


class Picture(NamedTuple):
    """A picture: the class of the result, a function that draws it, and whether it takes axes."""

    kind: str
    draw: Callable[[Any], Any]


PICTURES: dict[str, Picture] = {}
# Inches, where rows need more than a square.
TALL = {
    "comparisons": 6.5, "gaps between clusters": 7.5, "summary of six models": 5.5,
    "readers": 4.5, "readers, 25": 8.0, "readers, three tests": 6.0, "readers, algorithm": 5.0,
    "readers, one test": 4.5, "readers of one test each": 5.5,
}  # fmt: skip

# Components of a reader study.
PILOT = {
    "var_tr": 2.0e-4, "var": 8.0e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4,
    "n_pos": 45, "n_neg": 69, "n_readers": 5,
}  # fmt: skip


def picture(kind: str, name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a function that draws results of the class `kind`."""

    def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        PICTURES[name] = Picture(kind, function)
        return function

    return register


def of(kind: str, name: str, make: Callable[[], Any], /, **style: Any) -> None:
    """Register the picture of what `make` returns."""
    made = cache(make)
    PICTURES[name] = Picture(kind, lambda ax: draw(made(), ax, **style))


@cache
def sample() -> Any:
    return rb.load_example()


@cache
def six_models() -> Any:
    """The two models of the example, and four mixtures of them with names of different length."""
    two = sample()
    first, second = (np.asarray(two[name].values, dtype=float) for name in two.models)
    rng = np.random.default_rng(1)
    names = ("mixed", "gradient boosting", "a rather long name of a model", "noise")
    scores = {"logistic": first, "neighbours": second}
    for k, name in enumerate(names, 1):
        scores[name] = first + 0.25 * k * rng.normal(size=first.size)
    return rb.Sample(two.is_positive.astype(int), scores)


def average(view: str) -> Any:
    """The average of five folds in one of the views."""
    folds = np.arange(sample().n) % 5
    return rb.average_curve(sample()["logistic"].replace(folds=folds), view=view)


@cache
def band() -> Any:
    return rb.roc_band(sample()["logistic"])


@cache
def small_band() -> Any:
    return rb.roc_band(sample()["neighbours"].take(np.arange(0, sample().n, 8)))


@cache
def classes() -> Any:
    rng = np.random.default_rng(1)
    y = np.repeat(["cat", "dog", "owl", "newt", "salamander"], 60)
    scores = rng.normal(size=(300, 5)) + 1.5 * (y[:, None] == np.unique(y))
    return rb.class_bands(y, scores)


@cache
def clusters(number: int = 3) -> Any:
    two = sample()
    sex = np.random.default_rng(1).integers(0, number, two.n)
    names = np.array(["women", "men", "not stated", "a", "b"])
    return rb.subgroups(two["logistic"], by=names[sex])


@cache
def costs(w: tuple[float, ...]) -> tuple[Any, Any]:
    two = sample()
    half = np.random.default_rng(1).random(two.n) < 0.5
    cuts, found = {}, {}
    for name in two.models:
        cuts[name] = rb.cost_thresholds(two[name].take(half), w=w)
        found[name] = rb.cost_interval(two[name].take(~half), thresholds=cuts[name], w=w)
    return found, rb.cost_difference(two.take(~half), thresholds=cuts, simultaneous=True)


MANY_W = tuple(np.linspace(0.01, 0.99, 99).tolist())
FEW_W = (0.2, 0.4, 0.5, 0.7, 0.9)


@cache
def reader_study(
    number: int = 5,
    tests: tuple[str, ...] = ("CT", "MR"),
    algorithm: str | None = None,
    margin: float | None = None,
    nested: bool = False,
    random: Any = "both",
) -> Any:
    """Ratings from 1 to 5 of 114 cases by `number` readers; `nested`: each reads one test."""
    rng = np.random.default_rng(number)
    test, reader, case = (part.ravel() for part in np.indices((len(tests), number, 114)))
    ill = case < 45
    skill = 1.75 + 0.35 * rng.normal(size=number)[reader] + 0.35 * test
    same = rng.normal(size=114)[case] + rng.normal(size=(len(tests), 114))[test, case]
    seen = 0.55 * same + 0.63 * rng.normal(size=case.size) + skill * ill
    kept = reader % len(tests) == test if nested else np.ones(case.size, np.bool_)
    names = [f"Reader {j + 1}" for j in range(number)]
    if algorithm is not None:
        names[-1] = algorithm
    readings = rb.Readings(
        ill[kept],
        np.digitize(seen, [0.2, 0.8, 1.4, 2.1])[kept] + 1,
        reader=np.array(names)[reader[kept]],
        case=case[kept],
        test=np.array(tests)[test[kept]],
    )
    return rb.compare_readers(readings, algorithm=algorithm, margin=margin, random=random)


# ROC curves and their bands.
of("RocCurve", "curve", lambda: sample()["logistic"].roc)
of("RocCurve", "curve, logarithmic", lambda: sample()["logistic"].roc, log=True)
of("Band", "band", band)
of("Band", "band, named", band, label="logistic")
of("Band", "band of few rows", small_band)
of("Band", "band, logarithmic", band, log=True, label="logistic")
of("Band", "band, specificity", band, x="specificity")
of("Band", "band, future", lambda: rb.roc_band(sample()["logistic"], future=(50, 200)))
of("Band", "band, pointwise", lambda: rb.roc_band(sample()["logistic"], method="threshold"))
of("Table", "bands of two models", lambda: sample().each(rb.roc_band))
of("Table", "bands of six models", lambda: six_models().each(rb.roc_band))
of("Table", "curves of six models", lambda: six_models().each(rb.roc_curve))
of(
    "OperatingPoints",
    "points at fpr",
    lambda: rb.operating_points(sample()["logistic"], fpr=[0.02, 0.1, 0.3]),
)
of(
    "OperatingPoints",
    "point, youden",
    lambda: rb.operating_points(sample()["logistic"], best="youden"),
    label="logistic",
)
of("OperatingPoints", "point, eer", lambda: rb.operating_points(sample()["logistic"], best="eer"))
of(
    "OperatingPoints",
    "points, rectangles",
    lambda: rb.operating_points(sample()["logistic"], threshold=[0.2, 0.5], joint=True),
)
of("Table", "points of two models", lambda: sample().each(rb.operating_points, fpr=[0.05, 0.2]))

# The same band in other coordinates.
for view in ("pr", "gains", "lift", "det", "cost", "net-benefit"):
    of("View", f"view {view}", lambda view=view: band().view(view))
    of(
        "Table",
        f"view {view} of two",
        lambda view=view: sample().each(lambda one: rb.roc_band(one).view(view)),
    )
    of("View", f"view {view} of few rows", lambda view=view: small_band().view(view))
of("View", "view pr, 5%, lines of F1", lambda: band().view("pr", prevalence=0.05), iso_f1=True)
of("View", "view gains, 5%, marked", lambda: band().view("gains", prevalence=0.05), mark=0.2)
of(
    "NetBenefit",
    "net benefit",
    lambda: rb.net_benefit(sample()["logistic"], thresholds=np.linspace(0.02, 0.9, 60)),
)
of("Table", "net benefit of two", lambda: sample().each(rb.net_benefit))
of(
    "Table",
    "net benefit at two thresholds",
    lambda: sample().each(rb.net_benefit, thresholds=[0.1, 0.3]),
)
of("NetBenefitDifference", "difference of net benefit", lambda: rb.net_benefit_difference(sample()))

# Forests.
of("GroupGaps", "gaps between clusters", lambda: clusters().gaps)
of("Summary", "summary", lambda: rb.summary(sample()))
of("Summary", "summary of six models", lambda: rb.summary(six_models()))
of("Interval", "interval", lambda: rb.auc_interval(sample()["logistic"]))
of(
    "Interval",
    "interval, one-sided",
    lambda: rb.auc_interval(sample()["logistic"], alternative="greater"),
)
of(
    "dict",
    "intervals",
    lambda: {name: rb.auc_interval(six_models()[name]) for name in six_models().models},
)
of("Table", "table of intervals", lambda: sample().each(rb.auc_interval))
of(
    "list",
    "list of intervals",
    lambda: [rb.auc_interval(sample()[name]) for name in sample().models],
)
of("Comparison", "comparison", lambda: rb.compare(sample()))
of("Comparison", "comparison, margin", lambda: rb.compare(sample(), margin=0.05))
of("Comparisons", "comparisons", lambda: rb.compare_many(six_models()))

of("SmoothCurve", "smooth", lambda: rb.smooth_curve(sample()["logistic"]), label="logistic")

# Differences, rates, costs, plans.
of("DifferenceBand", "difference", lambda: rb.difference_band(sample()))
of(
    "DifferenceBand",
    "difference, long names",
    lambda: rb.difference_band(sample()),
    labels=("score_logistic_regression", "score_neighbours"),
)
of("RateBounds", "rates", lambda: rb.rate_bounds(sample()["logistic"]))
of(
    "RateBounds",
    "rates, marked",
    lambda: rb.rate_bounds(sample()["logistic"]),
    mark=[0.2],
    label="logistic",
)
of("RateBounds", "rates, few", lambda: rb.rate_bounds(sample()["logistic"], rate=[0.05, 0.2, 0.5]))
of("RateBounds", "rates in ROC space", lambda: rb.rate_bounds(sample()["logistic"]), space="roc")
of("Table", "rates of two models", lambda: sample().each(rb.rate_bounds))
of(
    "RateDifference",
    "rate difference",
    lambda: rb.rate_difference(sample(), rate=np.linspace(0, 1, 201)),
)
of(
    "RateDifference",
    "rate difference, few",
    lambda: rb.rate_difference(sample(), rate=[0.05, 0.1, 0.2]),
)
of("CostCurve", "cost curve", lambda: rb.cost_curve(sample()["logistic"]))
of("Table", "cost curves of two", lambda: sample().each(rb.cost_curve))
of("CostIntervals", "costs", lambda: costs(MANY_W)[0]["logistic"])
of("CostIntervals", "costs, few", lambda: costs(FEW_W)[0]["logistic"], label="logistic")
of("CostDifference", "cost difference", lambda: costs(MANY_W)[1])
of("CostDifference", "cost difference, few", lambda: costs(FEW_W)[1])
of("SampleSize", "plan, width", lambda: rb.sample_size(auc=0.8, width=0.1))
of("SampleSize", "plan, power", lambda: rb.sample_size(auc=0.8, against=0.7))
of("ReaderStudySize", "readers, cases", lambda: rb.reader_study_size(PILOT, difference=0.044))
of(
    "ReaderStudySize",
    "readers, power",
    lambda: rb.reader_study_size(PILOT, difference=0.05, readers=[4, 8], cases=[100, 200]),
)
of(
    "ReaderStudySize",
    "readers, few",
    lambda: rb.reader_study_size(PILOT, difference=0.02, readers=3),
)

# Several classes and clusters.
of("ClassBands", "classes", classes)
of("Subgroups", "clusters", clusters)
of("Subgroups", "clusters, five", lambda: clusters(5))
of("GroupGaps", "differences between clusters", lambda: clusters().gaps)
of("GroupGaps", "differences between clusters, five", lambda: clusters(5).gaps)


@picture("Table", "costs of two models")
def _costs_of_two(ax: Any) -> Any:
    for name, intervals in costs(MANY_W)[0].items():
        ax = intervals.plot(ax, label=name)
    return ax


@picture("RocBandDisplay", "display")
def _display(ax: Any) -> Any:
    return (
        rb.RocBandDisplay(band=band(), name="LogisticRegression", pos_label="malignant")
        .plot(ax, plot_chance_level=True)
        .ax_
    )


@picture("RocBandDisplay", "display of folds")
def _display_of_folds(ax: Any) -> Any:
    two = sample()
    fold = np.arange(two.n) % 5
    folded = rb.Sample(
        two.is_positive.astype(int), np.asarray(two["logistic"].values, dtype=float), folds=fold
    )
    made = rb.roc_band(folded, method="fold-average")
    return rb.RocBandDisplay(band=made).plot(ax).ax_


@picture("PrecisionRecallBandDisplay", "display, precision-recall")
def _display_pr(ax: Any) -> Any:
    return (
        rb.PrecisionRecallBandDisplay(
            view=band().view("pr"), name="LogisticRegression", pos_label=1
        )
        .plot(ax)
        .ax_
    )


@picture("ClassBandsDisplay", "display of classes")
def _display_classes(ax: Any) -> Any:
    return rb.ClassBandsDisplay(bands=classes(), name="forest").plot(ax).ax_


of("BestThreshold", "best threshold", lambda: rb.best_threshold(sample()["logistic"]))
of("TwoSidedCurve", "two-sided curve", lambda: rb.two_sided_curve(sample()["logistic"]))
for _view in ("roc", "pr", "cost"):
    of("AverageCurve", f"average, {_view}", partial(average, _view))

# Reader studies.
THREE = ("CT", "MR", "ultrasound with contrast")
of("ReaderStudy", "readers", reader_study)
of("ReaderStudy", "readers, 25", lambda: reader_study(25, ("without AI", "with AI"), margin=0.05))
of("ReaderStudy", "readers, three tests", lambda: reader_study(8, THREE))
of("ReaderStudy", "readers, one test", lambda: reader_study(6, ("CT",)))
of("ReaderStudy", "readers, algorithm", lambda: reader_study(7, ("CT", "MR"), algorithm="AI"))
of("ReaderStudy", "readers of one test each", lambda: reader_study(8, nested=True))
of("ReaderStudy", "readers, curves", reader_study, kind="curves")
of(
    "ReaderStudy",
    "readers, curves and algorithm",
    lambda: reader_study(7, ("CT",), algorithm="AI"),
    kind="curves",
)
of("ReaderStudy", "readers, curves of three", lambda: reader_study(8, THREE), kind="curves")
