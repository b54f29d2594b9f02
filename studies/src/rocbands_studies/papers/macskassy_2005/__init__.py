"""Macskassy, Provost and Rosset (2005), ROC confidence bands: an empirical evaluation, ICML."""

from __future__ import annotations

from rocbands_studies.papers.macskassy_2005.future_sizes import FutureSizes
from rocbands_studies.papers.macskassy_2005.real_data import RealData, Table4
from rocbands_studies.papers.macskassy_2005.score_figures import Figure7, ScoreFigure
from rocbands_studies.papers.macskassy_2005.score_models import ScoreModelStudy
from rocbands_studies.papers.macskassy_2005.simulated import Figure6, Table3
from rocbands_studies.papers.macskassy_2005.small_class import SmallClass
from rocbands_studies.papers.macskassy_2005.true_curves import Figure5

__all__ = ["STUDIES"]

STUDIES = (
    *(Figure5(), Figure6(), Table3(), Table4(), RealData(5), RealData(6)),
    *(Figure7(), ScoreFigure(8), ScoreFigure(9), SmallClass(), ScoreModelStudy(), FutureSizes()),
)
