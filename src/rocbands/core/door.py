"""Rows or counts: one door for all that needs no more than a curve."""

from __future__ import annotations

from typing import Any

from rocbands.core.roc import RocCurve, roc_curve
from rocbands.errors import InputError

__all__ = ["curve_of"]


def curve_of(
    y_true: Any,
    y_score: Any,
    *,
    positive: object = None,
    groups: Any = None,
    folds: Any = None,
    uses: tuple[str, ...] = (),
) -> RocCurve:
    """Return the curve of labelled scores, or the curve that was given in their place.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or a curve that is already counted, and nothing else then.
    y_score : array-like of shape (n,), or None
        Scores; a larger one means more positive.
    positive, groups, folds
        As for :func:`rocbands.roc_curve`.
    uses : tuple of str
        What the caller can use of a given curve, of 'groups' and 'folds'; the rest is refused.

    Examples
    --------
    >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
    >>> curve_of(roc, None) is roc
    True
    """
    if isinstance(y_true, RocCurve):
        given = {"y_score": y_score, "positive": positive, "groups": groups, "folds": folds}
        for name, value in given.items():
            if value is not None:
                raise InputError(
                    f"A RocCurve is already counted and needs no rows; `{name}` was given as well. "
                    f"Leave `{name}` out, or pass labels and scores instead of the curve."
                )
        for name in ("groups", "folds"):
            if name not in uses and getattr(y_true, name):
                raise InputError(
                    f"The curve must be without {name}, which cannot be used here; it has some. "
                    f"Make it without `{name}`."
                )
        return y_true
    if y_score is None:
        raise InputError(
            "`y_score` must be given with `y_true`; it is missing. Pass labels and scores, or a "
            "RocCurve alone."
        )
    return roc_curve(y_true, y_score, positive=positive, groups=groups, folds=folds)
