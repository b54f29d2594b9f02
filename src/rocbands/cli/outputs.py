"""How commands answer: text that fits the terminal, tables for papers, JSON, and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rocbands.cli.pages import page, wrapped
from rocbands.cli.words import say_remarks

if TYPE_CHECKING:
    from rocbands.core.result import Result
    from rocbands.scale.counts import ScoreCounts

__all__ = [
    "Page",
    "draw_models",
    "draw_one",
    "json_models",
    "show",
    "show_models",
    "show_result",
    "wrote_counts",
]


class Page(NamedTuple):
    """A table and what is said about it.

    Attributes
    ----------
    title : str
        Stands above it, if anything.
    sentence : str
        What the table is, and what a reader should know.
    rows : mapping of str to column
        As much of the table as fits a screen.
    whole : mapping of str to column
        All of it, for CSV.
    model : str or None
        Whose table this is, where every model has its own.
    below : str
        What is said below the table.
    """

    title: str
    sentence: str
    rows: Mapping[str, Any]
    whole: Mapping[str, Any]
    model: str | None = None
    below: str = ""

    @classmethod
    def of(cls, result: Result, title: str = "", model: str | None = None) -> Page:
        """Take what a result says of itself."""
        return cls(title, *result.summary(), result.columns(), model)


def show(form: str, pages: Sequence[Page], to_json: Callable[[], str]) -> None:
    """Print an answer in the form that was asked for, and on stderr what was to be remarked."""
    say_remarks()
    if form == "json":
        click.echo(to_json())
    else:
        click.echo(_FORMS[form](pages), nl=form != "csv")


def show_models(form: str, found: Mapping[str, Result], schema: str, **besides: Result) -> None:
    """Print what was found for each model, and what was found besides."""
    pages = [Page.of(result, f"Model {name}", name) for name, result in found.items()]
    pages += [Page.of(result, name.capitalize(), name) for name, result in besides.items()]
    show(form, pages, lambda: json_models(found, schema, **besides))


def show_result(form: str, result: Result) -> None:
    """Print one result."""
    show(form, [Page.of(result)], result.to_json)


def _text(pages: Sequence[Page]) -> str:
    return "\n\n".join(page(one.title, one.sentence, one.rows, one.below) for one in pages)


def _markdown(pages: Sequence[Page]) -> str:
    from rocbands.io.tables import markdown_table, markdown_text

    parts = []
    for one in pages:
        parts += [f"### {markdown_text(one.title)}"] if one.title else []
        above, below = (
            "\n".join(markdown_text(line) for line in said.splitlines())
            for said in (one.sentence, one.below)
        )
        parts += [above, markdown_table(one.rows), below]
    return "\n\n".join(part for part in parts if part)


def _latex(pages: Sequence[Page]) -> str:
    from rocbands.io.latex import latex_table

    tables = []
    for one in pages:
        comment = "\n".join(wrapped("\n".join([one.title, one.sentence, one.below]).strip()))
        tables.append(latex_table(one.rows, comment=comment))
    return "\n\n".join(tables)


def _csv(pages: Sequence[Page]) -> str:
    """One table: rows of all models below each other, the model's name in the first column."""
    from rocbands.io.tables import csv_table

    names = list(dict.fromkeys(name for one in pages for name in one.whole))
    table: dict[str, list[Any]] = {name: [] for name in names}
    models: list[str | None] = []
    for one in pages:
        size = len(next(iter(one.whole.values())))
        models += [one.model] * size
        for name in names:
            table[name] += list(one.whole.get(name, [None] * size))
    owned = any(one.model is not None for one in pages)
    return csv_table({"model": models, **table} if owned else table)


_FORMS: dict[str, Callable[[Sequence[Page]], str]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}


def draw_models(found: Mapping[str, Result], path: str, **style: Any) -> None:
    """Draw all models in one picture, and say on stderr where it is."""
    from rocbands.plot import draw, save

    ax = None
    for name, result in found.items():
        ax = draw(result, ax, label=name, **style)
    assert ax is not None, "there is at least one model"
    save(ax, path)
    click.echo(f"Wrote {path}", err=True)


def draw_one(found: Any, path: str) -> None:
    """Draw one result, and say on stderr where it is."""
    from rocbands.plot import draw, save

    save(draw(found), path)
    click.echo(f"Wrote {path}", err=True)


def json_models(found: Mapping[str, Result], schema: str, **more: Result) -> str:
    """Return all models, and what was found besides them, as one JSON object."""
    from rocbands.io.records import json_of

    models = {name: result.to_dict() for name, result in found.items()}
    whole: dict[str, Any] = {"schema": schema, "models": models}
    return json_of(whole | {name: result.to_dict() for name, result in more.items()})


def wrote_counts(counts: ScoreCounts, path: str, form: str) -> None:
    """Write counts to a file, say on stderr where it is, and print what they are."""
    counts.save(path)
    click.echo(f"Wrote {path}", err=True)
    show(form, [Page.of(counts)], lambda: _json_counted(counts))


def _json_counted(counts: ScoreCounts) -> str:
    """Return what was counted, without the counts themselves, which are in the file."""
    from rocbands.io.records import json_of

    facts = {**counts.to_dict(), "schema": "rocbands.counted/1"}
    facts.pop("columns")
    sizes = (("positives", counts.positives), ("negatives", counts.negatives))
    return json_of(facts | {name: int(column[counts.model == 0].sum()) for name, column in sizes})
