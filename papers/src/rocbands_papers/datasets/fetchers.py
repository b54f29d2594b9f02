"""The data sets as scikit-learn fetches them, brought into the columns of the Parquet files."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError

__all__ = ["fetch_adult", "fetch_calhous", "fetch_covertype", "fetch_letter"]

Columns = dict[str, npt.NDArray[Any]]

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


def fetch_covertype() -> Columns:
    """Fetch Covertype with ``fetch_covtype``, and keep the two largest of seven classes."""
    bunch = _fetched("fetch_covtype")
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


def fetch_adult() -> Columns:
    """Fetch Adult, version 2 on OpenML, with an unknown value as a level of its own."""
    bunch = _fetched("fetch_openml", name="adult", version=2, as_frame=True)
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


def fetch_letter() -> Columns:
    """Fetch Letter, version 1 on OpenML."""
    bunch = _fetched("fetch_openml", name="letter", version=1, as_frame=True)
    columns = {
        name.replace("-", "."): bunch.data[name].to_numpy(dtype=np.float64)
        for name in bunch.data.columns
    }
    letter = _text(bunch.target)
    vowel = np.isin(letter, list("AEIOU"))
    return columns | {"y_A": (letter == "A").astype(np.int8), "y_V": vowel.astype(np.int8)}


def fetch_calhous() -> Columns:
    """Fetch California housing, with totals of each block as in the original data.

    scikit-learn divides them by the number of households, and the value of the houses by 100,000.
    All of these were whole numbers, so rounding brings them back.
    """
    bunch = _fetched("fetch_california_housing")
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


def _fetched(fetcher: str, **options: Any) -> Any:
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
