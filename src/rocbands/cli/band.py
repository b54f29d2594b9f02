"""`rocbands band`: confidence bands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import inputs, options
from rocbands.cli.given import read_given, reads_counts
from rocbands.cli.outputs import draw_models, show_models
from rocbands.cli.parameters import with_parameters
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words, plain_warnings
from rocbands.errors import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rocbands.core.band import BandMethod

__all__ = ["command", "sizes_of"]


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str | CompletionItem]:
    from rocbands.bands import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


@click.command(
    "band",
    short_help="Confidence bands around ROC curves.",
    epilog="""\b
Examples:
  rocbands band --example --plot roc.png
  rocbands band scores.csv --folds fold --groups patient --seed 1
  rocbands band scores.csv --method joint-region --set boxes=berk-jones
  zcat ill.csv.gz | rocbands band - --positive ill --json > bands.json
""",
)
@reads_counts
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=_complete_method,
    help="Band method; 'rocbands methods' lists them.",
)
@options.level
@click.option(
    "--future",
    metavar="P,N",
    help="Band for the curve of a future test set of P positives and N negatives, instead of the "
    "true curve.",
)
@inputs.groups
@click.option(
    "--folds",
    metavar="NAME",
    shell_complete=inputs.complete_column,
    help="Column of cross-validation folds; the default method is then fold-average.",
)
@options.resamples
@click.option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the method; repeat it for several. 'rocbands methods' lists them.",
)
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def command(
    *,
    method: str | None,
    level: float,
    future: str | None,
    groups: str | None,
    folds: str | None,
    resamples: int | None,
    parameters: tuple[str, ...],
    plot: str | None,
    form: str,
    seed: int | None,
    **rows: Any,
) -> None:
    """Confidence band around the ROC curve of each model in SCORES.

    SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with gzip, or - for stdin:
    one row for each case, one column of labels, one column of scores for each model; or counts that
    'rocbands count' wrote. A larger score means more positive.
    """
    from rocbands.bands import DEFAULT, FOLDS_DEFAULT, METHODS, roc_band
    from rocbands.core.band import BandMethod
    from rocbands.core.checks import check_future, check_level
    from rocbands.core.method import resolve_method
    from rocbands.plot.files import check_target

    # A slip in an option should not cost the time that reading a large file takes.
    with cli_words():
        default = DEFAULT if folds is None else FOLDS_DEFAULT
        maker = resolve_method(method, METHODS, BandMethod, default)
    maker = with_parameters(maker, parameters)
    with cli_words():
        if resamples is not None:
            maker = _drawing(maker, resamples)
        sizes = check_future(sizes_of(future))
        check_level(level)
    if plot is not None:
        check_target(plot)
    given = read_given(**rows, keys=tuple(key for key in (groups, folds) if key))
    extras: dict[str, Any] = {
        name: given.keys[key]
        for name, key in (("groups", groups), ("folds", folds))
        if key is not None
    }
    bands = {}
    for name, part in given.parts.items():
        with cli_words(), plain_warnings(f"model {name}"), working(f"Band of {name}"):
            bands[name] = roc_band(*part, maker, level=level, future=sizes, rng=seed, **extras)
    if plot is not None:
        draw_models(bands, plot)
    show_models(form, bands, "rocbands.bands/1")


def _drawing(maker: Any, resamples: int) -> BandMethod:
    if not hasattr(maker, "n_resamples"):
        raise InputError(
            f"The {maker.name} band draws no test sets. Leave --resamples out, or choose another "
            "--method."
        )
    drawing: BandMethod = dataclasses.replace(maker, n_resamples=resamples)
    return drawing


def sizes_of(text: str | None) -> Any:
    """Read P,N; what cannot be read is passed on as it is, and refused by the library."""
    if text is None:
        return None
    try:
        n_pos, n_neg = (int(size) for size in text.split(","))
    except ValueError:
        return text
    return n_pos, n_neg
