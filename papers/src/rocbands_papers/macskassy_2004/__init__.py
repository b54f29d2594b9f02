"""Macskassy and Provost (2004): bands on Covertype, verified on resampled curves."""

from __future__ import annotations

from rocbands_papers.macskassy_2004.fitting_curves import SWEEP_STUDY
from rocbands_papers.macskassy_2004.pictures import FIGURE_5, FIGURE_6
from rocbands_papers.macskassy_2004.tables import TABLE_2_STUDY, TABLE_3_STUDY
from rocbands_papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (TABLE_2_STUDY, TABLE_3_STUDY, SWEEP_STUDY, FIGURE_5, FIGURE_6)
