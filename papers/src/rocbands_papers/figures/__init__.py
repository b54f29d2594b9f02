"""Every figure of the five papers, drawn with its axes and its layout.

    python -m rocbands_papers.figures macskassy-2004-figure5 -o figure5.png
    python -m rocbands_papers.figures --all docs/pictures/papers --results docs/studies

`rocbands study figure NAME -o FILE` does the same.
"""

from __future__ import annotations

from rocbands_papers.figures import (
    dugas_2009,
    komarek_2004,
    macskassy_2004,
    macskassy_2005,
    millard_2014,
)
from rocbands_papers.figures.common import PaperFigure, Sources, find_figure, save_figure

__all__ = ["FIGURES", "PaperFigure", "Sources", "draw_figure", "save_figure"]

FIGURES: dict[str, PaperFigure] = {
    figure.name: figure
    for module in (macskassy_2004, macskassy_2005, millard_2014, dugas_2009, komarek_2004)
    for figure in module.FIGURES
}


def draw_figure(name: str, path: str, sources: Sources) -> None:
    """Draw a figure of a paper into a file."""
    save_figure(find_figure(name, FIGURES).draw(sources), path)
