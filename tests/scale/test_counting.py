"""Counting: every source gives the same counts, and they are those of the rows."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.errors import InputError
from rocbands.io import engine
from rocbands.io import text as text_blocks
from rocbands.io.text import DelimitedRows
from rocbands.scale import accumulator, frames
from rocbands.scale.bins import bin_keys

pytestmark = pytest.mark.usefixtures("any_size")
ROWS = 4000


def table(rows: int = ROWS, seed: int = 1, kind: str = "float64") -> pa.Table:
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.3).astype(np.int8)
    a = (rng.normal(size=rows) + y).astype(kind)
    a[:4] = [0.0, -0.0, 1.0, -1.0]
    b = np.round(rng.beta(2, 3, rows) + 0.1 * y, 2).astype(kind)
    g = rng.choice(["north", "south", "ö;'\""], rows)
    return pa.table({"noise": rng.normal(size=rows), "y": y, "score_a": a, "score_b": b, "g": g})


def expected(rows: pa.Table, exact: bool, by: str | None = None) -> dict[tuple[Any, ...], Any]:
    """Count row by row, with nothing but a dictionary."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row in rows.to_pylist():
        for model in ("score_a", "score_b"):
            value = row[model] + 0.0 if exact else int(bin_keys(np.array([row[model]]))[0])
            found[model, row[by] if by else None, value, row["y"]] += 1
    return dict(found)


def as_dict(counts: rb.ScoreCounts) -> dict[tuple[Any, ...], Any]:
    found = {}
    columns = counts.to_dict()["columns"]
    parts = columns.get("part", [None] * len(columns["model"]))
    values = columns["bin" if counts.binned else "score"]
    lines = zip(
        columns["model"], parts, values, columns["positives"], columns["negatives"], strict=True
    )
    for model, part, value, positives, negatives in lines:
        if positives:
            found[model, part, value, 1] = positives
        if negatives:
            found[model, part, value, 0] = negatives
    return found


def write_parquet(rows: pa.Table, folder: Path) -> Any:
    pq.write_table(rows, folder / "rows.parquet", row_group_size=700)
    return folder / "rows.parquet"


def write_csv(rows: pa.Table, folder: Path) -> Any:
    pa.csv.write_csv(rows, folder / "rows.csv")
    return str(folder / "rows.csv")


def write_json(rows: pa.Table, folder: Path) -> Any:
    text = "".join(json.dumps(row) + "\n" for row in rows.to_pylist())
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder / "rows.jsonl.gz"


def write_packed_parquet(rows: pa.Table, folder: Path) -> Any:
    (folder / "rows.parquet.gz").write_bytes(
        gzip.compress(write_parquet(rows, folder).read_bytes())
    )
    return folder / "rows.parquet.gz"


def write_folder(rows: pa.Table, folder: Path) -> Any:
    target = folder / "set"
    (target / "day=1").mkdir(parents=True)
    (target / "_SUCCESS").touch()
    (target / ".hidden.csv").write_text("rubbish", encoding="utf-8")
    pq.write_table(rows[:1500], target / "day=1" / "part-0.parquet")
    pa.csv.write_csv(rows[1500:2500], target / "part-1.csv")
    pq.write_table(rows[2500:].combine_chunks(), target / "part-2.parquet")
    return target


def write_pattern(rows: pa.Table, folder: Path) -> Any:
    write_folder(rows, folder)
    return [str(folder / "set" / "**" / "*.parquet"), folder / "set" / "part-1.csv"]


SOURCES = {
    "parquet": write_parquet,
    "csv": write_csv,
    "json": write_json,
    "packed parquet": write_packed_parquet,
    "folder": write_folder,
    "patterns": write_pattern,
    "table": lambda rows, _: rows,
    "batch": lambda rows, _: rows.combine_chunks().to_batches()[0],
    "reader": lambda rows, _: rows.to_reader(300),
    "dataset": lambda rows, folder: pa.dataset.dataset(write_parquet(rows, folder)),
    "pandas": lambda rows, _: rows.to_pandas(),
    "categories": lambda rows, _: rows.to_pandas().astype({"g": "category"}),
    "polars": lambda rows, _: pl.from_arrow(rows),
    "lazy": lambda rows, folder: pl.scan_parquet(write_parquet(rows, folder)).filter(
        pl.col("y") >= 0
    ),
    "duckdb": lambda rows, _: duckdb.from_arrow(rows).filter("y >= 0"),
}


