"""What is measured: worlds, sizes and statements, page by page."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import rocbands as rb
from rocbands_studies import (
    AreaDifference,
    AreaLimits,
    BandHeights,
    Binormal,
    Coverage,
    CurveDifference,
    CurveInBand,
    Finite,
    FixedClasses,
    LaterCurveInBand,
    ManyAreas,
    PartialAreaLimits,
    RandomClasses,
    RecallDifference,
    RecallLimits,
    TprDifference,
    TprLimits,
)
from rocbands_studies.coverage import worlds as w
from rocbands_studies.coverage.many import many_page
from rocbands_studies.coverage.questions import (
    ChanceQuantiles,
    CostCoverage,
    CurveInRocci,
    FoldAreaLimits,
    KnotsInBand,
    PlainDifference,
    PrintedThreshold,
    PrintedVertical,
    ThresholdRates,
)
from rocbands_studies.coverage.tables import Page, Section, cross, fewer_if_large, fixed, head
from rocbands_studies.coverage.views import views_page
from rocbands_studies.coverage.weights import weights_page

SCORES = Path(os.environ.get("ROCBANDS_DATA", "data")) / "scores"
LEARNERS = ("logit", "c45", "gbt")
HIGH, NEAR_PERFECT = 1.8124, 2.326  # positives this far away: an AUC of .90, of .95
LIKELIHOOD = CurveInBand(rb.bands.Likelihood(n_resamples=500))
GRID = [Binormal(theta) for theta in w.THETAS]
SOME = [Binormal(theta) for theta in (0.75, 2.0, 3.0, 5.0)]
SHAPES = [world.pair for world in w.SHAPES]
ROUNDED = [world.pair for world in w.ROUNDED]
BINORMAL_WORDS = "Positives N(theta, 3.75), negatives N(-theta, 3.0), as in the 2005 paper."


@cache
def real_populations() -> tuple[Finite, ...]:
    from pyarrow import parquet

    made = []
    for name in ("adult", "covertype12", "letter_A"):
        file = SCORES / f"{name}_n2500.parquet"
        if not file.exists():
            continue
        table = parquet.read_table(file, columns=["y", *LEARNERS])
        y = table["y"].to_numpy() == 1
        made += [
            Finite.from_rows(y, table[learner].to_numpy(), f"{name} {learner}")
            for learner in LEARNERS
        ]
    return tuple(made)


def real_cells() -> tuple[Coverage, ...]:
    cells = []
    for world in real_populations():
        share = world.n_pos / (world.n_pos + world.n_neg)
        sizes = [(max(round(r * share), 2), r) for r in (250, 1000)]
        cells += cross([world], fixed(*((m, r - m) for m, r in sizes)), LIKELIHOOD)
    return tuple(cells)


def likelihood_page() -> Page:
    name = "coverage"
    rows = [RandomClasses(r) for r in (25, 100, 250, 1000, 2500, 10_000)]
    equal = fixed((25, 25), (50, 50), (250, 250), (1000, 1000))
    later = fixed((12, 13), (50, 50), (125, 125), (500, 500), (1250, 1250))
    shapes = [*SHAPES, w.t_scores(2.0), w.t_scores(1.5, 4.0)]
    calibrations = [
        (SHAPES[2], (12, 12), ("auto", "chance", "plugin")),
        (ROUNDED[0], (500, 500), ("chance", "curve")),
        (w.SHIFTED[0.25].pair, (500, 500), ("auto", "chance", "curve")),
        (w.SHIFTED[0.0625].pair, (500, 500), ("auto", "levels")),
    ]
    return Page(
        name,
        head(
            name,
            "Measured coverage of the likelihood band",
            "Does the band contain the whole curve? In brackets its mean area at the first level. [Other bands](coverage-bands.md) have a page of their own.",
        ),
        (
            Section(
                "Binormal scores", BINORMAL_WORDS, cross(GRID, rows, LIKELIHOOD),
                1000, named=True,
            ),
            Section(
                "Other shapes", "", cross(shapes, [*equal, *fixed((35, 35), (500, 500))], LIKELIHOOD), 1000, named=True,
            ),
            Section(
                "Unbalanced classes", BINORMAL_WORDS,
                cross(
                    [Binormal(theta) for theta in (0.75, 2.0, 4.0)],
                    fixed((10, 490), (25, 975), (100, 4900), (490, 10), (4900, 100)), LIKELIHOOD,
                ),
                1000, named=True,
            ),
            Section(
                "Many rows", "",
                cross([Binormal(1.0), Binormal(3.0), SHAPES[0], w.t_scores(2.0)], fixed((50_000, 50_000), (1000, 99_000)), LIKELIHOOD),
                400, named=True,
            ),
            Section(
                "Tied scores",
                "Rounded to multiples of 2, 1 and .25. Where many rows are tied the critical value is that of score levels.",
                cross(ROUNDED, equal[1:], LIKELIHOOD), 400, named=True,
            ),
            Section(
                "Calibrations compared",
                "Where they differ most: a hooked curve at 12+12, and levels about as wide as the noise (29 and about 100 levels).",
                tuple(
                    Coverage(world, FixedClasses(*size), CurveInBand(rb.bands.Likelihood(how, 500)))  # type: ignore[arg-type]
                    for world, size, hows in calibrations for how in hows
                ),
                200,
            ),
            Section(
                "Real scores",
                "250 and 1,000 rows, with replacement, from a file of out-of-sample scores, which is the truth as a whole; three data sets, models trained on "
                "2,500 rows. The files are looked for in `$ROCBANDS_DATA/scores`.",
                real_cells(), 400, named=True,
            ),
            Section(
                "Future curves",
                "The band asked with `future=` for the empirical curve of a second test set of the same size.",
                cross(GRID, later, LaterCurveInBand(rb.bands.Likelihood())), 400, named=True,
            ),
            Section(
                "Future curves, other shapes and unequal classes", "",
                cross(
                    [SHAPES[0], SHAPES[1], SHAPES[3], Binormal(1.0), Binormal(4.0)], fixed((60, 60), (250, 250), (100, 900), (900, 100)),
                    LaterCurveInBand(rb.bands.Likelihood()),
                ),
                400, named=True,
            ),
            Section(
                "Areas beside other bands",
                "The same data sets for all. `rocci` is measured where it is installed, at the points of its own grid.",
                cross(
                    SOME, [RandomClasses(r) for r in (100, 1000)], CurveInBand(rb.bands.Likelihood("curve")), CurveInBand(rb.bands.Likelihood("chance")),
                    CurveInBand(rb.bands.FixedWidth(n_resamples=199)), CurveInRocci(),
                ),
                40,
            ),
            Section(
                "Critical values in fresh permutations",
                "P(T <= c) of the shipped critical values of chance, for class sizes between those of the table; a data set here is 10,000 permutations.",
                tuple(
                    ChanceQuantiles(*size)
                    for size in ((7, 63), (23, 400), (41, 7000), (55, 85), (90, 130), (120, 450), (222, 333), (90, 1500), (800, 650), (1500, 1700))
                ),
                4,
            ),
        ),
    )  # fmt: skip


def bands_page() -> Page:
    name = "coverage-bands"
    normal, rising = (
        [_at(w.known_worlds(auc)[k], auc) for auc in (0.7, 0.85, 0.95)] for k in (0, 4)
    )
    sizes = fixed((12, 13), (50, 50), (50, 500), (500, 500), (5000, 5000))
    width, pointwise = (
        rb.bands.FixedWidth(n_resamples=199),
        rb.bands.WorkingHotelling(simultaneous=False),
    )
    whole = [
        LIKELIHOOD, *map(CurveInBand, (
            width, replace(width, smooth=True), rb.bands.SupT(n_resamples=199), rb.bands.JointRegion(), rb.bands.JointRegion(boxes="berk-jones"), rb.bands.WorkingHotelling(), pointwise,
        )),
    ]  # fmt: skip
    later = [LaterCurveInBand(rb.bands.Likelihood()), LaterCurveInBand(width), LaterCurveInBand(replace(width, future_rule="pairs"))]  # fmt: skip
    fold_cells = tuple(
        Coverage(w.FoldModels(size.n_pos, size.n_neg, count), size, CurveInBand(rb.bands.FoldAverage(target, 199)))  # type: ignore[arg-type]
        for count, target in ((0, "models"), (3, "learner"), (5, "learner"), (10, "learner")) for size in fixed((5, 5), (25, 25), (10, 40), (100, 100))
    )  # fmt: skip
    knots = [
        *(KnotsInBand(kind(how, 200)) for kind in (rb.bands.VerticalAverage, rb.bands.ThresholdAverage) for how in ("normal", "empirical", "exact")),
        KnotsInBand(PrintedVertical("binomial", 200)), KnotsInBand(PrintedThreshold("binomial", 200)),
    ]  # fmt: skip
    heights = [BandHeights(method, (0.02, 0.05, 0.1, 0.2, 0.5)) for method in (rb.bands.VerticalAverage(), rb.bands.ThresholdAverage())]  # fmt: skip
    return Page(
        name,
        head(
            name,
            "Measured coverage of other bands",
            "Does the band contain the whole curve? In brackets its mean area at the first level. The default band stands beside the others, on the same data sets; [it has a page of its "
            "own](coverage.md). Resampling methods draw 199 sets instead of 1,000, which holds as often on average. Where Working-Hotelling bands have no fit they are the whole square; that "
            "counts as a miss here, and its share follows a slash. `simultaneous=False` is a pointwise band, which is not made for whole curves.",
        ),
        (
            Section("Normal scores", "Both classes have sd 1, as Working-Hotelling bands assume.", cross(normal, sizes, *whole), 200),
            Section("Exponential scores", "Not what Working-Hotelling bands assume.", cross(rising, sizes, *whole), 200),
            Section("Working-Hotelling bands, other scores", "", cross(SHAPES[1:3], fixed((50, 50), (500, 500)), CurveInBand(rb.bands.WorkingHotelling())), 200),
            Section("Future curves, normal scores", "The empirical curve of a second test set of the same size.", cross(normal, sizes[:4], *later), 200),
            Section(
                "Averages over folds",
                "The average of five models of different skill, and a learner whose skill varies from training set to training set, seen 3, 5 and 10 times; rows of each fold at the top.",
                fold_cells, 200,
            ),
            Section(
                "Averaged bands, all knots together", "Knots with .01 <= fpr <= .99; the rules as printed in 2004, and the exact ones. 200 resamples.",
                cross(normal, [sizes[1], sizes[3]], *knots), 200,
            ),
            Section(
                "Averaged bands at one fpr", "`vertical` is made for single heights. `threshold` is not, and stands beside it.",
                cross(normal[::2], [sizes[k] for k in (0, 1, 3)], *heights), 200, places=True,
            ),
        ),
    )  # fmt: skip


def areas_page() -> Page:
    name = "coverage-auc"
    sizes = fixed(
        (10, 10), (20, 20), (50, 50), (200, 200), (1000, 1000), (10, 90), (20, 980), (50, 950), (200, 1800), (90, 10), (980, 20), (1800, 200),
    )  # fmt: skip
    aucs = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
    sets = 1000
    some = [sizes[k] for k in (0, 2, 3, 6, 7, 10)]
    known = [_at(world, auc) for auc in aucs for world in w.known_worlds(auc)]
    other = [_at(world, auc) for auc in aucs[1:] for world in w.other_worlds(auc)]
    groups = [w.Groups(kind, auc, **how) for auc in (0.8, 0.95, 0.99) for kind, how in w.GROUPS]
    pairs = [(0.99, 0.95), (0.9, 0.9)]
    pair_sizes = [(30, 30), (10, 50), (150, 150), (30, 270)]
    kinds = ("lognormal, shifted", "two kinds of positives", "gamma 2 and 3", "uniform, shifted")
    models = [_two_areas(kind, two, rho) for kind, two, rho in product(kinds, pairs, (0.6, 0.95))]
    sections = [
        Section("score-delong", "The default.", cross(known, sizes, AreaLimits("score-delong")), sets, split=True, named=True),
        Section(
            "score-delong, other scores", "Scores that nobody looked at when its constants were chosen.",
            cross(other, sizes, AreaLimits("score-delong")), sets, split=True, named=True,
        ),
        Section(
            "Groups", "Groups of 1 to 5 rows that share a normal effect with half of the variance, unless the table says otherwise; sizes are groups.",
            cross(groups, fixed((15, 15), (50, 50), (15, 100), (100, 15)), AreaLimits("score-delong"), AreaLimits("logit-delong")), 400, named=True,
        ),
        Section(
            "Many rows", "", cross([known[5 * 3], known[5 * 5 + 2], other[4]], fixed((50_000, 50_000), (500, 99_500)), AreaLimits("score-delong")), 200, named=True,
        ),
        Section(
            "Differences of two AUCs, same rows",
            "`rb.compare`: in brackets the mean width, then how often the test rejects equal AUCs; *wald* is the normal test of other programs. The correlation is that of normal scores behind the models' scores.",
            cross(models, fixed(*pair_sizes), AreaDifference(), AreaDifference("wald")), 400, named=True,
        ),
        Section(
            "Differences of two AUCs, two test sets", "The same models on test sets of their own, of the same size; the correlation does not apply.",
            cross([w.TwoSets(model) for model in models[::2]], [w.TwoSizes(size, size) for size in pair_sizes], AreaDifference()), 400, named=True,
        ),
        Section(
            "Several models",
            "`rb.compare_many` with equal AUCs: all simultaneous limits hold; in brackets their mean width, then how often the joint test rejects. With several standard deviations of "
            "the positives the curves have different shapes.",
            (
                *cross(
                    [
                        *(w.ManyModels(k, 0.8, 0.6) for k in (3, 5, 8, 10)), *(w.ManyModels(k, 0.6, 0.6) for k in (3, 10)), *(w.ManyModels(3, auc, 0.6) for auc in (0.9, 0.95)),
                        w.ManyModels(5, 0.7, 0.3), w.ManyModels(3, 0.85, 0.9), w.ManyModels(5, 0.8, 0.6, heavy=True),
                        *(w.ManyModels(k, 0.85, 0.6, spread=sd) for k, sd in ((3, (1.0, 2.0)), (8, (1.0, 2.0)), (5, (1.0, 0.5)), (5, (1.0, 2.0, 0.5)))),
                    ],
                    fixed((10, 200), (20, 2000), (50, 500)), ManyAreas(1000),
                ),
                *cross([w.ManyModels(5, 0.8, 0.6), w.ManyModels(5, 0.85, 0.6, spread=(1.0, 2.0))], fixed((200, 10)), ManyAreas(1000)),
            ),
            1000, named=True,
        ),
    ]  # fmt: skip
    methods = ("newcombe", "logit-delong", "delong", "hanley-mcneil", "exact-bootstrap")
    few = [
        _at(w.known_worlds(auc)[k], auc)
        for auc, k in ((0.7, 0), (0.9, 0), (0.9, 2), (0.9, 4), (0.99, 0))
    ]
    sections.append(
        Section("Other methods", "", cross(few, some[:5], *map(AreaLimits, methods)), 200)
    )
    resampled = [_at(w.known_worlds(auc)[0], auc) for auc in (0.7, 0.9, 0.99)]
    sections.append(
        Section(
            "Resampling", "599 resamples.",
            cross(resampled, fixed((10, 10), (50, 50), (200, 200)), AreaLimits("bootstrap", 599), AreaLimits("bca", 599)), 200,
        )
    )  # fmt: skip
    learners = [w.CrossValidated(far, 5) for far in (0.0, 1.0, 2.0)]
    near_one = [
        w.CrossValidated(far, folds) for far, folds in ((2.33, 5), (2.9, 5), (2.9, 10), (3.29, 5))
    ]
    unstable = [w.PickedFeature(far, folds) for far, folds in ((0.36, 10), (0.74, 5))]
    fold_methods = [
        FoldAreaLimits(name) for name in ("score", "t", "nadeau-bengio", "influence", "fold-delong")
    ]
    sections.append(
        Section(
            "Folds",
            "A learner that scores along the difference of the class means, five features, cross-validated. *learner* is the expected AUC of such models, which `t` and "
            "`nadeau-bengio` are for; *models* the average AUC of the fitted ones, which `influence` and `fold-delong` are for. `score` is for both.",
            cross(learners, fixed((30, 30), (100, 100), (500, 500)), *fold_methods)
            + cross(near_one, fixed((30, 30), (60, 60), (150, 150)), *fold_methods)
            + cross(unstable, fixed((30, 30), (100, 100)), fold_methods[0], fold_methods[2]),
            1000, places=True,
        )
    )  # fmt: skip
    words = "What follows from the figures is said in [Areas under the curve](../../docs/auc.md) and [Comparing classifiers](../../docs/compare.md). In brackets mean widths at the first level."
    return Page(name, head(name, "Measured coverage of AUC intervals", words), tuple(sections))


def _at(world: Any, auc: float) -> Any:
    return replace(world, name=f"{world.name}, AUC {auc:g}")


def _two_areas(kind: str, aucs: tuple[float, float], rho: float) -> w.TwoModels:
    one, two = (next(world for world in w.other_worlds(auc) if world.name == kind) for auc in aucs)
    name = f"{kind}, {aucs[0]:g} against {aucs[1]:g}, correlation {rho:g}"
    sides = (one.negatives, two.negatives), (one.positives, two.positives)
    return w.TwoModels(name, *sides, (rho, rho))  # type: ignore[arg-type]


def points_page() -> Page:
    name = "coverage-points"
    sizes = fixed((25, 25), (50, 50), (100, 100), (500, 500), (30, 200), (300, 30))
    populations = [Binormal(1.0), Binormal(3.0), SHAPES[0], ROUNDED[1]]
    fpr = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    ranges = ((0.0, 0.1), (0.1, 0.3), (0.0, 0.5))
    partial = [PartialAreaLimits("placement", span) for span in ranges]
    alike = [w.shifted(rho, shift) for rho, shift in product((0.6, 0.9, 0.99), (0.0, 0.5))]
    return Page(
        name,
        head(name, "Measured coverage of points and partial areas", "In brackets mean widths at the first level."),
        (
            Section(
                "True positive rate at a fixed false positive rate", "`rb.operating_points(..., fpr=f)` with its default; f at the top.",
                cross(populations, sizes, TprLimits("likelihood", fpr)), 400, places=True, named=True,
            ),
            Section(
                "True positive rate at a fixed false positive rate, other methods", "300 resamples where scores are tied, elsewhere the exact distribution of resampling.",
                cross(populations, sizes, TprLimits("wilson", fpr, 300), TprLimits("bootstrap", fpr, 300)), 200, places=True,
            ),
            Section(
                "Partial area", "`rb.partial_auc_interval(..., fpr=range)`; widths are shares of the largest possible area.",
                cross([*populations[:2], Binormal(5.0), ROUNDED[1]], [*sizes, FixedClasses(10, 290)], *partial), 400, named=True,
            ),
            Section(
                "Partial area, bootstrap", "200 resamples.",
                cross([*populations[:2], Binormal(5.0), ROUNDED[1]], sizes[:3], PartialAreaLimits("bootstrap", (0.0, 0.1), 200)), 200,
            ),
            Section(
                "Rates of chosen and of fixed thresholds", "`rb.operating_points` with Wilson's limits: do they hold the chosen threshold's own true rates?",
                cross(populations[:3], sizes, *map(ThresholdRates, ThresholdRates.ASKED)), 200, places=True,
            ),
            Section(
                "Difference of two true positive rates",
                "`rb.compare_tpr`; behind the semicolon how often the test rejects at 1 - level. With shift 0 the models are equal.",
                cross(alike, fixed((30, 30), (100, 100), (50, 500), (500, 50)), TprDifference(0.1)), 400, named=True,
            ),
        ),
    )  # fmt: skip


def difference_page() -> Page:
    name = "coverage-difference"
    band = CurveDifference()
    balanced = [
        *(w.shifted(rho, shift) for rho, shift in product((0.3, 0.6, 0.9), (0.0, 0.5))),
        *(w.shifted(rho, shift, NEAR_PERFECT) for rho, shift in product((0.6, 0.9), (0.0, 0.5))),
        *(w.crossing(rho) for rho in (0.6, 0.9)), *(w.exponential(0.6, 3, mean) for mean in (3, 6)),
    ]  # fmt: skip
    unbalanced = [
        *(w.shifted(rho, shift) for rho, shift in product((0.6, 0.9), (0.0, 0.5))),
        w.shifted(0.6, 0.5, NEAR_PERFECT), w.crossing(0.6), w.exponential(0.6, 3, 6),
    ]  # fmt: skip
    tied = [
        w.shifted(0.6, shift, step=step) for shift, step in ((0.0, 1.0), (0.5, 1.0), (0.5, 0.5))
    ]
    held_out = [
        w.shifted(0.8, 0.8, 0.5), w.exponential(0.9, 2, 4), w.crossing(0.8, 0.5), w.student(0.7, 1, 1.6), w.shifted(0.95, 0.0, HIGH),
        w.shifted(0.95, 0.3, HIGH), w.shifted(0.8, 0.3, step=0.25), w.shifted(0.6, 0.5, step=1.5),
    ]  # fmt: skip
    large = [
        w.shifted(0.6, 0.0),
        w.shifted(0.9, 0.5),
        w.shifted(0.6, 0.5, NEAR_PERFECT),
        w.crossing(0.6),
    ]
    plain = [w.shifted(rho, shift) for rho, shift in product((0.3, 0.9), (0.0, 0.5))]
    return Page(
        name,
        head(
            name,
            "Measured coverage of the difference band",
            "Does the band contain the whole true difference at FPR .05 to .95? In brackets its mean width at the first level; behind the semicolon the share of sets in which a model is "
            'called better anywhere: where the true curves are equal ("shift 0", "equal", equal means) that is the error rate, at most 1 - level. Negatives have mean 0 and sd 1 unless stated '
            'otherwise; "correlation" is that of the two scores within each class. Bands here draw 600 curves instead of 5,000.',
        ),
        (
            Section("Two models on the same rows", "", cross(balanced, fixed((50, 50), (250, 250)), band), 400, named=True),
            Section("Few of one class, many of the other", "", cross(unbalanced, fixed((50, 500), (500, 50)), band), 400, named=True),
            Section("Rounded scores", "In steps of 1 there are about seven distinct scores.", cross(tied, fixed((50, 50), (250, 250), (500, 50)), band), 400, named=True),
            Section("Two test sets", "Nobody is in both sets. Sizes: first set; second set.", _unpaired(band), _more_if_equal, named=True),
            Section(
                "More populations", "Chosen for this page; no constant of the method was chosen on them.",
                cross(w.OTHERS, fixed((60, 60), (40, 300), (300, 60)), band), 400, named=True,
            ),
            Section(
                "More populations, two test sets", "Chosen for this page.",
                cross(map(w.TwoSets, w.OTHERS), [w.TwoSizes((60, 60), (60, 60)), w.TwoSizes((40, 150), (200, 80))], band), 400, named=True,
            ),
            Section(
                "Populations and sizes of the specification that no constant was chosen on", "",
                cross(held_out, fixed((30, 30), (100, 100), (30, 300), (200, 40)), band), 400, named=True,
            ),
            Section("Few cases", "", cross([*unbalanced, w.shifted(0.99, 0.3, NEAR_PERFECT)], fixed((10, 10), (25, 25)), band), 400),
            Section(
                "Models that hardly differ", "",
                cross([w.shifted(0.99, shift) for shift in (0.0, 0.1)], fixed((50, 50), (250, 250)), band), 400, named=True,
            ),
            Section("Many rows", "", cross(large, fixed((1000, 1000), (50_000, 50_000)), band), fewer_if_large(400, 200), named=True),
            Section("FPR .02 to .98", "", cross([w.shifted(0.6, 0.5)], fixed((250, 250)), CurveDifference((0.02, 0.98))), 400, named=True),
            Section(
                "For comparison: the paired bootstrap as it stands",
                "Rows drawn with replacement, standard errors of the drawn differences, largest deviation in units of these; nothing is done where they vanish, or 1 / n_pos "
                "is added (in squares). 300 resamples.",
                cross(plain, fixed((50, 50), (250, 250)), PlainDifference(False), PlainDifference(True)), 80,
            ),
        ),
    )  # fmt: skip


def _more_if_equal(cell: Any) -> int:
    """More sets for equal curves on sets of unequal size, where a share of .05 must be told from .07."""
    (small, _), (large, _) = cell.classes.first, cell.classes.second
    return 2000 if small != large and cell.world.name.endswith("shift 0") else 400


def _unpaired(band: CurveDifference) -> tuple[Coverage, ...]:
    equal, other = w.shifted(0.0, 0.0), w.shifted(0.0, 0.5)
    positives = w.Law("norm", NEAR_PERFECT), w.Law("norm", 2.904)
    perfect = w.TwoModels("normal, AUC .95 and .98", equal.neg, positives, (0.0, 0.0))
    rest = (perfect, w.crossing(0.0), w.shifted(0.0, 0.5, step=1.0))
    cells = [
        (world, (n, n), (n, n))
        for n in (25, 50, 250)
        for world in (equal, other, *(rest if n > 25 else ()))
    ]
    for sizes in (((50, 500), (500, 50)), ((50, 50), (250, 250))):
        cells += [(equal, *sizes), (other, *sizes)]
    cells += [(perfect, (10, 10), (10, 10)), (other, (10, 10), (10, 10))]
    return tuple(Coverage(w.TwoSets(world), w.TwoSizes(*sizes), band) for world, *sizes in cells)  # type: ignore[misc]


def rates_page() -> Page:
    name = "coverage-rates"
    rates = (0.05, 0.1, 0.2, 0.4, 0.6)
    shares = [
        (w.normal_at(0.7), 0.5), (w.normal_at(0.85), 0.3), (w.normal_at(0.95), 0.31), (w.normal_at(0.95), 0.5), (w.normal_at(0.95), 0.1),
        (w.normal_at(0.9), 0.03), (w.t_scores(2.0), 0.2), (w.normal_at(0.85, step=0.5), 0.3), (w.normal_at(0.85, sd=2.0), 0.2),
        (w.normal_at(0.8, sd=0.5), 0.1),
    ]  # fmt: skip
    worlds = [w.InShare(pair, share) for pair, share in shares]

    def cells(rows: Callable[[float], int], *statements: Any) -> tuple[Coverage, ...]:
        asked = [(world, rows(world.prevalence)) for world in worlds]
        return tuple(
            Coverage(world, RandomClasses(n, world.prevalence), statement)
            for world, n in asked if n * world.prevalence >= 3 for statement in statements
        )  # fmt: skip

    score, parametric = RecallLimits("score", rates), RecallLimits("parametric", rates)
    sizes: dict[str, Callable[[float], int]] = {
        "60 rows": lambda share: 60, "300 rows": lambda share: 300, "5,000 rows": lambda share: 5000,
        "10 positives on average": lambda share: round(10 / share),
    }  # fmt: skip
    pairs = [(rho, shift, 1.0, 0.0) for rho, shift in product((0.3, 0.9), (0.0, 0.5))]
    pairs += [
        (0.6, 0.5, 2.0, 0.0),
        (0.6, 0.5, 1.0, 1.0),
        (0.3, -1.6, NEAR_PERFECT, 0.0),
        (0.6, -0.8, NEAR_PERFECT, 0.0),
    ]
    together = tuple(
        Coverage(w.shifted(rho, shift, mean, step=step, prevalence=share), RandomClasses(n, share), RecallDifference(rates))
        for n, share in ((60, 0.5), (300, 0.31), (300, 0.1), (100, 0.1), (5000, 0.1)) for rho, shift, mean, step in pairs
    )  # fmt: skip
    apart = cross(
        [*(w.shifted(rho, shift) for rho, shift in product((0.3, 0.9), (0.0, 0.5))), w.shifted(0.6, 0.5, NEAR_PERFECT), w.shifted(0.6, 0.5, step=1.0), w.shifted(0.99, 0.1)],
        fixed((50, 50), (10, 90), (40, 360), (1000, 1000)), RecallDifference((0.05, 0.2, 0.5), "stratified"),
    )  # fmt: skip
    return Page(
        name,
        head(
            name,
            "Measured coverage of the recall at a rate",
            "Random samples: each row is positive with the stated probability, so that the number of positives varies. Do the limits of `rb.rate_bounds` contain the recall of the population "
            "when the stated share of cases is acted on? In brackets mean widths at the first level.",
        ),
        (
            *(Section(title, "", cells(rows, score), fewer_if_large(1000, 400, 1000), places=True, named=True) for title, rows in sizes.items()),
            Section(
                "For comparison: fixed class sizes", "`method='parametric'` takes the class sizes of the sample as those of the population.",
                cells(sizes["300 rows"], parametric), 100, places=True,
            ),
            Section("Two models: the difference of their recalls", "`rb.rate_difference`.", together, fewer_if_large(400, 200, 1000), places=True, named=True),
            Section(
                "Two models, fixed class sizes", '`rb.rate_difference(..., sampling="stratified")`: the share of positives is that of the test set. At small rates the recall can take few values.',
                apart, 400, places=True, named=True,
            ),
        ),
    )  # fmt: skip


def costs_page() -> Page:
    name = "coverage-costs"
    designs = [(theta, 1000, 1000) for theta in (0.75, 1.5, 3.0, 5.0)]
    designs += [(3.0, n, n) for n in (25, 100, 250)] + [(3.0, 50, 950), (1.5, 20, 180)]

    def section(title: str, words: str, sampling: str, method: str) -> Section:
        cells = tuple(CostCoverage(*design, method, sampling) for design in designs)
        return Section(title, words, cells, 1, places=True, named=method == "mover")

    words = (
        "Positives N(theta, 9), negatives N(-theta, 9), the best threshold at each w, as in Dugas and Gadoury (2009). Both error counts are enumerated, so that figures have no noise; w is "
        "at the top."
    )
    return Page(
        name,
        head(name, "Coverage of intervals for the cost", words),
        (
            section("Fixed class sizes", "`rb.cost_interval` with its default.", "stratified", "mover"),
            section("Random class sizes", '`sampling="full"`.', "full", "mover"),
            section("The paper's interval, fixed class sizes", "", "stratified", "gaussian"),
            section("The paper's interval, random class sizes", "", "full", "gaussian"),
        ),
    )  # fmt: skip


PAGES: dict[str, Callable[[], Page]] = {
    "coverage": likelihood_page,
    "coverage-auc": areas_page,
    "coverage-difference": difference_page,
    "coverage-points": points_page,
    "coverage-rates": rates_page,
    "coverage-costs": costs_page,
    "coverage-bands": bands_page,
    "coverage-many": many_page,
    "coverage-views": views_page,
    "coverage-weights": weights_page,
}


def find_page(name: str) -> Page:
    return PAGES[name if name.startswith("coverage") else f"coverage-{name}"]()
