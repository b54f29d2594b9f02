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
    "study, First Workshop on ROC Analysis in AI (ROCAI)."
)
_MACSKASSY_2005 = (
    "Macskassy, Provost and Rosset (2005), ROC confidence bands: an empirical evaluation, 22nd "
    "International Conference on Machine Learning (ICML)."
)
_OBUCHOWSKI = (
    "Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, 567-578."
)
_BANDS: dict[str, list[str]] = {
    "likelihood": ["The likelihood band is rocbands' own; its documentation derives it."],
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
_SECTIONS: dict[str, list[str]] = {
    "score-delong": [
        "Wilson (1927), Probable inference, the law of succession, and statistical inference, "
        "Journal of the American Statistical Association 22, 209-212.",
    ],
    "newcombe": [
        "Newcombe (2006), Confidence intervals for an effect size measure based on the "
        "Mann-Whitney statistic, part 2: asymptotic methods and evaluation, Statistics in Medicine "
        "25, 559-573."
    ],
    "logit-delong": [_OBUCHOWSKI],
    "delong, by groups": [_OBUCHOWSKI],
    "score-delong, by groups": [_OBUCHOWSKI],
    "influence": [
        "LeDell, Petersen and van der Laan (2015), Computationally efficient confidence "
        "intervals for cross-validated area under the ROC curve estimates, Electronic Journal of "
        "Statistics 9, 1583-1607."
    ],
    "comparison": [
        "DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more "
        "correlated receiver operating characteristic curves: a nonparametric approach, Biometrics "
        "44, 837-845."
    ],
    "several": [
        "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian "
        "Journal of Statistics 6, 65-70."
    ],
    "points": ["Youden (1950), Index for rating diagnostic tests, Cancer 3, 32-35."],
    "rates": [
        "Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds for ROC "
        "curves, ECML PKDD, Lecture Notes in Computer Science 8725, 404-421."
    ],
    "cost": [
        "Dugas and Gadoury (2009), Pointwise exact bootstrap distributions of cost curves, CRM "
        "working paper 3287.",
        "Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier "
        "performance, Machine Learning 65, 95-130.",
    ],
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
    found += [source for name in sections for source in _SECTIONS.get(name, [])]
    return sorted(set(found))
