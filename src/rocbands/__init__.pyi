# Written by `python -m tools.make_stub` from the table in __init__.py.

import os
from collections.abc import Mapping, Sequence
from typing import Literal, overload

from rocbands import auc as auc
from rocbands import bands as bands
from rocbands import comparison as comparison
from rocbands import cost as cost
from rocbands import points as points
from rocbands import rates as rates
from rocbands import readers as readers
from rocbands import results as results
from rocbands import smooth as smooth
from rocbands import torch as torch
from rocbands._methods import methods as methods
from rocbands._version import __version__ as __version__
from rocbands.auc.folds import fold_auc_interval as fold_auc_interval
from rocbands.auc.method import AucMethod
from rocbands.auc.partial import PartialAucMethod
from rocbands.comparison.compare_many import compare_many as compare_many
from rocbands.comparison.group_differences import Against
from rocbands.comparison.method import ComparisonMethod
from rocbands.comparison.result import DifferenceBand
from rocbands.core.band import Band, BandMethod
from rocbands.core.columns import Column, Frame, Labels, Numbers, ScoreTable
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.progress import Progress
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve as RocCurve
from rocbands.core.sample import Sample as Sample
from rocbands.core.sample_columns import Scores
from rocbands.core.table import Table as Table
from rocbands.cost.conditions import operating_condition as operating_condition
from rocbands.cost.curve import CostCurve
from rocbands.cost.method import CostMethod
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.share import ShareLaw
from rocbands.cost.thresholds import CostThresholds
from rocbands.decision.result import NetBenefit, NetBenefitDifference
from rocbands.design.survival import ipcw as ipcw
from rocbands.errors import InputError as InputError
from rocbands.errors import ResultError as ResultError
from rocbands.errors import RocBandsError as RocBandsError
from rocbands.errors import RocBandsWarning as RocBandsWarning
from rocbands.io.estimators import fold_numbers as fold_numbers
from rocbands.io.files import load_example as load_example
from rocbands.multiclass.result import ClassBands
from rocbands.overview.result import Summary
from rocbands.planning.sample_size import sample_size as sample_size
from rocbands.plot.display import PrecisionRecallBandDisplay as PrecisionRecallBandDisplay
from rocbands.plot.display import RocBandDisplay as RocBandDisplay
from rocbands.plot.multiclass_display import ClassBandsDisplay as ClassBandsDisplay
from rocbands.points.best_threshold import BestThreshold
from rocbands.points.method import PointMethod
from rocbands.points.result import OperatingPoints
from rocbands.rates.method import RateMethod
from rocbands.rates.result import RateBounds, RateDifference
from rocbands.readers import compare_readers as compare_readers
from rocbands.readers.readings import Readings as Readings
from rocbands.readers.result import ReaderStudy
from rocbands.readers.size import reader_study_size as reader_study_size
from rocbands.reporting.report import Report
from rocbands.scale.counting import count_scores as count_scores
from rocbands.scale.counts import ScoreCounts as ScoreCounts
from rocbands.smooth.method import SmoothMethod
from rocbands.smooth.result import SmoothCurve
from rocbands.subgroup.result import Subgroups
from rocbands.two_sided.curve import TwoSidedCurve
from rocbands.views.average import average_curve as average_curve
from rocbands.views.view import View

