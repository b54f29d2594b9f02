"""Several classes, or several groups of people: options that `band` and `report` share."""

from __future__ import annotations

from typing import Any, TypeVar

import click

from rocbands.cli.load import complete_column, read_models, read_table
from rocbands.cli.messages import usage, warnings_about
from rocbands.errors import InputError

__all__ = ["build", "check_own", "names_of", "options"]

F = TypeVar("F")

_OPTIONS = (
    click.option(
        "--classes",
        metavar="A,B,...",
        help="Columns of scores, one for each class and named after it, of labels of several "
        "classes: simultaneous bands, of each class against the rest.",
    ),
    click.option(
        "--by",
        metavar="NAME",
        shell_complete=complete_column,
        help="Column of groups of people: simultaneous bands, and where the groups differ.",
    ),
)


def options(function: F) -> F:
    """Give a command --classes and --by."""
    for option in reversed(_OPTIONS):
        function = option(function)  # type: ignore[type-var]
    return function


def check_own(classes: str | None, by: str | None, own: dict[str, Any]) -> None:
    """Refuse options that only --classes or only --by has."""
    given = {"--classes": classes, "--by": by}
    goes_with = {"--pairs": "--classes", "--against": "--by", "--threshold": "--by"}
    for name, value in own.items():
        if value not in (None, False) and given[goes_with[name]] is None:
            raise usage(f"{name} goes with {goes_with[name]}. Leave it out.")


def build(
    classes: str | None, by: str | None, rows: dict[str, Any], others: dict[str, Any], **how: Any
) -> Any:
    """Make the bands of classes or groups; `others` are options that do not go with them."""
    several = "--by" if classes is None else "--classes"
    others = {**others, "--by": by} if classes is not None else others
    design = [name for name in ("groups", "weights", "strata", "folds") if name in rows]
    others |= {f"--{name}": rows[name] for name in design}
    rows = {name: value for name, value in rows.items() if name not in design}
    for name, value in others.items():
        if value is not None:
            raise usage(f"{several} does not go with {name}. Leave one out.")
    return _of_groups(str(by), rows, how) if classes is None else _of_classes(classes, rows, how)


def names_of(found: Any) -> tuple[str, ...]:
    """Return what the bands are called."""
    names: tuple[str, ...] = getattr(found, "group", ()) or found.names
    return names


def _of_classes(classes: str, rows: dict[str, Any], how: dict[str, Any]) -> Any:
    """Bands of all classes; the class of a column is its name, or what follows the last _."""
    import rocbands as rb

    if rows["scores"] or rows["positive"] is not None or rows["example"]:
        raise usage(
            "--classes names all columns of scores and has no positive label. Leave --score, "
            "--positive and --example out."
        )
    if rows["source"] is None:
        raise usage("Give a file of scores (- for stdin).")
    columns = tuple(name.strip() for name in classes.split(","))
    table = read_table(
        rows["source"], columns, rows["label"], drop_missing=rows.get("drop_missing", False)
    )
    texts = {str(label) for label in table.y_true.tolist()}
    names = [name if name in texts else name.rpartition("_")[2] for name in columns]
    scores = dict(zip(names, table.y_scores.values(), strict=True))
    try:
        with warnings_about("classes"):
            return rb.roc_bands(table.y_true, scores, **how)
    except InputError as problem:
        raise problem.rename({"y_score": "classes"}) from None


def _of_groups(by: str, rows: dict[str, Any], how: dict[str, Any]) -> Any:
    """Bands and differences of the groups that one model scored."""
    import rocbands as rb

    models = read_models(**rows, groups=by)
    if len(models.names) != 1:
        raise usage(
            f"--by compares groups that one model scored; there are {len(models.names)}. Name it "
            "by --score NAME."
        )
    assert models.rows is not None, "counts have no groups of rows"
    scores = models.rows[models.names[0]]
    with warnings_about("groups"):
        return rb.subgroups(scores.is_positive, scores.values, by=models.columns["groups"], **how)
