"""Calls as users write them: every one has its concrete type, and every one runs."""

from __future__ import annotations

from typing import assert_type

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rocbands as rb

rng = np.random.default_rng(1)
y = np.repeat([0, 1], [180, 120])
s1 = rng.normal(size=300) + y
s2 = rng.normal(size=300) + 0.5 * y
sex = np.where(rng.random(300) < 0.5, "f", "m")
text = np.where(y == 1, "ill", "well")
classes = np.repeat(["cat", "dog", "owl"], [100, 100, 100])
three = rng.normal(size=(300, 3)) + (classes[:, None] == np.unique(classes))
table = {"y": text, "old": s1, "new": s2, "sex": sex}
ax: Axes = Figure().subplots()

# Samples, and what they give
assert_type(rb.Sample(y, s1), rb.Sample)
one = rb.Sample(y.tolist(), [float(value) for value in s1], weights=np.ones(300))
two = rb.Sample(text, {"old": s1, "new": s2}, positive="ill", keep={"sex": sex})
assert_type(
    rb.Sample.from_frame(table, label="y", score=["old", "new"], positive="ill", keep="sex"),
    rb.Sample,
)
assert_type(two["old"], rb.Sample)
assert_type(two[["old", "new"]].models, tuple[str, ...])
assert_type(two["old"].roc.auc, float)
assert_type(two.take(sex == "f").replace(clusters=None), rb.Sample)
many = rb.Sample.of_classes(classes, three)
assert_type(many, rb.Sample)
study = rb.Readings(y, s1, reader=np.arange(300) % 3, case=np.arange(300) // 3, test=None)
assert_type(study, rb.Readings)
assert_type(study.take("0").sample("0"), rb.Sample)
assert_type(study.scores, npt.NDArray[np.float64])
assert_type(
    rb.Readings.from_wide(
        table, case="new", label="y", columns={("A", "CT"): "old"}, positive="ill"
    ),
    rb.Readings,
)
counts = rb.ScoreCounts.from_arrays(y, {"old": s1})
assert_type(counts, rb.ScoreCounts)
assert_type(rb.count_scores(pa.table({"y": y, "score": s1}), label="y"), rb.ScoreCounts)

# One model: a sample, a curve, or labels and scores
curve = rb.roc_curve(y, s1)
assert_type(curve, rb.RocCurve)
assert_type(rb.roc_band(two["old"], level=0.9), rb.results.Band)
assert_type(rb.roc_band(text, s1, positive="ill"), rb.results.Band)
assert_type(rb.roc_band(curve, method=rb.bands.FixedWidth(n_resamples=200), rng=1), rb.results.Band)
assert_type(rb.roc_band(y, s1).lower_at([0.1, 0.2]), npt.NDArray[np.float64])
assert_type(rb.roc_band(y, s1).view("gains"), rb.results.View)
assert_type(rb.pr_band(one, prevalence=0.2), rb.results.View)
assert_type(
    rb.auc_interval([0, 1, 0, 1], (0.1, 0.9, 0.4, 0.3), method="delong"), rb.results.Interval
)
assert_type(rb.auc_interval(one, method=rb.auc.DeLong(), alternative="greater").low, float)
assert_type(rb.partial_auc_interval(y, s1, specificity=(0.8, 1)), rb.results.Interval)
assert_type(rb.cost_curve(y, s1).w_from, npt.NDArray[np.float64])
assert_type(rb.cost_curve(y, s1).auc, float)
folded = rb.Sample(y, s1, folds=np.arange(300) % 5)
assert_type(rb.fold_auc_interval(folded), rb.results.FoldInterval)
assert_type(rb.average_precision_interval(one, prevalence=0.3), rb.results.Interval)
assert_type(rb.operating_points(y, s1, specificity=[0.9, 0.95]), rb.results.OperatingPoints)
assert_type(
    rb.operating_points(curve, best="youden", test=(y, s2), rng=1), rb.results.OperatingPoints
)
assert_type(rb.operating_points(one, sensitivity=0.8, words="medical"), rb.results.OperatingPoints)
assert_type(rb.rate_bounds(y, s1, rate=0.1), rb.results.RateBounds)
cuts = rb.cost_thresholds(y, s1, w=[0.2, 0.5])
assert_type(cuts, rb.results.CostThresholds)
assert_type(rb.cost_interval(one, thresholds=cuts), rb.results.CostIntervals)
assert_type(rb.cost_interval(y, s1, thresholds=0.5, costs=(10, 1)), rb.results.CostIntervals)
assert_type(rb.cost_curve(one), rb.results.CostCurve)
assert_type(rb.net_benefit(y, 1 / (1 + np.exp(-s1)), thresholds=[0.1, 0.2]), rb.results.NetBenefit)
assert_type(rb.subgroups(two["old"], by="sex", n_resamples=200), rb.results.Subgroups)

# Two models: of one sample, of two, or as labels and two columns
assert_type(rb.compare(two), rb.results.Comparison)
assert_type(rb.compare(y, s1, s2, method=rb.comparison.ScoreDeLongTest()), rb.results.Comparison)
assert_type(rb.compare(curve, rb.Sample(text, s2, positive="ill")).pvalue < 0.05, bool)
assert_type(rb.compare_tpr(two, specificity=0.9), rb.results.Comparison)
assert_type(rb.difference_band(two, fpr=(0.1, 0.9), n_resamples=200), rb.results.DifferenceBand)
assert_type(rb.smooth_curve(y, s1, method="kernel", n_resamples=200), rb.results.SmoothCurve)
assert_type(rb.mcnemar(y, s1, s2, thresholds=(0.5, 0.3)), rb.results.Comparison)
assert_type(
    rb.cost_difference(two, thresholds={"old": cuts, "new": 0.3}, w=[0.2, 0.5]),
    rb.results.CostDifference,
)
assert_type(rb.compare_many(two, n_resamples=2000), rb.results.Comparisons)

# Several models, classes, reports, displays
areas = two.each(rb.auc_interval, level=0.9)
assert_type(areas, rb.Table[rb.results.Interval])
assert_type(areas["old"], rb.results.Interval)
assert_type(two.each(rb.roc_band, rng=1)["new"].auc, float)
assert_type(
    rb.Table({m: rb.rate_bounds(two[m], rate=0.1) for m in two}), rb.Table[rb.results.RateBounds]
)
assert_type(rb.class_bands(many), rb.results.ClassBands)
assert_type(rb.class_bands(classes, three, multi_class="ovo"), rb.results.ClassBands)
assert_type(rb.report(y, {"old": s1}, path=None, rng=1), rb.results.Report)
assert_type(rb.RocBandDisplay.from_predictions(y, s1, ax=ax), rb.RocBandDisplay)
assert_type(rb.sample_size(auc=0.8, width=0.1), rb.results.SampleSize)
pilot = {"var_tr": 2e-4, "var": 8e-4, "cov1": 3e-4, "cov2": 3e-4, "cov3": 2e-4, "cases": 114.0}
assert_type(
    rb.reader_study_size(pilot, difference=0.05, readers=[4, 6]), rb.results.ReaderStudySize
)
assert_type(rb.reader_study_size(pilot, difference=0.05, cases=200).cases, tuple[int | None, ...])
assert_type(rb.load_example().models, tuple[str, ...])
assert_type(rb.load_example("readers"), rb.Readings)
assert_type(rb.compare_readers(rb.load_example("readers")).means[0], rb.results.Interval)
