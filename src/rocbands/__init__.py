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
# __init__.pyi, which `python -m tools.make_stub` writes from this table. Classes that nobody calls,
# such as those of results, are in `rocbands.results`.
_NAMES = {
    "_methods": "methods",
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
    "comparison.partial_auc_difference": "partial_auc_difference",
    "core.data": "roc_curve",
    "core.roc": "RocCurve",
    "core.sample": "Sample",
    "core.table": "Table",
    "cost": "cost_difference cost_interval",
    "cost.conditions": "operating_condition",
    "cost.envelope": "cost_curve",
    "cost.h_measure": "h_measure_interval",
    "cost.thresholds": "cost_thresholds",
    "decision.net_benefit": "net_benefit net_benefit_difference",
    "design.survival": "ipcw",
    "errors": "InputError ResultError RocBandsError RocBandsWarning",
    "io.estimators": "fold_numbers",
    "io.files": "load_example",
    "multiclass": "class_bands",
    "overview": "summary",
    "planning.sample_size": "sample_size",
    "plot.display": "PrecisionRecallBandDisplay RocBandDisplay",
    "plot.multiclass_display": "ClassBandsDisplay",
    "points": "operating_points",
    "points.best_threshold": "best_threshold",
    "precision.average_precision": "average_precision_difference average_precision_interval",
    "rates": "rate_bounds",
    "rates.difference": "rate_difference",
    "readers": "compare_readers",
    "readers.readings": "Readings",
    "readers.size": "reader_study_size",
    "reporting.report": "report",
    "scale.counting": "count_scores",
    "scale.counts": "ScoreCounts",
    "smooth": "smooth_curve",
    "subgroup": "subgroups",
    "views.bands": "pr_band",
    "two_sided.curve": "two_sided_curve",
    "views.average": "average_curve",
}
# Public as a whole, by name: method classes beside their question, such as rb.bands.FixedWidth, and
# classes of results. dir() leaves them out: rb.auc beside rb.auc_interval misleads.
_PACKAGES = (
    *("auc", "bands", "comparison", "cost", "points", "rates", "readers", "results"),
    "smooth",
)

_OPTIONAL = ("torch",)  # public as a whole, too; needs libraries of its own

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*sorted(_MODULES), "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in (*_PACKAGES, *_OPTIONAL):
        return import_module(f"rocbands.{name}")
    if name not in _MODULES:
        problem = f"module 'rocbands' has no attribute {name!r}"
        if name[:1] == "_":  # other programs ask for such names, users do not
            raise AttributeError(problem)
        from rocbands import results
        from rocbands.core.arguments import suggest_name

        if name in results.__all__:
            raise AttributeError(f"{problem}. Use rb.results.{name}.")
        remedy = _list_functions(name) or suggest_name(name, _MODULES, "rb")
        raise AttributeError(f"{problem}. {remedy}")
    value = getattr(import_module(f"rocbands.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _list_functions(package: str) -> str:
    """Suggest the functions of a package; empty if it has none."""
    modules = [module for module in _NAMES if module.split(".")[0] == package]
    found = [f"rb.{n}" for module in modules for n in _NAMES[module].split() if n.islower()]
    return f"Use {', '.join(found[:-1])}{' or ' * (len(found) > 1)}{found[-1]}." if found else ""
