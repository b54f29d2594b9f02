"""`rocbands compare`, `difference` and `plan`: differences of models, and sample sizes."""

from __future__ import annotations

from functools import partial
from typing import Any

from rocbands.cli import load, messages, options, readings, several
from rocbands.cli.messages import usage, warnings_about
from rocbands.cli.output import Output
from rocbands.cli.progress import working

_UNPAIRED = options.input_file(
    "--unpaired", "File of the second model, which scored different rows; same columns."
)
# Options for part of the area, and the rates that they are about.
_RANGES = {f"{name}_range": name for name in ("fpr", "specificity", "tpr", "sensitivity")}


@messages.command("compare", "Differences between classifiers.")
@load.reads_rows
@options.method("comparison", "Test; with --threshold mid-p (default) or exact")
@options.level
@options.alternative("two-sided, greater (the first model is better) or less.")
@options.number("--margin", "Non-inferiority margin: test that the difference exceeds -M.", "M")
@options.number(
    "--at-fpr", "Compare the TPR at this false positive rate.", "F", name="fpr", also="--fpr"
)
@options.number("--at-specificity", "Compare the TPR at this specificity.", "S", name="specificity")
@options.rates_between("--fpr-range", "Compare areas between these false positive rates.")
@options.rates_between("--specificity-range", "The same in specificities.")
@options.rates_between("--tpr-range", "Compare areas between these true positive rates.")
@options.rates_between("--sensitivity-range", "The same in sensitivities.")
@options.numbers(
    "--threshold",
    "Compare decisions at this threshold (McNemar's test); pass it twice for one per model.",
    "T",
    name="thresholds",
)
@options.text(
    "--of",
    "With --threshold: accuracy (default), sensitivity or specificity.",
    "RATE",
    known=("accuracy", "sensitivity", "specificity"),
)
@_UNPAIRED
@several.by_group
@options.output("Draw the differences in a PNG, PDF or SVG.")
@options.seed()
def compare(
    *,
    source: load.Source,
    choose: options.Choose,
    unpaired: str | None,
    by: str | None,
    against: str | None,
    out: Output,
    **asked: Any,
) -> None:
    """Compare the models in SCORES, which scored the same rows.

    Two models: the difference of their AUCs (first minus second), with an interval and a test.
    More models: a joint test, and all pairs with simultaneous intervals and adjusted p-values. With
    --unpaired, a model in SCORES against one in another file: name both by --score, or one that
    both files have.

    With --by, one model in groups of people: the differences of its AUC between all groups, and
    with --threshold or --at-fpr of TPR and FPR at that threshold, with simultaneous limits.
    """
    if by is not None:
        question = several.ask_thresholds(asked, most=1)
        how = {"level": asked["level"], "rng": asked["rng"], "against": against}
        several.compare_groups(source, by, out, *question or [{}], **how)
        return
    options.refuse("models; it is for groups (--by)", "against")
    ask = _choose_question(asked, choose, unpaired)
    data = (source.read_rows(),) if unpaired is None else source.read_two(unpaired)
    if len(data) == 1 and len(data[0].models) > 2:
        ask = _choose_many(len(data[0].models), asked)
    with working("Comparing"), warnings_about("comparison"):
        result = ask(*data)
    out.show_result(result)


def _choose_question(asked: dict[str, Any], choose: options.Choose, unpaired: str | None) -> Any:
    """Return the function that compares two models, with its arguments."""
    import rocbands as rb

    cuts = asked["thresholds"]
    how = {"level": asked["level"], "alternative": asked["alternative"]}
    if cuts:
        options.refuse(
            "decisions at a --threshold",
            *("fpr", "specificity", *_RANGES, "unpaired", "margin", "settings", "n_resamples"),
        )
        if len(cuts) > 2:
            raise usage(
                f"--threshold must be one for both models, or one for each; got {len(cuts)}."
            )
        own = {"method": choose.name, "of": asked["of"]}
        own = {name: value for name, value in own.items() if value is not None}
        return partial(rb.mcnemar, thresholds=(cuts[0], cuts[-1]), **own, **how)
    options.refuse("comparisons without a --threshold", "of")
    rate = {name: asked[name] for name in ("fpr", "specificity") if asked[name] is not None}
    part = {_RANGES[name]: asked[name] for name in _RANGES if asked[name] is not None}
    if part:
        options.refuse(
            "part of the area", "fpr", "specificity", "method", "settings", "n_resamples"
        )
        return partial(_compare_parts, margin=asked["margin"], **part, **how)
    if rate:
        options.refuse("rates at one point", "method", "settings", "n_resamples")
        return partial(rb.compare_tpr, margin=asked["margin"], **rate, **how)
    chosen = choose(asked=("paired",) if unpaired is None else ("unpaired",), **how)
    return partial(rb.compare, method=chosen, margin=asked["margin"], rng=asked["rng"], **how)


