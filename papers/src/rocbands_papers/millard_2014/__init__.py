"""Millard, Kull and Flach (2014): bounds for the recall at each rate."""

from __future__ import annotations

from rocbands_papers.millard_2014.figure4 import FIGURE_4
from rocbands_papers.millard_2014.figure5 import FIGURE_5
from rocbands_papers.millard_2014.true_curve import TRUE_CURVE
from rocbands_papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (FIGURE_4, FIGURE_5, TRUE_CURVE)
