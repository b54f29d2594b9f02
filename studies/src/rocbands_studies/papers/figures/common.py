"""What figures share: what they may ask for, how axes look, how files are written."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocbands_studies import run
from rocbands_studies.papers.datasets import DataSet, load_dataset
from rocbands_studies.results import StudyResult
from rocbands_studies.spec import Study

DPI = 200
COLORS = 64  # of a PNG file: lines and their smooth edges need no more
BLACK = "black"
LINES: tuple[tuple[str, Any], ...] = (  # color and dashes that differ in print, too
    ("#0072b2", "-"),
    ("#d55e00", (0, (5, 1.5))),
    ("#009e73", (0, (1.5, 1.5))),
    ("#cc79a7", (0, (5, 1.5, 1.5, 1.5))),
    ("#000000", (0, (8, 2))),
    ("#e69f00", (0, (3, 1, 1, 1, 1, 1))),
    ("#56b4e9", (0, (1, 1))),
)


@dataclass(frozen=True)
class Sources:
    """Where a figure's numbers come from.

    Parameters
    ----------
    folder : str, optional
        Folder of data sets; by default the one in ROCBANDS_DATA.
    fetch : bool
        Download data sets that are not there.
    results : str, optional
        Folder of stored results of studies, NAME.json. Figures that need one that is not there
        measure the study again, with `--quick`.
    workers : int, optional
        Processes.
    """

    folder: str | None = None
    fetch: bool = False
    results: str | None = None
    workers: int | None = None

    def load(self, name: str) -> DataSet:
        """Return a data set."""
        return load_dataset(name, folder=self.folder, fetch=self.fetch)

    @property
    def data(self) -> Callable[[str], DataSet]:
        """What loads data sets; it can be sent to workers."""
        return partial(load_dataset, folder=self.folder, fetch=self.fetch)

    def run(self, study: Study) -> StudyResult:
        """Measure some cells."""
        return run(study, workers=self.workers)

    def columns(self, study: Any) -> Mapping[str, list[Any]]:
        """Return the numbers of a study, stored or measured."""
        stored = Path(self.results or ".") / f"{study.name}.json"
        if self.results is not None and stored.exists():
            document = json.loads(stored.read_text(encoding="utf-8"))
            columns: dict[str, list[Any]] = document["columns"]
            return columns
        found = self.run(study.plan("quick", 1, self.data))
        measured: Mapping[str, list[Any]] = study.judge(found, "quick").columns()
        return measured


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper.

    Parameters
    ----------
    name : str
        Such as 'macskassy-2004-figure5'.
    title : str
        What it shows.
    draw : callable
        Draws it.
    differs : str
        In what our picture differs from the printed one; empty if in the numbers only.
    study : str
        Name of the study on whose page it stands.
    needs : tuple of str
        Data sets.
    """

    name: str
    title: str
    draw: Callable[[Sources], Figure]
    differs: str
    study: str
    needs: tuple[str, ...]

    @property
    def paper(self) -> str:
        """Such as 'macskassy-2004'."""
        return self.name.partition("-figure")[0]

    @property
    def label(self) -> str:
        """Such as 'Figure 5'."""
        number = self.name.rpartition("-figure")[2].replace("-", ".")
        return f"Figure {number}"


def new_figure(down: int, across: int, size: tuple[float, float], **how: Any) -> tuple[Figure, Any]:
    """Make a figure with panels, in inches; its axes are an array of (down, across)."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(down, across, squeeze=False, **how)


def set_square(
    ax: Axes, title: str = "", x: str = "False Positive", y: str = "True Positive"
) -> None:
    """Give axes the unit square, with the papers' ticks."""
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=ticks, yticks=ticks)
    ax.set(xlabel=x, ylabel=y, title=title)
    ax.title.set_fontsize(9)


def save_figure(figure: Figure, path: str) -> None:
    """Write a figure; PNG files with few colors, so that they are small at print quality."""
    file = Path(path)
    if file.suffix != ".png":
        figure.savefig(file, bbox_inches="tight", pad_inches=0.05)
        return
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.05)
    Image.open(raw).convert("RGB").quantize(COLORS).save(file, optimize=True)
