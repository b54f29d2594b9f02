"""`rocbands compare`, `difference` and `plan`: two models or more; how many cases that takes."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage, working
from rocbands.cli.options import is_given
from rocbands.cli.output import save_plot, show_result

__all__ = ["compare", "difference", "plan"]


@messages.command(
    "compare",
    "Differences between classifiers.",
    """
  rocbands compare --example
  rocbands compare scores.csv --margin 0.1
  rocbands compare scores.csv --at-fpr 0.1 --seed 1
  rocbands compare scores.csv --score score_logistic --unpaired later.csv
""",
    aliases={"threshold_1": "--threshold", "threshold_2": "--threshold", "fpr": "--at-fpr"},
)
@load.reads_scores
@options.method("comparison", "Test; with --threshold mid-p (default) or exact", gather=False)
@options.settings
@options.level
@options.alternative("two-sided, greater (the first model is better) or less.")
@options.number(
    "--margin", "Test whether the first model is not worse than the second by M or more.", "M"
)
@options.number(
    "--at-fpr", "Compare true positive rates at this false positive rate instead of areas.", "F"
)
@options.number("--at-specificity", "Compare sensitivities at this specificity: 1 - F.", "S")
@options.number(
    "--threshold",
    "Compare decisions at this threshold (McNemar's test); twice for one of each model.",
    "T",
    multiple=True,
)
@options.word(
    "--of",
    "With --threshold: accuracy (default), sensitivity or specificity.",
    "RATE",
    ("accuracy", "sensitivity", "specificity"),
)
@options.input_file(
    "--unpaired", "The second model scored other rows: this file, with the same columns."
)
@load.groups
@options.resamples
@options.plot("Draw the differences in a PNG, PDF or SVG.")
@options.forms
@options.seed()
def compare(*, rows: dict[str, Any], plot: str | None, form: str, **asked: Any) -> None:
    """Compare the models in SCORES, which scored the same rows.

    Two models: the difference of their areas (the first minus the second), with an interval and a
    test. More: a joint test, and all pairs with simultaneous intervals and Holm's p-values. With
    --unpaired, a model in SCORES against one in another file: name both by --score, or one that
    both files have.
    """
    specificity = asked.pop("at_specificity")
    if specificity is not None:
        if asked["at_fpr"] is not None:
            raise usage(
                "--at-fpr and --at-specificity are two names of one argument; leave one out."
            )
        asked["at_fpr"] = _complement(specificity)
    _check_together(asked, rows["groups"])
    if specificity is not None:
        asked["words"] = "medical"
    settings, unpaired = asked.pop("settings"), asked.pop("unpaired")
    if asked["at_fpr"] is None and not asked["threshold"]:
        asked["method"] = options.build_method(
            "comparison",
            asked["method"],
            settings,
            n_resamples=asked.pop("n_resamples"),
            level=asked["level"],
            alternative=asked["alternative"],
            asked=("paired",) if unpaired is None else ("unpaired",),
        )
    asked = {name: value for name, value in asked.items() if value not in (None, ())}
    result = _same_rows(rows, asked) if unpaired is None else _other_rows(rows, unpaired, asked)
    save_plot(result, plot)
    show_result(form, result)


def _complement(specificity: float) -> float:
    if not 0.0 < specificity < 1.0:
        raise usage(
            f"--at-specificity must lie strictly between 0 and 1; got {specificity:g}. Say, for "
            "example, --at-specificity 0.9"
        )
    return round(1.0 - specificity, 15)


def _check_together(asked: dict[str, Any], groups: str | None) -> None:
    """Refuse options that do not go together."""
    threshold = asked["threshold"]
    rate = "--at-fpr" if is_given("at_fpr") else "--at-specificity"
    kinds = {
        rate: asked["at_fpr"],
        "--threshold": threshold or None,
    }
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) > 1:
        raise usage(f"{given[0]} and {given[1]} ask different questions. Leave one of them out.")
    if threshold and asked["unpaired"] is not None:
        raise usage("--threshold and --unpaired ask different questions. Leave one of them out.")
    if len(threshold) > 2:
        raise usage(
            f"--threshold must be one for both models, or one for each; got {len(threshold)}. "
            "Leave some out."
        )
    for name in ("margin", "groups", "settings", "n_resamples"):
        if threshold and is_given(name):
            option = {"settings": "set", "n_resamples": "resamples"}.get(name, name)
            raise usage(f"--{option} is not for decisions at a --threshold. Leave it out.")
    if asked["at_fpr"] is not None and is_given("n_resamples"):
        raise usage(f"--resamples is not for {rate}: nothing is drawn. Leave it out.")
    if asked["of"] is not None and not threshold:
        raise usage("--of goes with --threshold; there is none. Say --threshold T as well.")
    if asked["at_fpr"] is not None and asked["method"] is not None:
        raise usage(f"{rate} has one method; got --method {asked['method']}. Leave it out.")
    if asked["at_fpr"] is not None and asked["settings"]:
        raise usage("--set is for methods that compare areas or curves. Leave it out.")
    if asked["unpaired"] is not None and groups is not None:
        raise usage("--groups is for models that scored the same rows. Leave it out.")


def _same_rows(rows: dict[str, Any], asked: dict[str, Any]) -> Any:
    """Compare the models of one file."""
    from rocbands.comparison import Pair, compare_pair
    from rocbands.comparison.compare_many import compare_models
    from rocbands.comparison.compare_tpr import compare_tpr_of_pair
    from rocbands.comparison.mcnemar import compare_decisions

    models, groups = load.read_rows(**rows)
    if len(models) == 1:
        raise usage(
            f"Comparing takes two models; only {models.names[0]!r} was found. "
            "Name them by --score A --score B"
        )
    if len(models) > 2:
        _refuse_many(len(models))
        known = {name: asked[name] for name in ("level", "rng") if name in asked}
        with working("Comparing"):
            return compare_models(models, groups=groups, **known)
    one, two = models.names
    pair = Pair.from_scores(models, groups)
    asked["names"] = (one, two)
    with working("Comparing"):
        if "threshold" in asked:
            cuts = asked.pop("threshold")
            asked.pop("rng", None)
            return compare_decisions(pair, cuts[0], cuts[-1], **asked)
        if "at_fpr" in asked:
            fpr = asked.pop("at_fpr")
            asked.pop("rng", None)
            return compare_tpr_of_pair(pair, fpr, **asked)
        return compare_pair(pair, **asked)


def _refuse_many(count: int) -> None:
    """Refuse what can be asked of two models only."""
    names = {"settings": "set", "n_resamples": "resamples", "at_fpr": "at-fpr"}
    names["at_specificity"] = "at-specificity"
    names |= {name: name for name in ("method", "alternative", "margin", "threshold")}
    asked = [f"--{option}" for name, option in names.items() if is_given(name)]
    if asked:
        raise usage(
            f"{', '.join(asked)} compare{'s' if len(asked) == 1 else ''} two models; there "
            f"are {count}. Choose two by --score A --score B"
        )


def _other_rows(rows: dict[str, Any], unpaired: str, asked: dict[str, Any]) -> Any:
    """Compare a model in one file with a model in another."""
    import rocbands as rb

    first, second, titles = load.read_two_files(unpaired, **rows)
    at_fpr = asked.pop("at_fpr", None)
    if at_fpr is not None:
        unused = ("method", "rng", "of")
        asked = {"fpr": at_fpr} | {k: v for k, v in asked.items() if k not in unused}
    with working("Comparing"):
        return (rb.compare if at_fpr is None else rb.compare_tpr)(
            first.is_positive,
            first.values,
            second.values,
            y_true_2=second.is_positive,
            paired=False,
            names=titles,
            **asked,
        )


@messages.command(
    "difference",
    "Where one model finds more positives than another.",
    """
  rocbands difference --example --plot difference.png
  rocbands difference scores.csv --fpr-range 0.1,0.5 --seed 1
  rocbands difference scores.csv --level 0.9 --format csv
  rocbands difference scores.csv --score score_logistic --unpaired later.csv
""",
)
@load.reads_scores
@options.level
@options.rates_between(
    "--fpr-range",
    "False positive rates that the band is for, inside (0, 1); by default from the lowest rate "
    "that the negatives can show.",
    name="fpr",
)
@options.input_file(
    "--unpaired", "The second model scored other rows: this file, with the same columns."
)
@load.groups
@options.resamples
@options.plot()
@options.forms
@options.seed()
def difference(
    *, rows: dict[str, Any], unpaired: str | None, plot: str | None, form: str, **asked: Any
) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits hold at all false positive rates of the range at once. Where they have the same
    sign, one model finds more positives at the same false positive rate. With --unpaired, a model
    in SCORES against one in another file, or one model on two groups of people.
    """
    from rocbands.comparison.difference_band import build_difference_band

    if asked["n_resamples"] is None:
        del asked["n_resamples"]
    data, names = _read_same_rows(rows) if unpaired is None else _read_other_rows(rows, unpaired)
    with working("Drawing differences"):
        band = build_difference_band(data, names=names, **asked)
    save_plot(band, plot)
    show_result(form, band)


def _read_same_rows(rows: dict[str, Any]) -> tuple[Any, Any]:
    """Read two models of the same rows, and their names."""
    from rocbands.core.pair import Pair

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