@pytest.mark.parametrize("exact", [False, True], ids=["bins", "exact"])
@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_counts_of_the_rows(name: str, exact: bool, tmp_path: Path) -> None:
    rows = table()
    counts = rb.count_scores(SOURCES[name](rows, tmp_path), label="y", by="g", exact=exact)
    assert as_dict(counts) == expected(rows, exact, "g")
    assert (counts.positive, counts.negative) == ("1", "0")
    whole = (
        rb.count_scores(SOURCES[name](rows, tmp_path / ""), label="y", exact=exact)
        if name not in ("folder", "patterns")
        else None
    )
    if whole is not None:
        assert as_dict(whole) == expected(rows, exact)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("exact", [False, True])
def test_floats_of_all_sizes(kind: str, exact: bool, tmp_path: Path) -> None:
    rows = table(kind=kind)
    counts = rb.count_scores(write_parquet(rows, tmp_path), exact=exact)
    assert as_dict(counts) == expected(rows, exact)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", ["parquet", "csv", "json"])
def test_counting_without_duckdb_is_the_same(
    name: str, exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LARGE", 0)
    path = SOURCES[name](table(), tmp_path)
    with_duckdb = rb.count_scores(path, by="g", exact=exact)
    monkeypatch.setattr(engine.importlib.util, "find_spec", lambda name: None)
    assert rb.count_scores(path, by="g", exact=exact).to_dict() == with_duckdb.to_dict()


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1]), st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0])
        ),
        min_size=2,
        max_size=40,
    ).filter(lambda rows: len({y for y, _ in rows}) == 2),
    st.integers(0, 2),
)
def test_the_certificate_holds(rows: list[tuple[int, float]], parts: int) -> None:
    y, s = (np.array(column) for column in zip(*rows, strict=True))
    owners = np.arange(y.size) % parts if parts else None
    binned = rb.ScoreCounts.from_arrays(y, {"m": s}, by=owners)
    exact = rb.ScoreCounts.from_arrays(y, {"m": s}, by=owners, exact=True)
    truth = rb.roc_curve(y, s)
    assert exact.roc.auc == truth.auc
    assert exact.roc.thresholds.tolist() == truth.thresholds.tolist()
    assert abs(binned.roc.auc - truth.auc) <= binned.certificate["m"] + 1e-15
    assert exact.certificate == {"m": 0.0}
    keys = bin_keys(s)
    alike = sum(int(a == b) for a in keys[y == 1] for b in keys[y == 0])
    pairs = np.count_nonzero(y == 1) * np.count_nonzero(y == 0)
    assert binned.certificate["m"] == pytest.approx(alike / pairs / 2)


def test_the_certificate_is_small_on_many_rows() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.2
    s = (rng.normal(size=y.size) + y).astype(np.float32)
    binned = rb.ScoreCounts.from_arrays(y, {"m": s})
    gap = abs(binned.roc.auc - rb.roc_curve(y, s).auc)
    assert 0 < gap <= binned.certificate["m"] < 2e-4


@given(st.permutations(range(4)), st.booleans())
def test_parts_in_any_order_add_up_to_the_whole(order: list[int], exact: bool) -> None:
    rows = table(80)
    cuts = [0, 10, 11, 50, 80]
    parts = [rb.count_scores(rows[a:b], exact=exact, by="g") for a, b in pairwise(cuts)]
    merged = rb.ScoreCounts.merge([parts[i] for i in order])
    assert merged.to_dict() == rb.count_scores(rows, exact=exact, by="g").to_dict()
    assert (parts[0] + parts[1] + (parts[3] + parts[2])).to_dict() == merged.to_dict()


def test_a_wide_range_and_many_parts_are_sorted_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 5000)
    s = rng.normal(size=5000) * 10.0 ** rng.integers(-300, 300, 5000)
    parts = rng.integers(0, 900, 5000)
    dense = rb.ScoreCounts.from_arrays(y, {"m": s}, by=parts)
    monkeypatch.setattr(accumulator, "_DENSE", 1)
    monkeypatch.setattr(accumulator, "_PENDING", 10)
    monkeypatch.setattr(frames, "ROWS", 64)
    sparse = rb.ScoreCounts.from_arrays(y, {"m": s}, by=parts)
    assert sparse.to_dict() == dense.to_dict()
    assert len(dense.parts) == len(np.unique(parts))


