"""The real data sets of the papers, from Parquet files or from where they are published."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FloatArray, IndexArray, check_choice, frozen
from rocbands.core.randomness import make_generator
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import pick
from rocbands.io.parquet import read_number_columns

__all__ = ["RECIPES", "DataSet", "MissingDataError", "Recipe", "load_dataset"]

_FOLDER = "ROCBANDS_DATA"  # the environment variable that names the folder of files

Columns = dict[str, npt.NDArray[Any]]


class MissingDataError(InputError):
    """A data set that is neither in the folder nor to be reached."""


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
                Message(
                    "{} must be a number of rows from 2 to {}, with both classes in the set; got "
                    "n={}, and the smaller class has {} rows. Draw another number.",
                    arg("n"),
                    len(self),
                    n,
                    fewest,
                )
            )
        share = int(np.clip(round(n * self.positive_share), 1, n - 1))
        rng = make_generator(rng)
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
            Message(
                "Data set {!r}: {} must have a row for each of the labels and a column for each "
                "name, and {} a number for each name; found {} labels, {} names, features of shape "
                "{} and {} levels. Check their lengths.",
                name,
                arg("features"),
                arg("levels"),
                n,
                p,
                features.shape,
                levels.size,
            )
        )
    if not np.isin(y, (0, 1)).all():
        raise InputError(
            Message(
                "Data set {!r}: {} must be true or false (1 or 0) in every row; found {!r}. "
                "Compare it with the positive label first.",
                name,
                arg("y"),
                y[~np.isin(y, (0, 1))][0],
            )
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
    rows : int
        How many rows there must be.
    positives : tuple of int
        Least and largest number of positive rows: the same number, but for Mailing, of which only
        the printed share is known here.
    first_code : int
        Code of the first level in the file.
    levels : mapping of str to sequence of str
        Levels by their codes, where they are published as text.
    checksum : int or None
        Sum of all values, those of the first column once, of the second twice, and so on.
    fetch : callable, optional
        Fetches the same columns from where the data are published.
    """

    file: str
    label: str
    columns: Mapping[str, int]
    rows: int
    positives: tuple[int, int]
    first_code: int = 0
    levels: Mapping[str, list[str]] = field(default_factory=dict)
    checksum: int | None = None
    fetch: Callable[[Recipe], Columns] | None = None


def _fetch_covertype(recipe: Recipe) -> Columns:
    """Fetch Covertype with ``fetch_covtype``, and keep the two largest of seven classes."""
    bunch = _call_fetcher(recipe, "fetch_covtype")
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


_ADULT_NAMES = {"marital-status": "marital", "hours-per-week": "hours", "native-country": "country"}


def _fetch_adult(recipe: Recipe) -> Columns:
    """Fetch Adult, version 2 on OpenML, with an unknown value as a level of its own."""
    bunch = _call_fetcher(recipe, "fetch_openml", name="adult", version=2, as_frame=True)
    columns = {}
    for published in bunch.data.columns:
        name = _ADULT_NAMES.get(published, published.replace("-", "_"))
        values = bunch.data[published]
        if name in recipe.levels:
            texts = _text(values)
            texts[np.asarray(values.isna())] = "?"
            columns[name] = _codes(texts, name, recipe)
        else:
            columns[name] = values.to_numpy(dtype=np.float64)
    return columns | {"y": (_text(bunch.target) == ">50K").astype(np.int8)}


def _fetch_letter(recipe: Recipe) -> Columns:
    """Fetch Letter, version 1 on OpenML."""
    bunch = _call_fetcher(recipe, "fetch_openml", name="letter", version=1, as_frame=True)
    columns = {
        name.replace("-", "."): bunch.data[name].to_numpy(dtype=np.float64)
        for name in bunch.data.columns
    }
    letter = _text(bunch.target)
    vowel = np.isin(letter, list("AEIOU"))
    return columns | {"y_A": (letter == "A").astype(np.int8), "y_V": vowel.astype(np.int8)}


def _fetch_calhous(recipe: Recipe) -> Columns:
    """Fetch California housing, with totals of each block as in the original data.

    scikit-learn divides them by the number of households, and the value of the houses by 100,000.
    All of these were whole numbers, so rounding brings them back.
    """
    bunch = _call_fetcher(recipe, "fetch_california_housing")
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


