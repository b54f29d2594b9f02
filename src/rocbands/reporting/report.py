"""A report on scored rows, in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import numpy as np

from rocbands.core.arguments import HasNotes, explain_with
from rocbands.core.checks import check_level, check_text
from rocbands.core.columns import Labels, label_codes
from rocbands.core.data import as_sample, refuse_beside
from rocbands.core.models import Models
from rocbands.core.progress import Progress, show_progress
from rocbands.core.randomness import Rng
from rocbands.core.result import Result
from rocbands.core.sample import Sample
from rocbands.core.sample_columns import Scores
from rocbands.errors import InputError, Message, arg, call, in_python
from rocbands.io.writing import check_place, write_text
from rocbands.multiclass import class_bands
from rocbands.multiclass.result import ClassBands
from rocbands.readers import compare_readers
from rocbands.readers.readings import Readings
from rocbands.readers.result import ReaderStudy
from rocbands.reporting.members import as_curves
from rocbands.reporting.payload import SCHEMA, build_payload
from rocbands.reporting.readers import SCHEMA as READER_SCHEMA
from rocbands.reporting.readers import build_reader_payload
from rocbands.reporting.render import render
from rocbands.reporting.request import CountedCurves, ReportRequest
from rocbands.reporting.words import name_kinds
from rocbands.subgroup.result import Subgroups

_ENDINGS = (".html", ".htm")
LEVEL = 0.95  # by default


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """The contents of a report, and where it was written.

    Its table has the AUC of each model, group or class; JSON is the payload.

    Attributes
    ----------
    payload : dict
        All numbers and sentences, as plain values; docs/report.md lists the keys.
    path : Path or None
        The file; None if none was asked for.

    See Also
    --------
    rocbands.report : make one.
    """

    schema: ClassVar[str] = SCHEMA

    payload: Mapping[str, Any]
    path: Path | None = None

    @property
    def sentence(self) -> str:
        """The first finding."""
        return self.headline[0]

    @property
    def headline(self) -> tuple[str, ...]:
        """The findings: what to do, and what to beware of."""
        return tuple(self.payload["headline"])

    @property
    def statistics(self) -> tuple[str, ...]:
        """Areas, differences and p-values behind the findings."""
        return tuple(self.payload.get("statistics", ()))

    @property
    def omitted(self) -> tuple[str, ...]:
        """What the report does not contain, and why."""
        return tuple(f"{part['section']}: {part['why']}" for part in self.payload["omitted"])

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the rows, such as that some were dropped; the page shows them."""
        return tuple(self.payload["data"]["notes"])

    def to_html(self) -> str:
        """Return the page: one HTML file that needs nothing else, not even the network."""
        return render(self.payload)

    def to_dict(self) -> dict[str, Any]:
        """Return the payload."""
        return dict(self.payload)

    def columns(self) -> Mapping[str, Any]:
        models = self.payload["models"]
        found = {self.payload["kind"]: [model["name"] for model in models]}
        found |= {key: [model[key] for model in models] for key in ("n_pos", "n_neg")}
        ends = {"auc": "estimate", "auc_lower": "low", "auc_upper": "high"}
        return found | {key: [m["auc"][end] for m in models] for key, end in ends.items()}

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        where = [] if self.path is None else [f"Written to {self.path}."]
        said = [*self.headline[1:], *self.statistics, *where]
        return "\n".join(said), self.columns()

    def _brief(self) -> str:
        kind, rows = self.payload["kind"], self.payload["data"]["n"]
        count = len(self.payload["models"])
        words = f"{count} {kind if count == 1 else name_kinds(kind)}, {rows:,} rows"
        return words if self.path is None else f"{words}, written to {self.path}"

    def _repr_html_(self) -> str:
        shown = super()._repr_html_()
        if self.path is None:
            return shown
        # From the folder that the notebook runs in, as it is served.
        place = os.path.relpath(self.path) if self.path.is_absolute() else str(self.path)
        link = quote(place.replace(os.sep, "/"))
        return f'<p><a href="{link}" target="_blank">{escape(str(self.path))}</a></p>{shown}'


