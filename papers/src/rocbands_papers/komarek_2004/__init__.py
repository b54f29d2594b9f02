"""Komarek (2004), Logistic regression for data mining: the AUC, and its intervals from folds."""

from __future__ import annotations

from rocbands_papers.komarek_2004.example import Example
from rocbands_papers.komarek_2004.fold_intervals import FoldIntervals

__all__ = ["STUDIES"]

STUDIES = (Example(), FoldIntervals())
