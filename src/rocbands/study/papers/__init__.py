"""The papers' own studies, by name; each module is loaded when its study is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from rocbands.errors import InputError
from rocbands.study.papers.paper import PaperResult, PaperStudy

__all__ = ["PaperResult", "PaperStudy", "names", "paper_study"]

# Which module holds which studies, in the order of a list.
_MODULES: dict[str, str] = {
    "komarek-2004": "komarek_2004",
    "macskassy-2004": "macskassy_2004",
    "macskassy-2005": "macskassy_2005",
}


def names() -> list[str]:
    """Name all studies."""
    return [study.name for stem in _MODULES for study in _studies(stem)]


def paper_study(name: str) -> PaperStudy:
    """Return the study of that name."""
    for stem in _MODULES:
        for study in _studies(stem):
            if study.name == name:
                return study
    close = get_close_matches(name, names(), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"There is no study {name!r}.{hint} See 'rocbands study list'.")


def _studies(stem: str) -> tuple[PaperStudy, ...]:
    studies: tuple[PaperStudy, ...] = import_module(
        f"rocbands.study.papers.{_MODULES[stem]}"
    ).STUDIES
    return studies