@overload
def auc_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | AucMethod | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    null: float = 0.5,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval: ...
@overload
def auc_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | AucMethod | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    null: float = 0.5,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval: ...
@overload
def average_precision_difference(
    sample: Sample,
    /,
    *,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    prevalence: float | None = None,
) -> Comparison: ...
@overload
def average_precision_difference(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    prevalence: float | None = None,
) -> Comparison: ...
@overload
def average_precision_difference(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    prevalence: float | None = None,
) -> Comparison: ...
@overload
def average_precision_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    null: float | None = None,
    prevalence: float | None = None,
) -> Interval: ...
@overload
def average_precision_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    null: float | None = None,
    prevalence: float | None = None,
) -> Interval: ...
@overload
def best_threshold(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    criterion: Literal["youden", "corner"] = "youden",
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Rng = 0,
) -> BestThreshold: ...
@overload
def best_threshold(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    criterion: Literal["youden", "corner"] = "youden",
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Rng = 0,
) -> BestThreshold: ...
@overload
def brier_score_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    level: float = 0.95,
) -> Interval: ...
@overload
def brier_score_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    level: float = 0.95,
) -> Interval: ...
@overload
def class_bands(
    sample: Sample,
    /,
    *,
    method: str | BandMethod | None = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> ClassBands: ...
@overload
def class_bands(
    y_true: Labels,
    y_score: ScoreTable | Frame,
    *,
    method: str | BandMethod | None = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    classes: Sequence[object] | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> ClassBands: ...
@overload
def compare(
    sample: Sample,
    /,
    *,
    method: str | ComparisonMethod | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Comparison: ...
@overload
def compare(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | ComparisonMethod | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Comparison: ...
@overload
def compare(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    method: str | ComparisonMethod | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Comparison: ...
@overload
def compare_tpr(
    sample: Sample,
    /,
    *,
    fpr: float | None = None,
    specificity: float | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def compare_tpr(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    fpr: float | None = None,
    specificity: float | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def compare_tpr(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    fpr: float | None = None,
    specificity: float | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def cost_curve(sample: Sample | RocCurve | ScoreCounts, /) -> CostCurve: ...
@overload
def cost_curve(y_true: Labels, y_score: Column, *, positive: object = None) -> CostCurve: ...
@overload
def cost_difference(
    sample: Sample,
    /,
    *,
    thresholds: Sequence[Numbers] | Mapping[str, Numbers],
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Literal["stratified", "full"] | ShareLaw = "stratified",
    simultaneous: bool = False,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> CostDifference: ...
@overload
def cost_difference(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    thresholds: Sequence[Numbers] | Mapping[str, Numbers],
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Literal["stratified", "full"] | ShareLaw = "stratified",
    simultaneous: bool = False,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> CostDifference: ...
@overload
def cost_difference(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    thresholds: Sequence[Numbers] | Mapping[str, Numbers],
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Literal["stratified", "full"] | ShareLaw = "stratified",
    simultaneous: bool = False,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> CostDifference: ...
@overload
def cost_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    thresholds: Numbers,
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Literal["stratified", "full"] | ShareLaw = "stratified",
    level: float = 0.95,
) -> CostIntervals: ...
@overload
def cost_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    thresholds: Numbers,
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Literal["stratified", "full"] | ShareLaw = "stratified",
    level: float = 0.95,
) -> CostIntervals: ...
@overload
def cost_thresholds(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    w: Numbers,
) -> CostThresholds: ...
@overload
def cost_thresholds(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    w: Numbers,
) -> CostThresholds: ...
@overload
def difference_band(
    sample: Sample,
    /,
    *,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> DifferenceBand: ...
@overload
def difference_band(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> DifferenceBand: ...
@overload
def difference_band(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> DifferenceBand: ...
@overload
def h_measure_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    severity_ratio: float | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> Interval: ...
@overload
def h_measure_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    severity_ratio: float | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> Interval: ...
@overload
def mcnemar(
    sample: Sample,
    /,
    *,
    thresholds: float | Sequence[float] | Mapping[str, float],
    method: Literal["mid-p", "exact", "score"] | None = None,
    of: Literal["accuracy", "sensitivity", "specificity"] = "accuracy",
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> Comparison: ...
@overload
def mcnemar(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    thresholds: float | Sequence[float] | Mapping[str, float],
    method: Literal["mid-p", "exact", "score"] | None = None,
    of: Literal["accuracy", "sensitivity", "specificity"] = "accuracy",
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> Comparison: ...
@overload
def net_benefit(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefit: ...
@overload
def net_benefit(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefit: ...
@overload
def net_benefit_difference(
    sample: Sample,
    /,
    *,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefitDifference: ...
@overload
def net_benefit_difference(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefitDifference: ...
@overload
def net_benefit_difference(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    thresholds: Numbers | None = None,
    simultaneous: bool = True,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> NetBenefitDifference: ...
@overload
def operating_points(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | PointMethod | None = None,
    fpr: Numbers | None = None,
    specificity: Numbers | None = None,
    tpr: Numbers | None = None,
    sensitivity: Numbers | None = None,
    threshold: Numbers | None = None,
    rate: Numbers | None = None,
    precision: Numbers | None = None,
    best: Literal["youden", "corner", "cost", "eer"] | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    test: Sample | RocCurve | ScoreCounts | tuple[Labels, Column] | None = None,
    joint: bool = False,
    level: float = 0.95,
    words: Literal["rates", "medical", "learning"] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> OperatingPoints: ...
@overload
def operating_points(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | PointMethod | None = None,
    fpr: Numbers | None = None,
    specificity: Numbers | None = None,
    tpr: Numbers | None = None,
    sensitivity: Numbers | None = None,
    threshold: Numbers | None = None,
    rate: Numbers | None = None,
    precision: Numbers | None = None,
    best: Literal["youden", "corner", "cost", "eer"] | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    test: Sample | RocCurve | ScoreCounts | tuple[Labels, Column] | None = None,
    joint: bool = False,
    level: float = 0.95,
    words: Literal["rates", "medical", "learning"] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> OperatingPoints: ...
@overload
def partial_auc_difference(
    sample: Sample,
    /,
    *,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def partial_auc_difference(
    sample_1: Sample | RocCurve | ScoreCounts,
    sample_2: Sample | RocCurve | ScoreCounts,
    /,
    *,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def partial_auc_difference(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    margin: float | None = None,
) -> Comparison: ...
@overload
def partial_auc_interval(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | PartialAucMethod | None = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    corrected: bool = False,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval: ...
@overload
def partial_auc_interval(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | PartialAucMethod | None = None,
    fpr: tuple[float, float] | None = None,
    specificity: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    corrected: bool = False,
    level: float = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval: ...
@overload
def pr_band(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | BandMethod | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> View: ...
@overload
def pr_band(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | BandMethod | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> View: ...
@overload
def rate_bounds(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | RateMethod | None = None,
    rate: Numbers | None = None,
    level: float = 0.95,
    sampling: Literal["full", "stratified"] | None = None,
    future: tuple[int, int] | None = None,
    scheme: Literal["counts", "reference"] | None = None,
    prevalence: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> RateBounds: ...
@overload
def rate_bounds(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | RateMethod | None = None,
    rate: Numbers | None = None,
    level: float = 0.95,
    sampling: Literal["full", "stratified"] | None = None,
    future: tuple[int, int] | None = None,
    scheme: Literal["counts", "reference"] | None = None,
    prevalence: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> RateBounds: ...
@overload
def rate_difference(
    sample: Sample,
    /,
    *,
    rate: Numbers,
    level: float = 0.95,
    sampling: Literal["full", "stratified"] = "full",
) -> RateDifference: ...
@overload
def rate_difference(
    y_true: Labels,
    y_score_1: Column,
    y_score_2: Column,
    *,
    positive: object = None,
    rate: Numbers,
    level: float = 0.95,
    sampling: Literal["full", "stratified"] = "full",
) -> RateDifference: ...
@overload
def report(
    sample: Sample | ScoreCounts | ClassBands | Subgroups | Readings | ReaderStudy,
    /,
    *,
    path: str | os.PathLike[str] | None = "report.html",
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    title: str | None = None,
    focus: str | Sequence[str] | None = None,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    capacity: float | None = None,
    rng: Rng = 0,
    progress: bool | Progress | None = None,
) -> Report: ...
@overload
def report(
    y_true: Labels,
    y_score: Scores,
    *,
    positive: object = None,
    path: str | os.PathLike[str] | None = "report.html",
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    title: str | None = None,
    focus: str | Sequence[str] | None = None,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    capacity: float | None = None,
    rng: Rng = 0,
    progress: bool | Progress | None = None,
) -> Report: ...
@overload
def roc_band(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | BandMethod | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Band: ...
@overload
def roc_band(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | BandMethod | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Band: ...
@overload
def roc_curve(sample: Sample | RocCurve | ScoreCounts, /) -> RocCurve: ...
@overload
def roc_curve(y_true: Labels, y_score: Column, *, positive: object = None) -> RocCurve: ...
@overload
def smooth_curve(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    method: str | SmoothMethod | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> SmoothCurve: ...
@overload
def smooth_curve(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    method: str | SmoothMethod | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> SmoothCurve: ...
@overload
def subgroups(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    by: str | Labels | None = None,
    method: str | BandMethod | None = None,
    against: Against = "pairs",
    threshold: float | None = None,
    at_fpr: float | None = None,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    prevalence: float | None = None,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> Subgroups: ...
@overload
def subgroups(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    by: str | Labels | None = None,
    method: str | BandMethod | None = None,
    against: Against = "pairs",
    threshold: float | None = None,
    at_fpr: float | None = None,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    prevalence: float | None = None,
    n_resamples: int = 5000,
    rng: Rng = 0,
) -> Subgroups: ...
@overload
def summary(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    metrics: str | Sequence[str] | None = None,
    fpr: float | None = None,
    rate: float | None = None,
    costs: tuple[float, float] | None = None,
    level: float = 0.95,
    prevalence: float | None = None,
    rng: Rng = 0,
) -> Summary: ...
@overload
def summary(
    y_true: Labels,
    y_score: Scores,
    *,
    positive: object = None,
    metrics: str | Sequence[str] | None = None,
    fpr: float | None = None,
    rate: float | None = None,
    costs: tuple[float, float] | None = None,
    level: float = 0.95,
    prevalence: float | None = None,
    rng: Rng = 0,
) -> Summary: ...
@overload
def two_sided_curve(
    sample: Sample | RocCurve | ScoreCounts,
    /,
    *,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> TwoSidedCurve: ...
@overload
def two_sided_curve(
    y_true: Labels,
    y_score: Column,
    *,
    positive: object = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> TwoSidedCurve: ...

__all__: list[str]
