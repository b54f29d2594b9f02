"""Loaders of real data, tried on small files and on stand-ins for scikit-learn's fetchers.

The stand-ins return what the fetchers' documentation describes; the tests reach no network. With
ROCBANDS_DATA set, the real files are read too.
"""

from __future__ import annotations

import gzip
import io
import os
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.datasets

from rocbands.errors import InputError
from rocbands_studies.papers.datasets import _ADULT_NAMES, RECIPES, MissingDataError, load_dataset

N = 60
ARCHIVE = ("intrusion", "mailing")
Columns = dict[str, np.ndarray]


def small_table(name: str, seed: int = 1) -> Columns:
    """Columns like those of the real file, with random content."""
    rng = np.random.default_rng(seed)
    recipe = RECIPES[name]
    columns: Columns = {
        column: rng.integers(levels, size=N) + recipe.first_code
        if levels
        else rng.integers(1, 100, size=N)
        for column, levels in recipe.columns.items()
    }
    letter = rng.integers(26, size=N)
    letter[:4] = [0, 4, 1, 2]
    y = rng.permutation(np.arange(N) % 4 == 0)
    columns |= {
        "y": y,
        "letter": letter,
        "y_A": letter == 0,
        "y_V": np.isin(letter, [0, 4, 8, 14, 20]),
    }
    columns |= {"medianHouseValue": np.where(y, 175_001, 175_000), "split": y, "attack": y}
    return {column: values.astype(np.int32) for column, values in columns.items()}


def write(folder: Path, name: str, columns: dict[str, Any]) -> None:
    pq.write_table(pa.table(columns), folder / RECIPES[name].file)


@pytest.fixture(params=RECIPES)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    expect(monkeypatch, request.param)
    return str(request.param)


def expect(monkeypatch: pytest.MonkeyPatch, name: str, **other: Any) -> None:
    """Expect the size of the small table instead of the real one."""
    monkeypatch.delenv("ROCBANDS_DATA", raising=False)
    recipe = RECIPES[name]
    positives = int(small_table(name)[recipe.label].sum())
    monkeypatch.setitem(
        RECIPES,
        name,
        replace(recipe, **{"rows": N, "positives": (positives,) * 2, "checksum": None} | other),
    )


def test_a_file_becomes_features_and_classes(name: str, tmp_path: Path) -> None:
    columns = small_table(name)
    write(tmp_path, name, columns)
    data, recipe = load_dataset(name, tmp_path), RECIPES[name]
    assert data.name == name
    assert len(data) == N
    assert data.source == str(tmp_path / recipe.file)
    assert data.positive_share == pytest.approx(recipe.positives[0] / N)
    np.testing.assert_array_equal(data.y, columns[recipe.label] == 1)
    for column, values, levels in zip(data.columns, data.features.T, data.levels, strict=True):
        shift = recipe.first_code if levels else 0
        np.testing.assert_array_equal(values, columns[column] - shift)
    assert not {"y", "y_A", "letter", "medianHouseValue", "split", "attack"} & set(data.columns)


def test_the_environment_names_the_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, name, small_table(name))
    monkeypatch.setenv("ROCBANDS_DATA", str(tmp_path))
    assert len(load_dataset(name)) == N


