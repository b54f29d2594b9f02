"""Simulation studies of coverage: populations, cells, and resumable runs.

>>> import rocbands as rb
>>> import rocbands_studies as study
>>> cells = [
...     study.TrueCurve(study.Binormal(2.0), study.RandomClasses(100), method)
...     for method in (rb.bands.Likelihood(), rb.bands.JointRegion())
... ]
>>> found = study.run(study.Study("two methods", cells, replicates=40), workers=1)
>>> [found.figure(cell, "holds").value > 0.7 for cell in cells]
[True, True]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocbands_studies.engine import run as run
    from rocbands_studies.measurements import AtConditions as AtConditions
    from rocbands_studies.measurements import AtRates as AtRates
    from rocbands_studies.measurements import Cell as Cell
    from rocbands_studies.measurements import FutureCurve as FutureCurve
    from rocbands_studies.measurements import TrueCurve as TrueCurve
    from rocbands_studies.populations import Binormal as Binormal
    from rocbands_studies.populations import Discrete as Discrete
    from rocbands_studies.populations import Distribution as Distribution
    from rocbands_studies.populations import Exponential as Exponential
    from rocbands_studies.populations import Finite as Finite
    from rocbands_studies.populations import FixedClasses as FixedClasses
    from rocbands_studies.populations import Gamma as Gamma
    from rocbands_studies.populations import Laplace as Laplace
    from rocbands_studies.populations import Logistic as Logistic
    from rocbands_studies.populations import Mixture as Mixture
    from rocbands_studies.populations import Normal as Normal
    from rocbands_studies.populations import Pair as Pair
    from rocbands_studies.populations import Population as Population
    from rocbands_studies.populations import RandomClasses as RandomClasses
    from rocbands_studies.results import CellResult as CellResult
    from rocbands_studies.results import Figure as Figure
    from rocbands_studies.results import StudyResult as StudyResult
    from rocbands_studies.spec import Study as Study
    from rocbands_studies.statements import AreaDifference as AreaDifference
    from rocbands_studies.statements import AreaLimits as AreaLimits
    from rocbands_studies.statements import BandHeights as BandHeights
    from rocbands_studies.statements import Coverage as Coverage
    from rocbands_studies.statements import CurveDifference as CurveDifference
    from rocbands_studies.statements import CurveInBand as CurveInBand
    from rocbands_studies.statements import CurveInView as CurveInView
    from rocbands_studies.statements import LaterCurveInBand as LaterCurveInBand
    from rocbands_studies.statements import Limits as Limits
    from rocbands_studies.statements import ManyAreas as ManyAreas
    from rocbands_studies.statements import PartialAreaLimits as PartialAreaLimits
    from rocbands_studies.statements import RecallDifference as RecallDifference
    from rocbands_studies.statements import RecallLimits as RecallLimits
    from rocbands_studies.statements import Statement as Statement
    from rocbands_studies.statements import TprDifference as TprDifference
    from rocbands_studies.statements import TprLimits as TprLimits
    from rocbands_studies.store import Store as Store
    from rocbands_studies.streams import Streams as Streams

# The public names, by the module that has them. A module is imported when one of its names is used,
# so that the help of `rocbands study` needs no NumPy.
_NAMES = {
    "engine": "run",
    "measurements": "AtConditions AtRates Cell FutureCurve TrueCurve",
    "populations": (
        "Binormal Discrete Distribution Exponential Finite FixedClasses Gamma Laplace "
        "Logistic Mixture Normal Pair Population RandomClasses"
    ),
    "results": "CellResult Figure StudyResult",
    "spec": "Study",
    "statements": (
        "AreaDifference AreaLimits BandHeights Coverage CurveDifference CurveInBand "
        "CurveInView LaterCurveInBand Limits ManyAreas PartialAreaLimits RecallDifference "
        "RecallLimits Statement TprDifference TprLimits"
    ),
    "store": "Store",
    "streams": "Streams",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rocbands_studies' has no attribute {name!r}")
    value = getattr(import_module(f"rocbands_studies.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
