"""Where the methods of a report come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocbands.bands import METHODS

__all__ = ["methods_section", "references_of"]

_CAMPBELL = (
    "Campbell (1994), Advances in statistical methodology for the evaluation of diagnostic and "
    "laboratory tests, Statistics in Medicine 13, 499-508."
)
_MACSKASSY_2004 = (
    "Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical "
    "study, ROCAI."
)
_MACSKASSY_2005 = (
    "Macskassy, Provost and Rosset (2005), ROC confidence bands: an empirical evaluation, ICML."
)
_BANDS: dict[str, list[str]] = {
    "fixed-width": [_MACSKASSY_2004, _MACSKASSY_2005],
    "joint-region": [_CAMPBELL, _MACSKASSY_2005],
    "working-hotelling": [
        "Working and Hotelling (1929), Applications of the theory of error to the interpretation "
        "of trends, Journal of the American Statistical Association 24, 73-85.",
        "Ma and Hall (1993), Confidence bands for receiver operating characteristic curves, "
        "Medical Decision Making 13, 191-197.",
    ],
}
# By section of a report, and where need be by the method used there.
_SECTIONS: dict[str, str] = {
    "newcombe": "Newcombe (2006), Confidence intervals for an effect size measure based on the "
    "Mann-Whitney statistic, part 2, Statistics in Medicine 25, 559-573.",
    "logit-delong": "Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, "
    "Biometrics 53, 567-578.",
    "influence": "LeDell, Petersen and van der Laan (2015), Computationally efficient confidence "
    "intervals for cross-validated area under the ROC curve estimates, Electronic Journal of "
    "Statistics 9, 1583-1607.",
    "comparison": "DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more "
    "correlated receiver operating characteristic curves, Biometrics 44, 837-845.",
    "rates": "Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds for ROC "
    "curves, ECML PKDD.",
    "cost": "Dugas and Gadoury (2009), Pointwise exact bootstrap distributions of cost curves; "
    "Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier "
    "performance, Machine Learning 65, 95-130.",
}


def methods_section(used: Sequence[str]) -> list[dict[str, Any]]:
    """Facts about the band methods that are shown."""
    kinds = {name: METHODS[name]() for name in used}
    return [
        {
            "name": name,
            "coverage": kind.coverage,
            "guarantee": kind.guarantee,
            "idea": kind.idea,
            "references": _BANDS.get(name, []),
        }
        for name, kind in kinds.items()
    ]


def references_of(methods: Sequence[str], sections: Sequence[str]) -> list[str]:
    """All sources of what is shown, each once, by name."""
    found = [source for name in methods for source in _BANDS.get(name, [])]
    found += [_SECTIONS[name] for name in sections if name in _SECTIONS]
    return sorted(set(found))
