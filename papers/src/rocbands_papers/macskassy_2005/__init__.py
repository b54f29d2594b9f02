"""Macskassy, Provost and Rosset (2005): bands for true and for future curves."""

from __future__ import annotations

from rocbands_papers.macskassy_2005.forecasts import FIGURE_6
from rocbands_papers.macskassy_2005.future_curves import TABLE_3_STUDY
from rocbands_papers.macskassy_2005.leaving import FIGURE_7
from rocbands_papers.macskassy_2005.real_data import TABLE_5_STUDY, TABLE_6_STUDY
from rocbands_papers.macskassy_2005.score_figures import FIGURE_8, FIGURE_9
from rocbands_papers.macskassy_2005.true_curves import FIGURE_5
from rocbands_papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (
    *(FIGURE_5, FIGURE_6, TABLE_3_STUDY, TABLE_5_STUDY, TABLE_6_STUDY),
    *(FIGURE_7, FIGURE_8, FIGURE_9),
)
