"""`rocbands compare`: differences between classifiers."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage
from rocbands.cli.options import is_given
from rocbands.cli.output import save_plot, show_result
from rocbands.cli.progress import working

__all__ = ["command"]


@messages.command(
    "compare",
    short_help="Differences between classifiers.",
    epilog="""\b
Examples:
  rocbands compare --example
  rocbands compare scores.csv --score score_new --score score_old --margin 0.1
  rocbands compare scores.csv --at-fpr 0.1 --groups patient --seed 1
  rocbands compare scores.csv --score score_new --unpaired later.csv
""",
    aliases={"threshold_1": "--threshold", "threshold_2": "--threshold", "fpr": "--at-fpr"},
)
@load.reads_scores
@options.method("comparison", "Test; with --threshold mid-p (default) or exact")
@options.settings
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
@load.groups
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
    _check_together(asked)
    names = ("source", "scores", "label", "positive", "rest", "example", "groups")
    rows = {name: asked.pop(name) for name in names}
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


def _check_together(asked: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    threshold = asked["threshold"]
    kinds = {
        "--at-fpr": asked["at_fpr"],
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
        raise usage("--resamples is not for rates at --at-fpr: nothing is drawn. Leave it out.")
    if asked["of"] is not None and not threshold:
        raise usage("--of goes with --threshold; there is none. Say --threshold T as well.")
    if asked["at_fpr"] is not None and asked["method"] is not None:
        raise usage(f"--at-fpr has one method; got --method {asked['method']}. Leave it out.")
    if asked["at_fpr"] is not None and asked["settings"]:
        raise usage("--set is for methods that compare areas or curves. Leave it out.")
    if asked["unpaired"] is not None and asked["groups"] is not None:
        raise usage("--groups is for models that scored the same rows. Leave it out.")


def _same_rows(rows: dict[str, Any], asked: dict[str, Any]) -> Any:
    """Compare the models of one file."""
    import rocbands as rb

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
            return rb.compare_many(models.is_positive, models.models, groups=groups, **known)
    one, two = models.names
    columns = models.is_positive, models.models[one], models.models[two]
    asked["names"] = (one, two)
    with working("Comparing"):
        if "threshold" in asked:
            cuts = asked.pop("threshold")
            asked.pop("rng", None)
            return rb.mcnemar(*columns, cuts[0], cuts[-1], **asked)
        if "at_fpr" in asked:
            fpr = asked.pop("at_fpr")
            asked.pop("rng", None)
            return rb.compare_tpr(*columns, fpr, groups=groups, **asked)
        return rb.compare(*columns, groups=groups, **asked)


def _refuse_many(count: int) -> None:
    """Refuse what can be asked of two models only."""
    names = {"settings": "set", "n_resamples": "resamples", "at_fpr": "at-fpr"}
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
