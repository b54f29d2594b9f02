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
    from rocbands.bands import Methods, methods, roc_band
    from rocbands.bands.auc_hull import AucHull
    from rocbands.bands.fixed_width import FixedWidth
    from rocbands.bands.fold_average import FoldAverage
    from rocbands.bands.joint_region import JointRegion
    from rocbands.bands.likelihood import Likelihood
    from rocbands.bands.sup_t import SupT
    from rocbands.bands.threshold import Threshold
    from rocbands.bands.vertical import Vertical
    from rocbands.compare.difference_band import difference_band
    from rocbands.core.band import Band
    from rocbands.core.curve import Curve
    from rocbands.core.difference import BetterRange, DifferenceBand
    from rocbands.core.roc import RocCurve, roc_curve
    from rocbands.core.scores import Folds, PairedScores, Scores
    from rocbands.errors import InputError, RocBandsError, RocBandsWarning
    from rocbands.io.example import load_example

__version__ = "0.1.0"

__all__ = [
    "AucHull",
    "Band",
    "BetterRange",
    "Curve",
    "DifferenceBand",
    "FixedWidth",
    "FoldAverage",
    "Folds",
    "InputError",
    "JointRegion",
    "Likelihood",
    "Methods",
    "PairedScores",
    "RocBandsError",
    "RocBandsWarning",
    "RocCurve",
    "Scores",
    "SupT",
    "Threshold",
    "Vertical",
    "__version__",
    "difference_band",
    "load_example",
    "methods",
    "roc_band",
    "roc_curve",
]

# Where each public name lives. Nothing is imported before it is used, so that importing the
# package costs next to nothing.
_HOMES = {
    "AucHull": "rocbands.bands.auc_hull",
    "Band": "rocbands.core.band",
    "BetterRange": "rocbands.core.difference",
    "Curve": "rocbands.core.curve",
    "DifferenceBand": "rocbands.core.difference",
    "FixedWidth": "rocbands.bands.fixed_width",
    "FoldAverage": "rocbands.bands.fold_average",
    "Folds": "rocbands.core.scores",
    "InputError": "rocbands.errors",
    "JointRegion": "rocbands.bands.joint_region",
    "Likelihood": "rocbands.bands.likelihood",
    "Methods": "rocbands.bands",
    "PairedScores": "rocbands.core.scores",
    "RocBandsError": "rocbands.errors",
    "RocBandsWarning": "rocbands.errors",
    "RocCurve": "rocbands.core.roc",
    "Scores": "rocbands.core.scores",
    "SupT": "rocbands.bands.sup_t",
    "Threshold": "rocbands.bands.threshold",
    "Vertical": "rocbands.bands.vertical",
    "difference_band": "rocbands.compare.difference_band",
    "load_example": "rocbands.io.example",
    "methods": "rocbands.bands",
    "roc_band": "rocbands.bands",
    "roc_curve": "rocbands.core.roc",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rocbands' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
