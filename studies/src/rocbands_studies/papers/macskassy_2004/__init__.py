"""Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical study."""

from __future__ import annotations

from rocbands_studies.papers.macskassy_2004.parameters import Levels, ModelSizes, Pictures
from rocbands_studies.papers.macskassy_2004.tables import FittingCurves, Tables
from rocbands_studies.papers.macskassy_2004.wishes import (
    Corrections,
    OtherData,
    Rectangles,
    SmallSets,
    SweepPoints,
)

__all__ = ["STUDIES"]

STUDIES = (
    *(Tables(2), Tables(3), FittingCurves(), Pictures(5), Pictures(6), Levels(), ModelSizes()),
    *(Corrections(), Rectangles(), SweepPoints(), SmallSets(), OtherData()),
)
