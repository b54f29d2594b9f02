"""Output of commands: text that fits the terminal, tables for papers, JSON, and plots."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from rocbands.cli.messages import remark, remember_label, spelling, warnings_about
from rocbands.cli.progress import is_plain, working
from rocbands.errors import Message

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rocbands.core.result import Result

Key = TypeVar("Key")
LATEX_STYLE = "rocbands.latex"  # key of --caption and --digits in the context


class Page(NamedTuple):
    """A table with its title and text."""

    title: str  # heading, or nothing
    sentence: str  # what the table shows, and notes
    rows: Mapping[str, Any]  # as much of the table as fits a screen
    whole: Callable[[], Mapping[str, Any]]  # returns all of it, for CSV
    model: str | None = None  # the model, if every model has its own table

    @classmethod
    def of(cls, result: Result, title: str = "", model: str | None = None) -> Page:
        """Make the page of a result's summary."""
        sentence, rows = result.answer()
        return cls(title, _spell_notes(sentence, result), rows, result.columns, model)


def _spell_notes(sentence: str, result: Result) -> str:
    """Spell arguments in notes as options, also across line breaks."""
    spell = spelling(click.get_current_context())
    of_models = getattr(result, "results", {"": result})  # of a table, those of each model
    for note in (note for one in of_models.values() for note in getattr(one, "notes", ())):
        if isinstance(note, Message):
            words = r"\s+".join(map(re.escape, note.split()))
            sentence = re.sub(words, note.render(spell).replace("\\", r"\\"), sentence)
    return sentence


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
        self.show([Page.of(result)], result.to_json)

    def draw_models(self, found: Mapping[str, Result], **style: Any) -> None:
        """Plot all models in one panel."""
        self.draw_panels([found], **style)

    def draw_curves(self, found: Mapping[str, Any]) -> None:
        """Plot all models; the axis is logarithmic by default if positives are rare."""
        from rocbands.core.phrases import RARE

        one = next(iter(found.values()))
        rare = one.n_pos < RARE * (one.n_pos + one.n_neg)
        self.draw_models(found, log=rare if self.log is None else self.log)

    def draw_panels(self, panels: Sequence[Mapping[str, Result]], **style: Any) -> None:
        """Plot all models in several panels."""
        if self.plot is None:
            return
        from rocbands.plot import draw
        from rocbands.plot.canvas import beside_each_other

        axes: list[Any] = list(beside_each_other(len(panels))) if len(panels) > 1 else [None]
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
    return "\n\n".join(lay_out(one.title, one.sentence, one.rows) for one in pages)


def _write_markdown(pages: Sequence[Page]) -> str:
    from rocbands.io.tables import markdown_table, markdown_text

    parts = []
    for one in pages:
        parts += [f"### {markdown_text(one.title)}"] if one.title else []
        parts += ["\n".join(markdown_text(line) for line in one.sentence.splitlines())]
        parts += [markdown_table(one.rows)]
    return "\n\n".join(part for part in parts if part)


def _write_latex(pages: Sequence[Page]) -> str:
    from rocbands.io.tables import latex_table

    style = click.get_current_context().meta.get(LATEX_STYLE, {})
    tables = [
        latex_table(one.rows, comment=f"{one.title and f'{one.title}: '}{one.sentence}", **style)
        for one in _join_pages(pages)
    ]
    return "\n\n".join(tables)


def _join_pages(pages: Sequence[Page]) -> list[Page]:
    """Join tables of several models that have the same columns; equal notes are written once."""
    from rocbands.core.table import stack_tables

    models = [one for one in pages if one.model is not None and one.title == f"Model {one.model}"]
    if len(models) < 2 or len({tuple(one.rows) for one in models}) > 1:
        return list(pages)
    rows = stack_tables({str(one.model): one.rows for one in models})
    lines: dict[str, list[str]] = {}  # each sentence, and the models that it is about
    for one in models:
        for line in one.sentence.splitlines():
            lines.setdefault(line, []).append(str(one.model))
    said = [
        line if len(names) == len(models) else f"{', '.join(names)}: {line}"
        for line, names in lines.items()
    ]
    joined = Page("", "\n".join(said), rows, lambda: rows)
    return [joined, *(one for one in pages if one not in models)]


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


_NARROWEST, _WIDEST = 40, 100  # widths of a terminal, in characters, that text is made for
_NAME = 12  # characters to which a column of text may shrink
_GAP = 2  # characters between columns


