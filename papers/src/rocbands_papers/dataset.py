"""A table of cases with two classes, ready for a learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray, IndexArray, check_rng, frozen
from rocbands.errors import InputError

__all__ = ["DataSet"]


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """Cases with features and a class.

    Parameters
    ----------
    name : str
        What the data set is called.
    columns : tuple of str
        Names of the features.
    features : array-like of shape (n, p)
        Finite numbers; a categorical column holds the codes 0, 1, ... of its levels.
    levels : array-like of int, shape (p,)
        Number of levels of each categorical column, 0 where the column holds numbers. Levels that
        no row has are allowed.
    y : array-like of bool, shape (n,)
        True where the case is positive.
    source : str, default 'given'
        Where the rows came from.

    Attributes
    ----------
    positive_share : float
        Share of positive rows.
    is_categorical : ndarray of bool, shape (p,)
        Which columns hold codes.

    Examples
    --------
    >>> cases = DataSet("tiny", ("age", "sex"), [[31, 0], [64, 1], [58, 0]], [0, 2], [0, 1, 1])
    >>> cases
    DataSet('tiny': 3 rows, 1 number and 1 category, positive share 0.667, from given)
    """

    name: str
    columns: tuple[str, ...]
    features: FloatArray
    levels: IndexArray
    y: BoolArray
    source: str = "given"
    positive_share: float = field(init=False)

    def __post_init__(self) -> None:
        features = np.ascontiguousarray(self.features, dtype=np.float64)
        levels = np.asarray(self.levels, dtype=np.intp)
        y = np.asarray(self.y)
        _check_shapes(self.name, self.columns, features, levels, y)
        _check_values(self.name, self.columns, features, levels)
        for name, array in (("features", features), ("levels", levels), ("y", y.astype(bool))):
            object.__setattr__(self, name, frozen(array))
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "positive_share", float(np.mean(self.y)))

    def __len__(self) -> int:
        return int(self.y.size)

    def __repr__(self) -> str:
        categories = int(np.count_nonzero(self.is_categorical))
        numbers = len(self.columns) - categories
        return (
            f"DataSet({self.name!r}: {len(self):,} rows, "
            f"{numbers} number{'s' * (numbers != 1)} and "
            f"{categories} categor{'y' if categories == 1 else 'ies'}, "
            f"positive share {self.positive_share:.3f}, from {self.source})"
        )

    @property
    def is_categorical(self) -> BoolArray:
        """Which columns hold codes of levels."""
        return self.levels > 0

    def stratified_rows(self, n: int, rng: Any = None) -> IndexArray:
        """Draw `n` different rows with the classes in the same shares as in the whole set.

        Parameters
        ----------
        n : int
            Number of rows; at least one of each class is drawn.
        rng : optional
            Anything that `numpy.random.default_rng` takes.

        Returns
        -------
        ndarray of int, shape (n,)
            Row numbers in increasing order.

        Examples
        --------
        >>> cases = DataSet("ten", ("x",), np.arange(10.0)[:, None], [0], np.arange(10) > 5)
        >>> rows = cases.stratified_rows(5, rng=1)
        >>> len(rows), int(cases.y[rows].sum())
        (5, 2)
        """
        classes = [np.flatnonzero(self.y), np.flatnonzero(~self.y)]
        fewest = min(map(len, classes))
        if not (2 <= n <= len(self) and fewest):
            raise InputError(
                f"`n` must be a number of rows from 2 to {len(self)}, with both classes in the "
                f"set; got n={n}, and the smaller class has {fewest} rows. Draw another number."
            )
        share = int(np.clip(round(n * self.positive_share), 1, n - 1))
        rng = check_rng(rng)
        drawn = [
            rng.choice(rows, size, replace=False)
            for rows, size in zip(classes, (share, n - share), strict=True)
        ]
        return np.sort(np.concatenate(drawn))


def _check_shapes(
    name: str,
    columns: tuple[str, ...],
    features: FloatArray,
    levels: IndexArray,
    y: npt.NDArray[Any],
) -> None:
    n, p = y.size, len(columns)
    if features.shape != (n, p) or levels.shape != (p,) or y.shape != (n,) or n == 0:
        raise InputError(
            f"Data set {name!r}: `features` must have a row for each of the labels and a column "
            f"for each name, and `levels` a number for each name; found {n} labels, {p} names, "
            f"features of shape {features.shape} and {levels.size} levels. Check their lengths."
        )
    if not np.isin(y, (0, 1)).all():
        raise InputError(
            f"Data set {name!r}: `y` must be true or false (1 or 0) in every row; found "
            f"{y[~np.isin(y, (0, 1))][0]!r}. Compare it with the positive label first."
        )


def _check_values(
    name: str, columns: tuple[str, ...], features: FloatArray, levels: IndexArray
) -> None:
    for column, values, size in zip(columns, features.T, levels.tolist(), strict=True):
        must, bad = "finite numbers", ~np.isfinite(values)
        if size and not bad.any():
            must = f"the codes 0 to {size - 1} of its levels"
            bad = (values != np.floor(values)) | (values < 0) | (values >= size)
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"Data set {name!r}: column {column!r} must hold {must}; row {row} holds "
                f"{values[row]:g}. Drop or recode such rows."
            )
