"""Sources as users have them: every row is counted once, or the source is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocbands as rb
from rocbands.scale import accumulator

pytestmark = pytest.mark.usefixtures("any_size")

ROWS = pa.table({"y": [0, 1, 1], "score": [0.1, 0.4, 0.3]})
HUGE = 2**60


def rows_in(counts: rb.ScoreCounts) -> int:
    return int(counts.positives.sum() + counts.negatives.sum())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two files of three rows, one of them in a folder inside."""
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    for name in ("a.parquet", "sub/b.parquet"):
        pq.write_table(ROWS, tmp_path / "tree" / name)
    return tmp_path / "tree"


@pytest.mark.parametrize("pattern", ["", "*", "**", "**/*.parquet", "**/**"])
def test_a_pattern_that_finds_folders_and_their_files_counts_rows_once(
    tree: Path, pattern: str
) -> None:
    assert rows_in(rb.count_scores(f"{tree}/{pattern}")) == 6


def test_a_file_that_is_named_twice_is_refused(tree: Path) -> None:
    (tree / "again.parquet").symlink_to(tree / "a.parquet")
    one = tree / "a.parquet"
    for source in ([one, one], [one, f"{tree}/sub/../a.parquet"], [tree / "sub", f"{tree}/sub/*"]):
        with pytest.raises(rb.InputError, match="must be counted once"):
            rb.count_scores(source)
    with pytest.raises(rb.InputError, match=r"again\.parquet' is '.*a\.parquet' again"):
        rb.count_scores(tree)


