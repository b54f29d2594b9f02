"""Every figure of the five papers, drawn with its axes and its layout.

`rocbands study figure NAME -o FILE` draws one;
`python -m rocbands_studies.papers.reproduction --draw` draws all into studies/docs/pictures/papers.
figures.csv says what each shows, and in what it differs from the printed one.
"""

from __future__ import annotations

import csv
from difflib import get_close_matches
from importlib.resources import files

from rocbands.errors import InputError
from rocbands_studies.papers.figures import (
    dugas_2009,
    komarek_2004,
    macskassy_2004,
    macskassy_2005,
    millard_2014,
)
from rocbands_studies.papers.figures.common import PaperFigure, Sources, save_figure

__all__ = ["FIGURES", "PaperFigure", "Sources", "draw_figure", "save_figure"]


def _read_figures() -> dict[str, PaperFigure]:
    modules = (macskassy_2004, macskassy_2005, millard_2014, dugas_2009, komarek_2004)
    draw = {name: how for module in modules for name, how in module.DRAW.items()}
    text = (files("rocbands_studies.papers") / "figures" / "figures.csv").read_text(
        encoding="utf-8"
    )
    figures = {}
    for row in csv.DictReader(text.splitlines()):
        needs = tuple(row.pop("needs").split())
        figures[row["name"]] = PaperFigure(**row, needs=needs, draw=draw[row["name"]])
    return figures


FIGURES = _read_figures()


def draw_figure(name: str, path: str, sources: Sources) -> None:
    """Draw a figure of a paper into a file."""
    if name not in FIGURES:
        near = get_close_matches(name, FIGURES, 1)
        remedy = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(FIGURES)}."
        raise InputError(f"There is no figure {name!r}. {remedy}")
    save_figure(FIGURES[name].draw(sources), path)
