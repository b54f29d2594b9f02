"""Simulation studies of coverage: populations, cells, and resumable runs.

>>> import rocbands as rb
>>> from rocbands import study
>>> cells = [
...     study.TrueCurve(study.Binormal(2.0), study.RandomClasses(100), method)
...     for method in (rb.bands.Likelihood(), rb.bands.JointRegion())
... ]
>>> found = study.run(study.Study("two methods", cells, replicates=40), workers=1)
>>> [found.figure(cell, "holds").value > 0.7 for cell in cells]
[True, True]
"""

from rocbands.study.engine import run
from rocbands.study.measurements import AtConditions, AtRates, Cell, FutureCurve, TrueCurve
from rocbands.study.populations import (
    Binormal,
    Discrete,
    Distribution,
    Exponential,
    Finite,
    FixedClasses,
    Gamma,
    Laplace,
    Logistic,
    Mixture,
    Normal,
    Pair,
    Population,
    RandomClasses,
)
from rocbands.study.results import CellResult, Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.statements import (
    AreaDifference,
    AreaLimits,
    BandHeights,
    Coverage,
    CurveDifference,
    CurveInBand,
    CurveInView,
    LaterCurveInBand,
    Limits,
    ManyAreas,
    PartialAreaLimits,
    RecallDifference,
    RecallLimits,
    Statement,
    TprDifference,
    TprLimits,
)
from rocbands.study.store import Store
from rocbands.study.streams import Streams

__all__ = [
    "AreaDifference",
    "AreaLimits",
    "AtConditions",
    "AtRates",
    "BandHeights",
    "Binormal",
    "Cell",
    "CellResult",
    "Coverage",
    "CurveDifference",
    "CurveInBand",
    "CurveInView",
    "Discrete",
    "Distribution",
    "Exponential",
    "Figure",
    "Finite",
    "FixedClasses",
    "FutureCurve",
    "Gamma",
    "Laplace",
    "LaterCurveInBand",
    "Limits",
    "Logistic",
    "ManyAreas",
    "Mixture",
    "Normal",
    "Pair",
    "PartialAreaLimits",
    "Population",
    "RandomClasses",
    "RecallDifference",
    "RecallLimits",
    "Statement",
    "Store",
    "Streams",
    "Study",
    "StudyResult",
    "TprDifference",
    "TprLimits",
    "TrueCurve",
    "run",
]
