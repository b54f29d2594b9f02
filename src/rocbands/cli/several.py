"""`rocbands subgroups` and `classes`: one model in several groups of people; several classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.messages import warnings_about
from rocbands.cli.output import Output, Page, json_models
from rocbands.cli.progress import working

by = load.column("--by", "Column of groups of people; counts by a column need none.")


@messages.command("subgroups", "One model in several groups of people: where it differs.")
@load.reads
@by
@options.method("bands", "Method of the groups' bands")
@options.level
@options.one_of("--against", "Compare groups in pairs, or each with all others.", ("pairs", "rest"))
@options.number("--threshold", "Rates of all groups at this threshold, set beforehand.", "T")
@options.rates_between("--fpr-range", "False positive rates; default 0.05,0.95.", name="fpr")
@options.number("--prevalence", "Share of positives that average precision is for.", "P")
@options.output(options.PLOT)
@options.seed()
def subgroups(
    *, source: load.Source, by: str | None, choose: options.Choose, out: Output, **how: Any
) -> None:
    """ROC curves, areas and rates of the groups that one model scored, and where they differ.

    Limits of each kind hold simultaneously for all groups: bands, differences at all false positive
    rates of the range, areas, average precisions, rates at the threshold.
    """
    how["method"] = choose(level=how["level"])
    found = ask_subgroups(source, by, **how)
    out.save(found)
    bands = dict(zip(found.group, found.bands, strict=True))
    page = Page.of(found)
    out.show([page], lambda: json_models(bands, "rocbands.group-bands/1", together=found))


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
    out.show([page], lambda: json_models(bands, "rocbands.class-bands/1", together=found))


def ask_classes(source: load.Source, **how: Any) -> Any:
    """Read labels of several classes, and make their bands."""
    import rocbands as rb

    data = source.read_classes()
    with warnings_about("classes"), working("Bands of the classes"):
        return rb.roc_bands(data, **how)
