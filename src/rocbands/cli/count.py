"""`rocbands count`: files of scored rows become a small file of counts."""

from __future__ import annotations

import click

from rocbands.cli import messages, options
from rocbands.cli.progress import ReadingBar

__all__ = ["command"]


@messages.command(
    "count",
    short_help="Counts of many rows, for all other commands.",
    epilog="""\b
Examples:
  rocbands count data/*.parquet --label y --score s -o counts.parquet
  rocbands count ill.csv.gz --positive ill -o ill.parquet
  rocbands count scores.csv later.csv --group fold -o folds.parquet
  rocbands count data/ --label y --score s --exact --json -o counts.parquet
""",
)
@click.argument("sources", metavar="SCORES...", type=click.Path(), nargs=-1, required=True)
@click.option("--label", metavar="NAME", help="Column of labels.")
@click.option(
    "--score",
    "scores",
    metavar="NAME",
    multiple=True,
    help="Column of scores; repeat it for several models.",
)
@click.option(
    "--positive",
    metavar="LABEL",
    help="The positive label; needed unless the labels are 0 and 1, -1 and 1, or true and false.",
)
@click.option("--group", metavar="NAME", help="Column of groups; each is counted by itself.")
@click.option("--weights", metavar="NAME", help="Column of weights; sums of them are kept as well.")
@click.option("--exact", is_flag=True, help="Count each score by itself, instead of bins.")
@options.dask
@options.counts_out
@options.forms
def command(
    sources: tuple[str, ...],
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    group: str | None,
    weights: str | None,
    exact: bool,
    dask: str | None,
    output: str,
    form: str,
) -> None:
    """Count the positives and negatives of SCORES at each score, or in each bin of scores.

    SCORES are files of rows, folders of such files, or patterns in quotes: Parquet, CSV, TSV or
    JSON lines, plain or packed with gzip, or - for stdin. Bins are the same for all files, and
    what is printed says how much an AUC can change by them. Other commands take the counts in place
    of the rows, wherever the order of the rows does not matter.
    """
    from rocbands.cli.output import save_counts
    from rocbands.io.writing import check_place, refuse_overwriting
    from rocbands.scale.counting import count_rows
    from rocbands.scale.sources import list_files, refuse_output_inside

    check_place(output)
    refuse_overwriting(output, list_files(list(sources)))
    refuse_output_inside(output, sources)
    title = sources[0] if len(sources) == 1 else f"{len(sources)} files"
    with (
        messages.warnings_about("counting"),
        ReadingBar(title) as bar,
        options.executor_at(dask) as executor,
    ):
        rows = count_rows(
            list(sources),
            label=label,
            scores=scores,
            group=group,
            weights=weights,
            exact=exact,
            progress=bar,
            executor=executor,
        )
    messages.remember_label(rows.choice.label)
    counts = rows.split(positive, "y_true", spoken=True)
    save_counts(counts, output, form)