def test_linked_folders_are_counted_and_loops_are_not_followed(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    pq.write_table(ROWS, tmp_path / "elsewhere" / "c.parquet")
    (tree / "link").symlink_to(tmp_path / "elsewhere")
    (tree / "loop").symlink_to(tree)
    (tmp_path / "elsewhere" / "back").symlink_to(tree / "sub")
    assert rows_in(rb.count_scores(tree)) == 9


def test_a_link_that_leads_nowhere_does_not_go_missing(tree: Path) -> None:
    (tree / "lost.parquet").symlink_to(tree / "nowhere")
    with pytest.raises(rb.InputError, match=r"there is no '.*lost\.parquet'. Check the path"):
        rb.count_scores(tree)


@pytest.mark.parametrize("kind", ["{}", "{}x"])
def test_too_many_labels_in_plain_text(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "y,score\n" + "".join(f"{kind.format(i)},0.5\n" for i in range(2000)), encoding="utf-8"
    )
    with pytest.raises(
        rb.InputError, match=r"a\.csv, line 1002: column 'y' must contain two labels"
    ):
        rb.count_scores(path)


@pytest.mark.parametrize("labels", [[0.0, np.nan, 1.0], np.arange(2000)])
def test_arrays_that_are_no_labels_are_refused(labels: Any) -> None:
    with pytest.raises(rb.InputError, match=r"^Row \d+: column 'y_true'"):
        rb.ScoreCounts.from_arrays(labels, {"a": np.arange(float(len(labels)))})


def test_a_positive_label_of_another_type_does_not_turn_a_part_around() -> None:
    for labels, positive in (([1, 1], "1"), (["1x", "1x"], "1x"), ([True], "1"), ([0], "0")):
        rows = pa.table({"y": labels, "score": [0.5] * len(labels)})
        if isinstance(labels[0], str):
            counts = rb.count_scores(rows, positive=positive)
            assert (counts.n_pos, counts.positive, counts.negative) == (2, "1x", None)
        else:
            with pytest.raises(rb.InputError, match="`positive` must be one of the labels"):
                rb.count_scores(rows, positive=positive)


def test_whole_numbers_are_not_rounded_by_floats_beside_them(tmp_path: Path) -> None:
    both = pa.table({"y": [0, 1], "a": [HUGE, HUGE + 1], "b": [0.5, 0.6]})
    with pytest.raises(rb.InputError, match=r"above 2\*\*53"):
        rb.count_scores(both, score=["a", "b"], exact=True)
    pq.write_table(pa.table({"y": [0, 0], "s": [HUGE, HUGE + 1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [1, 1], "s": [0.5, 0.6]}), tmp_path / "b.parquet")
    with pytest.raises(rb.InputError, match=r"above 2\*\*53"):
        rb.count_scores(tmp_path, score="s", exact=True)


def test_whole_numbers_without_a_sign_do_not_wrap() -> None:
    scores = np.array([2**63, 1], dtype=np.uint64)
    with pytest.raises(rb.InputError, match=r"below 2\*\*63"):
        rb.ScoreCounts.from_arrays([0, 1], {"a": scores}, exact=True)


def test_floats_in_foreign_byte_order() -> None:
    scores = [-0.3, 0.2, 7]
    for kind in ("f4", "f8"):
        usual, foreign = (
            rb.ScoreCounts.from_arrays([0, 1, 1], {"a": np.array(scores, f"{order}{kind}")})
            for order in "<>"
        )
        assert usual.value.tolist() == foreign.value.tolist()


def _frames(parts: list[Any]) -> dict[str, Any]:
    columns = {"y": [0, 1, 0, 1], "s": [0.1, 0.2, 0.3, 0.4]}
    return {
        "pandas": pd.DataFrame(columns | {"g": pd.Series(parts, dtype=object)}),
        "polars": pl.DataFrame(columns | {"g": parts}, strict=False),
    }


@pytest.mark.parametrize("nothing", [None, np.nan])
@pytest.mark.parametrize("library", ["pandas", "polars", "lazy"])
def test_a_missing_part_is_refused(nothing: Any, library: str) -> None:
    frame = _frames([1.5, nothing, 2.5, 2.5])[library.replace("lazy", "polars")]
    frame = frame.lazy() if library == "lazy" else frame
    with pytest.raises(rb.InputError, match=r"'g'|`g`"):
        rb.count_scores(frame, label="y", score="s", by="g")
    with pytest.raises(rb.InputError, match="'by' must have a value in every row"):
        rb.ScoreCounts.from_arrays(
            [0, 1], {"a": [0.1, 0.2]}, by=np.array(["a", nothing], dtype=object)
        )


def test_parts_of_several_types_and_times() -> None:
    frame = _frames(["a", 1, True, "a"])["pandas"]
    assert rb.count_scores(frame, label="y", score="s", by="g").parts == ("1", "a")
    times = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[ns]")
    counts = rb.ScoreCounts.from_arrays([0, 1], {"a": [0.1, 0.2]}, by=times)
    assert counts.parts == ("2024-01-01 00:00:00", "2024-01-02 00:00:00")


def test_labels_of_two_types() -> None:
    frame = pd.DataFrame({"y": pd.Series([1, "no"], dtype=object), "s": [0.2, 0.1]})
    counts = rb.count_scores(frame, label="y", score="s", positive=1)
    assert (counts.positive, counts.negative) == ("1", "no")


def test_text_in_views(tmp_path: Path) -> None:
    kind = pa.string_view()
    labels, clusters = pa.array(["p", "n"], kind), pa.array(["g", "h"], kind)
    table = pa.table({"y": labels, "s": [0.1, 0.2], "g": clusters})
    pq.write_table(table, tmp_path / "a.parquet")
    for source in (table, tmp_path / "a.parquet"):
        counts = rb.count_scores(source, label="y", score="s", by="g", positive="p")
        assert counts.parts == ("g", "h")
        assert (counts.positive, counts.negative) == ("p", "n")


def test_names_of_columns_that_are_no_text() -> None:
    frame = pd.DataFrame({0: [0, 1], 1: [0.1, 0.2]})
    assert rb.count_scores(frame, label="0", score="1").roc.auc == 1
    assert rb.count_scores(frame, label=0, score=1).roc.auc == 1
    frame[2] = frame[3] = frame[1]
    frame.columns = ["y", 1, "1", "s"]  # type: ignore[assignment]
    assert rb.count_scores(frame, label="y", score="s").models == ("s",)
    with pytest.raises(rb.InputError, match="'1' occurs 2 times"):
        rb.count_scores(frame, label="y", score="1")
    frame.columns = pd.MultiIndex.from_tuples([("a", "y"), ("a", "s"), ("b", "s"), ("b", "t")])
    assert rb.count_scores(frame, label=("a", "y"), score=("b", "s")).models == ("b_s",)


@pytest.mark.parametrize("kind", [pl.Decimal(10, 2), pl.Int128])
def test_numbers_that_floats_would_round_are_refused_in_frames(kind: Any) -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": [1, 2]}).with_columns(pl.col("s").cast(kind))
    for source in (frame, frame.lazy()):
        with pytest.raises(rb.InputError, match="column 's' must contain floats or whole numbers"):
            rb.count_scores(source, label="y", score="s")


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "bad", ["1.5::DECIMAL(9, 2)", "CASE WHEN i < 1500000 THEN 0.5::DOUBLE END"]
)
def test_a_relation_that_is_refused_lets_its_connection_go(bad: str, exact: bool) -> None:
    with duckdb.connect() as engine:
        rows = engine.sql(f"SELECT i % 2 AS y, {bad} AS s FROM range(3000000) t(i)")
        with pytest.raises(rb.InputError) as kept:
            rb.count_scores(rows, label="y", score="s", exact=exact)
        assert engine.sql("SELECT 42").fetchall() == [(42,)]
    assert "'s' must" in str(kept.value)


def test_counts_that_would_overflow_are_refused() -> None:
    table = pa.table({"bin": [1, 2], "positives": [4 * 10**14] * 2, "negatives": [1, 1]})
    counts = rb.ScoreCounts.from_table(table)
    with pytest.raises(rb.InputError, match=r"at most 10\*\*15"):
        counts + counts


def test_models_without_both_classes_have_no_certificate() -> None:
    columns = {"model": list("aabb"), "bin": [1, 2, 1, 2], "positives": [0, 0, 1, 0]}
    counts = rb.ScoreCounts.from_table(pa.table(columns | {"negatives": [3, 1, 1, 1]}))
    assert list(counts.certificate) == ["b"]
    assert "positives" in str(counts)


def test_a_part_that_a_database_left_empty_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("part,bin,positives,negatives\na,1,1,1\n,2,1,1\n", encoding="utf-8")
    with pytest.raises(rb.InputError, match="row 3: column 'part' must have a value"):
        rb.ScoreCounts.load(path)


def test_what_waits_to_be_added_up_is_bounded_for_all_models_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accumulator, "_PENDING", 5000)
    rng = np.random.default_rng(5)
    held = accumulator.Accumulator(exact=False)
    for _ in range(40):
        scores = {f"m{model}": rng.integers(1, 50, 200) for model in range(20)}
        held.add(accumulator.CodedRows(rng.integers(0, 2, 200).astype(np.int32), None, scores))
        # 40 cells of at most 49 bins each, and what waits.
        values = [part for runs in held.runs.values() for part in runs._values]
        assert sum(part.size for part in values) <= 40 * 49 + 5000 + 49
    assert sum(int(runs.total()[1].sum()) for runs in held.runs.values()) == 40 * 20 * 200