def test_without_a_folder_nothing_is_fetched(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    never_fetch(monkeypatch)
    with pytest.raises(InputError, match="ROCBANDS_DATA is not set"):
        load_dataset(name)


def test_a_missing_file_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_fetch(monkeypatch)
    with pytest.raises(InputError, match=f"{RECIPES[name].file}.*there is none in"):
        load_dataset(name, tmp_path)


@pytest.mark.parametrize("other", [{"rows": N + 1}, {"positives": (7, 9)}, {"checksum": 1}])
def test_other_data_are_refused(
    other: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(monkeypatch, "adult", **other)
    write(tmp_path, "adult", small_table("adult"))
    with pytest.raises(InputError, match=r"must have (.* rows with .* positive|the sum 1 )"):
        load_dataset("adult", tmp_path)


MISTAKES = {
    "no column 'hours'": lambda c: {k: v for k, v in c.items() if k != "hours"},
    "'age' must contain numbers": lambda c: c | {"age": np.full(N, "old")},
    "row 3: .*found null": lambda c: c | {"age": [1, 2, None, *range(N - 3)]},
    "'sex' must hold the codes 0 to 1 of its levels; row 5 holds 2": lambda c: (
        c | {"sex": np.where(np.arange(N) == 5, 2, 1)}
    ),
    "'age' must hold finite numbers; row 0 holds inf": lambda c: (
        c | {"age": np.where(np.arange(N) == 0, np.inf, 1)}
    ),
    "`y` must be true or false": lambda c: c | {"y": np.where(c["y"] == 1, 1, 2)},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_damaged_table_is_refused(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(monkeypatch, "adult")
    write(tmp_path, "adult", MISTAKES[message](small_table("adult")))
    with pytest.raises(InputError, match=message):
        load_dataset("adult", tmp_path)


def test_a_cut_off_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expect(monkeypatch, "adult")
    write(tmp_path, "adult", small_table("adult"))
    path = tmp_path / "adult.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged or cut off"):
        load_dataset("adult", tmp_path)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="must be one of covertype, adult"):
        load_dataset("iris")


# ---------------------------------------------------------------- stand-ins for the fetchers


def as_covtype(columns: Columns) -> SimpleNamespace:
    """54 columns and types from 1 to 7; types 3 to 7 are to be left out."""
    recipe = RECIPES["covertype"]
    numbers = [column for column, levels in recipe.columns.items() if not levels]
    data = np.column_stack(
        [
            *(columns[column] for column in numbers),
            np.eye(4)[columns["wilderness"] - 1],
            np.eye(40)[columns["soil"] - 1],
        ]
    )
    target = np.where(columns["y"] == 1, 2, 1)
    others = np.arange(3, 8)
    names = [f"Wilderness_Area_{i}" for i in range(4)] + [f"Soil_Type_{i}" for i in range(40)]
    return SimpleNamespace(
        data=np.vstack([data[:10], data[:5], data[10:]]),
        target=np.concatenate([target[:10], others, target[10:]]).astype(np.int32),
        feature_names=numbers + names,
    )


def as_openml_adult(columns: Columns) -> SimpleNamespace:
    """Categories, with unknown values missing, and OpenML's names."""
    published = {ours: theirs for theirs, ours in _ADULT_NAMES.items()}
    frame = {}
    for column in RECIPES["adult"].columns:
        values = pd.Series(columns[column])
        if column in (known := RECIPES["adult"].levels):
            levels = known[column]
            texts = [None if levels[code] == "?" else levels[code] for code in values]
            values = pd.Series(texts).astype("category")
        frame[published.get(column, column.replace("_", "-"))] = values
    target = pd.Series(np.where(columns["y"] == 1, ">50K", "<=50K"), name="class")
    return SimpleNamespace(data=pd.DataFrame(frame), target=target.astype("category"))


def as_openml_letter(columns: Columns) -> SimpleNamespace:
    frame = {c.replace(".", "-"): columns[c] for c in RECIPES["letter-a"].columns}
    target = pd.Series([chr(ord("A") + code) for code in columns["letter"]]).astype("category")
    return SimpleNamespace(data=pd.DataFrame(frame), target=target)


def as_california(columns: dict[str, Any]) -> SimpleNamespace:
    """Averages for each household and values in 100,000, computed as scikit-learn does."""
    homes = np.asarray(columns["households"], dtype=np.float64)
    data = {
        "MedInc": columns["medianIncome"],
        "HouseAge": columns["housingMedianAge"],
        "AveRooms": columns["totalRooms"] / homes,
        "AveBedrms": columns["totalBedrooms"] / homes,
        "Population": columns["population"],
        "AveOccup": columns["population"] / homes,
        "Latitude": columns["latitude"],
        "Longitude": columns["longitude"],
    }
    return SimpleNamespace(
        data=np.column_stack([*data.values()]),
        target=columns["medianHouseValue"] / 100_000.0,
        feature_names=[*data],
    )


def as_text(name: str, columns: Columns) -> pd.DataFrame:
    """Rows as published: levels by their names, shares as decimals."""
    recipe = RECIPES[name]
    frame = {}
    for column in recipe.columns:
        values = np.asarray(columns[column])
        if column in recipe.levels:
            frame[column] = np.array(recipe.levels[column])[values]
        elif column.endswith("_rate"):
            frame[column] = [f"{value / 100:.2f}" for value in values]
        else:
            frame[column] = values
    return pd.DataFrame(frame)


def as_archive(name: str, columns: Columns) -> dict[str, bytes]:
    """Files of the UCI KDD archive by their names."""
    frame, y = as_text(name, columns), columns["y"]
    if name == "intrusion":
        frame["attack"] = np.where(y == 1, "smurf.", "normal.")
        return {"corrected.gz": gzip.compress(frame.to_csv(header=False, index=False).encode())}
    frame.insert(0, "CONTROLN", np.arange(N) + 100)
    frame["OTHER"] = " "
    found, half = {}, N // 2
    first, second = frame[:half].assign(TARGET_B=y[:half]), frame[half:]
    for file, part in (("lrn", first), ("val", second)):
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w") as archive:
            archive.writestr(f"cup98{file.upper()}.txt", part.to_csv(index=False))
        found[f"cup98{file}.zip"] = raw.getvalue()
    targets = second[["CONTROLN"]].assign(TARGET_B=y[half:], TARGET_D=0.0)
    return found | {"valtargt.txt": targets.to_csv(index=False).encode()}


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, columns: dict[str, Any]) -> None:
    """Let the fetcher of one data set return these columns."""

    def openml(*, name: str, version: int, as_frame: bool) -> SimpleNamespace:
        assert as_frame
        made = {("adult", 2): as_openml_adult, ("letter", 1): as_openml_letter}
        return made[name, version](columns)

    never_fetch(monkeypatch)
    datasets = sklearn.datasets
    if name in ARCHIVE:
        files = as_archive(name, columns)
        monkeypatch.setattr(
            urllib.request, "urlopen", lambda url, timeout: io.BytesIO(files[Path(url).name])
        )
    elif name == "covertype":
        monkeypatch.setattr(datasets, "fetch_covtype", lambda: as_covtype(columns))
    elif name == "calhous":
        monkeypatch.setattr(datasets, "fetch_california_housing", lambda: as_california(columns))
    else:
        monkeypatch.setattr(datasets, "fetch_openml", openml)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Downloaded files stay in a folder of the test."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))


def never_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked for a download")

    monkeypatch.setattr(urllib.request, "urlopen", refuse)

    for fetcher in ("fetch_covtype", "fetch_openml", "fetch_california_housing"):
        monkeypatch.setattr(sklearn.datasets, fetcher, refuse)


@pytest.mark.parametrize("name", RECIPES)
def test_what_is_fetched_equals_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(monkeypatch, name)
    columns = small_table(name)
    write(tmp_path, name, columns)
    stand_in(monkeypatch, name, columns)
    filed, fetched = load_dataset(name, tmp_path), load_dataset(name, fetch=True)
    assert fetched.source == "the internet"
    assert fetched.columns == filed.columns
    np.testing.assert_array_equal(fetched.features, filed.features)
    np.testing.assert_array_equal(fetched.levels, filed.levels)
    np.testing.assert_array_equal(fetched.y, filed.y)
    if name in ARCHIVE:  # what was downloaded once is not downloaded again
        never_fetch(monkeypatch)
        np.testing.assert_array_equal(load_dataset(name, fetch=True).y, filed.y)


def test_a_file_comes_before_a_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expect(monkeypatch, "calhous")
    never_fetch(monkeypatch)
    write(tmp_path, "calhous", small_table("calhous"))
    assert load_dataset("calhous", tmp_path, fetch=True).source.endswith("calhous.parquet")


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("problem", [URLError("no route"), ValueError("not active")])
def test_a_failed_download_is_explained(
    name: str, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.delenv("ROCBANDS_DATA", raising=False)
    for fetcher in ("fetch_covtype", "fetch_openml", "fetch_california_housing"):
        monkeypatch.setattr(sklearn.datasets, fetcher, fail)
    monkeypatch.setattr(urllib.request, "urlopen", fail)
    with pytest.raises(MissingDataError, match="Check the connection, or name with `folder` a fol"):
        load_dataset(name, fetch=True)


def test_published_data_that_changed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    expect(monkeypatch, "adult")
    bunch = as_openml_adult(small_table("adult"))
    bunch.data["race"] = bunch.data["race"].astype(object).replace("White", "Green")
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: bunch)
    with pytest.raises(InputError, match="known values in column 'race'; found Green"):
        load_dataset("adult", fetch=True)
    bunch.data = bunch.data.drop(columns="race")
    with pytest.raises(InputError, match="no column 'race'"):
        load_dataset("adult", fetch=True)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCBANDS_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    with pytest.raises(InputError, match=r"pip install \./papers"):
        load_dataset("adult", fetch=True)


# ---------------------------------------------------------------- the real files

real = pytest.mark.skipif(not os.environ.get("ROCBANDS_DATA"), reason="ROCBANDS_DATA is not set")


@real
@pytest.mark.parametrize(
    ("name", "columns", "share"),
    [
        ("covertype", 12, 0.572),
        ("adult", 14, 1 - 0.761),
        ("letter-a", 16, 1 - 0.961),
        ("letter-v", 16, 1 - 0.806),
        ("calhous", 8, 0.516),
        ("intrusion", 41, 0.805),
    ],
)
def test_the_real_files(name: str, columns: int, share: float) -> None:
    data = load_dataset(name)
    assert data.features.shape == (RECIPES[name].rows, columns)
    assert data.positive_share == pytest.approx(share, abs=6e-4)


@real
def test_the_whole_numbers_of_california_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    filed = load_dataset("calhous")
    table = pq.read_table(Path(os.environ["ROCBANDS_DATA"]) / "calhous.parquet")
    stand_in(monkeypatch, "calhous", {c: table[c].to_numpy() for c in table.column_names})
    monkeypatch.delenv("ROCBANDS_DATA")
    np.testing.assert_array_equal(load_dataset("calhous", fetch=True).features, filed.features)


@real
def test_intrusion_written_as_text_is_read_as_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    filed = load_dataset("intrusion")
    columns = dict(zip(filed.columns, filed.features.T.astype(np.int64), strict=True))
    stand_in(monkeypatch, "intrusion", columns | {"y": filed.y})
    monkeypatch.delenv("ROCBANDS_DATA")
    fetched = load_dataset("intrusion", fetch=True)
    np.testing.assert_array_equal(fetched.features, filed.features)
    np.testing.assert_array_equal(fetched.y, filed.y)
