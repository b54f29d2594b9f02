"""A report: all that can be said about scored rows, in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rocbands.core.scores import PairedScores
from rocbands.errors import InputError
from rocbands.io.writing import check_place, write_text
from rocbands.reporting.order import Order
from rocbands.reporting.payload import payload_of
from rocbands.reporting.render import render

__all__ = ["Report", "check_page", "report", "write_page"]

_ENDINGS = (".html", ".htm")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a report says, and where it was written.

    Attributes
    ----------
    payload : dict
        All numbers and sentences, as plain values; `rocbands.reporting.payload` lists the keys.
    path : Path or None
        The file; None if none was asked for.

    See Also
    --------
    rocbands.report : make one.
    """

    payload: Mapping[str, Any]
    path: Path | None = None

    @property
    def headline(self) -> tuple[str, ...]:
        """What a reader should take home, in two to five sentences."""
        return tuple(self.payload["headline"])

    @property
    def omitted(self) -> tuple[str, ...]:
        """What could not be had, and why."""
        return tuple(f"{part['section']}: {part['why']}" for part in self.payload["omitted"])

    def to_html(self) -> str:
        """Return the page: one HTML file that needs nothing else, not even the network."""
        return render(self.payload)

    def __repr__(self) -> str:
        where = [] if self.path is None else [f"Written to {self.path}."]
        return "\n".join([*self.headline, *where])


def report(
    y_true: Any,
    y_scores: Mapping[str, Any],
    path: str | os.PathLike[str] | None = "report.html",
    *,
    positive: object = None,
    level: float = 0.95,
    groups: Any = None,
    folds: Any = None,
    future: tuple[int, int] | None = None,
    title: str | None = None,
    rng: Any = None,
) -> Report:
    """Write all that can be said about one or several scored models to one HTML file.

    Curves with bands by several methods and at several levels, for the true curve and for that of
    a future test set; areas, thresholds, costs and rates with limits; where one model is better;
    and how far all of it can be trusted. The page needs no other file and no network.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_scores : mapping from str to array-like of shape (n,)
        Each model's scores of the same rows; a larger one means more positive.
    path : str or path-like, default 'report.html'
        The file, replaced if it exists; None writes none.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level of everything; bands are also made at .8, .9, .95 and .99.
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion.
    folds : array-like of shape (n,), optional
        The fold of each row, where different models have scored them. What groups or folds leave no
        method for is left out, and the report says so.
    future : (int, int), optional
        Class sizes (n_pos, n_neg) of the future test set; by default those of the rows.
    title : str, optional
        What to call the report.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness. The report says a seed that makes it again.

    Returns
    -------
    Report
        ``.headline``, ``.payload``, ``.omitted``, ``.path`` and ``.to_html()``.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.report(y, models, path=None, positive="malignant", rng=1)
    >>> print(found.headline[1])
    logistic has the largest AUC, 0.900 (95% interval 0.872 to 0.922).
    """
    target = None if path is None else check_page(path)
    models = PairedScores.from_columns(y_true, y_scores, positive=positive)
    order = Order.of(
        models,
        level=level,
        groups=groups,
        folds=folds,
        future=future,
        title=title,
        source=f"{models.frame} columns" if models.frame else "arrays",
        rng=rng,
    )
    payload = payload_of(order)
    if target is not None:
        write_page(payload, target)
    return Report(payload, target)


def check_page(path: str | os.PathLike[str]) -> Path:
    """Return `path` if a page can be written there, as far as can be told beforehand."""
    try:
        target = Path(path)
    except TypeError:
        raise InputError(
            f"`path` must be the name of a file; got {path!r}. Pass, for example, 'report.html'."
        ) from None
    if target.suffix.lower() not in _ENDINGS:
        raise InputError(
            f"A report's file name must end in {' or '.join(_ENDINGS)}; got '{target.name}'. "
            "Choose such a name."
        )
    return check_place(target, "A report")


def write_page(payload: Mapping[str, Any], target: Path) -> None:
    """Write the page, wholly or not at all."""
    write_text(target, render(payload))
