"""`rocbands auc`: areas under ROC curves, and parts of them, with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import inputs, options
from rocbands.cli.auc_order import RENAMED, Order
from rocbands.cli.given import read_given, reads_counts
from rocbands.cli.outputs import Page, draw_one, json_models, show
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rocbands.core.interval import Interval

__all__ = ["command"]


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str | CompletionItem]:
    from rocbands.auc import FOLD_METHODS, METHODS, PARTIAL_METHODS

    known = tuple(FOLD_METHODS if ctx.params.get("folds") else METHODS)
    if ctx.params.get("fpr_range") or ctx.params.get("tpr_range"):
        known = tuple(PARTIAL_METHODS)
    return [name for name in known if name.startswith(incomplete)]


@click.command(
    "auc",
    short_help="Areas under ROC curves, with confidence intervals.",
    epilog="""\b
Examples:
  rocbands auc --example --plot forest.png
  rocbands auc scores.csv --fpr-range 0,0.1 --corrected --groups patient
  rocbands auc week.parquet --only-group north
  cut -d , -f 1,2 scores.csv | rocbands auc - --json
""",
)
@reads_counts
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=_complete_method,
    help="newcombe (default), logit-delong (default with --groups), delong, hanley-mcneil, "
    "exact-bootstrap, bootstrap or bca; with --folds t (default), nadeau-bengio, influence or "
    "fold-delong; of a part of the area placement (default) or bootstrap.",
)
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@click.option(
    "--null", type=options.NUMBER, metavar="A", help="Test whether the area is A, such as 0.5."
)
@click.option(
    "--fpr-range",
    type=options.Range(),
    metavar="A,B",
    help="Only the part of the area between two false positive rates.",
)
@click.option(
    "--tpr-range",
    type=options.Range(),
    metavar="A,B",
    help="Only the part of the area between two true positive rates.",
)
@click.option(
    "--corrected", is_flag=True, help="Rescale such a part: guessing has 0.5, perfection 1."
)
@inputs.groups
@inputs.folds
@click.option(
    "--repeats",
    type=options.Whole(),
    metavar="N",
    help="How often the folds were dealt anew, with --folds.",
)
@options.resamples
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def command(*, plot: str | None, form: str, **asked: Any) -> None:
    """Area under the ROC curve of each model in SCORES, with its interval.

    Ties count one half. SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with
    gzip, or - for stdin: one row for each case, one column of labels, one column of scores for
    each model; or counts that 'rocbands count' wrote. A larger score means more positive.
    """
    from rocbands.plot.files import check_target

    order = Order(**{name: asked.pop(name) for name in Order._fields})
    order.check()
    if plot is not None:
        check_target(plot)
    key = order.groups or order.folds
    given = read_given(**asked, keys=(key,) if key else ())
    owners = None if key is None else given.keys[key]
    with cli_words(**RENAMED), working("Computing intervals"):
        found = {name: order.interval(*part, owners) for name, part in given.parts.items()}
    if plot is not None:
        draw_one(found, plot)
    show(
        form, [_page(found, order.null is not None)], lambda: json_models(found, "rocbands.aucs/1")
    )


def _page(found: dict[str, Interval], tested: bool) -> Page:
    """Lay out one row for each model, and what the intervals have to say."""
    one = next(iter(found.values()))
    sides = {"two-sided": "", "greater": ", lower limits only", "less": ", upper limits only"}
    of = "" if one.quantity == "AUC" else f"{one.quantity}, "
    target = f" for the {one.target}" if one.target else ""
    lines = [
        f"{of}{one.level:.10g} confidence intervals ({one.method}{sides[one.alternative]}){target}."
    ]
    if tested:
        lines.append(f"The p-values are of the test that the area is {one.null:g}.")
    said = "\n".join([*lines, *_notes(found)])
    return Page("", "", _rows(found, tested), _whole(found, tested), below=said)


def _rows(found: dict[str, Interval], tested: bool) -> dict[str, list[Any]]:
    parts: dict[str, Callable[[Interval], Any]] = {
        "n_pos": lambda interval: interval.n_pos,
        "n_neg": lambda interval: interval.n_neg,
        "auc": lambda interval: interval.estimate,
        "low": lambda interval: interval.low,
        "high": lambda interval: interval.high,
    }
    if tested:
        parts["pvalue"] = lambda interval: interval.pvalue
    rows: dict[str, list[Any]] = {"model": list(found)}
    for name, part in parts.items():
        rows[name] = [part(interval) for interval in found.values()]
    return rows


def _whole(found: dict[str, Interval], tested: bool) -> dict[str, list[Any]]:
    rows = _rows(found, tested)
    whole = {"model": rows.pop("model")}
    for interval in found.values():
        for name, (value,) in interval.columns().items():
            whole.setdefault(name, []).append(value)
    return whole | {name: rows[name] for name in rows if name in ("n_pos", "n_neg", "pvalue")}


def _notes(found: dict[str, Interval]) -> list[str]:
    """Say each note once; of some models only, with their names."""
    notes: dict[str, list[str]] = {}
    for name, interval in found.items():
        for note in interval.notes:
            notes.setdefault(note, []).append(name)
    return [
        note if len(names) == len(found) else f"{', '.join(names)}: {note}"
        for note, names in notes.items()
    ]
