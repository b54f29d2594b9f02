"""rocbands: how far an ROC curve can be trusted.

>>> import rocbands as rb
>>> y, models = rb.load_example()
>>> band = rb.roc_band(y, models["logistic"], positive="malignant", level=0.9)
>>> band.contains(lambda fpr: fpr)  # could the true curve be the one of guessing?
False
"""

from importlib import import_module
from typing import Any

from rocbands._version import __version__ as __version__

# The public names, by the module that has them. A module is imported when one of its names is used
# for the first time, so that importing the package costs next to nothing. Type checkers read
# __init__.pyi, which `python -m tools.make_stub` writes from this table.
_NAMES = {
    "_methods": "Methods methods",
    "auc": "auc_interval fold_auc_interval partial_auc_interval",
    "bands": "roc_band",
    "bands.fixed_width": "FixedWidth",
    "bands.fold_average": "FoldAverage",
    "bands.joint_region": "JointRegion",
    "bands.likelihood": "Likelihood",
    "bands.sup_t": "SupT",
    "bands.threshold": "Threshold",
    "bands.vertical": "Vertical",
    "bands.working_hotelling": "WorkingHotelling",
    "comparison": "compare",
    "comparison.difference_band": "difference_band",
    "comparison.compare_many": "compare_many",
    "comparison.mcnemar": "mcnemar",
    "comparison.result": "Comparisons DifferenceBand",
    "comparison.sample_size": "Plan sample_size",
    "comparison.compare_tpr": "compare_tpr",
    "core.band": "Band BandMethod",
    "core.better": "BetterRange",
    "core.comparison": "Comparison",
    "core.curve": "Curve",
    "core.interval": "FoldInterval Interval",
    "core.roc": "RocCurve roc_curve",
    "core.scores": "Folds PairedScores Scores",
    "core.survival": "CensoringWeights ipcw",
    "cost": "cost_difference cost_interval",
    "cost.conditions": "costs_at operating_condition",
    "cost.envelope": "cost_curve",
    "cost.result": "CostCurve CostDifference CostIntervals",
    "cost.thresholds": "calibrated_thresholds cost_thresholds",
    "errors": "InputError ResultError RocBandsError RocBandsWarning",
    "by_group": "subgroups",
    "by_group.result": "Subgroups",
    "io.estimators": "FoldScores fold_numbers fold_scores",
    "io.files": "load_example",
    "io.joined": "Table tabulate",
    "multiclass": "roc_bands",
    "multiclass.average_area": "AverageArea",
    "multiclass.result": "RocBands",
    "plot.display": "PrecisionRecallBandDisplay RocBandDisplay",
    "plot.multiclass_display": "RocBandsDisplay",
    "points": "operating_points",
    "points.result": "OperatingPoints",
    "rates": "rate_bounds",
    "rates.difference": "rate_difference",
    "rates.result": "RateBounds RateDifference",
    "reporting.report": "Report report",
    "scale.counting": "count_scores",
    "scale.counts": "ScoreCounts",
    "views.average_precision": "average_precision_difference average_precision_interval",
    "views.bands": "det_band gains_band lift_band pr_band",
    "views.decisions": "DecisionRange",
    "views.net_benefit": "NetBenefit NetBenefitDifference net_benefit net_benefit_difference",
    "views.view": "View",
}
_PACKAGES = ("study",)  # public as a whole: rb.study.run, rb.study.Binormal and so on

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*sorted(_MODULES), "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"rocbands.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'rocbands' has no attribute {name!r}")
    value = getattr(import_module(f"rocbands.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
