"""rocbands: how far an ROC curve can be trusted.

>>> import rocbands as rb
>>> y, models = rb.load_example()
>>> band = rb.roc_band(y, models["logistic"], positive="malignant", level=0.9)
>>> band.contains(lambda fpr: fpr)  # could the true curve be the one of guessing?
False
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocbands.auc import auc_interval
    from rocbands.auc.folds import fold_auc_interval
    from rocbands.auc.partial import partial_auc_interval
    from rocbands.bands import Methods, methods, roc_band
    from rocbands.bands.fixed_width import FixedWidth
    from rocbands.bands.fold_average import FoldAverage
    from rocbands.bands.joint_region import JointRegion
    from rocbands.bands.likelihood import Likelihood
    from rocbands.bands.sup_t import SupT
    from rocbands.bands.threshold import Threshold
    from rocbands.bands.vertical import Vertical
    from rocbands.bands.working_hotelling import WorkingHotelling
    from rocbands.comparison import compare
    from rocbands.comparison.difference_band import difference_band
    from rocbands.comparison.many import compare_many
    from rocbands.comparison.mcnemar import mcnemar
    from rocbands.comparison.result import (
        BetterRange,
        Comparison,
        Comparisons,
        DifferenceBand,
        Plan,
    )
    from rocbands.comparison.sample_size import sample_size
    from rocbands.comparison.tpr import compare_tpr
    from rocbands.core.band import Band, BandMethod
    from rocbands.core.curve import Curve
    from rocbands.core.interval import FoldInterval, Interval
    from rocbands.core.roc import RocCurve, roc_curve
    from rocbands.core.scores import Folds, PairedScores, Scores
    from rocbands.cost import cost_difference, cost_interval
    from rocbands.cost.conditions import costs_at, operating_condition
    from rocbands.cost.envelope import cost_curve
    from rocbands.cost.result import CheaperRange, CostCurve, CostDifference, CostIntervals
    from rocbands.cost.thresholds import calibrated_thresholds, cost_thresholds
    from rocbands.errors import InputError, RocBandsError, RocBandsWarning
    from rocbands.io.crossval import FoldScores, fold_numbers, fold_scores
    from rocbands.io.example import load_example
    from rocbands.io.joined import Table, tabulate
    from rocbands.plot.display import RocBandDisplay
    from rocbands.points import operating_points
    from rocbands.points.result import OperatingPoints
    from rocbands.rates import rate_bounds
    from rocbands.rates.difference import rate_difference
    from rocbands.rates.result import RateBounds, RateDifference
    from rocbands.reporting.report import Report, report
    from rocbands.scale.counting import count_scores
    from rocbands.scale.counts import ScoreCounts

__version__ = "0.1.0"

__all__ = [
    "Band",
    "BandMethod",
    "BetterRange",
    "CheaperRange",
    "Comparison",
    "Comparisons",
    "CostCurve",
    "CostDifference",
    "CostIntervals",
    "Curve",
    "DifferenceBand",
    "FixedWidth",
    "FoldAverage",
    "FoldInterval",
    "FoldScores",
    "Folds",
    "InputError",
    "Interval",
    "JointRegion",
    "Likelihood",
    "Methods",
    "OperatingPoints",
    "PairedScores",
    "Plan",
    "RateBounds",
    "RateDifference",
    "Report",
    "RocBandDisplay",
    "RocBandsError",
    "RocBandsWarning",
    "RocCurve",
    "ScoreCounts",
    "Scores",
    "SupT",
    "Table",
    "Threshold",
    "Vertical",
    "WorkingHotelling",
    "__version__",
    "auc_interval",
    "calibrated_thresholds",
    "compare",
    "compare_many",
    "compare_tpr",
    "cost_curve",
    "cost_difference",
    "cost_interval",
    "cost_thresholds",
    "costs_at",
    "count_scores",
    "difference_band",
    "fold_auc_interval",
    "fold_numbers",
    "fold_scores",
    "load_example",
    "mcnemar",
    "methods",
    "operating_condition",
    "operating_points",
    "partial_auc_interval",
    "rate_bounds",
    "rate_difference",
    "report",
    "roc_band",
    "roc_curve",
    "sample_size",
    "tabulate",
]

# Where each public name lives. Nothing is imported before it is used, so that importing the
# package costs next to nothing.
_HOMES = {
    "Band": "rocbands.core.band",
    "BandMethod": "rocbands.core.band",
    "Comparison": "rocbands.comparison.result",
    "Comparisons": "rocbands.comparison.result",
    "BetterRange": "rocbands.comparison.result",
    "CheaperRange": "rocbands.cost.result",
    "CostDifference": "rocbands.cost.result",
    "Curve": "rocbands.core.curve",
    "DifferenceBand": "rocbands.comparison.result",
    "FixedWidth": "rocbands.bands.fixed_width",
    "FoldAverage": "rocbands.bands.fold_average",
    "FoldInterval": "rocbands.core.interval",
    "FoldScores": "rocbands.io.crossval",
    "Folds": "rocbands.core.scores",
    "InputError": "rocbands.errors",
    "Interval": "rocbands.core.interval",
    "JointRegion": "rocbands.bands.joint_region",
    "Likelihood": "rocbands.bands.likelihood",
    "Methods": "rocbands.bands",
    "OperatingPoints": "rocbands.points.result",
    "PairedScores": "rocbands.core.scores",
    "Plan": "rocbands.comparison.result",
    "RateBounds": "rocbands.rates.result",
    "RateDifference": "rocbands.rates.result",
    "Report": "rocbands.reporting.report",
    "RocBandDisplay": "rocbands.plot.display",
    "RocBandsError": "rocbands.errors",
    "RocBandsWarning": "rocbands.errors",
    "RocCurve": "rocbands.core.roc",
    "ScoreCounts": "rocbands.scale.counts",
    "Scores": "rocbands.core.scores",
    "SupT": "rocbands.bands.sup_t",
    "Table": "rocbands.io.joined",
    "Threshold": "rocbands.bands.threshold",
    "Vertical": "rocbands.bands.vertical",
    "WorkingHotelling": "rocbands.bands.working_hotelling",
    "auc_interval": "rocbands.auc",
    "fold_auc_interval": "rocbands.auc.folds",
    "fold_numbers": "rocbands.io.crossval",
    "fold_scores": "rocbands.io.crossval",
    "compare": "rocbands.comparison",
    "compare_many": "rocbands.comparison.many",
    "compare_tpr": "rocbands.comparison.tpr",
    "cost_difference": "rocbands.cost",
    "CostCurve": "rocbands.cost.result",
    "CostIntervals": "rocbands.cost.result",
    "calibrated_thresholds": "rocbands.cost.thresholds",
    "cost_curve": "rocbands.cost.envelope",
    "cost_interval": "rocbands.cost",
    "cost_thresholds": "rocbands.cost.thresholds",
    "costs_at": "rocbands.cost.conditions",
    "count_scores": "rocbands.scale.counting",
    "operating_condition": "rocbands.cost.conditions",
    "difference_band": "rocbands.comparison.difference_band",
    "load_example": "rocbands.io.example",
    "mcnemar": "rocbands.comparison.mcnemar",
    "methods": "rocbands.bands",
    "operating_points": "rocbands.points",
    "partial_auc_interval": "rocbands.auc.partial",
    "rate_bounds": "rocbands.rates",
    "rate_difference": "rocbands.rates.difference",
    "report": "rocbands.reporting.report",
    "roc_band": "rocbands.bands",
    "roc_curve": "rocbands.core.roc",
    "sample_size": "rocbands.comparison.sample_size",
    "tabulate": "rocbands.io.joined",
}

_ROOMS = ("study",)  # public as a whole: rb.study.run, rb.study.Binormal and so on


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"rocbands.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'rocbands' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
