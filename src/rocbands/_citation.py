"""How to cite: a paragraph for the methods section of a paper, and its references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rocbands._methods import QUESTIONS, known_methods
from rocbands._version import __version__
from rocbands.core.method import Method
from rocbands.core.references import SOFTWARE
from rocbands.core.result import percent
from rocbands.errors import InputError

_DATE = "2026"

# What the methods of a question are for, as a paper says it.
_SENTENCES = {
    "bands": "ROC curves are shown with {level} {coverage} confidence bands",
    "auc": "Areas under ROC curves (AUC) are given with {level} confidence intervals",
    "points": "Sensitivities at fixed false positive rates, and rates at fixed thresholds, are "
    "given with {level} confidence limits",
    "comparison": "AUCs of models on the same cases were compared by a two-sided test",
    "cost": "Expected costs at thresholds fixed in advance are given with {level} confidence "
    "limits",
    "rates": "Recall at fixed alert rates is given with {level} confidence limits",
    "smooth": "Smooth ROC curves are shown with {level} confidence bands",
    "readers": "Tests were compared by AUCs averaged over readers, with {level} confidence limits "
    "for readers and cases like those of the study",
}

# Default methods as a paper describes them; of others, their own words in `Method.idea`.
_DESCRIBED = {
    ("bands", "likelihood"): "the curves that a likelihood ratio does not reject at any threshold, "
    "with a critical value for the whole curve",
    ("auc", "score-delong"): "Wilson's interval with the effective sample size of DeLong's "
    "variance",
    ("comparison", "score-delong"): (
        "DeLong's variance of the difference, with Student's t distribution"
    ),
    ("comparison", "delong"): "DeLong's variance of the difference, with the normal distribution",
    ("readers", "bounded"): "Obuchowski and Rockette's variance with DeLong's covariances and "
    "Hillis' degrees of freedom, not below the variance for the same readers; limits by logits",
}


class Citation(NamedTuple):
    """A paragraph with numbers in brackets, and the references that they mean.

    Attributes
    ----------
    paragraph : str
        For the methods section of a paper.
    references : tuple of str
        In the order of their numbers, from 1; the software is the first.
    bibtex : str
        The entry of the software.
    """

    paragraph: str
    references: tuple[str, ...]
    bibtex: str

    def __str__(self) -> str:
        listed = (f"[{number}] {text}" for number, text in enumerate(self.references, 1))
        return "\n\n".join([self.paragraph, "\n".join(listed), self.bibtex])


def cite(names: Sequence[str] = (), level: float = 0.95) -> Citation:
    """Write the paragraph of some methods.

    `names` are questions, for their default methods, or methods such as 'fixed-width'; by default
    the questions bands, auc and comparison.
    """
    references = [f"{SOFTWARE}{__version__}."]
    said = []
    for question, method in _find_methods(names or ("bands", "auc", "comparison")):
        numbers = []
        for source in method.references:
            if source not in references:
                references.append(source)
            numbers.append(references.index(source) + 1)
        what = _SENTENCES[question].format(level=percent(level), coverage=method.coverage)
        marks = "".join(f"[{number}]" for number in sorted(set(numbers)))
        how = _DESCRIBED.get((question, method.name), method.idea)
        said.append(f"{what} (method '{method.name}': {how} {marks}).")
    said.append(f"All were computed with rocbands {__version__} [1].")
    return Citation(" ".join(said), tuple(references), _write_bibtex())


def _find_methods(names: Sequence[str]) -> list[tuple[str, Method]]:
    """Return the default method of each question, and each method, with its question."""
    tables = {question: known_methods(question) for question in QUESTIONS}
    found = []
    for name in names:
        of = [(q, known[name]()) for q, known in tables.items() if name in known]
        if name in tables:
            of = [(name, next(iter(tables[name].values()))())]
        if not of:
            raise InputError(
                f"must be a question ({', '.join(tables)}) or the name of a method",
                f"got {name!r}",
                "'rocbands methods' lists them.",
                argument="names",
            )
        found += of
    return found


def _write_bibtex() -> str:
    fields = {
        "author": "{The rocbands developers}",
        "title": "{rocbands: confidence bands for {ROC} curves, with measured coverage}",
        "year": f"{{{_DATE}}}",
        "note": f"{{Python package, version {__version__}}}",
    }
    lines = ",\n".join(f"  {name} = {value}" for name, value in fields.items())
    return f"@software{{rocbands,\n{lines}\n}}"
