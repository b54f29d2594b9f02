"""Write the lists of the reference pages: `python -m tools.make_reference`.

Public names are listed once, in `rocbands.__init__`, results and methods in `__all__` of their
modules.
Each goes to the page of its module. Titles, sentences and links of the pages are written by hand,
and so is the page on studies.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import rocbands
from rocbands import results

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"(?<=^```\{eval-rst\}\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
ROWS = re.compile(r"(?<=^\|---\|---\|---\|\n)(?:\|.*\n)+", re.MULTILINE)


class Page(NamedTuple):
    """What a page of the reference lists."""

    modules: tuple[str, ...]  # of the table in rocbands.__init__, with the modules inside them
    methods: tuple[str, ...] = ()  # packages that are public as a whole
    parts: tuple[str, ...] = ()  # classes and functions that results or queries are made of


PAGES = {
    "data": Page(
        ("core.sample", "core.data", "core.roc", "io.files", "design", "scale"),
        parts=("core.curve.Curve",),
    ),
    "bands": Page(
        ("bands", "core.band", "_methods", "smooth", "views", "two_sided"), ("bands", "smooth")
    ),
    "auc": Page(("auc", "core.interval", "precision", "calibration"), ("auc",)),
    "points": Page(("points", "rates"), ("points", "rates")),
    "comparison": Page(("comparison", "core.comparison", "planning"), ("comparison",)),
    "costs": Page(("cost", "decision"), ("cost",)),
    "groups": Page(
        ("multiclass", "subgroup", "readers"),
        ("readers",),
        parts=(
            "multiclass.average_area.AverageArea",
            "subgroup.gaps.GroupGap",
            "subgroup.result.GroupDifference",
        ),
    ),
    "reports": Page(
        ("overview", "reporting", "core.table", "core.randomness", "errors"),
        parts=(
            "overview.recommendation.Recommendation",
            "overview.metrics.Value",
            "core.result.Result",
        ),
    ),
    "scikit-learn": Page(("io.estimators", "plot")),
}
# Options of single entries: members that they have from another class.
SHOWN = (
    "facts, columns, sentence, describe, to_frame, to_dict, to_json, to_csv, to_markdown, to_latex"
)
OPTIONS = {
    "BandMethod": (":special-members: __call__",),
    "FoldInterval": (":inherited-members: Result",),
    "Sample": (":inherited-members:",),
    "ScoreCounts": (":inherited-members: Result",),
    "RocBandDisplay": (":inherited-members:",),
    "PrecisionRecallBandDisplay": (":inherited-members:",),
    "ClassBandsDisplay": (":inherited-members:",),
    "Result": (f":members: {SHOWN}, to_metrics", ":exclude-members: __init__"),
}


def find_page(module: str) -> str:
    """Return the page of a module."""
    for page, listed in PAGES.items():
        if any(f"{module}.".startswith(f"{one}.") for one in listed.modules):
            return page
    raise ValueError(f"No page lists rocbands.{module}: add it to PAGES")


def list_names(page: str) -> list[str]:
    """Return the public names of a page: by module, in the page's order, functions first."""
    modules = _list_modules()

    def place(name: str) -> tuple[int, str, bool, str]:
        order = [f"{modules[name]}.".startswith(f"{one}.") for one in PAGES[page].modules]
        return order.index(True), modules[name], not is_function(name), name

    return sorted((name for name in modules if find_page(modules[name]) == page), key=place)


def is_function(name: str) -> bool:
    """Tell whether a public name is a function."""
    return inspect.isfunction(getattr(rocbands, name, None))


def _list_modules() -> dict[str, str]:
    """Return the module of each public name, of functions as of results."""
    of_results = {
        name: getattr(results, name).__module__.removeprefix("rocbands.")
        for name in results.__all__
    }
    return rocbands._MODULES | of_results


def write_block(page: str) -> str:
    """Write the entries of a page."""
    lines = [".. currentmodule:: rocbands", ""]
    for name in list_names(page):
        if name in results.__all__:
            lines += _write_entry(f"rocbands.results.{name}", getattr(results, name))
        else:
            lines += _write_entry(name, getattr(rocbands, name))
    listed = PAGES[page]
    for place in listed.parts:
        module, name = f"rocbands.{place}".rsplit(".", 1)
        lines += _write_entry(f"rocbands.{place}", getattr(import_module(module), name))
    for methods in listed.methods:
        package = import_module(f"rocbands.{methods}")
        title = f"Methods in {package.__name__}"
        lines += ["", title, "-" * len(title), "", f".. currentmodule:: {package.__name__}", ""]
        for name in package.__all__:
            lines += _write_entry(name, getattr(package, name))
    return "\n".join([*lines, ""])


def _write_entry(name: str, value: Any) -> list[str]:
    kind = "class" if isinstance(value, type) else "function"
    if isinstance(value, type) and issubclass(value, BaseException):
        kind = "exception"
    options = OPTIONS.get(name.rpartition(".")[2], ())
    return [f".. auto{kind}:: {name}", *(f"   {option}" for option in options)]


def write_rows() -> str:
    """Write the rows of the table of all pages."""
    rows = []
    for page, listed in PAGES.items():
        path = DOCS / "reference" / f"{page}.md"
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        names = list_names(page)
        functions = ", ".join(f"`{name}`" for name in names if is_function(name))
        classes = ", ".join(
            f"`results.{name}`" if name in results.__all__ else f"`{name}`"
            for name in names
            if not is_function(name)
        )
        if listed.methods:
            classes += "; methods in " + " and ".join(f"`rocbands.{one}`" for one in listed.methods)
        rows.append(f"| [{title}](reference/{page}.md) | {functions} | {classes} |")
    rows.append("| [Studies](../studies/docs/reference.md) | | all of `rocbands_studies` |")
    return "".join(f"{row}\n" for row in rows)


def pages() -> dict[Path, str]:
    """Return all pages as they should be."""
    found = {}
    for page in PAGES:
        path = DOCS / "reference" / f"{page}.md"
        block = write_block(page)
        found[path] = BLOCK.sub(lambda _, text=block: text, path.read_text(encoding="utf-8"), 1)
    path = DOCS / "reference.md"
    rows = write_rows()
    found[path] = ROWS.sub(lambda _: rows, path.read_text(encoding="utf-8"), 1)
    return found


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