def _fetch_intrusion(recipe: Recipe) -> Columns:
    """Fetch the labelled test set of the KDD Cup 1999: 41 columns and the name of the attack.

    Not run by the authors of this package, who had no network; the parser was tried on the same
    rows written back as text. Shares are counted in hundredths, categories by their sorted levels.
    """
    import pandas as pd

    names = [*recipe.columns, "attack"]
    file = _download(recipe, "kddcup99", "corrected.gz")
    frame = pd.read_csv(file, header=None, names=names, compression="gzip")
    columns = {}
    for name in recipe.columns:
        if name in recipe.levels:
            columns[name] = _codes(_text(frame[name]), name, recipe)
        else:
            scale = 100.0 if name.endswith("_rate") else 1.0
            columns[name] = np.rint(frame[name].to_numpy(dtype=np.float64) * scale)
    return columns | {"y": (_text(frame["attack"]) != "normal.").astype(np.int8)}


def _fetch_mailing(recipe: Recipe) -> Columns:
    """Fetch the learning and the validation records of the KDD Cup 1998.

    Not run by the authors of this package, who had no network. The paper does not say which of the
    479 columns it used: ours are those on earlier gifts and mailings, which have no missing values.
    The conditions of use are published beside the files.
    """
    import pandas as pd

    asked = ["CONTROLN", *recipe.columns]
    how: dict[str, Any] = {"encoding": "latin-1", "low_memory": False}
    parts = [
        pd.read_csv(
            _download(recipe, "kddcup98/epsilon_mirror", f"cup98{part}.zip"),
            usecols=asked + (["TARGET_B"] if part == "lrn" else []),
            compression="zip",
            **how,
        )
        for part in ("lrn", "val")
    ]
    targets = pd.read_csv(_download(recipe, "kddcup98/epsilon_mirror", "valtargt.txt"), **how)
    parts[1] = parts[1].merge(targets[["CONTROLN", "TARGET_B"]], on="CONTROLN", validate="1:1")
    frame = pd.concat(parts, ignore_index=True)
    columns = {
        name: _codes(_text(frame[name]), name, recipe)
        if name in recipe.levels
        else frame[name].to_numpy(dtype=np.float64)
        for name in recipe.columns
    }
    return columns | {"y": frame["TARGET_B"].to_numpy(dtype=np.int8)}


def _call_fetcher(recipe: Recipe, fetcher: str, **options: Any) -> Any:
    datasets = _import_datasets()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "Retry downloading": the error says enough
        try:
            return getattr(datasets, fetcher)(**options)
        except ImportError as problem:  # frames from OpenML need pandas
            raise InputError(
                f"sklearn.datasets.{fetcher} needs a library that is not installed: {problem} "
                "Install it with: pip install ./papers (in a checkout of rocbands)."
            ) from problem
        except (OSError, ValueError) as problem:
            raise _unreachable(recipe, f"sklearn.datasets.{fetcher}", problem) from problem


def _download(recipe: Recipe, folder: str, name: str) -> Path:
    """Return a file of the UCI KDD archive; what was downloaded once stays in sklearn's folder."""
    from urllib.request import urlopen

    kept = Path(_import_datasets().get_data_home()) / "rocbands-papers" / name
    if not kept.exists():
        address = f"http://kdd.ics.uci.edu/databases/{folder}/{name}"
        try:
            with urlopen(address, timeout=60) as answer:
                content = answer.read()
        except (OSError, ValueError) as problem:
            raise _unreachable(recipe, address, problem) from problem
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_bytes(content)
        part.replace(kept)
    return kept


def _import_datasets() -> Any:
    try:
        from sklearn import datasets
    except ImportError:
        raise InputError(
            "Fetching data needs scikit-learn, which is not installed. Install it with: "
            "pip install ./papers (in a checkout of rocbands)."
        ) from None
    return datasets


def _unreachable(recipe: Recipe, source: str, problem: Exception) -> MissingDataError:
    return MissingDataError(
        Message(
            "{} must be able to reach the data; it failed: {}. Check the connection, or name "
            "with {} a folder that has the file '{}'.",
            source,
            problem,
            arg("folder"),
            recipe.file,
        )
    )


