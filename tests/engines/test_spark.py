"""Spark counts what we count: on its own cluster, with nothing but counts back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.scale.nasty import assert_same, labels_for, nasty_scores

# Spark speaks of pandas' version, of sockets left open and of its own old ways.
pytestmark = pytest.mark.filterwarnings("ignore")

SCORES = nasty_scores()
LABELS = labels_for(SCORES)
SHORT = SCORES[np.abs(SCORES.astype(np.float64)) < 3e38].astype(np.float32)


@pytest.fixture(params=["true", "false"], ids=["ansi", "lenient"])
def ansi(request: pytest.FixtureRequest, spark: Any) -> Iterator[None]:
    """Spark 4 raises where Spark 3 gave null: in casts, in overflow, in division by zero."""
    spark.conf.set("spark.sql.ansi.enabled", request.param)
    yield
    spark.conf.unset("spark.sql.ansi.enabled")


def frame(spark: Any, schema: str, *columns: Any) -> Any:
    rows = [column.tolist() if hasattr(column, "tolist") else column for column in columns]
    return spark.createDataFrame(list(zip(*rows, strict=True)), schema).repartition(5)


@pytest.mark.usefixtures("ansi")
@pytest.mark.parametrize("exact", [False, True])
def test_nasty_scores_fall_into_the_same_bins(spark: Any, exact: bool) -> None:
    rows = frame(spark, "y int, s double", LABELS, SCORES)
    here = rb.ScoreCounts.from_arrays(LABELS, {"s": SCORES}, exact=exact)
    assert_same(rb.count_scores(rows, exact=exact), here)


@pytest.mark.parametrize("exact", [False, True])
def test_short_floats_parts_and_models_in_one_pass(spark: Any, exact: bool) -> None:
    y = labels_for(SHORT)
    truth = np.where(y == 1, "ill", "well")
    site = np.where(np.arange(y.size) % 3 == 0, "north", "south")
    long = np.linspace(-3, 3, y.size)
    rows = frame(spark, "y string, a float, b double, site string", truth, SHORT, long, site)
    found = rb.count_scores(
        rows, label="y", score=["b", "a"], positive="ill", by="site", exact=exact
    )
    here = rb.ScoreCounts.from_arrays(
        truth, {"a": SHORT, "b": long}, positive="ill", by=site, exact=exact
    )
    assert_same(found, replace(here, by="site"))


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_whole_numbers(spark: Any, kind: str) -> None:
    whole = np.arange(-100, 101)
    y = labels_for(whole)
    rows = frame(spark, f"y boolean, s {kind}", y == 1, whole)
    for exact in (False, True):
        found = rb.count_scores(rows, exact=exact)
        assert_same(found, rb.ScoreCounts.from_arrays(y == 1, {"s": whole}, exact=exact))


def test_whole_numbers_that_floats_would_round(spark: Any) -> None:
    large = np.array([2**53 + 1, 2**53, -(2**63), 2**63 - 1])
    rows = frame(spark, "y int, s bigint", [1, 0, 1, 0], large)
    with pytest.raises(rb.InputError, match=r"up to 2\*\*53"):
        rb.count_scores(rows)
    here = rb.ScoreCounts.from_arrays([1, 0, 1, 0], {"s": large}, exact=True)
    assert_same(rb.count_scores(rows, exact=True), here)


def test_parts_of_any_kind_are_called_what_they_are_called_here(spark: Any) -> None:
    days = [dt.date(2026, 1, 1 + k % 3) for k in range(30)]
    flags = [k % 2 == 0 for k in range(30)]
    numbers = [k % 4 for k in range(30)]
    y, s = [k % 2 for k in range(30)], [k / 8 for k in range(30)]
    rows = frame(spark, "y int, s double, d date, f boolean, n int", y, s, days, flags, numbers)
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"y": y, "s": s, "d": days, "f": flags, "n": numbers})
    for name in ("d", "f", "n"):
        how: dict[str, Any] = {"score": "s", "by": name}
        assert_same(rb.count_scores(rows, **how), rb.count_scores(table, **how))


def test_names_are_data(spark: Any) -> None:
    names = ["a.b", "`; DROP TABLE x; --", 'it\'s "quoted"\n%s {} ', "S", "s"]
    rows = frame(
        spark,
        "v int, w double, x string, y double, z double",
        *[[1, 0, 1]] * 1,
        *[[0.5, 0.25, 0.5], ["u", "v", "u"], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]],
    ).toDF(*names)
    found = rb.count_scores(rows, label=names[0], score=names[1], by=names[2])
    assert found.models == (names[1],)
    assert found.parts == ("u", "v")
    one, two = (rb.count_scores(rows, label=names[0], score=name) for name in ("S", "s"))
    assert (one.roc.auc, two.roc.auc) == (0.5, 0.5)
    assert one.models != two.models


@pytest.mark.parametrize(
    ("schema", "rows", "problem"),
    [
        ("y int, s double", [(1, None), (0, 0.5)], "'s' .* null or NaN in 1 row"),
        ("y int, s double", [(1, float("nan")), (0, None), (0, 1.0)], "'s' .* in 2 rows"),
        ("y int, s bigint", [(1, None), (0, 5)], "'s' .* in 1 row"),
        ("y int, s double", [(None, 0.1), (0, 0.5)], "'y' .* in 1 row"),
        ("y double, s double", [(float("nan"), 0.1), (0.0, 0.5)], "'y' .* in 1 row"),
        ("y string, s double", [("a", 0.1), ("b", 0.5)], "Which label of `y` is positive"),
        ("y int, s double", [(1, 0.1), (2, 0.5), (0, 0.5)], "two labels; it has 3"),
        ("y int, s string", [(1, "0.1"), (0, "0.5")], "'s' .* its type is String"),
        ("y int, s decimal(3,1)", None, "'s' .* its type is Decimal"),
        ("y timestamp, s double", None, "'y' .* its type is Datetime"),
        ("y int, s double", None, "There must be rows to count"),
        ("y int, a double, b double", None, "which columns contain scores"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    spark: Any, schema: str, rows: Any, problem: str
) -> None:
    how = {} if schema.endswith("b double") else {"score": "s"}
    for exact in (False, True):
        with pytest.raises(rb.InputError, match=problem):
            rb.count_scores(spark.createDataFrame(rows or [], schema), exact=exact, **how)


def test_a_missing_part_is_refused(spark: Any) -> None:
    rows = spark.createDataFrame([(1, 0.5, "a"), (0, 0.5, None)], "y int, s double, g string")
    with pytest.raises(rb.InputError, match=r"'g' .* in 1 row"):
        rb.count_scores(rows, score="s", by="g")


def test_a_thousand_labels_are_none(spark: Any) -> None:
    rows = spark.range(5000).selectExpr("cast(id as string) as y", "rand(1) as s")
    with pytest.raises(rb.InputError, match="must contain two labels; it has more than 1000"):
        rb.count_scores(rows)


def test_a_task_that_fails_is_done_again(spark: Any, tmp_path: Path) -> None:
    """Each partition's first attempt fails; local[2,4] allows four."""
    marks = str(tmp_path)

    def stumble(rows: Any) -> Any:
        import os

        from pyspark import TaskContext

        attempt = TaskContext.get().attemptNumber()
        open(
            os.path.join(marks, f"{TaskContext.get().partitionId()}-{attempt}"),
            "w",
            encoding="utf-8",
        ).close()
        if attempt == 0:
            raise RuntimeError("this worker is gone")
        return rows

    y, s = [k % 2 for k in range(400)], [k / 64 for k in range(400)]
    rdd = spark.sparkContext.parallelize(list(zip(y, s, strict=True)), 4).mapPartitions(stumble)
    found = rb.count_scores(spark.createDataFrame(rdd, "y int, s double"))
    assert_same(found, rb.ScoreCounts.from_arrays(y, {"s": s}))
    assert {path.name for path in tmp_path.iterdir()} >= {
        f"{p}-{a}" for p in range(4) for a in (0, 1)
    }
