"""One query puts scores into the same bins on every engine; names and odd files are data."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocbands as rb
from rocbands.io.columns import Choice, Wanted
from rocbands.scale.query import count_columns
from rocbands.scale.sources import Scan
from tests.scale.nasty import assert_same, labels_for, nasty_scores

SCORES = nasty_scores()
LABELS = labels_for(SCORES)
SITE = np.where(np.arange(SCORES.size) % 3 == 0, "north", "south")
WEIGHTS = np.random.default_rng(4).uniform(0.1, 2.0, SCORES.size)
COLUMNS = {"y": LABELS, "site": SITE, "old": SCORES, "new": SCORES[::-1], "w": WEIGHTS}
PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def in_dask(frame: pd.DataFrame) -> Any:
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(frame, npartitions=3)


def in_ibis(frame: pd.DataFrame) -> Any:
    return pytest.importorskip("ibis").memtable(frame)


ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "Polars": pl.from_pandas,
    "lazy Polars": lambda frame: pl.from_pandas(frame).lazy(),
    "PyArrow": pa.Table.from_pandas,
    "DuckDB": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame)),
    "Dask": in_dask,
    "Ibis": in_ibis,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_fills_the_same_cells(name: str, exact: bool) -> None:
    here = rb.ScoreCounts.from_arrays(
        LABELS,
        {"old": SCORES, "new": SCORES[::-1]},
        by=pd.Series(SITE, name="site"),
        weights=WEIGHTS,
        exact=exact,
    )
    choice = Choice("y", ("old", "new", "w"), ("site",), ("w",))
    frame = pd.DataFrame({f"c{k}": COLUMNS[name] for k, name in enumerate(choice.names)})
    scan = Scan(Wanted("the rows"))
    lazy = nw.from_native(ENGINES[name](frame)).lazy()
    counted = count_columns(lazy, choice, "the rows", scan, exact)
    found = rb.ScoreCounts.of(
        **counted.count_columns(choice.models, scan.by.values, np.array(scan.labels.values) == 1),
        labels=("1", "0"),
        by="site",
        origin=here.origin,
    )
    assert_same(found, here)
    np.testing.assert_allclose(found.weights, here.weights, rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("name", ["lazy Polars", "DuckDB", "Dask", "Ibis"])
def test_lazy_frames_are_counted_by_their_engines(name: str, exact: bool) -> None:
    frame = pd.DataFrame(COLUMNS)
    how: dict[str, Any] = {"label": "y", "score": ["old", "new"], "by": "site", "exact": exact}
    lazy = ENGINES[name](frame)
    assert_same(rb.count_scores(lazy, **how), rb.count_scores(frame, **how))
    frame.loc[3, "new"] = np.nan
    frame.loc[5, "new"] = np.nan
    with pytest.raises(rb.InputError, match=r"column 'new' .* null or NaN in 2 rows"):
        rb.count_scores(ENGINES[name](frame), **how)
    with pytest.raises(rb.InputError, match=r"has no column 'nwe'\. Did you mean"):
        rb.count_scores(lazy, label="y", score="nwe")


def test_a_relation_of_any_connection() -> None:
    with duckdb.connect() as engine:
        rows = engine.from_arrow(pa.table(COLUMNS))
        found = rb.count_scores(rows, label="y", score=["old", "new"])
    assert_same(found, rb.count_scores(pa.table(COLUMNS), label="y", score=["old", "new"]))


def test_ctrl_c_ends_the_query_of_a_relation() -> None:
    code = """
import threading, _thread, duckdb, rocbands as rb
rows = duckdb.sql("SELECT i % 2 AS y, random() AS score FROM range(100000000) t(i)")
threading.Timer(2.0, _thread.interrupt_main).start()
try:
    rb.count_scores(rows)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("interrupted\n")


