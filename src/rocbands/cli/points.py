"""`rocbands points`: thresholds, and what they achieve."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.output import draw_models, for_each, show_models

__all__ = ["command"]


@messages.command(
    "points",
    short_help="Thresholds, and what they achieve.",
    epilog="""\b
Examples:
  rocbands points --example --fpr 0.05 --fpr 0.1
  rocbands points scores.csv --best youden --test later.csv
  rocbands points survey.csv --threshold 0.5 --weights weight
  rocbands points scores.csv --threshold 0.5 --joint --plot points.png
""",
)
@load.reads_counts
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
    shell_complete=options.completes("youden", "corner", "cost", "eer"),
    help="Best threshold: youden, corner or cost; or eer, the equal error rate.",
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
@load.design
@options.method("points", "Method of the limits")
@options.settings
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
    method: str | None,
    settings: tuple[str, ...],
    n_resamples: int | None,
    plot: str | None,
    form: str,
    **asked: Any,
) -> None:
    """Thresholds for each model in SCORES, what they achieve, and confidence limits for that.

    Say exactly one of --fpr, --tpr, --threshold, --rate (each as often as you like) and --best. A
    case is called positive when its score is at or above the threshold.
    """
    import rocbands as rb
    from rocbands.io.columns import pick

    names = ("best", "c_fn", "c_fp", "prevalence", "joint", "level", "rng")
    wanted = {name: asked.pop(name) for name in names}
    lists = {"fpr": fpr, "tpr": tpr, "threshold": threshold, "rate": rate}
    wanted |= {name: list(values) for name, values in lists.items() if values}
    chosen = options.build_method(
        "points", method, settings, n_resamples=n_resamples, level=wanted["level"]
    )
    if chosen is not None:
        wanted["method"] = chosen
    first = load.read_models(**asked, label_is_elsewhere=test is not None)
    second = None
    if test is not None:
        rows = {**asked, "source": test, "example": False}
        second = load.read_models(**rows, label_is_elsewhere=True).curves

    def make(name: str, roc: Any) -> Any:
        if second is None:
            return rb.operating_points(roc, **wanted)
        return rb.operating_points(roc, test=second[pick(name, second, "The test file")], **wanted)

    found = for_each(first.curves, "Points", make)
    draw_models(found, plot)
    show_models(form, found, "rocbands.points/1")