def test_a_part_may_hold_one_class_only() -> None:
    ones = rb.ScoreCounts.from_arrays([1, 1], {"m": [1.0, 2.0]})
    zeros = rb.ScoreCounts.from_arrays([0, 0], {"m": [1.0, 0.0]})
    assert (ones.positive, ones.negative) == ("1", None)
    assert (zeros.positive, zeros.negative) == ("1", "0")
    assert (ones + zeros).roc.auc == rb.roc_curve([1, 1, 0, 0], [1.0, 2.0, 1.0, 0.0]).auc
    with pytest.raises(InputError, match="at least one negative"):
        ones.roc  # noqa: B018
    assert ones.certificate == {}


def test_parts_that_do_not_fit_are_refused() -> None:
    good = rb.ScoreCounts.from_arrays([1, 0], {"m": [1.0, 2.0]})
    others = {
        "all be in bins": rb.ScoreCounts.from_arrays([1, 0], {"m": [1.0, 2.0]}, exact=True),
        "all be by a column": rb.ScoreCounts.from_arrays([1, 0], {"m": [1.0, 2.0]}, by=[1, 2]),
        "the same models": rb.ScoreCounts.from_arrays([1, 0], {"n": [1.0, 2.0]}),
        "found '1'/'0' and '0'/'1'": rb.ScoreCounts.from_arrays(
            [1, 0], {"m": [1.0, 2.0]}, positive=0
        ),
        "found '1'/'0' and '1'/'-1'": rb.ScoreCounts.from_arrays([1, -1], {"m": [1.0, 2.0]}),
    }
    for words, other in others.items():
        with pytest.raises(InputError, match=words):
            good + other
    with pytest.raises(InputError, match="got none"):
        rb.ScoreCounts.merge([])
    with pytest.raises(TypeError):
        good + 1


def test_labels_of_any_kind_and_the_positive_one(tmp_path: Path) -> None:
    y = ["ill", "well", "ill", "well"]
    s = [4, 3, 2, 1]
    with pytest.raises(InputError, match="positive is not clear"):
        rb.count_scores(pa.table({"label": y, "score": s}))
    for labels, positive in (
        (y, "ill"),
        ([x == "ill" for x in y], None),
        ([1.0, -1.0, 1.0, -1.0], None),
    ):
        counts = rb.count_scores(pa.table({"label": labels, "score": s}), positive=positive)
        assert counts.roc.auc == 0.75
    for text in ("true,false", "TRUE,False", "1,0", "1.0,0", " 1 ,0", "1,-1"):
        yes, no = text.split(",")
        path = tmp_path / "labels.csv"
        path.write_text(f"label,score\n{yes},4\n{no},3\n{yes},2\n{no},1\n", encoding="utf-8")
        assert rb.count_scores(path).roc.auc == 0.75
    with pytest.raises(InputError, match="must contain two labels; it has 3"):
        rb.count_scores(pa.table({"label": ["a", "b", "c"], "score": [1, 2, 3]}), positive="a")
    with pytest.raises(InputError, match="are labels and scores exchanged"):
        rb.count_scores(pa.table({"label": [0.1, 0.2, 0.3], "score": [1, 2, 3]}))
    with pytest.raises(InputError, match="more than 1000 different"):
        rb.count_scores(pa.table({"label": np.arange(2000), "score": np.arange(2000)}))
    with pytest.raises(InputError, match="'x' is not one of"):
        rb.count_scores(pa.table({"label": y, "score": s}), positive="x")


def test_whole_numbers() -> None:
    big = 2**60
    rows = pa.table({"y": [1, 0, 1], "score": [big + 1, big, big + 1]})
    exact = rb.count_scores(rows, exact=True)
    assert exact.value.tolist() == [big, big + 1]
    with pytest.raises(InputError, match="Count them exactly"):
        rb.count_scores(rows)
    floats = rb.count_scores(pa.table({"y": [1, 0], "score": [0.5, 1.0]}), exact=True)
    with pytest.raises(InputError, match="floats would round"):
        exact + floats
    small = rb.count_scores(pa.table({"y": [1, 0], "score": [1, 2]}), exact=True)
    assert (small + floats).value.tolist() == [0.5, 1.0, 2.0]
    huge = pa.table({"y": [1, 0], "score": pa.array([2**64 - 1, 1], pa.uint64())})
    for exactly in (True, False):
        with pytest.raises(InputError, match=r"row 1: .*below 2\*\*63"):
            rb.count_scores(huge, exact=exactly)


