"""rocbands: how far an ROC curve can be trusted.

>>> import rocbands as rb
>>> sample = rb.load_example()
>>> band = rb.roc_band(sample["logistic"], level=0.9)
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
    "auc": "auc_interval",
    "auc.folds": "fold_auc_interval",
    "auc.partial": "partial_auc_interval",
    "bands": "roc_band",
    "calibration.brier_score": "brier_score_interval",
    "comparison": "compare",
    "comparison.compare_many": "compare_many",
    "comparison.compare_tpr": "compare_tpr",
    "comparison.difference_band": "difference_band",
    "comparison.mcnemar": "mcnemar",
    "comparison.result": "Comparisons DifferenceBand",
    "core.band": "Band",
    "core.better": "BetterRange",
    "core.class_sample": "ClassSample",
    "core.comparison": "Comparison",
    "core.data": "roc_curve",
    "core.interval": "FoldInterval Interval",
    "core.randomness": "Simulation",
    "core.roc": "RocCurve",
    "core.sample": "Sample",
    "core.table": "Table",
    "cost": "cost_difference cost_interval",
    "cost.conditions": "operating_condition",
    "cost.envelope": "cost_curve",
    "cost.curve": "CostCurve",
    "cost.result": "CostDifference CostIntervals",
    "cost.thresholds": "CostThresholds cost_thresholds",
    "decision.net_benefit": "net_benefit net_benefit_difference",
    "decision.result": "NetBenefit NetBenefitDifference",
    "design.survival": "CensoringWeights ipcw",
    "errors": "InputError ResultError RocBandsError RocBandsWarning",
    "io.estimators": "fold_numbers",
    "io.files": "load_example",
    "multiclass": "roc_bands",
    "multiclass.result": "RocBands",
    "overview": "summary",
    "overview.result": "Summary",
    "planning.sample_size": "SampleSize sample_size",
    "plot.display": "PrecisionRecallBandDisplay RocBandDisplay",
    "plot.multiclass_display": "RocBandsDisplay",
    "points": "operating_points",
    "points.result": "OperatingPoints",
    "precision.average_precision": "average_precision_difference average_precision_interval",
    "rates": "rate_bounds",
    "rates.difference": "rate_difference",
    "rates.result": "RateBounds RateDifference",
    "reporting.report": "Report report",
    "scale.counting": "count_scores",
    "scale.counts": "ScoreCounts",
    "subgroup": "subgroups",
    "subgroup.gaps": "GroupGaps",
    "subgroup.result": "Subgroups",
    "views.bands": "pr_band",
    "views.decisions": "DecisionRange",
    "views.view": "View",
}
# Public as a whole: method classes beside their question, such as rb.bands.FixedWidth, and studies.
_PACKAGES = ("auc", "bands", "comparison", "cost", "points", "rates", "study")

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
