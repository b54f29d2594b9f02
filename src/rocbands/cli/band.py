"""`rocbands band`: confidence bands."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.output import (
    Page,
    draw_models,
    for_each,
    json_models,
    save_plot,
    show,
    show_models,
)
from rocbands.errors import InputError

__all__ = ["command"]


@messages.command(
    "band",
    short_help="Confidence bands around ROC curves.",
    epilog="""\b
Examples:
  rocbands band --example --plot roc.png
  rocbands band scores.csv --folds fold --groups patient --seed 1
  rocbands band scores.csv --method joint-region --set boxes=berk-jones
  rocbands band --example --view pr --prevalence 0.02 --plot pr.png
  rocbands band iris.csv --classes setosa,versicolor,virginica --plot iris.png
  rocbands band scores.csv --score score --by sex --plot groups.png
  zcat ill.csv.gz | rocbands band - --positive ill --json > bands.json
""",
)
@load.reads_counts
@options.method("bands", "Band method")
@options.settings
@options.level
@options.future(
    "Band for the curve of a future test set of P positives and N negatives, instead of the true "
    "curve."
)
@click.option(
    "--view",
    type=click.Choice(["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"]),
    help="Other coordinates for the same band: precision-recall, cumulative gains, lift, DET, "
    "least costs or net benefit.",
)
@click.option(
    "--prevalence",
    type=options.NUMBER,
    metavar="P",
    help="Share of positives where the model will be used, with --view; by default that of the "
    "rows, with its error.",
)
@load.groups
@click.option(
    "--folds",
    metavar="NAME",
    shell_complete=load.complete_column,
    help="Column of cross-validation folds; the default method is then fold-average.",
)
@click.option(
    "--classes",
    metavar="A,B,...",
    help="Columns of scores, one for each class and named after it, of labels of several classes: "
    "bands that hold together, of each class against the rest.",
)
@click.option("--pairs", is_flag=True, help="With --classes: of each class against each other one.")
@click.option(
    "--by",
    metavar="NAME",
    shell_complete=load.complete_column,
    help="Column of groups of people: bands that hold together, and where the groups differ.",
)
@click.option(
    "--against",
    type=click.Choice(["pairs", "rest"]),
    help="With --by: compare each pair of groups, or each group with all others.",
)
@click.option(
    "--threshold",
    type=options.NUMBER,
    metavar="T",
    help="With --by: rates of all groups at this threshold.",
)
@options.resamples
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def command(
    *,
    method: str | None,
    settings: tuple[str, ...],
    level: float,
    future: tuple[int, int] | None,
    view: str | None,
    prevalence: float | None,
    groups: str | None,
    folds: str | None,
    classes: str | None,
    pairs: bool,
    by: str | None,
    against: str | None,
    threshold: float | None,
    n_resamples: int | None,
    plot: str | None,
    form: str,
    rng: int | None,
    **rows: Any,
) -> None:
    """Confidence band around the ROC curve of each model in SCORES.

    SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with gzip, or - for stdin:
    one row for each case, one column of labels, one column of scores for each model; or counts that
    'rocbands count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    if prevalence is not None and view is None:
        raise messages.usage("--prevalence goes with --view. Say, for example, --view pr.")
    several = "--classes" if classes is not None else "--by" if by is not None else None
    _check_together(
        several,
        {"--view": view, "--groups": groups, "--folds": folds, "--future": future},
        {"--pairs": pairs, "--against": against, "--threshold": threshold},
    )
    chosen = options.build_method(
        "bands",
        method,
        settings,
        default=None if folds is None else "fold-average",
        n_resamples=n_resamples,
        level=level,
        future=future,
    )
    if several is not None:
        common = {"method": chosen, "level": level, "rng": rng}
        if classes is not None:
            common["multi_class"] = "ovo" if pairs else "ovr"
            together: Any = _of_classes(classes, rows, common)
            names, schema = together.names, "rocbands.class-bands/1"
        else:
            common |= {"against": against or "pairs", "threshold": threshold}
            together = _of_groups(str(by), rows, common)
            names, schema = together.group, "rocbands.group-bands/1"
        save_plot(together, plot)
        found = dict(zip(names, together.bands, strict=True))
        show(form, [Page.of(together)], lambda: json_models(found, schema, together=together))
        return
    models = load.read_models(**rows, groups=groups, folds=folds)
    roc_band = rb.roc_band  # loaded here, so that the bar shows the time of the work alone
    asked: dict[str, Any] = {"level": level, "future": future, "rng": rng}
    bands = for_each(models.curves, "Band", lambda _, roc: roc_band(roc, method=chosen, **asked))
    if view is not None:
        asked = {"prevalence": prevalence, "rng": rng}
        views = for_each(bands, "View", lambda _, band: band.view(view, **asked))
        draw_models(views, plot)
        show_models(form, views, "rocbands.views/1")
        return
    draw_models(bands, plot)
    show_models(form, bands, "rocbands.bands/1")


def _check_together(several: str | None, others: dict[str, Any], own: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    for name, value in others.items():
        if several is not None and value is not None:
            raise messages.usage(f"{several} does not go with {name}. Leave one out.")
    goes_with = {"--pairs": "--classes", "--against": "--by", "--threshold": "--by"}
    for name, value in own.items():
        if value not in (None, False) and several != goes_with[name]:
            raise messages.usage(f"{name} goes with {goes_with[name]}. Leave it out.")


def _of_classes(classes: str, rows: dict[str, Any], how: dict[str, Any]) -> Any:
    """Bands of all classes; the class of a column is its name, or what follows the last _."""
    import rocbands as rb

    if rows["scores"] or rows["positive"] is not None or rows["example"]:
        raise messages.usage(
            "--classes names all columns of scores and has no positive label. Leave --score, "
            "--positive and --example out."
        )
    if rows["source"] is None:
        raise messages.usage("Give a file of scores (- for stdin).")
    columns = tuple(name.strip() for name in classes.split(","))
    table = load.read_table(rows["source"], columns, rows["label"])
    texts = {str(label) for label in table.y_true.tolist()}
    names = [name if name in texts else name.rpartition("_")[2] for name in columns]
    scores = dict(zip(names, table.y_scores.values(), strict=True))
    try:
        with messages.warnings_about("classes"):
            return rb.roc_bands(table.y_true, scores, **how)
    except InputError as problem:
        raise problem.rename({"y_score": "classes"}) from None


def _of_groups(by: str, rows: dict[str, Any], how: dict[str, Any]) -> Any:
    """Bands and differences of the groups that one model scored."""
    import rocbands as rb

    models = load.read_models(**rows, groups=by)
    if len(models.names) != 1:
        raise messages.usage(
            f"--by compares groups that one model scored; there are {len(models.names)}. Name it "
            "by --score NAME."
        )
    assert models.rows is not None, "counts have no groups of rows"
    scores = models.rows[models.names[0]]
    with messages.warnings_about("groups"):
        return rb.subgroups(scores.is_positive, scores.values, by=models.columns["groups"], **how)
