"""Macskassy, Provost and Rosset (2005): bands for true and for future curves."""

from __future__ import annotations

from rocbands.study.papers.macskassy_2005.forecasts import FIGURE_6
from rocbands.study.papers.macskassy_2005.future_curves import TABLE_3_STUDY
from rocbands.study.papers.macskassy_2005.true_curves import FIGURE_5
from rocbands.study.papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (FIGURE_5, FIGURE_6, TABLE_3_STUDY)
