"""The printed query, run for real, finds the counts that we find; names are never code."""

from __future__ import annotations

import math
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.scale.sql import DIALECTS, counting_query

LEAST = 2.0**-126
EDGES = [
    0.0,
    5e-324,
    LEAST,
    math.nextafter(LEAST, 0),
    1.0,
    2.0,
    0.5,
    1.7976931348623157e308,
    math.inf,
]
EDGES += [
    math.nextafter(2.0**k, side) for k in (-125, -30, -1, 0, 3, 1000) for side in (0, math.inf)
]
EDGES += [2.0**k * (1 + m / 4096) for k in (-40, -3, 7) for m in (0, 1, 4095)]
EDGES += [-x for x in EDGES]
NASTY = [
    "plain",
    "two words",
    'quo"te',
    "apo'strophe",
    "'; drop table x; --",
    '"; drop table x; --',
    "back`tick",
    "back\\slash",
    "per%cent{x}",
    "new\nline",
    "a.b",
    "[1]*?",
    "größe 数",
    "order",
    "rb_x",
]


def in_duckdb(query: str, rows: pa.Table, name: str = "t") -> Any:
    with duckdb.connect() as engine:
        engine.register(name, rows)
        return engine.sql(query).to_arrow_table()


def in_sqlite(query: str, rows: pa.Table, name: str = "t") -> Any:
    with sqlite3.connect(":memory:") as engine:
        quoted = [DIALECTS["sqlite"].name(column) for column in rows.column_names]
        table = DIALECTS["sqlite"].name(name)
        engine.execute(f"CREATE TABLE {table} ({', '.join(quoted)})")
        marks = ", ".join("?" * len(quoted))
        data = zip(*(column.to_pylist() for column in rows.columns), strict=True)
        engine.executemany(f"INSERT INTO {table} VALUES ({marks})", data)
        found = engine.execute(query)
        names = [column[0] for column in found.description]
        return pa.table([list(c) for c in zip(*found.fetchall(), strict=True)], names=names)


ENGINES = {"duckdb": in_duckdb, "sqlite": in_sqlite}


def read(found: Any, folder: Path) -> rb.ScoreCounts:
    pq.write_table(found, folder / "counts.parquet")
    return rb.ScoreCounts.load(folder / "counts.parquet")


