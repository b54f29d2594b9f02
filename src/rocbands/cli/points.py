"""`rocbands points`: thresholds, and what they achieve."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import draw_models, for_each, show_models

__all__ = ["points"]

_LISTS = ("fpr", "specificity", "tpr", "sensitivity", "recall", "threshold", "rate", "precision")


@messages.command(
    "points",
    "Thresholds, and what they achieve.",
    """
  rocbands points --example --fpr 0.05 --fpr 0.1
  rocbands points --example --specificity 0.9
  rocbands points scores.csv --best youden --test later.csv
  rocbands points scores.csv --threshold 0.5 --joint --plot points.png
""",
)
@load.reads_counts
@options.number("--fpr", "Fixed false positive rate.", multiple=True)
@options.number("--tpr", "Fixed true positive rate.", multiple=True)
@options.number("--specificity", "Fixed specificity, which is 1 - fpr.", multiple=True)
@options.number("--sensitivity", "Fixed sensitivity, which is the tpr.", multiple=True)
@options.number("--recall", "Fixed recall, which is the tpr.", multiple=True)
@options.number("--threshold", "Threshold that is already set.", multiple=True)
@options.number(
    "--rate", "Share of rows to call positive, at most.", also="--capacity", multiple=True
)
@options.number("--precision", "Precision (PPV) to reach, with the most recall.", multiple=True)
@options.word(
    "--best",
    "Best threshold: youden, corner or cost; or eer, the equal error rate.",
    "RULE",
    ("youden", "corner", "cost", "eer"),
)
@options.number("--c-fn", "Cost of a false negative, for --best; 1 unless said.")
@options.number("--c-fp", "Cost of a false positive, for --best; 1 unless said.")
@options.cost_pair
@options.number("--prevalence", "Share of positives, for PPV, NPV, F1 and --best.")
@options.word(
    "--words",
    "Names of columns: rates; medical, with PPV, NPV and likelihood ratios; or learning. By "
    "default those of the question.",
    "WORDS",
    ("rates", "medical", "learning"),
)
@options.input_file(
    "--test", "Judge the thresholds that SCORES gives on this file, with the same columns."
)
@options.flag("--joint", "Limits that hold for both rates together.")
@load.design
@options.method("points", "Method of the limits")
@options.settings
@options.level
@options.resamples
@options.plot()
@options.log
@options.forms
@options.seed()
def points(
    *,
    rows: dict[str, Any],
    choose: options.Choose,
    test: str | None,
    plot: str | None,
    log: bool | None,
    form: str,
    **asked: Any,
) -> None:
    """Thresholds for each model in SCORES, what they achieve, and confidence limits for that.

    Say exactly one of --fpr (or --specificity), --tpr (or --sensitivity, --recall), --threshold,
    --rate, --precision (each as often as you like) and --best. A case is called positive when its
    score is at or above the threshold.
    """
    import rocbands as rb
    from rocbands.io.columns import pick

    lists = {name: list(asked.pop(name)) for name in _LISTS}
    options.refuse_twice(*(asked[name] for name in ("costs", "c_fn", "c_fp")))
    wanted = {name: value for name, value in asked.items() if value is not None}
    wanted |= {name: values for name, values in lists.items() if values}
    chosen = choose(level=asked["level"])
    if chosen is not None:
        wanted["method"] = chosen
    first = load.read_models(**rows, label_is_elsewhere=test is not None)
    second = None
    if test is not None:
        rows |= {"source": test, "example": False}
        second = load.read_models(**rows, label_is_elsewhere=True).curves

    def make(name: str, roc: Any) -> Any:
        if second is None:
            return rb.operating_points(roc, **wanted)
        return rb.operating_points(roc, test=second[pick(name, second, "The test file")], **wanted)

    found = for_each(first.curves, "Points", make)
    draw_models(found, plot, log=options.choose_axis(log, plot, first.sizes))
    show_models(form, found, "rocbands.points/1")
