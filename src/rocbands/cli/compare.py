"""`rocbands compare`: differences between classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import options
from rocbands.cli.inputs import read_rows, reads_scores
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from rocbands.core.comparison import Comparison, Comparisons
    from rocbands.core.scores import PairedScores

__all__ = ["command"]


@click.command(
    "compare",
    short_help="Differences between classifiers.",
    epilog="""\b
Examples:
  rocbands compare --example
  rocbands compare scores.csv --score new --score old --margin 0.02
  rocbands compare scores.csv --score a --score b --method permutation --seed 1
""",
)
@reads_scores
@click.option(
    "--method",
    metavar="NAME",
    default="delong",
    show_default=True,
    help="delong, bootstrap, bootstrap-t (equal areas) or permutation (equal curves).",
)
@options.level
@click.option(
    "--alternative",
    metavar="SIDE",
    default="two-sided",
    show_default=True,
    help="two-sided, greater (the first model is better) or less.",
)
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="Test whether the first model is not worse than the second by M or more.",
)
@click.option("--groups", metavar="NAME", help="Column that says which rows belong together.")
@options.plot("Draw the differences in a PNG, PDF or SVG.")
@options.table_or_json
@options.seed()
def command(
    *,
    method: str,
    level: float,
    alternative: str,
    margin: float | None,
    groups: str | None,
    plot: str | None,
    as_json: bool,
    seed: int | None,
    **rows: Any,
) -> None:
    """Compare the models in SCORES, which scored the same rows.

    Two models: the difference of their areas (the first minus the second), with an interval and a
    test. More: a joint test, and all pairs with simultaneous intervals and Holm's p-values.
    """
    from rocbands.comparing.pair import check_method
    from rocbands.comparing.question import Question

    # A slip in an option should not cost the time that reading a large file takes.
    with cli_words():
        check_method(method, True, Question.of(level, alternative, margin))
    if plot is not None:
        from rocbands.plot.files import check_target

        check_target(plot)
    models, columns = read_rows(**rows, keys=() if groups is None else (groups,))
    owners = None if groups is None else columns[groups]
    if len(models) == 1:
        raise click.UsageError(
            f"Comparing takes two models; only {models.names[0]!r} was found. "
            "Name them by --score A --score B",
            click.get_current_context(),
        )
    plain = (method, alternative, margin) == ("delong", "two-sided", None)
    if len(models) > 2 and not plain:
        raise click.UsageError(
            "--method, --alternative and --margin compare two models; "
            f"there are {len(models)}. Choose two by --score A --score B",
            click.get_current_context(),
        )
    with cli_words():
        if len(models) == 2:
            result = _two(models, method, level, alternative, margin, owners, seed)
        else:
            result = _many(models, level, owners, seed)
    if plot is not None:
        from rocbands.plot import draw, save

        save(draw(result), plot)
        click.echo(f"Wrote {plot}", err=True)
    click.echo(result.to_json() if as_json else repr(result))


def _two(
    models: PairedScores,
    method: str,
    level: float,
    alternative: str,
    margin: float | None,
    groups: Any,
    seed: int | None,
) -> Comparison | Comparisons:
    from rocbands.comparing.pair import compare

    one, two = models.names
    return compare(
        models.is_positive,
        models.models[one],
        models.models[two],
        method,
        level=level,
        alternative=alternative,
        margin=margin,
        groups=groups,
        names=(one, two),
        rng=seed,
    )


def _many(
    models: PairedScores, level: float, groups: Any, seed: int | None
) -> Comparison | Comparisons:
    from rocbands.comparing.many import compare_many

    return compare_many(
        models.is_positive, models.models, level=level, groups=groups, rng=seed or 0
    )
