"""`rocbands compare`, `difference` and `plan`: two models or more; how many cases that takes."""

from __future__ import annotations

from functools import partial
from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage, warnings_about, working
from rocbands.cli.output import save_plot, show_result

_UNPAIRED = options.input_file(
    "--unpaired", "The second model scored other rows: this file, with the same columns."
)


@messages.command(
    "compare",
    "Differences between classifiers.",
    """
  rocbands compare --example
  rocbands compare --example --margin 0.1
  rocbands compare --example --at-fpr 0.1
  rocbands compare scores.csv --positive malignant --score logistic \\
    --unpaired later.csv
""",
)
@load.reads_rows
@options.method("comparison", "Test; with --threshold mid-p (default) or exact", gather=False)
@options.settings
@options.level
@options.alternative("two-sided, greater (the first model is better) or less.")
@options.number(
    "--margin", "Test whether the first model is not worse than the second by M or more.", "M"
)
@options.number(
    "--at-fpr",
    "Compare true positive rates at this false positive rate instead of areas.",
    "F",
    name="fpr",
)
@options.number(
    "--at-specificity", "Compare sensitivities at this specificity: 1 - F.", "S", name="specificity"
)
@options.number(
    "--threshold",
    "Compare decisions at this threshold (McNemar's test); twice for one of each model.",
    "T",
    name="thresholds",
    multiple=True,
)
@options.word(
    "--of",
    "With --threshold: accuracy (default), sensitivity or specificity.",
    "RATE",
    ("accuracy", "sensitivity", "specificity"),
)
@_UNPAIRED
@options.resamples
@options.plot("Draw the differences in a PNG, PDF or SVG.")
@options.forms
@options.seed()
def compare(
    *, source: load.Source, unpaired: str | None, plot: str | None, form: str, **asked: Any
) -> None:
    """Compare the models in SCORES, which scored the same rows.

    Two models: the difference of their areas (the first minus the second), with an interval and a
    test. More: a joint test, and all pairs with simultaneous intervals and Holm's p-values. With
    --unpaired, a model in SCORES against one in another file: name both by --score, or one that
    both files have.
    """
    ask = _choose_question(asked, unpaired)
    data = (source.read_rows(),) if unpaired is None else source.read_two(unpaired)
    if len(data) == 1 and len(data[0].models) > 2:
        ask = _choose_many(len(data[0].models), asked)
    with working("Comparing"), warnings_about("comparison"):
        result = ask(*data)
    save_plot(result, plot)
    show_result(form, result)


def _choose_question(asked: dict[str, Any], unpaired: str | None) -> Any:
    """Return the function that answers for two models, with all that was said."""
    import rocbands as rb

    cuts = asked["thresholds"]
    how = {"level": asked["level"], "alternative": asked["alternative"]}
    if cuts:
        options.refuse(
            "decisions at a --threshold",
            *("fpr", "specificity", "unpaired", "margin", "settings", "n_resamples"),
        )
        if len(cuts) > 2:
            raise usage(
                f"--threshold must be one for both models, or one for each; got {len(cuts)}. "
                "Leave some out."
            )
        own = {name: asked[name] for name in ("method", "of") if asked[name] is not None}
        return partial(rb.mcnemar, thresholds=(cuts[0], cuts[-1]), **own, **how)
    options.refuse("comparisons without a --threshold", "of")
    rate = {name: asked[name] for name in ("fpr", "specificity") if asked[name] is not None}
    if rate:
        options.refuse("rates at one point", "method", "settings", "n_resamples")
        return partial(rb.compare_tpr, margin=asked["margin"], **rate, **how)
    chosen = options.build_method(
        "comparison",
        asked["method"],
        asked["settings"],
        n_resamples=asked["n_resamples"],
        asked=("paired",) if unpaired is None else ("unpaired",),
        **how,
    )
    return partial(rb.compare, method=chosen, margin=asked["margin"], rng=asked["rng"], **how)


def _choose_many(count: int, asked: dict[str, Any]) -> Any:
    """Return the function that answers for more models; refuse what is for two only."""
    import rocbands as rb

    options.refuse(
        f"{count} models",
        *("method", "settings", "n_resamples", "fpr", "specificity", "thresholds"),
        *("alternative", "margin"),
        instead="choose two by --score A --score B",
    )
    return partial(rb.compare_many, level=asked["level"], rng=asked["rng"])


@messages.command(
    "difference",
    "Where one model finds more positives than another.",
    """
  rocbands difference --example --plot difference.png
  rocbands difference --example --fpr-range 0.1,0.5 --level 0.9 --format csv
  rocbands difference scores.csv --positive malignant --score logistic \\
    --unpaired later.csv
""",
)
@load.reads_rows
@options.level
@options.rates_between(
    "--fpr-range",
    "False positive rates that the band is for, inside (0, 1); by default from the lowest rate "
    "that the negatives can show.",
    name="fpr",
)
@options.rates_between("--specificity-range", "The same in specificities.", name="specificity")
@_UNPAIRED
@options.resamples
@options.plot()
@options.forms
@options.seed()
def difference(
    *, source: load.Source, unpaired: str | None, plot: str | None, form: str, **asked: Any
) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits hold at all false positive rates of the range at once. Where they have the same
    sign, one model finds more positives at the same false positive rate. With --unpaired, a model
    in SCORES against one in another file, or one model on two groups of people.
    """
    import rocbands as rb

    how = {name: value for name, value in asked.items() if value is not None}
    data = (source.read_rows(),) if unpaired is None else source.read_two(unpaired)
    with working("Drawing differences"), warnings_about("difference"):
        band = rb.difference_band(*data, **how)
    save_plot(band, plot)
    show_result(form, band)


@messages.command(
    "plan",
    "How many cases a study needs.",
    """
  rocbands plan --auc 0.8 --width 0.1
  rocbands plan --auc 0.7 --against 0.5 --power 0.9 --ratio 4
  rocbands plan --auc 0.85 --other 0.8 --correlation 0.6 --json
""",
)
@options.number("--auc", "The AUC that is guessed.", required=True)
@options.number("--width", "For an interval of this width.")
@options.number("--against", "For a test against this AUC.")
@options.number("--other", "For a paired test: the other model's AUC.")
@options.number("--band-width", "For a likelihood band of this mean width.")
@options.number(
    "--correlation", "Of the two models' estimated AUCs.", default=0.5, show_default=True
)
@options.number("--ratio", "Negatives for each positive; 1 unless said.")
@options.number("--prevalence", "Share of positives, in place of --ratio.")
@options.level
@options.number("--power", "Of a test; 0.8 unless said.")
@options.alternative("two-sided, less or greater.")
@options.word("--variance", "mann-whitney or obuchowski.", "NAME", ("mann-whitney", "obuchowski"))
@options.forms
@options.seed("Seed of simulations.")
def plan(*, form: str, **asked: Any) -> None:
    """Class sizes that a study needs, and what they achieve.

    Say exactly one of --width, --against, --other and --band-width.
    """
    import rocbands as rb

    with working("Trying sizes"):
        plan = rb.sample_size(**asked)
    show_result(form, plan)
