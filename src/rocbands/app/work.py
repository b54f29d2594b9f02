"""What a job computes, in its own process: the answer for the page, and the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rocbands as rb
from rocbands.app import answers
from rocbands.app.data import READINGS, Asked, read_data, read_rows, read_study
from rocbands.app.files import make_file, save_picture
from rocbands.app.preview import list_labels, preview
from rocbands.app.repeat import write_arguments, write_command, write_python
from rocbands.app.tasks import list_files
from rocbands.app.words import describe, say
from rocbands.core.progress import Progress, silence
from rocbands.errors import InputError, RocBandsError, collect_warnings
from rocbands.io.records import json_of
from rocbands.io.tables import format_rows
from rocbands.io.writing import write_text
from rocbands.reporting.report import make_reader_report, make_report

Report = Callable[[int, int | None, str], None]  # called with done, total and a title
_PAUSE = 0.1  # seconds between two reports of progress
_REPORT = ("level", "costs", "prevalence", "capacity", "fpr", "title")


class _Teller:
    """Progress of the parts of a job, each with its title; reported now and then."""

    def __init__(self, report: Report) -> None:
        self._report, self._said = report, 0.0

    def part(self, title: str) -> Progress:
        """Return the progress of one part."""
        self._report(0, None, title)

        def tell(done: int, total: int | None) -> None:
            if time.monotonic() - self._said >= _PAUSE:
                self._said = time.monotonic()
                self._report(done, total, title)

        return tell


def run_task(
    task: str, request: dict[str, Any], folder: Path, report: Report
) -> dict[str, dict[str, Any]]:
    """Run a task; return its result, or the error for the page."""
    try:
        with silence(), collect_warnings() as said:
            result = _TASKS[task](Asked(request), folder, _Teller(report), request)
        if "notes" in result:
            notes = [*result["notes"], *said]
            result["notes"] = list(dict.fromkeys(map(say, notes)))
    except InputError as problem:
        return {"error": describe(problem, request.get("request", request))}
    except RocBandsError as problem:
        return _fail(str(problem))
    except MemoryError:
        return _fail(
            "The memory of this computer is not enough. Close other programs, choose fewer "
            "columns, or count the rows by 'rocbands count' on the command line."
        )
    except OSError as problem:  # for example a full disk
        return _fail(f"A file cannot be read or written: {problem.strerror or problem}.")
    return {"result": result}


def _fail(message: str) -> dict[str, dict[str, Any]]:
    return {"error": {"message": message, "field": None, "row": None}}


def _preview(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    return preview(asked, tell.part("Reading the file"))


def _labels(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    return list_labels(asked, tell.part("Reading the file"))


def _analyse(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    data, positive = read_data(asked, tell.part("Reading the file"))
    how = asked.settings(*_REPORT)
    columns, given = _name_columns(asked, positive)
    command = write_command(asked, ("report",), {**given, **how}, end=" -o report.html")
    by, subject = asked.text("by"), "data"
    found: Any = data
    if by is not None:
        shared = {name: how[name] for name in ("level", "prevalence") if name in how}
        found = rb.subgroups(data, by=by, **shared)
        subject = f"rb.subgroups(data, {write_arguments(by=by, **shared)})"
        how.pop("prevalence", None)
    lines = (f"rb.report({', '.join(filter(None, [subject, write_arguments(**how)]))})",)
    page = make_report(
        found,
        folder / "report.html",
        source=asked.name,
        command=command.splitlines()[-1],
        positive=asked.text("positive"),
        progress=tell.part("Making the report"),
        **how,
    )
    repeat = {"command": command, "python": write_python(lines, asked, **columns)}
    sizes = {name: getattr(data, name) for name in ("n", "n_pos", "n_neg")}
    return _describe_report("analyse", page, folder) | {"repeat": repeat, **sizes}


def _readers(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    data = read_study(asked, tell.part("Reading the file"))
    how = asked.settings("level", "margin", "algorithm")
    columns, given = _name_readings(asked)
    command = write_command(asked, ("report",), {**given, **how}, end=" -o report.html")
    study = answers.compare_study(asked, data)
    page = make_reader_report(
        study,
        folder / "report.html",
        level=study.level,
        source=asked.name,
        command=command.splitlines()[-1],
        title=asked.text("title"),
        progress=tell.part("Making the report"),
    )
    lines = (f"study = rb.compare_readers(data{_follow(**how)})", "rb.report(study)")
    repeat = {"command": command, "python": write_python(lines, asked, **columns)}
    return _describe_report("readers", page, folder) | {"repeat": repeat}


def _describe_report(task: str, page: Any, folder: Path) -> dict[str, Any]:
    """Write the numbers beside the page; return what the app shows of them."""
    write_text(folder / "report.json", f"{json_of(page.payload)}\n")
    return {
        "headline": list(page.headline),
        "statistics": list(page.statistics),
        "notes": list(page.notes),
        "omitted": list(page.omitted),
        "models": [model["name"] for model in page.payload.get("models", ())],
        "files": list_files(task),
    }


def _compare(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    data, positive = read_rows(asked, tell.part("Reading the file"))
    tell.part("Comparing")
    results = answers.list_comparisons(asked, data)
    found: Any = results["comparison"]()
    band: Any = results["difference"]()
    save_picture(band, folder / "difference.png")
    columns, given = _name_columns(asked, positive)
    how = asked.settings("level")
    function = "compare" if len(data.models) == 2 else "compare_many"
    repeat = {
        "command": write_command(asked, ("compare",), {**given, **how}),
        "python": write_python((f"print(rb.{function}(data{_follow(**how)}))",), asked, **columns),
    }
    shown = {"notes": list(found.notes), "pair": list(band.names), "models": list(data.models)}
    difference = {"sentence": band.sentence}
    return _describe_result("compare", found) | shown | {"difference": difference, "repeat": repeat}


def _plan(asked: Asked, folder: Path, tell: _Teller, _: Any) -> dict[str, Any]:
    tell.part("Trying sizes")
    how = asked.settings(*answers.PLAN)
    found: Any = answers.list_plans(asked)["plan"]()
    save_picture(found, folder / "plan.svg")
    repeat = {
        "command": write_command(asked, ("plan",), how),
        "python": write_python((f"print(rb.sample_size({write_arguments(**how)}))",)),
    }
    return _describe_result("plan", found) | {"notes": list(found.notes), "repeat": repeat}


def _describe_result(task: str, found: Any) -> dict[str, Any]:
    """Return a result as the page shows it: a sentence, a table of text, statistics."""
    above, rows, below = found.arrange()
    return {
        "sentence": say(above),
        "statistics": [say(line) for line in below.splitlines()],
        "table": {"columns": list(rows), "rows": [list(row) for row in format_rows(rows)]},
        "files": list_files(task),
    }


def _file(asked: Asked, folder: Path, tell: _Teller, request: dict[str, Any]) -> dict[str, Any]:
    progress = tell.part("Making the file")
    other = Asked(request["request"])
    make_file(request["task"], other, request["name"], Path(request["folder"]), folder, progress)
    return {"name": request["name"]}


def _name_columns(asked: Asked, positive: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of rows, as arguments of Python and as options."""
    scores, drop, sheet = asked.texts("scores"), asked.flag("drop_missing"), asked.text("sheet")
    shared = {"label": asked.text("label"), **asked.design, "sheet": sheet}
    named = {name: value for name, value in shared.items() if value is not None}
    by = asked.text("by")
    python = named | {"score": scores}
    python |= {} if positive is None else {"positive": positive}
    python |= ({"missing": "drop"} if drop else {}) | ({} if by is None else {"keep": by})
    given = named | ({"scores": scores} if scores else {})
    text = asked.text("positive")
    given |= ({} if text is None else {"positive": text}) | ({} if by is None else {"by": by})
    return python, given | ({"drop_missing": True} if drop else {})


def _name_readings(asked: Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of readings, as arguments of Python and as options."""
    names = (*READINGS, "sheet", "positive")
    given = {name: value for name in names if (value := asked.text(name)) is not None}
    drop = asked.flag("drop_missing")
    python = given | ({"missing": "drop"} if drop else {})
    return python, given | ({"drop_missing": True} if drop else {})


def _follow(**how: Any) -> str:
    return f", {write_arguments(**how)}" if how else ""


_TASKS: dict[str, Callable[[Asked, Path, _Teller, dict[str, Any]], dict[str, Any]]] = {
    "preview": _preview,
    "labels": _labels,
    "analyse": _analyse,
    "compare": _compare,
    "readers": _readers,
    "plan": _plan,
    "file": _file,
}