@pytest.mark.usefixtures("any_size")
@pytest.mark.parametrize("exact", [False, True])
def test_nan_that_statistics_of_parquet_hide(exact: bool, tmp_path: Path) -> None:
    """DuckDB 2.0 takes isnan for false where they have a finite maximum."""
    rng = np.random.default_rng(1)
    y, s, w = rng.integers(0, 2, 3000), rng.random(3000), rng.random(3000) + 0.1
    for name, bad in {"score": (s, w), "w": (w, s)}.items():
        values = bad[0].copy()
        values[2000] = np.nan
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"y": y, "score": s, "w": w} | {name: values}), path)
        how = {"score": "score", "weights": "w", "exact": exact}
        with pytest.raises(rb.InputError, match=f"row 2001: column '{name}' must be"):
            rb.count_scores(path, **how)
        with (
            duckdb.connect() as engine,
            pytest.raises(rb.InputError, match=f"column '{name}' must (contain|have a value)"),
        ):
            rb.count_scores(engine.read_parquet(str(path)), **how)
    with duckdb.connect() as engine:
        s[7] = np.inf
        pq.write_table(pa.table({"y": y, "score": s}), tmp_path / "inf.parquet")
        counts = rb.count_scores(engine.read_parquet(str(tmp_path / "inf.parquet")), exact=exact)
    assert counts.roc.auc == pytest.approx(rb.roc_curve(y, s).auc, abs=1e-4)


@pytest.mark.usefixtures("any_size")
def test_names_are_data(tmp_path: Path) -> None:
    names = ["y'\"`;--", 'score "a".b', "Score", "score"]
    y, s = [1, 0, 1, 0], [0.5, 0.25, 0.75, 0.25]
    rows = pa.table([y, s, s[::-1], s], names=names)
    here = rb.ScoreCounts.from_arrays(y, {names[1]: s, "Score": s[::-1], "score": s})
    pq.write_table(rows, tmp_path / "a.parquet")
    rows.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    rows.to_pandas().to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    for source in (*sorted(tmp_path.iterdir()), frame.lazy()):
        assert_same(rb.count_scores(source, label=names[0], score=names[1:]), here)


@pytest.mark.usefixtures("any_size")
def test_a_column_of_the_folder_is_no_column_of_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "y=7"
    folder.mkdir()
    pq.write_table(pa.table({"y": [1, 0], "score": [0.5, 0.25]}), folder / "a.parquet")
    assert rb.count_scores(folder).roc.auc == 1.0


TEXTS = {
    "a separator at the end": "y,score\n1,0.5,\n0,0.25,\n",
    "a blank behind a quote": 'y,score\n"1" ,0.5\n0,0.25\n',
    "both line ends": "y,score\n1,0.5\r\n0,0.25\n",
    "blank lines": "\n\ny,score\n\n1,0.5\n\n0,0.25\n\n",
    "a line of blanks": "y,score\n1,0.5\n  \n0,0.25\n",
    "carriage returns": "y,score\r1,0.5\r0,0.25\r",
    "quotes": 'y,score\n"a,""b""","0.5"\nc,0.25\n',
    "a quoted line end": 'y,score\n"a\nb",0.5\nc,0.25\n',
    "thousands": "y;score\n1;1.708,5\n0;0,25\n",
    "either": "y;score\n1;1.708\n0;0.25\n",
    "a late decimal": "y,score\n" + "1,5\n0,4\n" * 20 + "1,1.708\n",
    "both signs": "y;score\n1;0,5\n0;0.25\n",
    "underscores": "y,score\n1,1_000\n0,0.25\n",
    "a minus of typography": "y,score\n1,\u22125\n0,0.25\n",
    "no number": "y,score\n1,0.5\n0,x\n",
    "an empty score": "y,score\n1,0.5\n0,\n",
    "an empty label": "y,score\n1,0.5\n,0.25\n",
    "a missing label": "y,score\n1,0.5\nNA,0.25\n",
    "short": "y,score\n1,0.5\n0\n",
    "long": "y,score\n1,0.5\n0,1,2\n",
    "NUL": "y,score\n1,0.5\n0,1\0\n",
    "overflow": "y,score\n1,1e999\n0,-1e999\n",
    "tabs": "y\tscore\n1\t0.5\n0\t0.25\n",
    "no end": "y,score\n1,0.5\n0,0.25",
    "repeated names": "x,y,score,x\n,1,0.5,\n7,0,0.25,7\n",
}
LINES = {
    "quoted numbers": '{"y": 1, "score": "0.5"}\n{"y": 0, "score": 0.25}\n',
    "infinity": '{"y": 1, "score": "inf"}\n{"y": 0, "score": 0.25}\n',
    "NaN": '{"y": 1, "score": NaN}\n{"y": 0, "score": 0.25}\n',
    "a huge number": '{"y": 1, "score": 1%s}\n{"y": 0, "score": 0.25}\n' % ("0" * 400),
    "labels of two kinds": '{"y": 1, "score": 0.5}\n{"y": "a", "score": 0.25}\n',
    "whole and not": '{"y": 1, "score": 0.5}\n{"y": 0.0, "score": 0.25}\n',
    "words": '{"y": "\\u00e9", "score": 0.5}\n{"y": "b", "score": 0.25}\n',
    "booleans": '{"y": true, "score": 5}\n{"y": false, "score": 2}\n',
    "a key that is missing": '{"y": 1, "score": 0.5}\n{"y": 0}\n',
    "null": '{"y": 1, "score": 0.5}\n{"y": null, "score": 1}\n',
    "two on a line": '{"y": 1, "score": 0.5}{"y": 0, "score": 0.25}\n',
    "other keys": '{"y": 1, "score": 0.5}\n\n{"score": 0.25, "z": [1], "y": 0}\n',
    "no object": '{"y": 1, "score": 0.5}\n5\n',
    "cut off": '{"y": 1, "score": 0.5}\n{"y": 0, "sc',
}


