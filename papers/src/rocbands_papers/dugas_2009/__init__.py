"""Dugas and Gadoury (2009): limits for costs, and for differences of costs, along w."""

from __future__ import annotations

from rocbands_papers.dugas_2009.full import FIGURE_5, FIGURE_6
from rocbands_papers.dugas_2009.pairs import FIGURE_4
from rocbands_papers.dugas_2009.regions import REGIONS
from rocbands_papers.dugas_2009.single import FIGURE_2, FIGURE_3
from rocbands_papers.dugas_2009.thresholds import VALIDATION
from rocbands_papers.dugas_2009.together import ALL
from rocbands_papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (
    ALL,
    FIGURE_2,
    FIGURE_3,
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    VALIDATION,
    REGIONS,
)
