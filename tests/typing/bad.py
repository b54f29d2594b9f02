"""Calls that are refused at run time: each line that ends in `# bad` is an error for type checkers.

No other line is one.
"""

from __future__ import annotations

import numpy as np

import rocbands as rb

y = np.array([0, 1, 0, 1])
s = np.array([0.1, 0.9, 0.4, 0.3])
sample = rb.Sample(y, s)
two = rb.Sample(y, {"a": s, "b": -s})
curve = rb.roc_curve(y, s)
interval = rb.auc_interval(sample)
areas = two.each(rb.auc_interval)

# Arguments that do not exist, or not here
rb.roc_band(y, s, lvel=0.9)  # bad
rb.roc_band(sample, lvel=0.9)  # bad
rb.auc_interval(y, s, alpha=0.05)  # bad
rb.auc_interval(y, s, random_state=1)  # bad
rb.roc_curve(y, s, pos_label=1)  # bad
rb.roc_band(y, s, clusters=[1, 1, 2, 2])  # bad
rb.auc_interval(sample, weights=s)  # bad
rb.rate_bounds(y, s, rates=[0.1])  # bad
rb.roc_band(sample, positive=1)  # bad
rb.compare(y, s, -s, paired=False)  # bad
rb.compare(two, names=("a", "b"))  # bad
rb.auc_interval(data={"y": y, "s": s}, label="y", score="s")  # bad
rb.load_example(True)  # bad
rb.Readings(y, s, reader=y)  # bad
rb.Readings(y, s, reader="A", case=[1, 2, 3, 4])  # bad

# Data in a form that a question does not take
rb.roc_band(y)  # bad
rb.roc_band()  # bad
rb.roc_band(y, {"a": s})  # bad
rb.roc_band(y, "score")  # bad
rb.roc_band(y, ["0.1", "0.9", "0.4", "0.3"])  # bad
rb.roc_band(y, 0.5)  # bad
rb.roc_band(1, 0.5)  # bad
rb.auc_interval("labels", s)  # bad
rb.auc_interval(sample, s)  # bad
rb.auc_interval({"a": curve})  # bad
rb.compare(y, s)  # bad
rb.compare(curve)  # bad
rb.compare(sample, s)  # bad
rb.compare(y, sample)  # bad
rb.compare(two, s, -s)  # bad
rb.mcnemar(sample, sample, thresholds=0.5)  # bad
rb.compare_many(y, {"a": s, "b": -s})  # bad
rb.fold_auc_interval(y, s)  # bad
rb.class_bands(y, [0.1, 0.9, 0.4, 0.3])  # bad
rb.Sample.from_frame("scores.csv", label="y", score="s")  # bad
rb.Sample.from_frame({"y": y, "s": s}, labels="y", score="s")  # bad
rb.Sample(y, curve)  # bad

# Everything but the data goes by name
rb.roc_band(y, s, "likelihood")  # bad
rb.compare(two, "delong")  # bad
rb.compare(y, s, -s, "delong")  # bad
rb.operating_points(y, s, 0.1)  # bad
rb.sample_size(0.8, width=0.1)  # bad
rb.reader_study_size({"var": 1e-3}, 0.05)  # bad
rb.reader_study_size(two, difference=0.05)  # bad
rb.reader_study_size({"var": 1e-3}, difference=0.05, random="reader")  # bad

# Values of another type
rb.roc_band(y, s, level="0.95")  # bad
rb.roc_band(y, s, method=rb.auc.DeLong())  # bad
rb.roc_band(y, s, method=rb.bands.FixedWidth)  # bad
rb.roc_band(y, s, rng="seed")  # bad
rb.auc_interval(y, s, alternative="twosided")  # bad
rb.operating_points(y, s, fpr="0.1")  # bad
rb.operating_points(y, s, best="younden")  # bad
rb.partial_auc_interval(y, s, fpr=0.2)  # bad
rb.cost_interval(y, s, w=0.5)  # bad
rb.cost_interval(y, s, thresholds="best", w=0.5)  # bad
rb.cost_interval(y, s, thresholds=0.5, costs=10)  # bad
rb.cost_difference(two, thresholds=0.5, w=0.5)  # bad
rb.subgroups(sample, by=3)  # bad
rb.ipcw(5, True, at=3)  # bad
rb.bands.FixedWidth(resamples=100)  # bad
sample.replace(label=y)  # bad
sample.replace(clusters="patient")  # bad

# What results do not have
rb.roc_band(y, s).foo()  # bad
interval.estimat  # bad
interval.low()  # bad
interval.low = 0.5  # bad
areas["a"].foo  # bad
areas[0]  # bad
two.each(rb.auc_interval, lvel=0.9)  # bad
two.each(rb.compare_many)["a"].low()  # bad
rb.roc_band(y, s).lower_at("0.1")  # bad
sample.scores  # bad
rb.compare(two).p_value  # bad
len(sample)  # bad
rb.Scores(y, s)  # bad
rb.FixedWidth()  # bad
rb.gains_band(y, s)  # bad
rb.Labels  # bad
