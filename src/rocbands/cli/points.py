"""`rocbands points`: thresholds and their rates, with confidence limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rocbands.cli import load, messages, options, several
from rocbands.cli.output import Output, for_each

_LISTS = ("fpr", "specificity", "tpr", "sensitivity", "threshold", "rate", "precision")


@messages.command("points", "Thresholds and their rates, with confidence limits.")
@load.reads
@options.numbers("--fpr", "Fixed false positive rate.")
@options.numbers("--tpr", "Fixed true positive rate.")
@options.numbers("--specificity", "Fixed specificity, which is 1 - fpr.")
@options.numbers("--sensitivity", "Fixed sensitivity, which is the tpr.")
@options.numbers("--recall", "Fixed recall, which is the tpr.")
@options.numbers("--threshold", "Threshold that is already set.")
@options.numbers("--rate", "Share of rows to call positive, at most.", also="--capacity")
@options.numbers("--precision", "Least precision (PPV), with the most recall.")
@options.text(
    "--best",
    "Optimal threshold: youden, corner or cost; or eer, the equal error rate.",
    "RULE",
    known=("youden", "corner", "cost", "eer"),
)
@options.flag("--choice", "Limits that include the choice of --best youden or corner.")
@options.costs
@options.number("--prevalence", "Share of positives, for PPV, NPV, F1 and --best.")
@options.text(
    "--words",
    "Names of columns: rates; medical, with PPV, NPV and likelihood ratios; or learning. By "
    "default those of the question.",
    "WORDS",
    known=("rates", "medical", "learning"),
)
@several.by_group
@options.input_file("--test", "Evaluate the thresholds of SCORES on this file; same columns.")
@options.flag("--joint", "Limits for both rates jointly.")
@options.method("points", "Method of the limits")
@options.level
@options.output(options.PLOT, log=True)
@options.seed()
def points(
    *,
    source: load.Source,
    choose: options.Choose,
    recall: tuple[float, ...],
    by: str | None,
    against: str | None,
    test: str | None,
    choice: bool,
    out: Output,
    **asked: Any,
) -> None:
    """Thresholds for each model in SCORES, and their rates with confidence limits.

    Pass exactly one of --fpr (or --specificity), --tpr (or --sensitivity, --recall), --threshold,
    --rate, --precision (all of which can be repeated) and --best. A case is called positive if its
    score is at least the threshold.

    With --best youden or corner and --choice, limits include that the threshold was chosen on the
    same rows.

    With --by, the rates of one model in groups of people at common thresholds (--threshold, or that
    of an --fpr over all rows), and the differences between groups with simultaneous limits.
    """
    import rocbands as rb

    if by is not None:
        how = {"level": asked["level"], "rng": asked["rng"], "against": against}
        several.show_group_points(source, by, out, several.ask_thresholds(asked), **how)
        return
    options.refuse("models; it is for groups (--by)", "against")
    if recall:
        options.refuse("a recall, which is the tpr", "tpr")
        asked |= {"tpr": recall, "words": asked["words"] or "learning"}
    wanted = {name: value for name, value in asked.items() if value not in (None, ())}
    wanted |= {name: list(wanted[name]) for name in _LISTS if name in wanted}
    if choice:
        given = set(wanted) - {"best", "costs", "prevalence", "level", "rng", "joint"}
        options.refuse("--choice", *given, "method", "test", "joint")
        if asked["best"] not in ("youden", "corner"):
            raise messages.usage("--choice needs --best youden or --best corner.")
        how = {
            name: wanted[name] for name in ("costs", "prevalence", "level", "rng") if name in wanted
        }
        best = for_each(
            load.split_models(source.read()),
            "Threshold",
            lambda _, part: rb.best_threshold(part, criterion=asked["best"], **how),
        )
        out.draw_curves(best)
        out.show_models(best, "rocbands.best-thresholds/1")
        return
    wanted["method"] = choose(level=asked["level"])
    data = replace(source, shared=test is not None).read()
    second = None if test is None else source.read_second(test, data.models)

    def find(name: str, part: Any) -> Any:
        judge = None if second is None else second[name]
        return rb.operating_points(part, test=judge, **wanted)

    found = for_each(load.split_models(data), "Points", find)
    out.draw_curves(found)
    out.show_models(found, "rocbands.points/1")