class ReaderReport(Report):
    """The report on a reader study; its table has the means and the differences."""

    schema: ClassVar[str] = READER_SCHEMA

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the readings and the study; the page shows them."""
        return tuple(self.payload["notes"])

    def columns(self) -> Mapping[str, Any]:
        tests, gaps = self.payload["tests"], self.payload["differences"]
        names = [f"{gap['first']} minus {gap['second']}" for gap in gaps]
        values = [gap["difference"] for gap in gaps]
        found: dict[str, Any] = {
            "name": [*(test["name"] for test in tests), *names],
            "estimate": [*(test["estimate"] for test in tests), *values],
        }
        keys = ("low", "high", "pvalue")
        return found | {key: [one[key] for one in (*tests, *gaps)] for key in keys}

    def _brief(self) -> str:
        words = str(self.payload["data"]["design"])
        return words if self.path is None else f"{words}, written to {self.path}"


@explain_with(by="Groups of people: rb.report(rb.subgroups(sample, by=...)).")
def report(
    y_true: Labels | Models | ClassBands | Subgroups | Readings | ReaderStudy,
    y_score: Scores | None = None,
    *,
    positive: object = None,
    path: str | os.PathLike[str] | None = "report.html",
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    title: str | None = None,
    focus: str | Sequence[str] | None = None,
    fpr: float | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    capacity: float | None = None,
    rng: Rng = 0,
    progress: bool | Progress | None = None,
) -> Report:
    """Write a report on one or several scored models to one HTML file.

    It contains curves with bands by several methods and at several levels, for the true curve and
    for that of a future test set; areas, thresholds, costs and rates with limits; where one model
    is better; and how far all of it can be trusted. The page needs no other file and no network.
    What its reader can change (costs, capacity, rates) starts where `fpr`, `costs`, `prevalence`
    and `capacity` say.

    Parameters
    ----------
    y_true : Sample or ScoreCounts, or array-like of shape (n,)
        The data of one or several models, or of several classes; or two labels of any kind.
        Sections without a method for clusters, weights, strata or folds are omitted, and the report
        says so. Also a result of :func:`class_bands` or :func:`subgroups`: classes or groups take
        the place of models, at the level of that result. :class:`Readings` or a result of
        :func:`compare_readers` give the report on a reader study, which takes `path`, `level`,
        `title`, `rng` and `progress` only.
    y_score : array-like of shape (n,), or mapping of str to array-like, optional
        With labels, the scores of one model, or of several by name.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    path : str or path-like, default 'report.html'
        The file, replaced if it exists; None writes none.
    level : float, default 0.95
        Confidence level of everything; bands are also made at .8, .9, .95 and .99.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of the future test set; by default those of the rows.
    title : str, optional
        Title of the report.
    focus : str or two of them, optional
        Models shown with their bands if there are more than three; by default the two with the
        largest AUC, or the best and the worst group or class.
    fpr : float, optional
        Initial false positive rate of the page; by default .1, or a lower one where positives are
        rare.
    costs : (float, float), optional
        Costs of a false negative and of a false positive that the page starts with.
    prevalence : float, optional
        Share of positives where the model will be used; by default that of the rows.
    capacity : float, optional
        Share of the cases that can be acted on.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one. The report states its
        seed.
    progress : bool or callable, optional
        Whether to show progress on standard error, or a function called with the numbers of
        finished and of all parts. By default progress is shown after two seconds in terminals and
        notebooks.

    Returns
    -------
    Report
        ``.headline``, ``.statistics``, ``.payload``, ``.omitted``, ``.path`` and ``.to_html()``.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.report(rb.load_example()["logistic"], path=None, rng=1)
    >>> print(found.statistics[1])
    logistic has an AUC of 0.900 (95% interval 0.872 to 0.922).
    """
    target = None if path is None else check_page(path)
    check_text(title, "title")
    data = y_true
    if isinstance(data, (Readings, ReaderStudy)):
        refuse_beside(data, y_score=y_score, positive=positive)
        asked = {"future": future, "focus": focus, "fpr": fpr, "costs": costs}
        _refuse_for_models(**asked, prevalence=prevalence, capacity=capacity)
        with show_progress(progress, "Making the report") as tell:
            return make_reader_report(
                data, target, level=level, title=title, rng=rng, progress=tell
            )
    if isinstance(data, (Models, ClassBands, Subgroups)):
        refuse_beside(data, y_score=y_score, positive=positive)
    else:
        _refuse_table(data, y_score)
        data = as_sample(data, y_score, positive, several=True)
    with show_progress(progress, "Making the report") as tell:
        return make_report(
            data,
            target,
            level=level,
            future=future,
            title=title,
            focus=focus,
            fpr=fpr,
            costs=costs,
            prevalence=prevalence,
            capacity=capacity,
            rng=rng,
            progress=tell,
        )


def _refuse_table(y_true: Any, y_score: Any) -> None:
    """Refuse several columns without names, and say how models, and classes, are passed."""
    listed = isinstance(y_score, (list, tuple, np.ndarray)) and len(y_score) > 0
    if not listed or np.ndim(y_score[0]) != 1 or len(y_score[0]) <= 2:  # 2: predict_proba
        return
    classes, _ = label_codes(y_true, "y_true")
    remedy = "Pass several models by name: {'model a': scores, 'model b': scores}."
    if len(classes) > 2:
        remedy = "Pass several classes as rb.Sample.of_classes(y_true, y_score)."
    raise InputError(
        "must be one column of scores, or several by name",
        Message("it has several columns, and {} has {} labels", arg("y_true"), len(classes)),
        in_python(remedy),
        argument="y_score",
    )


def make_report(
    data: Models | ClassBands | Subgroups,
    target: Path | None,
    *,
    level: float = LEVEL,
    rng: Any = 0,
    title: str | None = None,
    source: str | None = None,
    positive: str | None = None,
    progress: Any = None,
    **asked: Any,
) -> Report:
    """Write a report on checked data; other arguments as for :func:`report`.

    `source` is the name of the data, `command` how the report was made, `positive` the label of
    groups.
    """
    if isinstance(data, Sample) and data.classes:
        data = class_bands(data, level=level, rng=rng)
    models: Sample | CountedCurves
    if isinstance(data, (ClassBands, Subgroups)):
        _check_settings(data, level, asked.get("costs"))
        models, level = as_curves(data, positive), data.level
    else:
        models = data if isinstance(data, Sample) else _counted(data)
    frame = data.frame if isinstance(data, (Sample, Result)) else None
    kind = f"{frame} columns" if frame else "arrays"
    if isinstance(models, CountedCurves) and models.kind == "model":
        kind = "counts"
    request = ReportRequest.from_models(
        models, level=level, title=title, source=source or kind, rng=rng, **asked
    )
    payload = build_payload(request, progress)
    found = Report(payload, target)
    if target is not None:
        write_text(target, found.to_html())
    return found


def make_reader_report(
    data: Readings | ReaderStudy,
    target: Path | None,
    *,
    level: float = LEVEL,
    source: str | None = None,
    **how: Any,
) -> ReaderReport:
    """Write a report on a reader study; other arguments as for :func:`make_report`."""
    if isinstance(data, Readings):
        data = compare_readers(data, level=level)
    _check_level(data.level, level, "compare_readers")
    source = source or (f"{data.frame} columns" if data.frame else "arrays")
    found = ReaderReport(build_reader_payload(data, source=source, **how), target)
    if target is not None:
        write_text(target, found.to_html())
    return found


def _refuse_for_models(**given: Any) -> None:
    """Refuse what a report on a reader study would ignore."""
    for name, value in given.items():
        if value is not None:
            raise InputError(
                Message("{} is for reports on models", arg(name)),
                "the data are those of a reader study",
                Message("Leave {} out.", arg(name)),
            )


def _check_level(own: float, level: float, function: str) -> None:
    """Refuse another level than that of a result."""
    if check_level(level) not in (LEVEL, own):
        raise InputError(
            f"must be that of the result of {function}, {own:g}",
            f"got {level:g}",
            Message("Pass the level to {}.", call(function, "..., level=")),
            argument="level",
        )


def _check_settings(data: ClassBands | Subgroups, level: float, costs: Any) -> None:
    """Refuse what a report on groups or classes would ignore."""
    function = "class_bands" if isinstance(data, ClassBands) else "subgroups"
    _check_level(data.level, level, function)
    if costs is not None:
        raise InputError(
            "Costs are for models",
            f"got a result of {function}",
            Message("Leave {} out.", arg("costs")),
        )


def _counted(data: Models) -> CountedCurves:
    notes = data.notes if isinstance(data, HasNotes) else ()
    curves = {name: data[name].roc for name in data}
    return CountedCurves(curves, str(data.positive or "label not known"), notes)


def check_page(path: str | os.PathLike[str]) -> Path:
    """Return `path` if it looks like a place where a page can be written."""
    try:
        target = Path(path)
    except TypeError:
        raise InputError(
            "must be the name of a file",
            f"got {path!r}",
            "Pass, for example, 'report.html'.",
            argument="path",
        ) from None
    if target.suffix.lower() not in _ENDINGS:
        raise InputError(
            f"A report's file name must end in {' or '.join(_ENDINGS)}",
            f"got '{target.name}'",
            "Choose such a name.",
        )
    return check_place(target, "A report")
