"""Named studies: the tables and figures of five papers.

Names of studies and figures begin with that of their paper, so that one is found without loading
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias

from rocbands.core.result import Result
from rocbands.errors import InputError
from rocbands_studies.results import StudyResult
from rocbands_studies.spec import Study

# Modules of rocbands_studies.papers by the beginning of their studies' names.
PAPERS = {
    "dugas-2009": "dugas_2009",
    "komarek-2004": "komarek_2004",
    "macskassy-2004": "macskassy_2004",
    "macskassy-2005": "macskassy_2005",
    "millard-2014": "millard_2014",
}

Scale: TypeAlias = Literal["quick", "full"]
DataSource: TypeAlias = Callable[[str], Any]  # from the name of a data set to the data set


class NamedStudy(Protocol):
    """A study as `rocbands study run` uses it."""

    name: str  # such as 'macskassy-2005-table3'
    title: str  # what it shows, in a few words
    paper: str  # authors, year, and the table or figure
    needs: tuple[str, ...]  # names of the data sets that `plan` asks for
    seconds: Mapping[str, float]  # processor time of 'quick' and 'full', where it is known

    def open_data(self, folder: str | None, fetch: bool) -> DataSource:
        """Return where the data sets come from: a folder, or with `fetch` the internet."""

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        """Return the cells to measure."""

    def judge(self, found: StudyResult, scale: Scale) -> Result:
        """Compare what was measured with what was printed."""


def list_studies() -> list[NamedStudy]:
    """Return all studies, those of a paper together."""
    return [study for paper in PAPERS for study in _load_paper(paper)]


def list_figures() -> list[Any]:
    """Return all figures that can be drawn; each has a `name`, a `title` and `needs`."""
    return sorted(_load_figures().FIGURES.values(), key=lambda one: one.name)


def find_study(name: str) -> NamedStudy:
    """Return the study of that name."""
    for paper in PAPERS:
        if name.startswith(paper):
            for study in _load_paper(paper):
                if study.name == name:
                    return study
    close = get_close_matches(name, [study.name for study in list_studies()], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"There is no study {name!r}.{hint} See 'rocbands study list'.")


def find_figures(name: str) -> Any:
    """Return the module that draws the figure of that name."""
    if name.startswith(tuple(PAPERS)):
        return _load_figures()
    raise InputError(
        f"There is no figure {name!r}. Names begin with {', '.join(PAPERS)} and go on with the "
        "number, such as macskassy-2004-figure5; 'rocbands study list' has all."
    )


def _load_paper(name: str) -> tuple[NamedStudy, ...]:
    studies: tuple[NamedStudy, ...] = import_module(
        f"rocbands_studies.papers.{PAPERS[name]}"
    ).STUDIES
    return studies


def _load_figures() -> ModuleType:
    return import_module("rocbands_studies.papers.figures")
