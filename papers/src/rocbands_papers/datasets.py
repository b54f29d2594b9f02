"""The real data sets of the papers, from Parquet files or from where they are published."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    IndexArray,
    check_choice,
    check_rng,
    frozen,
)
from rocbands.errors import InputError, arg
from rocbands.io.columns import pick
from rocbands.io.parquet import read_number_columns

__all__ = ["RECIPES", "DataSet", "Recipe", "load_dataset"]

_FOLDER = "ROCBANDS_DATA"  # the environment variable that names the folder of files

Columns = dict[str, npt.NDArray[Any]]


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
                f"{arg('n')} must be a number of rows from 2 to {len(self)}, with both classes in "
                f"the set; got n={n}, and the smaller class has {fewest} rows. Draw another number."
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
            f"Data set {name!r}: {arg('features')} must have a row for each of the labels and a "
            f"column for each name, and {arg('levels')} a number for each name; found {n} labels, "
            f"{p} names, features of shape {features.shape} and {levels.size} levels. "
            "Check their lengths."
        )
    if not np.isin(y, (0, 1)).all():
        raise InputError(
            f"Data set {name!r}: {arg('y')} must be true or false (1 or 0) in every row; found "
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


@dataclass(frozen=True)
class Recipe:
    """How to get a data set, and how to know that it is the right one.

    Attributes
    ----------
    file : str
        Name of the Parquet file.
    label : str
        Column that is 1 for positive rows and 0 for the others.
    columns : mapping of str to int
        The features, with their number of levels; 0 for numbers.
    rows, positives : int
        How many rows there must be, and how many of them positive.
    first_code : int
        Code of the first level in the file.
    fetch : callable, optional
        Fetches the same columns from where the data are published.
    """

    file: str
    label: str
    columns: Mapping[str, int]
    rows: int
    positives: int
    first_code: int = 0
    fetch: Callable[[], Columns] | None = None


_COVERTYPE = dict.fromkeys(
    (
        *("Elevation", "Aspect", "Slope"),
        *("Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology"),
        *("Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
        "Horizontal_Distance_To_Fire_Points",
    ),
    0,
) | {"wilderness": 4, "soil": 40}

_ADULT = {
    **{"age": 0, "workclass": 9, "fnlwgt": 0, "education": 16, "education_num": 0},
    **{"marital": 7, "occupation": 15, "relationship": 6, "race": 5, "sex": 2},
    **{"capital_gain": 0, "capital_loss": 0, "hours": 0, "country": 42},
}

_LETTER = dict.fromkeys(
    (
        *("x.box", "y.box", "width", "high", "onpix", "x.bar", "y.bar", "x2bar", "y2bar"),
        *("xybar", "x2ybr", "xy2br", "x.ege", "xegvy", "y.ege", "yegvx"),
    ),
    0,
)

_CALHOUS = dict.fromkeys(
    (
        *("longitude", "latitude", "housingMedianAge", "totalRooms", "totalBedrooms"),
        *("population", "households", "medianIncome"),
    ),
    0,
)

# Which columns are categories is told by the list of names published with the data.
_INTRUSION = (
    {"duration": 0, "protocol_type": 3, "service": 65, "flag": 11, "src_bytes": 0, "dst_bytes": 0}
    | {"land": 2, "wrong_fragment": 0, "urgent": 0, "hot": 0, "num_failed_logins": 0}
    | {"logged_in": 2, "num_compromised": 0, "root_shell": 0, "su_attempted": 0, "num_root": 0}
    | {"num_file_creations": 0, "num_shells": 0, "num_access_files": 0, "num_outbound_cmds": 0}
    | {"is_host_login": 2, "is_guest_login": 2, "count": 0, "srv_count": 0}
    | dict.fromkeys(
        (
            *("serror_rate", "srv_serror_rate", "rerror_rate", "srv_rerror_rate"),
            *("same_srv_rate", "diff_srv_rate", "srv_diff_host_rate"),
            *("dst_host_count", "dst_host_srv_count"),
            *("dst_host_same_srv_rate", "dst_host_diff_srv_rate", "dst_host_same_src_port_rate"),
            *("dst_host_srv_diff_host_rate", "dst_host_serror_rate", "dst_host_srv_serror_rate"),
            *("dst_host_rerror_rate", "dst_host_srv_rerror_rate"),
        ),
        0,
    )
)


_ADULT_NAMES = {
    "marital-status": "marital",
    "hours-per-week": "hours",
    "native-country": "country",
}
# The levels in the order of their codes. Unknown values, which OpenML leaves out, are "?".
_ADULT_LEVELS = {
    "workclass": (
        "? Federal-gov Local-gov Never-worked Private Self-emp-inc Self-emp-not-inc State-gov "
        "Without-pay"
    ),
    "education": (
        "10th 11th 12th 1st-4th 5th-6th 7th-8th 9th Assoc-acdm Assoc-voc Bachelors Doctorate "
        "HS-grad Masters Preschool Prof-school Some-college"
    ),
    "marital": (
        "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent Never-married "
        "Separated Widowed"
    ),
    "occupation": (
        "? Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing "
        "Handlers-cleaners Machine-op-inspct Other-service Priv-house-serv Prof-specialty "
        "Protective-serv Sales Tech-support Transport-moving"
    ),
    "relationship": "Husband Not-in-family Other-relative Own-child Unmarried Wife",
    "race": "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White",
    "sex": "Female Male",
    "country": (
        "? Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England "
        "France Germany Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India "
        "Iran Ireland Italy Jamaica Japan Laos Mexico Nicaragua Outlying-US(Guam-USVI-etc) "
        "Peru Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand "
        "Trinadad&Tobago United-States Vietnam Yugoslavia"
    ),
}


def _fetch_covertype() -> Columns:
    """Fetch Covertype with ``fetch_covtype``, and keep the two largest of seven classes."""
    bunch = _call_fetcher("fetch_covtype")
    data, kind = np.asarray(bunch.data), np.asarray(bunch.target)
    names = list(bunch.feature_names)
    kept = (kind == 1) | (kind == 2)
    data = data[kept]
    areas = [j for j, name in enumerate(names) if name.startswith("Wilderness_Area")]
    soils = [j for j, name in enumerate(names) if name.startswith("Soil_Type")]
    columns = {name: data[:, j] for j, name in enumerate(names) if j not in {*areas, *soils}}
    for column, indicators in (("wilderness", areas), ("soil", soils)):
        count = data[:, indicators].sum(axis=1)
        if not (count == 1).all():
            raise _strange("Covertype", f"one {column} in every row", count[count != 1][0])
        columns[column] = data[:, indicators].argmax(axis=1) + 1
    return columns | {"y": (kind[kept] == 2).astype(np.int8)}


def _fetch_adult() -> Columns:
    """Fetch Adult, version 2 on OpenML, with an unknown value as a level of its own."""
    bunch = _call_fetcher("fetch_openml", name="adult", version=2, as_frame=True)
    columns = {}
    for published in bunch.data.columns:
        name = _ADULT_NAMES.get(published, published.replace("-", "_"))
        values = bunch.data[published]
        columns[name] = (
            _codes(values, name, _ADULT_LEVELS[name].split())
            if name in _ADULT_LEVELS
            else values.to_numpy(dtype=np.float64)
        )
    return columns | {"y": (_text(bunch.target) == ">50K").astype(np.int8)}


def _fetch_letter() -> Columns:
    """Fetch Letter, version 1 on OpenML."""
    bunch = _call_fetcher("fetch_openml", name="letter", version=1, as_frame=True)
    columns = {
        name.replace("-", "."): bunch.data[name].to_numpy(dtype=np.float64)
        for name in bunch.data.columns
    }
    letter = _text(bunch.target)
    vowel = np.isin(letter, list("AEIOU"))
    return columns | {"y_A": (letter == "A").astype(np.int8), "y_V": vowel.astype(np.int8)}


def _fetch_calhous() -> Columns:
    """Fetch California housing, with totals of each block as in the original data.

    scikit-learn divides them by the number of households, and the value of the houses by 100,000.
    All of these were whole numbers, so rounding brings them back.
    """
    bunch = _call_fetcher("fetch_california_housing")
    data = dict(zip(bunch.feature_names, np.asarray(bunch.data).T, strict=True))
    households = np.rint(data["Population"] / data["AveOccup"])
    return {
        "longitude": data["Longitude"],
        "latitude": data["Latitude"],
        "housingMedianAge": data["HouseAge"],
        "totalRooms": np.rint(data["AveRooms"] * households),
        "totalBedrooms": np.rint(data["AveBedrms"] * households),
        "population": data["Population"],
        "households": households,
        "medianIncome": data["MedInc"],
        "y": (np.rint(np.asarray(bunch.target) * 100_000) > 175_000).astype(np.int8),
    }


def _call_fetcher(fetcher: str, **options: Any) -> Any:
    try:
        from sklearn import datasets
    except ImportError:
        raise InputError(
            "Fetching data needs scikit-learn, which is not installed. Install it with: "
            "pip install rocbands-papers."
        ) from None
    try:
        return getattr(datasets, fetcher)(**options)
    except ImportError as problem:  # frames from OpenML need pandas
        raise InputError(
            f"sklearn.datasets.{fetcher} needs a library that is not installed: {problem} "
            "Install it with: pip install rocbands-papers."
        ) from problem
    except (OSError, ValueError) as problem:
        raise InputError(
            f"sklearn.datasets.{fetcher} must be able to reach the data; it failed: {problem}. "
            "Check the connection, or pass a folder that holds the file."
        ) from problem


def _codes(column: Any, name: str, levels: list[str]) -> npt.NDArray[np.intp]:
    values = _text(column)
    values[np.asarray(column.isna())] = "?"
    code = np.searchsorted(levels, values).clip(max=len(levels) - 1)
    known = np.array(levels)[code] == values
    if not known.all():
        raise _strange("Adult", f"known values in column {name!r}", values[~known][0])
    return code


def _text(column: Any) -> npt.NDArray[Any]:
    return np.array([str(value) for value in column])


def _strange(name: str, must: str, found: object) -> InputError:
    return InputError(
        f"{name} as fetched must have {must}; found {found}. The published data have changed: "
        "pass a folder that holds the file."
    )


RECIPES = {
    "covertype": Recipe(
        *("covertype12.parquet", "y", _COVERTYPE, 495_141, 283_301),
        first_code=1,
        fetch=_fetch_covertype,
    ),
    "adult": Recipe("adult.parquet", "y", _ADULT, 48_842, 11_687, fetch=_fetch_adult),
    "letter-a": Recipe("letter.parquet", "y_A", _LETTER, 20_000, 789, fetch=_fetch_letter),
    "letter-v": Recipe("letter.parquet", "y_V", _LETTER, 20_000, 3_878, fetch=_fetch_letter),
    "calhous": Recipe("calhous.parquet", "y", _CALHOUS, 20_640, 10_650, fetch=_fetch_calhous),
    "intrusion": Recipe("intrusion.parquet", "y", _INTRUSION, 311_029, 250_436),
}


def load_dataset(
    name: str, folder: str | os.PathLike[str] | None = None, *, fetch: bool = False
) -> DataSet:
    """Load one of the papers' real data sets.

    Parameters
    ----------
    name : {'covertype', 'adult', 'letter-a', 'letter-v', 'calhous', 'intrusion'}
        Positive are: lodgepole pine against spruce and fir (the two largest of seven cover
        types); income above 50K; the letter A; vowels; a median house value above 175,000;
        attacks.
    folder : path, optional
        Where the Parquet files are. By default the environment variable ``ROCBANDS_DATA`` says so.
    fetch : bool, default False
        Where there is no such file, download the data with scikit-learn's fetchers, which keep
        them in a cache of their own. Nothing is downloaded unless this is true. Intrusion is
        not to be had that way. The rows are the same, but perhaps in another order.

    Returns
    -------
    DataSet
        Features and classes; number of rows and of positive rows have been checked.

    Notes
    -----
    Not a feature are: the split of Adult into training and test rows, the house value that the
    class is made of, the name of the attack. In Adult an unknown value is a level of its own.
    """
    check_choice(name, tuple(RECIPES), "name")
    recipe = RECIPES[name]
    place = folder if folder is not None else os.environ.get(_FOLDER)
    path = None if place is None else Path(place) / recipe.file
    if path is not None and path.exists():
        with path.open("rb") as file:
            columns = read_number_columns(file, [*recipe.columns, recipe.label], str(path))
        source = str(path)
    elif fetch and recipe.fetch is not None:
        columns, source = recipe.fetch(), "scikit-learn"
    else:
        raise _not_found(name, recipe, place)
    return _assembled(name, recipe, columns, source)


def _not_found(name: str, recipe: Recipe, place: object) -> InputError:
    found = (
        f"there is no folder: {arg('folder')} is None and {_FOLDER} is not set"
        if place is None
        else f"there is none in '{place}'"
    )
    advice = f"Pass its folder, or set {_FOLDER}"
    if recipe.fetch is None:
        advice += "; these data cannot be fetched."
    else:
        advice += f", or pass {arg('fetch', True)} to download the data."
    return InputError(f"Data set {name!r} needs the file '{recipe.file}'; {found}. {advice}")


def _assembled(name: str, recipe: Recipe, columns: Columns, source: str) -> DataSet:
    y = columns[recipe.label]
    rows, positives = len(y), int(np.count_nonzero(y == 1))
    if (rows, positives) != (recipe.rows, recipe.positives):
        raise InputError(
            f"Data set {name!r} must have {recipe.rows} rows with {recipe.positives} positive "
            f"({recipe.positives / recipe.rows:.3f}); {source} has {rows} with {positives} "
            f"({positives / max(rows, 1):.3f}). These are other data, or a part of them: get the "
            "whole file."
        )
    features = np.empty((rows, len(recipe.columns)))
    for j, (column, levels) in enumerate(recipe.columns.items()):
        features[:, j] = columns[pick(column, columns, source)]
        if levels:
            features[:, j] -= recipe.first_code
    return DataSet(
        name, tuple(recipe.columns), features, np.array([*recipe.columns.values()]), y, source
    )
