"""`rocbands difference`: where one model finds more positives than another."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage
from rocbands.cli.output import save_plot, show_result
from rocbands.cli.progress import working

__all__ = ["command"]


@messages.command(
    "difference",
    short_help="Where one model finds more positives than another.",
    epilog="""\b
Examples:
  rocbands difference --example --plot difference.png
  rocbands difference scores.csv --fpr-range 0.1,0.5 --groups patient --seed 1
  rocbands difference scores.csv --level 0.9 --format csv
  rocbands difference scores.csv --score score_new --unpaired later.csv
""",
)
@load.reads_scores
@options.level
@click.option(
    "--fpr-range",
    "fpr",
    type=options.Range(),
    metavar="A,B",
    default="0.05,0.95",
    show_default=True,
    help="False positive rates that the band is for, inside (0, 1).",
)
@click.option(
    "--unpaired",
    metavar="FILE",
    type=click.Path(),
    help="The second model scored other rows: this file, with the same columns.",
)
@load.groups
@options.resamples
@options.plot()
@options.forms
@options.seed()
def command(
    *,
    level: float,
    fpr: tuple[float, float],
    unpaired: str | None,
    n_resamples: int | None,
    plot: str | None,
    form: str,
    rng: int | None,
    **rows: Any,
) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits hold at all false positive rates of the range at once. Where they have the same
    sign, one model finds more positives at the same false positive rate. With --unpaired, a model
    in SCORES against one in another file, or one model on two groups of people.
    """
    from rocbands.comparison.difference_band import build_difference_band

    asked: dict[str, Any] = {"level": level, "fpr": fpr, "rng": rng}
    if n_resamples is not None:
        asked["n_resamples"] = n_resamples
    data, names = _read_same_rows(rows) if unpaired is None else _read_other_rows(rows, unpaired)
    with working("Drawing differences"):
        band = build_difference_band(data, names=names, **asked)
    save_plot(band, plot)
    show_result(form, band)


def _read_same_rows(rows: dict[str, Any]) -> tuple[Any, Any]:
    """Read two models of the same rows, and their names."""
    from rocbands.comparison.pair import Pair

    models, groups = load.read_rows(**rows)
    if len(models) != 2:
        found = (
            f"only {models.names[0]!r} was found"
            if len(models) == 1
            else f"there are {len(models)}"
        )
        raise usage(f"Two models are needed; {found}. Name them by --score A --score B")
    return Pair.from_scores(models, groups), models.names


def _read_other_rows(rows: dict[str, Any], unpaired: str) -> tuple[Any, Any]:
    """Read one model of each file, and their names."""
    from rocbands.core.roc import RocCurve

    if rows["groups"] is not None:
        raise usage("--groups is for models that scored the same rows. Leave it out")
    first, second, names = load.read_two_files(unpaired, **rows)
    return (RocCurve.from_scores(first), RocCurve.from_scores(second)), names