@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@pytest.mark.parametrize("case", [*TEXTS, *LINES])
def test_duckdb_and_we_read_the_same(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.txt"
    path.write_bytes({**TEXTS, **LINES}[case].encode())
    found = []
    for least in (1 << 40, 0):
        monkeypatch.setattr("rocbands.io.engine._LARGE", least)
        for positive in (None, 'a,"b"', "a\nb", "\u00e9"):
            try:
                counts = rb.count_scores(path, positive=positive, exact=True)
                found.append(str(counts.to_dict()))
            except rb.InputError as problem:
                found.append(str(problem))
    assert found[:4] == found[4:]


@pytest.mark.parametrize("name", ["a[1]*?.parquet", "größe.csv", "it's.csv", "~x.csv"])
def test_names_of_large_files_are_data(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocbands.io.engine._LARGE", 0)
    monkeypatch.chdir(tmp_path)
    rows = pd.DataFrame({"y": [1, 0], "score": [0.5, 0.25]})
    rows.to_parquet(name) if name.endswith("parquet") else rows.to_csv(name, index=False)
    assert rb.count_scores(name).roc.auc == 1.0


def query_of_the_page() -> str:
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(query)


def test_the_query_of_the_page_finds_our_counts() -> None:
    rows = pa.table({"paid": LABELS, "risk": SCORES})
    here = rb.ScoreCounts.from_arrays(LABELS, {"risk": SCORES})
    query = query_of_the_page()
    with duckdb.connect() as engine:
        engine.register("scored", rows)
        theirs = rb.ScoreCounts.from_table(engine.sql(query).to_arrow_table())
    without_nan = "".join(line for line in query.splitlines(keepends=True) if "NaN" not in line)
    with sqlite3.connect(":memory:") as lite:
        lite.execute("CREATE TABLE scored (paid INTEGER, risk REAL)")
        pairs = zip(LABELS.tolist(), SCORES.tolist(), strict=True)
        lite.executemany("INSERT INTO scored VALUES (?, ?)", pairs)
        found = lite.execute(without_nan)
        names = [column[0] for column in found.description]
        table = pa.table([*map(list, zip(*found.fetchall(), strict=True))], names=names)
    for counts in (theirs, rb.ScoreCounts.from_table(table)):
        for name in ("value", "positives", "negatives"):
            assert getattr(counts, name).tolist() == getattr(here, name).tolist()
    with duckdb.connect() as engine:
        engine.register("scored", pa.table({"paid": [1, 0], "risk": [0.5, float("nan")]}))
        with pytest.raises(rb.InputError, match="bin"):
            rb.ScoreCounts.from_table(engine.sql(query).to_arrow_table())
