"""Dugas and Gadoury (2009): limits for costs, and for differences of costs, along w."""

from __future__ import annotations

from rocbands_studies.papers.dugas_2009.binormal import BinormalCost
from rocbands_studies.papers.dugas_2009.experiments import AllFigures
from rocbands_studies.papers.dugas_2009.sections import CheaperRegions, ClosedForms, Validation

__all__ = ["STUDIES", "BinormalCost"]

STUDIES = (AllFigures(), Validation(), CheaperRegions(), ClosedForms())
