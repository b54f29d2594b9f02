"""Output of commands: text that fits the terminal, tables for papers, JSON, and plots."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rocbands.cli.messages import remark, remember_label, spelling, warnings_about
from rocbands.cli.progress import is_plain, working
from rocbands.errors import InputError, Message

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rocbands.core.result import Result

LATEX_STYLE = "rocbands.latex"  # key of --caption and --digits in the context


class Page(NamedTuple):
    """A table with its title and text."""

    title: str  # heading, or nothing
    above: str  # the answer
    rows: Mapping[str, Any]  # as much of the table as fits a screen
    whole: Callable[[], Mapping[str, Any]]  # returns all of it, for CSV
    model: str | None = None  # the model, if every model has its own table
    below: str = ""  # statistics and notes

    @classmethod
    def of(cls, result: Result, title: str = "", model: str | None = None) -> Page:
        """Make the page of a result."""
        return cls.of_part(result, result.arrange(), title, model)

    @classmethod
    def of_part(
        cls,
        result: Result,
        part: tuple[str, Mapping[str, Any], str],
        title: str = "",
        model: str | None = None,
    ) -> Page:
        """Make a page of one of the tables of a result, with the text above and below it."""
        above, rows, below = part
        texts = (_spell_notes(text, result) for text in (above, below))
        return cls(title, next(texts), rows, result.columns, model, next(texts))


def _spell_notes(text: str, result: Result) -> str:
    """Spell arguments in notes as options, also across line breaks."""
    spell = spelling(click.get_current_context())
    of_models = getattr(result, "results", {"": result})  # of a table, those of each model
    for note in (note for one in of_models.values() for note in getattr(one, "notes", ())):
        if isinstance(note, Message):
            words = r"\s+".join(map(re.escape, note.split()))
            text = re.sub(words, note.render(spell).replace("\\", r"\\"), text)
    return text


def for_each(curves: Mapping[str, Any], title: str, make: Callable[..., Any]) -> dict[str, Any]:
    """Return ``make(name, curve)`` of every model; warnings name the model."""
    found = {}
    for name, curve in curves.items():
        with warnings_about(f"model {name}"), working(f"{title} of {name}"):
            remember_label(name, "y_score")
            found[name] = make(name, curve)
    return found


@dataclass(frozen=True)
class Output:
    """Output of a command: its format, and its plot."""

    form: str  # one of `FORMS`
    plot: str | None = None  # the file of --plot
    log: bool | None = None  # whether its axis of false positive rates is logarithmic

    def show(self, pages: Sequence[Page], to_json: Callable[[], str]) -> None:
        """Print pages, or the JSON instead."""
        if sys.stdout is None:
            raise InputError(
                "Standard output must be open", "it is closed", "Write '> FILE' to keep the result."
            )
        if self.form == "json":
            click.echo(to_json())
        else:
            click.echo(_WRITERS[self.form](pages), nl="csv" not in self.form)

    def show_models(
        self, found: Mapping[str, Result], schema: str, **others: Result | None
    ) -> None:
        """Print the result of each model, and other results."""
        more = {name: result for name, result in others.items() if result is not None}
        pages = [Page.of(result, f"Model {name}", name) for name, result in found.items()]
        pages += [Page.of(result, name.capitalize(), name) for name, result in more.items()]
        self.show(pages, lambda: json_models(found, schema, **more))

    def show_result(self, result: Result) -> None:
        """Plot and print one result."""
        self.save(result)
        pages = [Page.of(result)]
        if self.form in ("text", "markdown"):
            pages = [Page.of_part(result, part) for part in result.list_parts()]
        self.show(pages, result.to_json)

    def draw_curves(self, found: Mapping[str, Any]) -> None:
        """Plot all models; the axis is logarithmic by default if positives are rare."""
        from rocbands.core.phrases import RARE

        one = next(iter(found.values()))
        rare = one.n_pos < RARE * (one.n_pos + one.n_neg)
        self.draw_panels([found], log=rare if self.log is None else self.log)

    def draw_panels(self, panels: Sequence[Mapping[str, Result]], **style: Any) -> None:
        """Plot all models in several panels."""
        if self.plot is None:
            return
        from rocbands.plot import draw
        from rocbands.plot.canvas import make_axes

        axes: list[Any] = [None]
        if len(panels) > 1:  # square, two in a row
            axes = list(make_axes(len(panels), 2, (10, 5 * -(-len(panels) // 2))))
        for place, found in enumerate(panels):
            for name, result in found.items():
                axes[place] = draw(result, axes[place], label=name, **style)
        self.save(axes[0])

    def save(self, drawn: Result | Axes) -> None:
        """Write a plot, or the plot of a result, if --plot names a file."""
        if self.plot is None:
            return
        from rocbands.core.result import Result
        from rocbands.plot import draw, save

        save(draw(drawn) if isinstance(drawn, Result) else drawn, self.plot)
        remark(f"Wrote {self.plot}", prefix="")


def json_models(found: Mapping[str, Result], schema: str, **others: Result) -> str:
    """Return the results of all models, and other results, as one JSON object."""
    from rocbands.io.records import json_of

    models = {name: result.to_dict() for name, result in found.items()}
    whole: dict[str, Any] = {"schema": schema, "models": models}
    return json_of(whole | {name: result.to_dict() for name, result in others.items()})


def _write_text(pages: Sequence[Page]) -> str:
    from rocbands.io.layout import find_width, lay_out

    width = find_width(None)
    texts = (lay_out(one.above, one.rows, one.below, width) for one in pages)
    heads = ("".join(f"{bold(line)}\n" for line in wrap_lines(one.title)) for one in pages)
    return "\n\n".join(head + text for head, text in zip(heads, texts, strict=True))


def _write_markdown(pages: Sequence[Page]) -> str:
    from rocbands.io.tables import markdown_page

    texts = (markdown_page(one.above, one.rows, one.below, one.title) for one in pages)
    return "\n\n".join(texts)


def _write_latex(pages: Sequence[Page]) -> str:
    from rocbands.io.latex import latex_table

    style = click.get_current_context().meta.get(LATEX_STYLE, {})
    tables = []
    for one in _join_pages(pages):
        said = [f"{one.title}: {text}" if one.title else text for text in (one.above, one.below)]
        answer, note = said if one.below else ("", said[0])
        tables.append(latex_table(one.rows, answer=answer, note=note, **style))
    return "\n\n".join(tables)


def _join_pages(pages: Sequence[Page]) -> list[Page]:
    """Join tables of several models that have the same columns; equal notes are written once."""
    from rocbands.core.table import list_notes, stack_tables

    models = {one.model: one for one in pages if one.model and one.title == f"Model {one.model}"}
    if len(models) < 2 or len({tuple(one.rows) for one in models.values()}) > 1:
        return list(pages)
    rows = stack_tables({name: one.rows for name, one in models.items()})
    above, below = (
        "\n".join(list_notes({n: getattr(one, part).splitlines() for n, one in models.items()}))
        for part in ("above", "below")
    )
    joined = Page("", above, rows, lambda: rows, None, below)
    return [joined, *(one for one in pages if one not in models.values())]


def _write_csv(pages: Sequence[Page], *, escape_formulas: bool = False) -> str:
    """One table: rows of all models below each other, the model's name in the first column."""
    from rocbands.core.table import stack_tables
    from rocbands.io.tables import csv_table

    if any(one.model is None for one in pages):
        (page,) = pages
        return csv_table(page.whole(), escape_formulas=escape_formulas)
    stacked = stack_tables({str(one.model): one.whole() for one in pages})
    return csv_table(stacked, escape_formulas=escape_formulas)


_WRITERS: dict[str, Callable[[Sequence[Page]], str]] = {
    "text": _write_text,
    "markdown": _write_markdown,
    "latex": _write_latex,
    "csv": _write_csv,
    "safe-csv": partial(_write_csv, escape_formulas=True),
}
FORMS = (*_WRITERS, "json")


def bold(text: str) -> str:
    """Make a heading bold, in a terminal with colours."""
    if is_plain(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=True)


def wrap_lines(text: str) -> list[str]:
    """Break lines that are too long for the terminal; a pipe has no limit."""
    from rocbands.io.layout import find_width, wrap_text

    return wrap_text(text, find_width(None)).splitlines()
