"""Named studies of other packages, found by the entry points `rocbands.studies`.

An entry point refers to a sequence of studies whose names begin with its own, so that one study is
found without loading the others. The distribution `rocbands-papers` has those of five papers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, Literal, Protocol, TypeAlias

from rocbands.core.result import Result
from rocbands.errors import InputError
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study

GROUP = "rocbands.studies"

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
    """Return all studies that are installed, those of a paper together."""
    return [study for point in _find_installed() for study in point.load()]


def list_figures() -> list[Any]:
    """Return all figures that can be drawn; each has a `name`, a `title` and `needs`."""
    modules = dict.fromkeys(point.module.partition(".")[0] for point in _find_installed())
    drawing = [f"{module}.figures" for module in modules if find_spec(f"{module}.figures")]
    found = (import_module(module).FIGURES.values() for module in drawing)
    return sorted((figure for figures in found for figure in figures), key=lambda one: one.name)


def find_study(name: str) -> NamedStudy:
    """Return the study of that name."""
    for point in _find_installed():
        if name.startswith(point.name):
            for study in point.load():
                if study.name == name:
                    found: NamedStudy = study
                    return found
    close = get_close_matches(name, [study.name for study in list_studies()], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"There is no study {name!r}.{hint} See 'rocbands study list'.")


def find_figures(name: str) -> Any:
    """Return the module that draws the figure of that name."""
    points = _find_installed()
    for point in points:
        if name.startswith(point.name):
            return import_module(f"{point.module.partition('.')[0]}.figures")
    papers = ", ".join(point.name for point in points)
    raise InputError(
        f"There is no figure {name!r}. Names begin with {papers} and go on with the number, such "
        "as macskassy-2004-figure5; 'rocbands study list' has all."
    )


def load_study_packages() -> set[str]:
    """Import the studies that are installed, if any; return the names of their packages."""
    points = list(entry_points(group=GROUP))
    for point in points:
        point.load()
    return {point.module.partition(".")[0] for point in points}


def _find_installed() -> list[EntryPoint]:
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not points:
        raise InputError(
            "The papers' studies must be installed",
            "they are not",
            "Run 'pip install ./papers' in a checkout of rocbands; 'make demo' installs them, too.",
        )
    return points