def terminal_width() -> int:
    """Return the width that text should have: the terminal's, and 80 in a pipe."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)


def bold(text: str) -> str:
    """Make a heading bold, in a terminal with colours."""
    if is_plain(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=True)


def lay_out(title: str, sentence: str, rows: Mapping[str, Any]) -> str:
    """Lay out a heading, sentences and a table."""
    head = "\n".join(bold(line) for line in wrap_lines(title))
    above = "\n".join(part for part in (head, *wrap_lines(sentence)) if part)
    return "\n\n".join(part for part in (above, fit_table(rows)) if part)


def wrap_lines(text: str) -> list[str]:
    """Break lines that are too long for the terminal."""
    width = terminal_width()
    return [
        part
        for line in text.splitlines()
        for part in wrap(line, width, break_on_hyphens=False) or [""]
    ]


def fit_table(columns: Mapping[str, Any]) -> str:
    """Lay out columns as text that fits the terminal.

    A table that is too wide is split into parts. If that makes fewer parts, limits are put behind
    their estimate, or the table is transposed.

    Examples
    --------
    >>> print(fit_table({"model": ["old", "new"], "auc": [0.71234, 0.8]}))
    model     auc
    old    0.7123
    new    0.8000
    """
    from rocbands.io.tables import join_limits

    parts = _fit_parts(columns)
    if len(parts) > 1:
        joined = join_limits(columns)
        whole = {  # an estimate and its limits stay on one line
            name: column
            if column is columns.get(name)
            else [c.replace(" ", _FIXED) for c in column]
            for name, column in joined.items()
        }
        parts = min(parts, _fit_parts(whole), _transpose(joined), key=len)
    return "\n\n".join(parts).replace(_FIXED, " ")


_FIXED = "\u00a0"  # a space at which lines are not broken


def _transpose(columns: Mapping[str, Any]) -> list[str]:
    """Lay out rows as columns, as many beside each other as fit."""
    from rocbands.io.tables import format_rows

    room = terminal_width()
    rows = [list(columns), *map(list, format_rows(columns))]
    widths = [max(map(len, row)) for row in rows]
    parts = []
    for some in _split_columns(dict(enumerate(widths)), room):
        lines = zip(*([cell.ljust(widths[k]) for cell in rows[k]] for k in some), strict=True)
        parts.append("\n".join((" " * _GAP).join(line).rstrip() for line in lines))
    return parts


def _fit_parts(columns: Mapping[str, Any]) -> list[str]:
    """Lay out columns as text; columns that do not fit make parts of their own."""
    from rocbands.io.tables import format_column, text_table

    room = terminal_width()
    texts = {
        name: [value for value in column if isinstance(value, str)]
        for name, column in columns.items()
        if any(isinstance(value, str) for value in column)
    }
    widths = {
        name: max(len(name), *map(len, format_column(name, column)))
        for name, column in columns.items()
    }
    # Break between words if that is enough: names should stay whole.
    words = {
        name: max(_NAME, *(len(word) for value in column for word in value.split() or [""]))
        for name, column in texts.items()
    }
    limits = _shrink(_shrink(widths, words, room), dict.fromkeys(texts, _NAME), room)
    blocks = (_break_cells(columns, part, limits) for part in _split_columns(limits, room))
    return [text_table(block) for block in blocks]


def _shrink(widths: Mapping[str, int], least: Mapping[str, int], room: int) -> dict[str, int]:
    """Shrink the widest of the columns in `least`, down to these widths, until the table fits."""
    limits = dict(widths)
    for _ in range(sum(limits.values()) + _GAP * (len(limits) - 1) - room):
        wide = [name for name in least if limits[name] > max(least[name], len(name))]
        if not wide:
            break
        limits[max(wide, key=limits.__getitem__)] -= 1
    return limits


def _split_columns(widths: Mapping[Key, int], room: int) -> Iterator[list[Key]]:
    """Split the columns into parts that fit; all parts begin with the first column."""
    first, *others = widths
    block, used = [first], widths[first]
    for name in others:
        if used + _GAP + widths[name] > room and len(block) > 1:
            yield block
            block, used = [first], widths[first]
        block.append(name)
        used += _GAP + widths[name]
    yield block


def _break_cells(
    columns: Mapping[str, Any], names: Sequence[str], limits: Mapping[str, int]
) -> dict[str, list[Any]]:
    """Continue cells that are too long in further rows."""
    table: dict[str, list[Any]] = {name: [] for name in names}
    for row in zip(*(columns[name] for name in names), strict=True):
        parts = [
            wrap(value, limits[name], break_on_hyphens=False) or [""]
            if isinstance(value, str)
            else [value]
            for name, value in zip(names, row, strict=True)
        ]
        for i in range(max(map(len, parts))):
            for name, part in zip(names, parts, strict=True):
                table[name].append(part[i] if i < len(part) else None)
    return table
