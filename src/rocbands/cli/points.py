"""`rocbands points`: thresholds, and what they achieve."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import options
from rocbands.cli.given import ASKED, Given, read_given, reads_counts
from rocbands.cli.outputs import draw_models, show_models
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words

__all__ = ["command"]


@click.command(
    "points",
    short_help="Thresholds, and what they achieve.",
    epilog="""\b
Examples:
  rocbands points --example --fpr 0.05 --fpr 0.1
  rocbands points scores.csv --best youden --test later.csv
  rocbands points scores.csv --threshold 0.5 --joint --plot points.png
""",
)
@reads_counts
@click.option("--fpr", type=options.NUMBER, multiple=True, help="Fixed false positive rate.")
@click.option("--tpr", type=options.NUMBER, multiple=True, help="Fixed true positive rate.")
@click.option(
    "--threshold", type=options.NUMBER, multiple=True, help="Threshold that is already set."
)
@click.option(
    "--rate", type=options.NUMBER, multiple=True, help="Share of rows to call positive, at most."
)
@click.option(
    "--best",
    metavar="RULE",
    shell_complete=options.completes("youden", "corner", "cost"),
    help="Best threshold: youden, corner or cost.",
)
@click.option(
    "--c-fn", type=options.NUMBER, default=1.0, help="Cost of a false negative, for --best."
)
@click.option(
    "--c-fp", type=options.NUMBER, default=1.0, help="Cost of a false positive, for --best."
)
@click.option("--prevalence", type=options.NUMBER, help="Share of positives, for --best.")
@click.option(
    "--test",
    metavar="FILE",
    type=click.Path(),
    help="Judge the thresholds that SCORES gives on this file, with the same columns.",
)
@click.option("--joint", is_flag=True, help="Limits that hold for both rates together.")
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=options.completes("likelihood", "wilson", "bootstrap", "clopper-pearson"),
    help="likelihood (default), wilson or bootstrap for --fpr and --tpr; wilson (default) or "
    "clopper-pearson for --threshold and with --test.",
)
@options.level
@options.resamples
@options.plot()
@options.forms
@options.seed()
def command(
    *,
    fpr: tuple[float, ...],
    tpr: tuple[float, ...],
    threshold: tuple[float, ...],
    rate: tuple[float, ...],
    test: str | None,
    plot: str | None,
    form: str,
    seed: int | None,
    source: str | None,
    **asked: Any,
) -> None:
    """Thresholds for each model in SCORES, what they achieve, and confidence limits for that.

    Say exactly one of --fpr, --tpr, --threshold, --rate (each as often as you like) and --best. A
    case is called positive when its score is at or above the threshold.
    """
    from rocbands.plot.files import check_target
    from rocbands.points import operating_points

    rows = {name: asked.pop(name) for name in ASKED}
    lists = {"fpr": fpr, "tpr": tpr, "threshold": threshold, "rate": rate}
    draws = asked.pop("resamples")
    wanted = {name: list(values) for name, values in lists.items() if values} | asked
    if draws is not None:
        wanted["n_resamples"] = draws
    with cli_words():  # a slip in an option should not cost the time that reading takes
        pair = ([1, 0], [1, 0])
        operating_points(*pair, test=None if test is None else pair, **wanted)
    if plot is not None:
        check_target(plot)
    first = read_given(source, **rows)
    second = None if test is None else read_given(test, **{**rows, "example": False})
    with cli_words(), working("Computing limits"):
        found = {}
        for name, part in first.parts.items():
            other = None if second is None else _same(second, name)
            found[name] = operating_points(*part, test=other, rng=seed, **wanted)
    if plot is not None:
        draw_models(found, plot)
    show_models(form, found, "rocbands.points/1")


def _same(second: Given, name: str) -> Any:
    from rocbands.io.columns import pick

    labels, scores = second.parts[pick(name, second.names, "The test file")]
    return labels if scores is None else (labels, scores)
