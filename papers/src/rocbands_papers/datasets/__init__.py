"""The real data sets of the papers, from Parquet files or from where they are published."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_choice
from rocbands.errors import InputError
from rocbands.io.columns import pick
from rocbands.io.parquet import read_number_columns
from rocbands_papers.dataset import DataSet
from rocbands_papers.datasets.fetchers import (
    fetch_adult,
    fetch_calhous,
    fetch_covertype,
    fetch_letter,
)

__all__ = ["RECIPES", "Recipe", "load_dataset"]

_FOLDER = "ROCBANDS_DATA"  # the environment variable that names the folder of files


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
    fetch: Callable[[], dict[str, npt.NDArray[Any]]] | None = None


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

RECIPES = {
    "covertype": Recipe(
        *("covertype12.parquet", "y", _COVERTYPE, 495_141, 283_301),
        first_code=1,
        fetch=fetch_covertype,
    ),
    "adult": Recipe("adult.parquet", "y", _ADULT, 48_842, 11_687, fetch=fetch_adult),
    "letter-a": Recipe("letter.parquet", "y_A", _LETTER, 20_000, 789, fetch=fetch_letter),
    "letter-v": Recipe("letter.parquet", "y_V", _LETTER, 20_000, 3_878, fetch=fetch_letter),
    "calhous": Recipe("calhous.parquet", "y", _CALHOUS, 20_640, 10_650, fetch=fetch_calhous),
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
        f"there is no folder: `folder` is None and {_FOLDER} is not set"
        if place is None
        else f"there is none in '{place}'"
    )
    advice = f"Pass its folder, or set {_FOLDER}"
    if recipe.fetch is None:
        advice += "; these data cannot be fetched."
    else:
        advice += ", or pass fetch=True to download the data."
    return InputError(f"Data set {name!r} needs the file '{recipe.file}'; {found}. {advice}")


def _assembled(
    name: str, recipe: Recipe, columns: Mapping[str, npt.NDArray[Any]], source: str
) -> DataSet:
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