def test_whole_numbers_and_floats_in_files_of_one_set(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1, 0], "score": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [1, 0], "score": [1.0, 0.5]}), tmp_path / "b.parquet")
    assert rb.count_scores(tmp_path, exact=True).value.tolist() == [0.5, 1.0, 2.0]
    pq.write_table(pa.table({"y": [1, 0], "score": [2**60, 2**60 + 1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="floats would round"):
        rb.count_scores(tmp_path, exact=True)


MISSING = {
    "null score": (pa.table({"y": [1, 0, 1], "score": [0.1, None, 0.2]}), "row 2: column 'score'"),
    "nan": (pa.table({"y": [1, 0, 1], "score": [0.1, 0.2, float("nan")]}), "row 3: column 'score'"),
    "null label": (pa.table({"y": [None, 0, 1], "score": [0.1, 0.1, 0.2]}), "row 1: column 'y'"),
    "nan label": (pa.table({"y": [1.0, float("nan")], "score": [0.1, 0.1]}), "row 2: column 'y'"),
    "null part": (
        pa.table({"y": [1, 0], "score": [0.1, 0.1], "g": ["a", None]}),
        "row 2: column 'g'",
    ),
}


@pytest.mark.parametrize("case", MISSING)
@pytest.mark.parametrize("exact", [False, True])
def test_missing_values_are_refused_with_their_place(
    case: str, exact: bool, tmp_path: Path
) -> None:
    rows, words = MISSING[case]
    by = "g" if "g" in rows.column_names else None
    path = tmp_path / "rows.parquet"
    pq.write_table(rows, path, row_group_size=1)
    for source in (path, rows, rows.to_reader(1)):
        with pytest.raises(InputError, match=words):
            rb.count_scores(source, by=by, exact=exact)
    for frame in (rows.to_pandas(), pl.from_arrow(rows), pl.from_arrow(rows).lazy()):
        with pytest.raises(InputError, match=r"the frame(, rows? |: column .* in 1 row)"):
            rb.count_scores(frame, by=by, exact=exact)


WRONG: dict[str, tuple[Any, str]] = {
    "decimals": (
        pa.table({"y": [1, 0], "score": pa.array([1, 2]).cast(pa.decimal128(21, 2))}),
        "type is Decimal",
    ),
    "text": (pa.table({"y": [1, 0], "score": ["1", "2"]}), "type is String"),
    "lists": (pa.table({"y": [[1], [0]], "score": [1, 2]}), "type is List"),
    "no rows": (
        pa.table({"y": pa.array([], pa.int8()), "score": pa.array([], pa.float32())}),
        "must be rows",
    ),
    "number": (3, "it is int"),
    "array": (np.zeros(3), "it is ndarray"),
    "empty list": ([], "list of files is empty"),
    "pyarrow array": (pa.array([1, 2]), "must contain rows and columns"),
    "nothing there": ("nowhere/*.parquet", "there is no 'nowhere"),
    "NUL": ("a\0b", "contains a NUL"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_counted_is_refused(case: str) -> None:
    source, words = WRONG[case]
    with pytest.raises(InputError, match=words):
        rb.count_scores(source)


def test_files_of_a_set_must_have_the_columns_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,score\n1,2\n0,1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("y,score,score_2\n1,2,9\n0,1,9\n", encoding="utf-8")
    assert rb.count_scores(tmp_path).models == ("score",)
    pq.write_table(pa.table({"label": [1, 0], "scor": [1, 2]}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"c\.parquet has no column 'y'"):
        rb.count_scores(tmp_path)


def test_progress_ends_at_the_size_of_the_files(tmp_path: Path) -> None:
    folder = write_folder(table(), tmp_path)
    seen: list[tuple[int, int | None]] = []
    rb.count_scores(folder, label="y", progress=lambda done, total: seen.append((done, total)))
    size = sum(p.stat().st_size for p in folder.rglob("part*"))
    assert [total for _, total in seen] == [size] * len(seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == pytest.approx(size, rel=0.01)


def test_a_file_without_rows_is_no_mistake_beside_others(tmp_path: Path) -> None:
    rows = table(50)
    pq.write_table(rows[:0], tmp_path / "a.parquet")
    with pytest.raises(InputError, match="must be rows to count"):
        rb.count_scores(tmp_path)
    pq.write_table(rows, tmp_path / "b.parquet")
    assert rb.count_scores(tmp_path).to_dict() == rb.count_scores(rows).to_dict()


def test_many_distinct_scores_in_memory_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accumulator, "_LARGE", 100)
    with pytest.warns(rb.RocBandsWarning, match="More than 100 distinct scores"):
        rb.ScoreCounts.from_arrays([1, 0] * 100, {"m": np.arange(200) / 7}, exact=True)


def test_what_duckdb_cannot_hold_goes_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With little memory the counts are the same, because the rest is on disk."""
    rng = np.random.default_rng(3)
    rows = pa.table({"y": rng.integers(0, 2, 1_500_000), "score": rng.random(1_500_000)})
    path = write_parquet(rows, tmp_path)
    monkeypatch.setattr(engine, "_LARGE", 0)
    whole = rb.count_scores(path, exact=True)
    monkeypatch.setattr(engine, "_MEMORY", "90MB")
    assert rb.count_scores(path, exact=True).value.tobytes() == whole.value.tobytes()
    monkeypatch.setattr(engine, "_MEMORY", "5MB")
    with pytest.raises(InputError, match="must fit the disk and the memory"):
        rb.count_scores(path, exact=True)


ODD_CELLS = [
    "0.5",
    " 0.5",
    "+1",
    "1e999",
    "-inf",
    "Infinity",
    "1_0",
    "",
    "nan",
    "x",
    '"0.5"',
    "é",
    "\0",
    "0x1",
    "1e-400",
    "1,2",
    "٣",
    "1\n",
    "0.1\r",
]
ODD_LABELS = ["1", "0", " 1", "1 ", "1.0", "01", "", "NA", '"1"', ' "1"', "é"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["1", "0"]), st.floats(-3, 3)), min_size=1, max_size=30),
    st.lists(st.tuples(st.sampled_from(ODD_LABELS), st.sampled_from(ODD_CELLS)), max_size=2),
    st.integers(0, 30),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]),
    st.sampled_from([",", "\t", ", "]),
    st.booleans(),
)
def test_parsing_by_pyarrow_changes_nothing(
    tmp_path: Path, rows: Any, odd: Any, place: int, end: str, comma: str, clustered: bool
) -> None:
    """Whatever cell PyArrow cannot judge, rows and messages are those of the careful way."""
    rows[place:place] = odd
    lines = [
        f"y{comma}score{comma}g",
        *(f"{y}{comma}{s}{comma}{i % 3}" for i, (y, s) in enumerate(rows)),
    ]
    path = tmp_path / "rows.csv"
    path.write_bytes(end.join([*lines, ""]).encode())

    def outcome() -> Any:
        try:
            return rb.count_scores(
                path, label="y", score="score", by="g" if clustered else None
            ).to_dict()
        except InputError as problem:
            return str(problem)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "_FIRST", 20)
        patch.setattr(text_blocks, "_SIZE", 40)
        fast = outcome()
        patch.setattr(DelimitedRows, "_fast_parser", lambda *_: None)
        assert fast == outcome()


@pytest.mark.parametrize(
    "head", ["y,a,score_b", '"y","a","score_b"', " y, a ,score_b", "\n\ny,a,score_b"]
)
@pytest.mark.parametrize("exact", [False, True])
def test_plain_files_are_not_parsed_row_by_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str, exact: bool
) -> None:
    rows = table(200).select(["y", "score_a", "score_b"])
    path = tmp_path / "rows.csv"
    pa.csv.write_csv(rows, path)
    text = path.read_text(encoding="utf-8").partition("\n")[2]
    path.write_text(f"{head}\n{text}", encoding="utf-8")
    monkeypatch.setattr(text_blocks, "_FIRST", len(head) + 100)
    monkeypatch.setattr(text_blocks, "_SIZE", 1000)
    careful: list[int] = []
    parse = DelimitedRows._parse_carefully
    monkeypatch.setattr(
        DelimitedRows,
        "_parse_carefully",
        lambda self, block, choice: careful.append(block.line) or parse(self, block, choice),
    )
    counts = rb.count_scores(path, label="y", score=["a", "score_b"], exact=exact)
    found = {("score_a" if k[0] == "a" else k[0], *k[1:]): v for k, v in as_dict(counts).items()}
    assert found == expected(rows, exact)
    assert len(careful) == 1  # the first block
