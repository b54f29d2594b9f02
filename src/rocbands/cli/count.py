"""`rocbands count` and `merge`: files of scored rows become a small file of counts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import messages, options
from rocbands.cli.output import Output, Page
from rocbands.cli.progress import reading_bar
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.scale.counts import ScoreCounts

_SCORES = "Column of scores; repeat it for several models."
_EXACT = options.flag("--exact", "Count every distinct score, instead of bins.")


@messages.command("count", "Count many rows, for all other commands.")
@click.argument("sources", metavar="SCORES...", type=click.Path(), nargs=-1)
@options.text("--label", "Column of labels.", "NAME")
@options.text("--score", _SCORES, "NAME", multiple=True)
@options.positive
@options.rest
@options.text("--by", "Column such as a country; each of its values is counted separately.", "NAME")
@_EXACT
@options.flag("--example", "Use the scores that ship with rocbands instead of files.")
@options.text("--weights", "Column of weights; their sums are stored too.", "NAME")
@options.written
@options.counts_out
@options.output()
def count(
    sources: tuple[str, ...],
    positive: str | None,
    example: bool,
    rest: bool,
    output: str,
    out: Output,
    **columns: Any,
) -> None:
    """Count the positives and negatives of SCORES at each score, or in each bin of scores.

    SCORES are files of rows, folders of such files, or patterns in quotes: Parquet, CSV, TSV or
    JSON lines, plain or compressed with gzip, or - for stdin. Bins are the same for all files; the
    output says how much they can change an AUC. Other commands take the counts instead of the rows.
    """
    from rocbands.core.columns import against_rest
    from rocbands.io.writing import check_place, refuse_overwriting
    from rocbands.scale.counting import count_rows
    from rocbands.scale.sources import list_files, refuse_output_inside

    check_place(output)
    form = options.take_form(columns)
    if example == bool(sources):
        found = "both were given" if example else "neither was given"
        raise messages.usage(f"Give files of scores (- for stdin) or --example; {found}.")
    if example:
        from rocbands.io.files import EXAMPLE_MODELS
        from rocbands.io.streams import EXAMPLE

        sources, positive = (str(EXAMPLE),), positive or "malignant"
        columns["score"] = columns["score"] or EXAMPLE_MODELS
    refuse_overwriting(output, list_files(list(sources)))
    refuse_output_inside(output, sources)
    title = sources[0] if len(sources) == 1 else f"{len(sources)} files"
    with messages.warnings_about("counting"), reading_bar(title) as bar:
        rows = count_rows(list(sources), form=form, progress=bar, **columns)
    messages.remember_label(rows.choice.label)
    counts = rows.split(against_rest(positive, rest), "y_true", spoken=True)
    _save_counts(counts, output, out)


@messages.command("merge", "Add up files of counts.")
@click.argument("parts", metavar="COUNTS...", type=click.Path(), nargs=-1, required=True)
@options.counts_out
@options.output()
def merge(parts: tuple[str, ...], output: str, out: Output) -> None:
    """Add up COUNTS, files that 'rocbands count' wrote or that a database exported.

    The order does not matter. All must count the same models, in bins or exactly, with the same
    positive label.
    """
    from rocbands.io.writing import check_place, refuse_overwriting
    from rocbands.scale.counts import ScoreCounts

    check_place(output)
    _refuse_twice(parts)
    refuse_overwriting(output, parts)
    whole = ScoreCounts.merge([ScoreCounts.load(part) for part in parts])
    _save_counts(whole, output, out)


def _save_counts(counts: ScoreCounts, path: str, out: Output) -> None:
    """Write counts to a file, and print a summary of them."""
    from rocbands.io.records import json_of

    def to_json() -> str:
        facts = {**counts.to_dict(), "schema": "rocbands.counted/1"}
        facts.pop("columns")  # which are in the file
        first = counts.model == 0  # all models have the same rows
        sizes = {"positives": counts.positives, "negatives": counts.negatives}
        return json_of(facts | {name: int(size[first].sum()) for name, size in sizes.items()})

    counts.save(path)
    messages.remark(f"Wrote {path}", prefix="")
    out.show([Page.of(counts)], to_json)


def _refuse_twice(parts: tuple[str, ...]) -> None:
    """Refuse a file that is named twice."""
    places: dict[str, str] = {}
    for part in parts:
        place = os.path.realpath(part)
        if place in places:
            raise InputError(
                "Every file of counts must be named once",
                f"'{part}' and '{places[place]}' are one file, and its rows would count twice",
                "Name it once.",
            )
        places[place] = part
