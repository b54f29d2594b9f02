"""`rocbands auc`: areas under ROC curves, with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import options
from rocbands.cli.inputs import read_rows, reads_scores
from rocbands.cli.outputs import json_models
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rocbands.core.interval import Interval

__all__ = ["command"]


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str | CompletionItem]:
    from rocbands.auc import folds, intervals

    methods = folds.METHODS if ctx.params.get("folds") else intervals.METHODS
    return [name for name in methods if name.startswith(incomplete)]


@click.command(
    "auc",
    short_help="Areas under ROC curves, with confidence intervals.",
    epilog="""\b
Examples:
  rocbands auc --example --plot forest.png
  rocbands auc scores.parquet --label outcome --positive dead --groups patient
  cut -f 2,5 scores.tsv | rocbands auc - --json
""",
)
@reads_scores
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=_complete_method,
    help="newcombe (default), logit-delong (default with --groups), delong, hanley-mcneil, "
    "exact-bootstrap, bootstrap or bca; with --folds t (default), nadeau-bengio, influence or "
    "fold-delong.",
)
@options.level
@click.option(
    "--alternative",
    metavar="SIDE",
    default="two-sided",
    show_default=True,
    help="'greater' for a lower limit only, 'less' for an upper one only.",
)
@click.option("--groups", metavar="NAME", help="Column that says which rows belong together.")
@click.option("--folds", metavar="NAME", help="Column of cross-validation folds.")
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.table_or_json
@options.seed()
def command(
    *,
    method: str | None,
    level: float,
    alternative: str,
    groups: str | None,
    folds: str | None,
    plot: str | None,
    as_json: bool,
    seed: int | None,
    **rows: Any,
) -> None:
    """Area under the ROC curve of each model in SCORES, with its interval.

    Ties count one half. SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with
    gzip, or - for stdin: one row for each case, one column of labels, one column of scores for
    each model. A larger score means more positive.
    """
    from rocbands.auc import folds as by_fold
    from rocbands.auc import intervals as plain
    from rocbands.core.checks import check_choice, check_level
    from rocbands.core.interval import check_alternative
    from rocbands.plot.files import check_target

    if groups is not None and folds is not None:
        raise click.UsageError("Give --groups or --folds, not both.", click.get_current_context())
    # A slip in an option should not cost the time that reading a large file takes.
    with cli_words():
        known = plain.METHODS if folds is None else by_fold.METHODS
        check_choice(method or next(iter(known)), tuple(known), "method")
        check_level(level)
        side = check_alternative(alternative)
    if plot is not None:
        check_target(plot)
    key = groups or folds
    pair, keys = read_rows(**rows, keys=(key,) if key else ())

    def interval(scores: Any) -> Interval:
        if folds is not None:
            return by_fold.fold_auc_interval(
                pair.is_positive, scores, keys[folds], method or "t", level=level, alternative=side
            )
        return plain.auc_interval(
            pair.is_positive,
            scores,
            method,
            level=level,
            alternative=side,
            groups=None if groups is None else keys[groups],
            rng=seed,
        )

    with cli_words():
        found = {name: interval(scores) for name, scores in pair.models.items()}
    if plot is not None:
        _draw(found, plot)
    click.echo(json_models(found, "rocbands.aucs/1") if as_json else _text(found))


def _draw(found: dict[str, Interval], path: str) -> None:
    from rocbands.plot import draw, save

    save(draw(found), path)
    click.echo(f"Wrote {path}", err=True)


def _text(found: dict[str, Interval]) -> str:
    """Lay out one row for each model, and below what the intervals have to say."""
    from rocbands.io.tables import text_table

    every = list(found.values())
    table = text_table(
        {
            "model": list(found),
            "n_pos": [interval.n_pos for interval in every],
            "n_neg": [interval.n_neg for interval in every],
            "auc": [interval.estimate for interval in every],
            "low": [interval.low for interval in every],
            "high": [interval.high for interval in every],
        }
    )
    one = every[0]
    sides = {"two-sided": "", "greater": ", lower limits only", "less": ", upper limits only"}
    side = sides[one.alternative]
    lines = [f"{one.level:.10g} confidence intervals ({one.method}{side}) for the {one.target}."]
    notes: dict[str, list[str]] = {}
    for name, interval in found.items():
        for note in interval.notes:
            notes.setdefault(note, []).append(name)
    for note, names in notes.items():
        lines.append(note if len(names) == len(found) else f"{', '.join(names)}: {note}")
    return "\n".join([table, "", *_wrapped(lines)])


def _wrapped(lines: list[str]) -> list[str]:
    import textwrap

    return [part for line in lines for part in textwrap.wrap(line, 100)]
