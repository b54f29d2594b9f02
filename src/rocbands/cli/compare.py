"""`rocbands compare`: differences between classifiers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import inputs, options
from rocbands.cli.compare_order import Order
from rocbands.cli.inputs import read_models, read_rows, reads_scores
from rocbands.cli.outputs import draw_one, show_result
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from rocbands.comparison.result import Comparison, Comparisons
    from rocbands.core.scores import PairedScores

__all__ = ["command"]


@click.command(
    "compare",
    short_help="Differences between classifiers.",
    epilog="""\b
Examples:
  rocbands compare --example
  rocbands compare scores.csv --score score_new --score score_old --margin 0.1
  rocbands compare scores.csv --at-fpr 0.1 --groups patient --seed 1
  rocbands compare scores.csv --score score_new --unpaired later.csv
""",
)
@reads_scores
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=options.completes(
        "delong", "bootstrap", "bootstrap-t", "venkatraman", "likelihood", "mid-p", "exact"
    ),
    help="delong (default), bootstrap, bootstrap-t (equal areas), venkatraman (equal curves; with "
    "--unpaired likelihood); with --threshold mid-p (default) or exact.",
)
@options.level
@options.alternative("two-sided, greater (the first model is better) or less.")
@click.option(
    "--margin",
    type=options.NUMBER,
    metavar="M",
    help="Test whether the first model is not worse than the second by M or more.",
)
@click.option(
    "--at-fpr",
    type=options.NUMBER,
    metavar="F",
    help="Compare true positive rates at this false positive rate instead of areas.",
)
@click.option(
    "--threshold",
    type=options.NUMBER,
    multiple=True,
    metavar="T",
    help="Compare decisions at this threshold (McNemar's test); twice for one of each model.",
)
@click.option(
    "--of",
    metavar="RATE",
    shell_complete=options.completes("accuracy", "sensitivity", "specificity"),
    help="With --threshold: accuracy (default), sensitivity or specificity.",
)
@click.option(
    "--unpaired",
    metavar="FILE",
    type=click.Path(),
    help="The second model scored other rows: this file, with the same columns.",
)
@inputs.groups
@options.resamples
@options.plot("Draw the differences in a PNG, PDF or SVG.")
@options.forms
@options.seed()
def command(*, plot: str | None, form: str, **asked: Any) -> None:
    """Compare the models in SCORES, which scored the same rows.

    Two models: the difference of their areas (the first minus the second), with an interval and a
    test. More: a joint test, and all pairs with simultaneous intervals and Holm's p-values. With
    --unpaired, a model in SCORES against one in another file: name both by --score, or one that
    both files have.
    """
    from rocbands.plot.files import check_target

    order = Order(**{name: asked.pop(name) for name in Order._fields})
    order.check()
    if plot is not None:
        check_target(plot)
    result = _paired(order, asked) if order.unpaired is None else _unpaired(order, asked)
    if plot is not None:
        draw_one(result, plot)
    show_result(form, result)


def _paired(order: Order, rows: dict[str, Any]) -> Comparison | Comparisons:
    from rocbands.comparison.many import compare_many

    models, columns = read_rows(**rows, keys=() if order.groups is None else (order.groups,))
    owners = None if order.groups is None else columns[order.groups]
    if len(models) == 1:
        raise options.usage(
            f"Comparing takes two models; only {models.names[0]!r} was found. "
            "Name them by --score A --score B"
        )
    if len(models) > 2:
        order.refuse_many(len(models))
    with cli_words(), working("Comparing"):
        if len(models) == 2:
            one, two = models.names
            return order.compare(models, (one, two), owners)
        return compare_many(
            models.is_positive,
            models.models,
            level=order.level,
            groups=owners,
            rng=order.seed,
        )


def _unpaired(order: Order, rows: dict[str, Any]) -> Comparison:
    """Compare a model in one file with a model in another."""
    names = rows.pop("scores")
    if len(names) > 2:
        raise options.usage(
            f"--unpaired takes one --score, or one for each file; got {len(names)}."
        )
    first = _only(read_models(**rows, scores=names[:1]))
    positive = rows["positive"] or ("malignant" if rows["example"] else None)
    other = {**rows, "source": order.unpaired, "example": False, "positive": positive}
    second = _only(read_models(**other, scores=names[-1:] or tuple(first.names)))
    sets = first, second
    one, two = (models.names[0] for models in sets)
    if one == two:
        places = rows["source"] or "the example", order.unpaired
        one, two = (
            f"{name} in {Path(place or '').name}"
            for name, place in zip((one, two), places, strict=True)
        )
    with cli_words(), working("Comparing"):
        return order.compare_sets(
            [models.is_positive for models in sets],
            [next(iter(models.models.values())) for models in sets],
            (one, two),
        )


def _only(models: PairedScores) -> PairedScores:
    if len(models) != 1:
        raise options.usage(
            f"--unpaired compares one model of each file; there are {len(models)}. Name it by "
            "--score NAME"
        )
    return models