def _compare_parts(*data: Any, **how: Any) -> Any:
    """Compare parts of areas; errors name the options."""
    import rocbands as rb

    try:
        return rb.partial_auc_difference(*data, **how)
    except rb.InputError as problem:
        raise problem.rename({name: option for option, name in _RANGES.items()}) from None


def _choose_many(count: int, asked: dict[str, Any]) -> Any:
    """Return the function that compares more models; refuse what is for two only."""
    import rocbands as rb

    options.refuse(
        f"{count} models",
        *("method", "settings", "n_resamples", "fpr", "specificity", *_RANGES, "thresholds"),
        *("alternative", "margin"),
        instead="choose two by --score A --score B",
    )
    return partial(rb.compare_many, level=asked["level"], rng=asked["rng"])


@messages.command("difference", "Differences of ROC curves, with a confidence band.")
@load.reads_rows
@options.level
@options.rates_between("--fpr-range", "False positive rates, in (0, 1); default: all.", name="fpr")
@options.rates_between("--specificity-range", "The same in specificities.", name="specificity")
@_UNPAIRED
@options.resamples
@options.output(options.PLOT)
@options.seed()
def difference(*, source: load.Source, unpaired: str | None, out: Output, **asked: Any) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits are simultaneous over the false positive rates of the range. Where they have the same
    sign, one model has the higher true positive rate. With --unpaired, a model in SCORES against
    one in another file, or one model on two groups of people.
    """
    import rocbands as rb

    how = {name: value for name, value in asked.items() if value is not None}
    data = (source.read_rows(),) if unpaired is None else source.read_two(unpaired)
    with working("Drawing differences"), warnings_about("difference"):
        band = rb.difference_band(*data, **how)
    out.show_result(band)


_OF_MODELS = (
    *("auc", "width", "against", "other", "band_width", "correlation", "ratio", "alternative"),
    *("variance", "check", "rng"),
)
_OF_READERS = ("difference", "readers", "cases", "margin", "random", *readings.NAMES)


@messages.command("plan", "Sample sizes for a study.")
@options.number("--auc", "Expected AUC.")
@options.number("--width", "For an interval of this width.")
@options.number("--against", "For a test against this AUC.")
@options.number("--other", "For a paired test: AUC of the other model.")
@options.number("--band-width", "For a likelihood band of this mean width.")
@options.number("--correlation", "Correlation of the two estimated AUCs.", default=0.5)
@options.number("--ratio", "Negatives for each positive; default 1.")
@options.number("--prevalence", "Share of positives, instead of --ratio.")
@options.level
@options.number("--power", "Power of a test; default 0.8.")
@options.alternative("two-sided, less or greater.")
@options.text(
    "--variance",
    "mann-whitney (default) or obuchowski.",
    known=("mann-whitney", "obuchowski"),
    default="mann-whitney",
)
@options.flag("--check", "Simulate test sets of these sizes: the width or power that they reach.")
@options.input_file("--pilot", "Reader study to plan a larger one from.")
@options.number("--difference", "With --pilot: difference of two tests to find.", "D")
@options.counts("--readers", "With --pilot: numbers of readers; default 3 to 12.")
@options.counts("--cases", "With --pilot: numbers of cases; smallest numbers of readers.")
@options.number("--margin", "With --pilot: non-inferiority margin.", "M")
@options.one_of(
    "--random",
    "With --pilot: whether readers and cases stand for others.",
    ("both", "cases", "readers"),
)
@readings.columns
@options.output(options.PLOT)
@options.seed("Seed of simulations.")
def plan(*, pilot: str | None, out: Output, **asked: Any) -> None:
    """Class sizes that a study needs, and what they achieve.

    Pass --auc and exactly one of --width, --against, --other and --band-width. Sizes are for the
    interval, test or band that the other commands compute by default.

    With --pilot FILE and --difference, numbers of readers and cases for a reader study: the
    smallest number of cases for each number of --readers, of readers for each number of --cases,
    and with both the power.
    """
    import rocbands as rb

    if pilot is not None:
        options.refuse("reader studies (--pilot)", *_OF_MODELS)
        if asked["difference"] is None:
            raise usage("--pilot needs --difference D, the difference of two tests to find.")
        names = ("difference", "readers", "cases", "margin", "random", "level", "prevalence")
        how = {name: asked[name] for name in names}
        data = readings.read(pilot, asked)
        with working("Trying sizes"), warnings_about("pilot"):
            study = rb.compare_readers(data)
            power = 0.8 if asked["power"] is None else asked["power"]
            found = rb.reader_study_size(study, power=power, **how)
        out.show_result(found)
        return
    options.refuse(
        "plans without a --pilot", *_OF_READERS, instead="name a reader study by --pilot"
    )
    if asked["auc"] is None:
        raise usage("A plan needs --auc, the expected AUC, or --pilot FILE, a reader study.")
    usual = {name: value for name, value in asked.items() if name not in _OF_READERS}
    with working("Simulating test sets" if asked["check"] else "Trying sizes"):
        size = rb.sample_size(**usual)
    out.show_result(size)