def _codes(values: npt.NDArray[Any], name: str, recipe: Recipe) -> npt.NDArray[np.intp]:
    levels = recipe.levels[name]
    code = np.searchsorted(levels, values).clip(max=len(levels) - 1)
    known = np.array(levels)[code] == values
    if not known.all():
        data = Path(recipe.file).stem.title()
        raise _strange(data, f"known values in column {name!r}", values[~known][0])
    return code


def _text(column: Any) -> npt.NDArray[Any]:
    return np.array([str(value) for value in column])


def _strange(name: str, must: str, found: object) -> InputError:
    return InputError(
        Message(
            "{} as fetched must have {}; found {}. The published data have changed: name with {} "
            "a folder that has the file.",
            name,
            must,
            found,
            arg("folder"),
        )
    )


def _read_recipes() -> dict[str, Recipe]:
    fetchers: dict[str, Callable[[Recipe], Columns]] = {
        "covertype": _fetch_covertype,
        "adult": _fetch_adult,
        "letter-a": _fetch_letter,
        "letter-v": _fetch_letter,
        "calhous": _fetch_calhous,
        "intrusion": _fetch_intrusion,
        "mailing": _fetch_mailing,
    }
    text = files("rocbands_studies.papers").joinpath("datasets.json").read_text(encoding="utf-8")
    recipes = {}
    for name, facts in json.loads(text).items():
        columns = (column.partition(":")[::2] for column in facts.pop("columns").split())
        facts["columns"] = {column: int(size or 0) for column, size in columns}
        facts["levels"] = {k: text.split() for k, text in facts.get("levels", {}).items()}
        facts["positives"] = tuple(facts["positives"])
        recipes[name] = Recipe(**facts, fetch=fetchers[name])
    return recipes


RECIPES = _read_recipes()


def load_dataset(
    name: str, folder: str | os.PathLike[str] | None = None, *, fetch: bool = False
) -> DataSet:
    """Load one of the papers' real data sets.

    Parameters
    ----------
    name : {'covertype', 'adult', 'letter-a', 'letter-v', 'calhous', 'intrusion', 'mailing'}
        Positive are: lodgepole pine against spruce and fir (the two largest of seven cover
        types); income above 50K; the letter A; vowels; a median house value above 175,000;
        attacks; those who answered.
    folder : path, optional
        Where the Parquet files are. By default the environment variable ``ROCBANDS_DATA`` says so.
    fetch : bool, default False
        Where there is no such file, download the data: Intrusion and Mailing from the UCI KDD
        archive, the others with scikit-learn's fetchers. Nothing is downloaded unless this is true.
        The rows are the same, but perhaps in another order.

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
        columns, source = recipe.fetch(recipe), "the internet"
    else:
        found = (
            Message("{} is not given and {} is not set", arg("folder"), _FOLDER)
            if place is None
            else f"there is none in '{place}'"
        )
        raise MissingDataError(
            Message(
                "Data set {!r} needs the file '{}'; {}. Name its folder with {} or {}, or download "
                "the data with {}.",
                name,
                recipe.file,
                found,
                arg("folder"),
                _FOLDER,
                arg("fetch", True),
            )
        )
    return _assembled(name, recipe, columns, source)


def _assembled(name: str, recipe: Recipe, columns: Columns, source: str) -> DataSet:
    y = columns[recipe.label]
    rows, positives = len(y), int(np.count_nonzero(y == 1))
    least, most = recipe.positives
    if rows != recipe.rows or not least <= positives <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise InputError(
            f"Data set {name!r} must have {recipe.rows} rows with {wanted} positive "
            f"({least / recipe.rows:.3f}); {source} has {rows} with {positives} "
            f"({positives / max(rows, 1):.3f}). These are other data, or a part of them: get the "
            "whole file."
        )
    features = np.empty((rows, len(recipe.columns)))
    for j, (column, levels) in enumerate(recipe.columns.items()):
        features[:, j] = columns[pick(column, columns, source)]
        if levels:
            features[:, j] -= recipe.first_code
    levels_of = np.array([*recipe.columns.values()])
    data = DataSet(name, tuple(recipe.columns), features, levels_of, y, source)
    total = int(features.sum(axis=0) @ np.arange(1.0, len(recipe.columns) + 1.0))
    if recipe.checksum is not None and total != recipe.checksum:
        raise InputError(
            f"Data set {name!r} must have the sum {recipe.checksum} of its values, column by "
            f"column; {source} has {total}. These are other data: get the published file."
        )
    return data
