"""Komarek (2004), Logistic Regression for Data Mining, section 5.1.4: scoring by AUC."""

from __future__ import annotations

from rocbands_papers.komarek_2004.example import EXAMPLE
from rocbands_papers.komarek_2004.fold_intervals import FOLD_INTERVALS
from rocbands_papers.paper import PaperStudy

__all__ = ["STUDIES"]

STUDIES: tuple[PaperStudy, ...] = (EXAMPLE, FOLD_INTERVALS)
