"""The papers' own studies, by name; each module is loaded when its study is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from rocbands.errors import InputError
from rocbands.study.papers.paper import PaperResult, PaperStudy

__all__ = ["PaperResult", "PaperStudy", "names", "paper_study"]

# Each has its studies in a tuple STUDIES; their names begin with the module's, hyphenated.
_PAPERS = ("macskassy_2004", "macskassy_2005", "millard_2014", "dugas_2009", "komarek_2004")


def names() -> list[str]:
    """Name all studies."""
    return [study.name for paper in _PAPERS for study in _studies(paper)]


def paper_study(name: str) -> PaperStudy:
    """Return the study of that name."""
    for paper in _PAPERS:
        if name.startswith(paper.replace("_", "-")):
            for study in _studies(paper):
                if study.name == name:
                    return study
    close = get_close_matches(name, names(), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"There is no study {name!r}.{hint} See 'rocbands study list'.")


def _studies(paper: str) -> tuple[PaperStudy, ...]:
    studies: tuple[PaperStudy, ...] = import_module(f"rocbands.study.papers.{paper}").STUDIES
    return studies
