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

from rocbands_studies.engine import run
from rocbands_studies.measurements import AtConditions, AtRates, Cell, FutureCurve, TrueCurve
from rocbands_studies.populations import (
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
from rocbands_studies.results import CellResult, Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.statements import (
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
from rocbands_studies.store import Store
from rocbands_studies.streams import Streams

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
