"""What a job computes, in its own process: the answer for the page, and the report."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rocbands as rb
from rocbands.app import answers
from rocbands.app.data import Asked, read_data, read_rows, read_study
from rocbands.app.files import make_file, save_picture
from rocbands.app.preview import list_labels, preview
from rocbands.app.repeat import write_analysis, write_comparison, write_plan, write_study
from rocbands.app.tasks import list_files
from rocbands.app.words import describe, say
from rocbands.core.progress import Progress, silence
from rocbands.errors import InputError, RocBandsError, collect_warnings
from rocbands.io.excel import keep_tables
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
    about = request.get("request", request)  # of a file, that of the job that gave the answer
    kept = Path(about["folder"]) if "folder" in about else None
    try:
        with silence(), keep_tables(kept), collect_warnings() as said:
            result = _TASKS[task](Asked(request), folder, _Teller(report))
        if "notes" in result:
            notes = [*result["notes"], *said]
            result["notes"] = list(dict.fromkeys(map(say, notes)))
    except InputError as problem:
        return _refuse(problem, about, folder)
    except RocBandsError as problem:
        return _fail(str(problem))
    except MemoryError:
        return _fail(
            "The memory of this computer is not enough. Close other programs, choose fewer "
            "columns, or count the rows by 'rocbands count' on the command line."
        )
    except OSError as problem:  # for example a full disk
        return _fail(f"A file cannot be read or written: {problem.strerror or problem}.")
    except Exception as problem:  # a defect
        traceback.print_exc()
        kind = type(problem).__name__
        return _fail(f"This should not happen; the terminal has the details. {kind}: {problem}")
    return {"result": result}


def refuse_disk(folder: Path, problem: OSError | None = None) -> str:
    """Say that a result has no room in the folder of temporary files."""
    why = "" if problem is None else f": {problem.strerror or problem}"
    return f"The result cannot be stored{why}. Make room in {folder.parent.parent}, and try again."


def _refuse(problem: InputError, about: dict[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    cause = problem.__cause__
    if isinstance(cause, OSError) and str(folder) in str(problem):  # for example a full disk
        return _fail(refuse_disk(folder, cause))
    return {"error": describe(problem, about)}


def _fail(message: str) -> dict[str, dict[str, Any]]:
    return {"error": {"message": message, "field": None, "row": None}}


def _analyse(asked: Asked, folder: Path, tell: _Teller) -> dict[str, Any]:
    data, positive = read_data(asked, tell.part("Reading the file"))
    how = asked.settings(*_REPORT)
    written = write_analysis(asked, positive, how)
    page = make_report(
        data,
        folder / "report.html",
        source=asked.name,
        command=written["command"].split("\n", 1)[-1] if asked.example else written["command"],
        progress=tell.part("Making the report"),
        **how,
    )
    roc = data[data.models[0]].roc
    sizes = {"n": roc.n_pos + roc.n_neg, "n_pos": roc.n_pos, "n_neg": roc.n_neg}
    areas = {model["name"]: model["auc"]["high"] for model in page.payload["models"]}
    small = [name for name, high in areas.items() if high is not None and high < 0.5]
    found = {"repeat": written, "below_half": small, **sizes}
    return _describe_report("analyse", page, folder) | found


def _readers(asked: Asked, folder: Path, tell: _Teller) -> dict[str, Any]:
    data, uses = read_study(asked, tell.part("Reading the file"))
    written = write_study(asked, uses, asked.settings(*answers.STUDY))
    study = answers.compare_study(asked, data)
    page = make_reader_report(
        study,
        folder / "report.html",
        level=study.level,
        source=asked.name,
        command=written["command"].split("\n", 1)[-1] if asked.example else written["command"],
        title=asked.text("title"),
        progress=tell.part("Making the report"),
    )
    return _describe_report("readers", page, folder) | {"repeat": written}


def _describe_report(task: str, page: Any, folder: Path) -> dict[str, Any]:
    """Write the numbers beside the page; return what the app shows of them."""
    write_text(folder / "report.json", f"{json_of(page.payload)}\n")
    return {
        "headline": list(map(say, page.headline)),
        "statistics": list(map(say, page.statistics)),
        "notes": list(page.notes),
        "omitted": list(page.omitted),
        "models": [model["name"] for model in page.payload.get("models", ())],
        "files": list_files(task),
    }


def _compare(asked: Asked, folder: Path, tell: _Teller) -> dict[str, Any]:
    data, positive = read_rows(asked, tell.part("Reading the file"))
    tell.part("Comparing")
    results = answers.list_comparisons(asked, data)
    found: Any = results["comparison"]()
    band: Any = results["difference"]()
    save_picture(band, folder / "difference.png")
    return _describe_result("compare", found) | {
        "difference": {"sentence": _name_pair(band, len(data.models))},
        "pair": list(band.names),
        "models": list(data.models),
        "below_half": [name for name in data.models if rb.auc_interval(data[name]).high < 0.5],
        "repeat": write_comparison(asked, positive, asked.settings("level"), len(data.models)),
    }


def _name_pair(band: Any, models: int) -> str:
    """Return the sentence of a difference; of more than two models it is one of several."""
    alone = f" This is for {' and '.join(band.names)} alone, not for all pairs at once."
    return f"{band.sentence}{alone * (models > 2)}"


def _plan(asked: Asked, folder: Path, tell: _Teller) -> dict[str, Any]:
    tell.part("Trying sizes")
    found: Any = answers.list_plans(asked)["plan"]()
    save_picture(found, folder / "plan.svg")
    written = write_plan(asked, asked.settings(*answers.PLAN))
    return _describe_result("plan", found) | {"repeat": written}


def _describe_result(task: str, found: Any) -> dict[str, Any]:
    """Return a result as the page shows it: a sentence, a table of text, statistics."""
    above, rows, below = found.arrange()
    return {
        "sentence": say(above),
        "notes": list(found.notes),
        "statistics": [say(line) for line in below.splitlines() if line not in found.notes],
        "table": {"columns": list(rows), "rows": [list(row) for row in format_rows(rows)]},
        "files": list_files(task),
    }


def _file(asked: Asked, folder: Path, tell: _Teller) -> dict[str, Any]:
    made = asked.settings("name", "task", "request", "folder")
    progress = tell.part("Making the file")
    other = Asked(made["request"])
    make_file(made["task"], other, made["name"], Path(made["folder"]), folder, progress)
    return {"name": made["name"]}


_TASKS: dict[str, Callable[[Asked, Path, _Teller], dict[str, Any]]] = {
    "preview": lambda asked, _, tell: preview(asked, tell.part("Reading the file")),
    "labels": lambda asked, _, tell: list_labels(asked, tell.part("Reading the file")),
    "analyse": _analyse,
    "compare": _compare,
    "readers": _readers,
    "plan": _plan,
    "file": _file,
}
