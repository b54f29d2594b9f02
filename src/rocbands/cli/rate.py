"""`rocbands rate`: what is found when a fixed share of cases is acted on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import inputs, options
from rocbands.cli.band import sizes_of
from rocbands.cli.given import ASKED, read_given, reads_counts
from rocbands.cli.outputs import show_models
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words, plain_warnings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rocbands.core.scores import PairedScores
    from rocbands.rates.result import RateDifference

__all__ = ["command"]


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str | CompletionItem]:
    from rocbands.rates import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


@click.command(
    "rate",
    short_help="What is found when a fixed share of cases is acted on.",
    epilog="""\b
Examples:
  rocbands rate --example --rate 0.05 --rate 0.2
  rocbands rate scores.csv --folds fold --rate 0.05 --plot recall.png
  rocbands rate scores.csv --score score_new --score score_old --rate 0.05
""",
)
@reads_counts
@click.option(
    "--rate",
    "rates",
    type=options.NUMBER,
    multiple=True,
    metavar="R",
    help="Share of cases that are acted on, in (0, 1); repeat it for several. By default all.",
)
@inputs.folds
@click.option(
    "--method",
    metavar="NAME",
    shell_complete=_complete_method,
    help="score, the default; with fixed class sizes parametric, exact, conditional, discard, "
    "adjust; with --folds also baseline-t, baseline-normal, baseline-beta.",
)
@click.option(
    "--sampling",
    metavar="NAME",
    shell_complete=options.completes("full", "stratified"),
    help="full: how many rows are positive is random; stratified: class sizes are fixed. By "
    "default full, unless another option determines the share of positives.",
)
@click.option(
    "--scheme",
    metavar="NAME",
    shell_complete=options.completes("counts", "reference"),
    help="How folds are put together: counts or reference. By default what suits them.",
)
@click.option(
    "--prevalence",
    type=options.NUMBER,
    metavar="P",
    help="Share of positives to which folds are brought, with --scheme reference.",
)
@click.option(
    "--future",
    metavar="P,N",
    help="Limits for a future test set of P positives and N negatives, instead of the true curve.",
)
@options.level
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@click.option(
    "--space",
    type=options.OneOf(["recall", "roc"]),
    default="recall",
    show_default=True,
    help="Draw recall against the rate, or along lines of equal rate in ROC space.",
)
@options.forms
@options.seed()
def command(
    *,
    rates: tuple[float, ...],
    folds: str | None,
    future: str | None,
    plot: str | None,
    space: str,
    form: str,
    level: float,
    seed: int | None,
    source: str | None,
    **asked: Any,
) -> None:
    """Share of positives that each model in SCORES finds when a fixed share of cases is acted on.

    The cases with the highest scores are acted on. Two models with --rate: also the difference of
    what they find, the first minus the second, on the same rows.
    """
    from rocbands.core.checks import check_future
    from rocbands.plot.files import check_target
    from rocbands.rates import rate_bounds

    rows = {name: asked.pop(name) for name in ASKED}
    asked |= {"level": level, "rng": seed, "future": sizes_of(future)}
    wanted = list(rates) or None
    with cli_words():  # a slip in an option should not cost the time that reading takes
        tiny = None if folds is None else [0, 0, 1, 1]
        now = asked | {"future": None if check_future(asked["future"]) is None else (2, 2)}
        rate_bounds([1, 0, 1, 0], [4, 3, 2, 1], folds=tiny, rates=wanted, **now)
    if plot is not None:
        check_target(plot)
    given = read_given(source, **rows, keys=() if folds is None else (folds,))
    of = None if folds is None else given.keys[folds]
    found, whole = {}, {}
    for name, part in given.parts.items():
        with cli_words(), plain_warnings(f"model {name}"), working(f"Bounds of {name}"):
            found[name] = rate_bounds(*part, folds=of, rates=wanted, **asked)
            if plot is not None and wanted:
                whole[name] = rate_bounds(*part, folds=of, **asked)
    pair = given.pair() if wanted else None
    gap = None if pair is None else _difference(pair, wanted, of, level, asked["sampling"])
    if plot is not None:
        from rocbands.plot import save
        from rocbands.plot.rates import draw_models_at_rates

        save(draw_models_at_rates(whole or found, gap, space=space, mark=wanted or ()), plot)
        click.echo(f"Wrote {plot}", err=True)
    besides = {} if gap is None else {"difference": gap}
    show_models(form, found, "rocbands.rates/1", **besides)


def _difference(
    models: PairedScores, rates: Any, folds: Any, level: float, sampling: Any
) -> RateDifference:
    from rocbands.rates.difference import rate_difference

    one, two = models.names
    scores = models.models[one], models.models[two]
    with cli_words(), plain_warnings("difference"):
        return rate_difference(
            models.is_positive,
            *scores,
            rates,
            level=level,
            sampling=sampling or "full",
            folds=folds,
            names=(one, two),
        )
