"""Downloads: the tables and pictures of an answer, as the command line writes them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from rocbands.app import answers
from rocbands.app.data import Asked, read_data, read_rows, read_study
from rocbands.core.band import Band
from rocbands.core.phrases import RARE
from rocbands.core.progress import Progress
from rocbands.core.result import Result
from rocbands.core.table import Table
from rocbands.io.excel import write_workbook
from rocbands.io.tables import csv_table
from rocbands.io.writing import write_text
from rocbands.plot import draw, save


def make_file(
    task: str, asked: Asked, name: str, source: Path, folder: Path, progress: Progress
) -> None:
    """Make one file of an answer; `source` is the folder of the job that gave it."""
    target = folder / name
    if (source / name).is_file():  # such as the report
        shutil.copyfile(source / name, target)
        return
    results = _list_results(task, asked, progress)
    if target.suffix == ".xlsx":
        write_workbook({title: make().columns() for title, make in results.items()}, target)
        return
    found = results[target.stem]()
    if target.suffix == ".csv":
        write_text(target, csv_table(found.columns(), escape_formulas=True))
    elif target.suffix == ".tex":
        write_text(target, f"{found.to_latex()}\n")
    else:
        save_picture(found, target)


def _list_results(task: str, asked: Asked, progress: Progress) -> answers.Results:
    """Return the results of an answer; the data are read again."""
    if task == "plan":
        return answers.list_plans(asked)
    if task == "readers":
        return answers.list_study_results(asked, read_study(asked, progress)[0])
    if task == "compare":
        return answers.list_comparisons(asked, read_rows(asked, progress)[0])
    return answers.list_model_results(asked, read_data(asked, progress)[0])


def save_picture(found: Result, target: Path) -> None:
    """Draw a result to a file; curves of several models on the same axes."""
    if not isinstance(found, Table):
        save(draw(found), target)
        return
    axes: Any = None
    for name, one in found.results.items():
        style = {}
        if isinstance(one, Band):
            style = {"log": one.n_pos < RARE * (one.n_pos + one.n_neg)}
        axes = draw(one, axes, label=name, **style)
    save(axes, target)
