"""`rocbands readers`: tests compared by the average over readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rocbands.cli import messages, options, readings
from rocbands.cli.messages import usage, warnings_about
from rocbands.cli.output import Output, Page
from rocbands.cli.progress import working

if TYPE_CHECKING:
    from rocbands.readers.readings import Readings


@messages.command("readers", "Reader studies: several readers, two or more tests.")
@readings.reads
@readings.compare
@options.text(
    "--random",
    "What limits are for: readers and cases like these (both), these readers (cases), or these "
    "cases (readers).",
    known=("both", "cases", "readers"),
    default="both",
)
@options.text(
    "--metric",
    "auc (default), partial_auc (with a range), sensitivity or specificity (with --threshold).",
    known=("auc", "partial_auc", "sensitivity", "specificity"),
)
@options.numbers(
    "--threshold", "A reading at or above it is positive; repeat it to give one for each test.", "T"
)
@options.rates_between("--fpr-range", "Partial AUC: false positive rates A to B.", name="fpr")
@options.rates_between("--tpr-range", "Partial AUC: true positive rates A to B.", name="tpr")
@options.text("--algorithm", "Reader that is an algorithm, to be compared with the others.", "NAME")
@options.number("--margin", "Non-inferiority margin: test that the difference exceeds -M.", "M")
@options.number("--null", "Test that the mean of each test is A.", "A")
@options.method("readers", "Method", resampled=False)
@options.level
@options.alternative("two-sided, greater (the first test, or the algorithm, is better) or less.")
@options.text(
    "--table",
    "Print one table: differences, tests, readers, components or inferences.",
    "NAME",
    type=options.OneOf(("differences", "tests", "readers", "components", "inferences")),
)
@options.text(
    "--kind",
    "What --plot draws: forest (default) or curves.",
    "KIND",
    type=options.OneOf(("forest", "curves")),
)
@options.output("Draw readers, means and differences in a PNG, PDF or SVG file.")
def readers(
    *,
    read: Callable[[], Readings],
    choose: options.Choose,
    compare: tuple[str, ...],
    metric: str | None,
    threshold: tuple[float, ...],
    table: str | None,
    kind: str | None,
    out: Output,
    **asked: Any,
) -> None:
    """Compare tests in READINGS by the average over readers, for readers and cases like these.

    READINGS is a file with a row for each reading: reader, case, test, score and label; files of
    iMRMC are read as they are. Differences are first minus second test, in order of appearance
    unless --compare gives another. The design need not be named: readers may have read all cases
    under all tests, or some of them.
    """
    import rocbands as rb

    if kind is not None and out.plot is None:
        raise usage("--kind needs --plot.")
    if metric is None:
        metric = "auc" if asked["fpr"] is None and asked["tpr"] is None else "partial_auc"
    cuts: Any = threshold if len(threshold) > 1 else next(iter(threshold), None)
    asked |= {"metric": metric, "threshold": cuts}
    asked["method"] = choose(level=asked["level"], alternative=asked["alternative"])
    data = readings.choose_tests(read(), compare)
    with working("Comparing"), warnings_about("readers"):
        study = rb.compare_readers(data, **asked)
    readings.remark_direction(study, compare)
    if out.plot is not None:
        out.save(study.plot(kind or "forest"))
    result: Any = study if table is None else study.table(table)
    out.show([Page.of(result)], result.to_json)