@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_database_finds_our_counts(engine: str, exact: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    scores = np.concatenate([EDGES, rng.normal(size=500), 10.0 ** rng.uniform(-50, 50, 500)])
    y = rng.integers(0, 2, scores.size)
    rows = pa.table(
        {"y": y, "a": scores, "b": rng.permutation(scores), "g": rng.choice(["u", "v"], y.size)}
    )
    asked: dict[str, Any] = {"label": "y", "score": ["a", "b"], "by": "g", "exact": exact}
    query = counting_query("t", dialect=engine, **asked)
    found = read(ENGINES[engine](query, rows), tmp_path)
    ours = rb.count_scores(rows, **asked)
    known = {"positive": None, "negative": None, "by": None, "sentence": found.sentence}
    assert found.to_dict() == ours.to_dict() | known
    table = ENGINES[engine](query, rows)
    direct = rb.ScoreCounts.from_table(table, positive="1", negative="0", by="g")
    assert direct.to_dict() == ours.to_dict()
    assert pickle.loads(pickle.dumps(direct)).to_dict() == ours.to_dict()


@pytest.mark.parametrize("engine", ENGINES)
@given(st.lists(st.floats(allow_nan=False) | st.sampled_from(EDGES), min_size=1, max_size=30))
def test_a_database_finds_the_bin_of_any_float(engine: str, xs: list[float]) -> None:
    rows = pa.table({"y": [1] * len(xs), "s": pa.array(xs, pa.float64())})
    found = ENGINES[engine](counting_query("t", dialect=engine, label="y", score=["s"]), rows)
    ours = rb.ScoreCounts.from_arrays([1] * len(xs), {"s": xs})
    assert sorted(found.column("bin").to_pylist()) == ours.value.tolist()


@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_condition_leaves_rows_out(engine: str, exact: bool, tmp_path: Path) -> None:
    rows = pa.table({"y": [1, 0, 1, 0], "s": [4.0, 3.0, 2.0, 1.0], "day": [1, 1, 2, 2]})
    asked: dict[str, Any] = {"label": "y", "score": ["s"], "exact": exact}
    query = counting_query("t", dialect=engine, where="day = 1 OR s < 1.5 -- early", **asked)
    found = read(ENGINES[engine](query, rows), tmp_path)
    assert (found.positives.tolist(), found.negatives.tolist()) == ([0, 0, 1], [1, 1, 0])
    assert query.startswith("-- Positives and negatives")
    assert query.splitlines()[2] == "SELECT"


def test_short_floats_have_the_same_bins_in_a_database(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    s = rng.normal(size=3000).astype(np.float32) * np.float32(10) ** rng.integers(-44, 38, 3000)
    rows = pa.table({"y": rng.integers(0, 2, 3000), "s": s.astype(np.float32)})
    found = read(
        in_duckdb(counting_query("t", dialect="duckdb", label="y", score=["s"]), rows), tmp_path
    )
    assert found.value.tolist() == rb.count_scores(rows, label="y").value.tolist()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("nasty", NASTY)
def test_names_and_labels_are_data(engine: str, nasty: str, tmp_path: Path) -> None:
    label, score, cluster, table = (f"{nasty}{i}" for i in range(4))
    rows = pa.table({label: [nasty, "other", nasty], score: [0.5, 0.25, 0.5], cluster: ["g"] * 3})
    asked: dict[str, Any] = {"label": label, "score": [score], "positive": nasty, "by": cluster}
    quoted = '"' + table + '"' if "." in table else table.replace('"', "")
    plain = table if "." in table else table.replace('"', "")
    query = counting_query(quoted, dialect=engine, **asked)
    found = read(ENGINES[engine](query, rows, plain), tmp_path)
    ours = rb.count_scores(rows, **asked)
    assert found.models == (score,)
    assert found.positives.tolist() == ours.positives.tolist() == [0, 2]
    for source in (rows.to_pandas(), duckdb.from_arrow(rows), rows.to_reader()):
        assert rb.count_scores(source, **asked).to_dict() == ours.to_dict()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("nasty", NASTY)
def test_a_quoted_name_ends_where_it_should(dialect: str, nasty: str) -> None:
    """Read the quoted text as the dialect's own lexer would: nothing is left over."""
    words = DIALECTS[dialect]
    assert unquoted(words.name(nasty), words.mark, dialect == "bigquery") in (nasty, nasty.upper())
    assert unquoted(words.text(nasty), "'", words.backslash) == nasty


def unquoted(text: str, mark: str, backslash: bool) -> str:
    assert text[0] == text[-1] == mark
    inside, found, i = text[1:-1], "", 0
    while i < len(inside):
        if backslash and inside[i] == "\\":
            found += {"n": "\n", "r": "\r"}.get(inside[i + 1], inside[i + 1])
            i += 2
        elif inside[i] == mark:
            assert not backslash
            assert inside[i + 1] == mark
            found += mark
            i += 2
        else:
            found += inside[i]
            i += 1
    return found


def test_rows_that_cannot_be_counted_are_refused_when_read(tmp_path: Path) -> None:
    query = counting_query("t", dialect="duckdb", label="y", score=["s"])
    nan = pa.table({"y": [1, 0], "s": [math.nan, 1.0]})
    null = pa.table({"y": [1, 0], "s": [None, 1.0]})
    for rows in (nan, null):
        with pytest.raises(InputError, match="rows without a score"):
            read(in_duckdb(query, rows), tmp_path)
    unlabelled = pa.table({"y": [1, None], "s": [0.5, 1.0]})
    with pytest.raises(InputError, match="must have a label; 1 had none"):
        read(in_duckdb(query, unlabelled), tmp_path)


def test_what_makes_no_query_is_refused() -> None:
    asked: dict[str, Any] = {"label": "y", "score": ["s"]}
    with pytest.raises(InputError, match="one of duckdb"):
        counting_query("t", dialect="oracle", **asked)
    for name in ("", "a..b", '"open', ".t"):
        with pytest.raises(InputError, match="must have a name"):
            counting_query(name, dialect="duckdb", **asked)
    with pytest.raises(InputError, match="NUL"):
        counting_query("t\0", dialect="duckdb", **asked)
    with pytest.raises(InputError, match="got none"):
        counting_query("t", dialect="duckdb", label="y", score=[])
    with pytest.raises(InputError, match="text, a finite number or True"):
        counting_query("t", dialect="duckdb", positive=[1], **asked)
    for condition in ("", " ", "x\0"):
        with pytest.raises(InputError):
            counting_query("t", dialect="duckdb", where=condition, **asked)
    assert '"SHOP"."S".' in counting_query('shop.s."a.b"', dialect="snowflake", **asked)
    assert "TRUE" in counting_query("t", dialect="spark", positive=True, **asked)


def test_numbers_of_numpy_and_quotes_in_names() -> None:
    for positive in (np.float64(1), np.int8(1), np.bool_(True)):
        query = counting_query("t", dialect="duckdb", label="y", score=["s"], positive=positive)
        assert f"rb_label = {'TRUE' if positive.dtype == bool else repr(positive.item())} " in query
    for positive in (math.nan, math.inf, np.float64("nan")):
        with pytest.raises(InputError, match="a finite number"):
            counting_query("t", dialect="duckdb", label="y", score=["s"], positive=positive)
    query = counting_query('"a""b".c', dialect="duckdb", label="y", score=["s"], exact=True)
    assert 'FROM "a""b"."c")' in query
    for name in ('a"b', '"a"b', '""', "a."):
        with pytest.raises(InputError, match="must have a name"):
            counting_query(name, dialect="duckdb", label="y", score=["s"])
