"""Millard, Kull and Flach (2014): bounds for the recall at each rate."""

from __future__ import annotations

from rocbands_studies.papers.millard_2014.bounds import Figure4, Figure5, TrueCurve
from rocbands_studies.papers.millard_2014.other_approaches import OtherApproaches

__all__ = ["STUDIES"]

STUDIES = (Figure4(), Figure5(), TrueCurve(), OtherApproaches())