@pytest.mark.simulation
@pytest.mark.parametrize("pause", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_ended_leaves_nothing_behind(
    number: signal.Signals, pause: float, tmp_path: Path
) -> None:
    rows = 2_000_000
    columns = {f"score{i}": np.random.default_rng(i).random(rows) for i in range(4)}
    pq.write_table(pa.table({"y": np.arange(rows) % 2} | columns), tmp_path / "rows.parquet")
    spilled, out = tmp_path / "spilled", tmp_path / "out"
    spilled.mkdir()
    out.mkdir()
    command = [sys.executable, "-m", "rocbands", "count", str(tmp_path / "rows.parquet"), "--exact"]
    running = subprocess.Popen(
        [*command, "-o", str(out / "counts")],
        env=os.environ | {"TMPDIR": str(spilled)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    while not any(spilled.iterdir()) and running.poll() is None:
        time.sleep(0.01)
    time.sleep(pause)
    running.send_signal(number)
    _, said = running.communicate(timeout=180)
    assert running.returncode == 128 + number
    assert "Traceback" not in said
    assert not any(spilled.iterdir())
    assert not any(out.iterdir())


def test_models_whose_names_are_no_text_are_refused() -> None:
    with pytest.raises(rb.InputError, match="one is named 1"):
        rb.ScoreCounts.from_arrays([0, 1], {1: [0.1, 0.2], "1": [0.2, 0.1]})  # type: ignore[dict-item]
