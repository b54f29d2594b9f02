"""`rocbands subgroups` and `classes`: one model in several groups of people; several classes.

`rocbands compare --by` and `points --by` print parts of the result of `subgroups`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.messages import warnings_about
from rocbands.cli.output import Output, Page, json_models
from rocbands.cli.progress import working

by = load.column("--by", "Column of groups of people; counts by a column need none.")
_WAYS = "Compare groups in pairs (default), each with the rest, or with the group of this name."
_against = partial(options.text, "--against", metavar="pairs|rest|NAME", known=("pairs", "rest"))
by_group = options.combine(
    load.column("--by", "Column of groups of people: the differences between them."),
    _against(f"With --by: {_WAYS[0].lower()}{_WAYS[1:]}"),
)


@messages.command("subgroups", "One model in several groups of people: where it differs.")
@load.reads
@by
@options.method("bands", "Method of the groups' bands")
@options.level
@_against(_WAYS)
@options.number("--threshold", "Rates of all groups at this threshold, set beforehand.", "T")
@options.number("--at-fpr", "Rates at the threshold of this fpr over all rows; default 0.1.", "F")
@options.rates_between("--fpr-range", "False positive rates; default 0.05,0.95.", name="fpr")
@options.number("--prevalence", "Share of positives that average precision is for.", "P")
@options.output(options.PLOT)
@options.seed()
def subgroups(
    *, source: load.Source, by: str | None, choose: options.Choose, out: Output, **how: Any
) -> None:
    """ROC curves, areas and rates of the groups that one model scored, and where they differ.

    Limits are simultaneous over all groups, or over all differences, for each quantity on its own:
    bands, differences of curves, areas, and at the threshold TPR, FPR, PPV, NPV and selection rate.
    """
    how["method"] = choose(level=how["level"])
    found = ask_subgroups(source, by, **how)
    out.save(found)
    bands = dict(zip(found.group, found.bands, strict=True))
    page = Page.of(found)
    pages = [page]
    if "csv" not in out.form:  # which has one table
        pages = [
            _page_gaps("", found.sentence, replace(found.gaps, notes=())),  # the result has them
            page._replace(title="Groups", above=""),
        ]
    out.show(pages, lambda: json_models(bands, "rocbands.group-bands/1", together=found))


def _page_gaps(title: str, above: str, gaps: Any) -> Page:
    """Make the page of differences between groups."""
    below, rows = gaps.describe()
    return Page(title, above, rows, gaps.columns, below=below)


def compare_groups(
    source: load.Source, by: str, out: Output, question: dict[str, float], **how: Any
) -> None:
    """Print the differences of areas, and at a threshold of TPR and FPR, between groups.

    `question`: a threshold, the fpr over all rows that it has at most, or nothing.
    """
    options.refuse(
        "groups of people (--by)",
        *("method", "settings", "n_resamples", "alternative", "margin", "of", "unpaired"),
    )
    found = ask_subgroups(source, by, **question, **how).gaps
    out.show_result(found.of("auc", "tpr", "fpr") if question else found.of("auc"))


def show_group_points(
    source: load.Source, by: str, out: Output, questions: list[dict[str, float]], **how: Any
) -> None:
    """Print the rates of groups at common thresholds, and their differences.

    `questions`: a threshold, or the fpr over all rows that it has at most.
    """
    from rocbands.core.result import percent
    from rocbands.core.table import stack_tables
    from rocbands.core.thresholds import repeat_threshold
    from rocbands.io.records import json_of
    from rocbands.subgroup.gaps import RATES

    options.refuse(
        "groups of people (--by)",
        *("tpr", "sensitivity", "recall", "rate", "precision", "best", "c_fn", "c_fp", "costs"),
        *("prevalence", "words", "test", "joint", "method", "settings", "n_resamples"),
        instead="find the threshold first and pass it by --threshold",
    )
    found = [ask_subgroups(source, by, **one, **how) for one in questions or [{}]]
    if len(found) == 1:
        out.save(found[0].gaps.of(*RATES))
    else:
        options.refuse("several thresholds", "plot")
    parts = {repeat_threshold(one.threshold): one.show_rates() for one in found}
    if "csv" in out.form:
        rows = stack_tables(parts)
        table = {"threshold": [float(one) for one in rows.pop("model")], **rows}
        pages = [Page("", "", table, lambda: table)]
    else:
        pages = []
        for one, rates in zip(found, parts.values(), strict=True):
            said = (
                f"Limits of each rate (Clopper and Pearson) have {percent(one.level)} confidence "
                "for all groups together."
            )
            gaps = _page_gaps(f"Threshold {one.threshold_text}", one.sentence, one.gaps.of(*RATES))
            pages += [gaps, Page("Groups", "", rates, lambda: {}, below=said)]
    record = {"schema": "rocbands.group-points/1", "thresholds": [one.to_dict() for one in found]}
    out.show(pages, lambda: json_of(record))


def ask_thresholds(asked: Mapping[str, Any], most: int | None = None) -> list[dict[str, float]]:
    """Return the threshold, or the fpr over all rows, of each question on the command line."""

    def list_given(name: str) -> tuple[float, ...]:
        value = asked.get(name)
        return value if isinstance(value, tuple) else () if value is None else (value,)

    questions = [{"threshold": cut} for cut in list_given("thresholds") + list_given("threshold")]
    questions += [{"at_fpr": rate} for rate in list_given("fpr")]
    questions += [{"at_fpr": 1.0 - rate} for rate in list_given("specificity")]
    if most is not None and len(questions) > most:
        raise messages.usage(f"Groups are compared at one threshold; got {len(questions)}.")
    return questions


def ask_subgroups(source: load.Source, by: str | None, **how: Any) -> Any:
    """Read one model, and compare the groups; options not given keep the library's defaults."""
    import rocbands as rb

    asked = {name: value for name, value in {"by": by, **how}.items() if value is not None}
    data = replace(source, keep=() if by is None else (by,)).read(by_part=True)
    with warnings_about("groups"), working("Comparing groups"):
        return rb.subgroups(data, **asked)


@messages.command("classes", "Bands of labels of several classes.")
@load.reads_rows
@options.method("bands", "Band method")
@options.level
@options.flag("--pairs", "Each class against each other one, instead of against the rest.")
@options.output(options.PLOT)
@options.seed()
def classes(
    *, source: load.Source, choose: options.Choose, pairs: bool, out: Output, **how: Any
) -> None:
    """Bands around the ROC curves of several classes, and average areas.

    SCORES has one column of scores for each class, named after it, as in cat or score_cat.
    All bands contain their true curves with the probability --level. For one class against the
    rest, 'rocbands band' has --positive and --rest.
    """
    how["method"] = choose(level=how["level"])
    found = ask_classes(source, multi_class="ovo" if pairs else "ovr", **how)
    out.save(found)
    bands = dict(zip(found.names, found.bands, strict=True))
    page = Page.of(found)
    out.show([page], lambda: json_models(bands, "rocbands.classes/1", together=found))


def ask_classes(source: load.Source, **how: Any) -> Any:
    """Read labels of several classes, and make their bands."""
    import rocbands as rb

    data = source.read_classes()
    with warnings_about("classes"), working("Bands of the classes"):
        return rb.class_bands(data, **how)
