"""Readings say once what a reader study is: ways in, the design in words, what is refused."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb

USES = {"label": "truth", "score": "rating", "reader": "who", "case": "id", "test": "modality"}


def make_table(
    n_readers: int = 3, n_tests: int = 2, n_cases: int = 6, seed: int = 0
) -> pd.DataFrame:
    """Ratings 1 to 5 of a factorial study; every third case is positive."""
    rng = np.random.default_rng(seed)
    i, j, k = np.indices((n_tests, n_readers, n_cases)).reshape(3, -1)
    return pd.DataFrame(
        {
            "modality": np.array(["CT", "MR", "US"])[i],
            "who": np.array(list("ABCDEFGH"))[j],
            "id": k + 1,
            "truth": (k % 3 == 0).astype(int),
            "rating": rng.integers(1, 6, i.size) + (k % 3 == 0),
        }
    )


TABLE = make_table()


def make(table: Any = TABLE, **how: Any) -> rb.Readings:
    return rb.Readings.from_frame(table, **(USES | how))


def same(one: rb.Readings, two: rb.Readings) -> bool:
    """Tell whether two studies are equal, the order of names included."""
    names = all(getattr(one, name) == getattr(two, name) for name in ("tests", "readers", "cases"))
    return names and same_numbers(one, two)


def same_numbers(one: rb.Readings, two: rb.Readings) -> bool:
    """Tell whether two studies are equal up to the order of names."""
    if any(
        sorted(getattr(one, name)) != sorted(getattr(two, name))
        for name in ("tests", "readers", "cases")
    ):
        return False
    places = [
        [getattr(two, name).index(each) for each in getattr(one, name)]
        for name in ("tests", "readers", "cases")
    ]
    alike = np.array_equal(one.scores, two.scores[np.ix_(*places)], equal_nan=True)
    alike &= np.array_equal(one.is_positive, two.is_positive[places[2]])
    alike &= (one.clusters is None) == (two.clusters is None)
    if one.clusters is not None and two.clusters is not None:
        alike &= np.array_equal(one.clusters, two.clusters[places[2]])
    labels = one.positive == two.positive and one.negative == two.negative
    return bool(alike) and labels and one.design == two.design


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(rb.InputError) as caught:
        call()
    return str(caught.value)


# -------------------------------------------------------------------------------------- ways in


def test_layout_against_a_loop_over_rows() -> None:
    found = make()
    assert (found.tests, found.readers) == (("CT", "MR"), ("A", "B", "C"))
    assert found.cases == ("1", "2", "3", "4", "5", "6")
    for row in TABLE.itertuples():
        i, j = found.tests.index(row.modality), found.readers.index(row.who)
        k = found.cases.index(str(row.id))
        assert found.scores[i, j, k] == row.rating
        assert found.is_positive[k] == row.truth
    assert (found.n_cases, found.n_pos, found.n_neg, found.n_readings) == (6, 2, 4, 36)
    assert (found.positive, found.negative, found.frame) == (1, 0, "pandas")
    assert found.read.all()
    assert found.notes == ()
    assert found.clusters is None
    assert found.scores.dtype == np.float64


def test_columns_of_any_kind_are_the_same_study() -> None:
    known = make(clusters="patient", table=TABLE.assign(patient=TABLE["id"] % 4))
    table = TABLE.assign(patient=TABLE["id"] % 4)
    frames = {
        "pandas": table,
        "polars": pl.from_pandas(table),
        "lazy": pl.from_pandas(table).lazy(),
        "pyarrow": pa.Table.from_pandas(table),
        "mapping": {name: table[name].tolist() for name in table},
    }
    for kind, frame in frames.items():
        found = make(frame, clusters="patient")
        assert same(known, found), kind
        assert found.frame == {"lazy": "polars", "mapping": None}.get(kind, kind)
    columns = {name: table[name].to_numpy() for name in table}
    arrays = rb.Readings(
        columns["truth"],
        columns["rating"],
        reader=columns["who"],
        case=columns["id"],
        test=columns["modality"],
        clusters=columns["patient"],
    )
    assert same(known, arrays)
    assert known.clusters is not None
    assert known.clusters.tolist() == [1, 2, 3, 0, 1, 2]
    assert known.design.endswith(", 4 clusters")


def test_labels_by_case() -> None:
    labels = {k: int(k % 3 == 1) for k in range(1, 30)}  # also of cases that were not read
    found = rb.Readings(
        labels, TABLE["rating"], reader=TABLE["who"], case=TABLE["id"], test=TABLE["modality"]
    )
    assert same(found, make())
    lacks = {1: 1, 2: 0, 3: 0, "4": 1}
    said = refused(
        lambda: rb.Readings(
            lacks, TABLE["rating"], reader=TABLE["who"], case=TABLE["id"], test=TABLE["modality"]
        )
    )
    assert said == (
        "`y_true` must have a label for each case; it has none for case 5 (2 such cases). Add "
        "their labels, or leave their readings out."
    )


def test_labels_of_any_kind() -> None:
    words = TABLE.assign(truth=np.where(TABLE["truth"], "ill", "well"))
    found = make(words, positive="ill")
    assert (found.positive, found.negative) == ("ill", "well")
    assert np.array_equal(found.is_positive, make().is_positive)
    assert "positive" in refused(lambda: make(words))
    turned = make(positive=0)
    assert np.array_equal(turned.is_positive, ~make().is_positive)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0.3, 1.0))
def test_order_of_rows_changes_no_number(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    table = make_table(4, 3, 8, seed)
    table["patient"] = table["id"] // 2
    keep = rng.random(len(table)) < share
    keep[np.isin(table["id"], (1, 2)) & (table["who"] == "A")] = True
    table = table[keep]
    mixed = table.iloc[rng.permutation(len(table))]
    one, two = make(table, clusters="patient"), make(mixed, clusters="patient")
    assert same_numbers(one, two)
    assert two.readers == tuple(dict.fromkeys(mixed["who"]))
    assert two.tests == tuple(dict.fromkeys(mixed["modality"]))
    assert two.cases == tuple(map(str, dict.fromkeys(mixed["id"])))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), empty=st.floats(0.0, 0.6))
def test_wide_table_is_the_melted_one(seed: int, empty: float) -> None:
    rng = np.random.default_rng(seed)
    table = make_table(3, 2, 9, seed)
    table["rating"] = table["rating"].astype(float)
    table.loc[(rng.random(len(table)) < empty) & (table["id"] > 2), "rating"] = np.nan
    cell = table["who"] + "_" + table["modality"]
    wide = table.assign(cell=cell).pivot(index=["id", "truth"], columns="cell", values="rating")
    wide = wide.reset_index()
    columns: dict[Any, Any] = {tuple(name.split("_")): name for name in dict.fromkeys(cell)}
    found = rb.Readings.from_wide(wide, case="id", label="truth", columns=columns)
    known = make(table, missing="drop")
    assert same(found, known)
    assert found.notes == ()  # empty cells are readings that were not made
    other = rb.Readings.from_wide(
        pl.from_pandas(wide), case="id", label="truth", columns=columns, missing="drop"
    )
    assert same(found, other)
    assert (found.frame, other.frame) == ("pandas", "polars")


def test_wide_table_of_one_test() -> None:
    table = {"id": [1, 2, 3], "y": [1, 0, 0], "a": [3, 1, 2], "b": [2, 2, None]}
    found = rb.Readings.from_wide(table, case="id", label="y", columns={"A": "a", "B": "b"})
    assert (found.readers, found.tests) == (("A", "B"), ("test",))
    assert found.design == "one test, incomplete: 2 readers x 3 cases (1 + 2), 5 of 6 readings"
    known = rb.Readings(
        [1, 0, 0, 1, 0], [3, 1, 2, 2, 2], reader=list("AAABB"), case=[1, 2, 3, 1, 2]
    )
    assert same(found, known)


def test_names_are_compared_as_text() -> None:
    names: list[Any] = [1, "1", 1.0, np.int64(1)]
    found = rb.Readings([1, 0, 0, 1], [4, 3, 2, 1], reader=names, case=["a", "b", "c", "d"])
    assert found.readers == ("1",)
    mixed: list[Any] = ["x", 2, 3.5, None]
    left = rb.Readings([1, 0, 0, 1], [4, 3, 2, 1], reader=mixed, case=list("abcd"), missing="drop")
    assert left.readers == ("x", "2", "3.5")
    floats = TABLE.assign(id=TABLE["id"].astype(float))  # as pandas makes of whole numbers
    assert same(make(floats), make())
    assert same(make(TABLE.assign(who=pd.Categorical(TABLE["who"]))), make())


def test_infinite_scores_and_float32() -> None:
    scores = TABLE["rating"].to_numpy(np.float32)
    scores[0], scores[1] = np.inf, -np.inf
    found = make(TABLE.assign(rating=scores))
    assert found.scores[0, 0, 0] == np.inf
    assert found.scores[0, 0, 1] == -np.inf
    assert found.read.all()


# --------------------------------------------------------------------------------------- design


def of_pattern(read: Any, truth: Any = None) -> rb.Readings:
    """Make a study of which readings were made, (tests, readers, cases)."""
    i, j, k = np.nonzero(np.asarray(read))
    truth = np.arange(np.shape(read)[2]) % 2 if truth is None else np.asarray(truth)
    return rb.Readings(truth[k], i + 2 * j + k, reader=j, case=k, test=i)


def blocks(*sizes: tuple[int, int]) -> Any:
    """Blocks of (readers, cases), (readers, cases): who reads what."""
    read = np.zeros(np.sum(sizes, axis=0).tolist(), bool)
    j = k = 0
    for readers, cases in sizes:
        read[j : j + readers, k : k + cases] = True
        j, k = j + readers, k + cases
    return read


NESTED = blocks((1, 4), (1, 4), (1, 4))
HALF = np.repeat([True, False], 4)
DESIGNS: dict[str, Any] = {
    "factorial: 3 readers x 2 tests x 4 cases (2 + 2)": np.ones((2, 3, 4)),
    "factorial: 1 reader x 3 tests x 4 cases (2 + 2)": np.ones((3, 1, 4)),
    "cases nested in readers: 3 readers x 2 tests, 12 cases (6 + 6), 4 for each reader": [NESTED]
    * 2,
    "cases nested in readers: 2 readers x 2 tests, 10 cases (5 + 5), 4 to 6 for each reader": [
        blocks((1, 4), (1, 6))
    ]
    * 2,
    "cases nested in tests: 3 readers x 2 tests, 8 cases (4 + 4), 4 for each test": [
        [HALF] * 3,
        [~HALF] * 3,
    ],
    "cases nested in tests: 1 reader x 2 tests, 8 cases (4 + 4), 4 for each test": [
        [HALF],
        [~HALF],
    ],
    "cases nested in readers and tests: 2 readers x 2 tests, 16 cases (8 + 8)": np.eye(4)
    .repeat(4)
    .reshape(2, 2, 16),
    "split-plot: 4 readers x 2 tests, 10 cases (5 + 5) in 2 blocks": [blocks((2, 4), (2, 6))] * 2,
    "split-plot: 3 readers x 3 tests, 10 cases (5 + 5) in 2 blocks": [blocks((2, 4), (1, 6))] * 3,
    "readers nested in tests: 2 + 1 readers, 4 cases (2 + 2)": np.array([[1, 1, 0], [0, 0, 1]])[
        :, :, None
    ]
    * np.ones(4),
    "readers and cases nested in tests: 2 + 1 readers, 8 cases (4 + 4)": [
        [HALF, HALF, 0 * HALF],
        [0 * HALF, 0 * HALF, ~HALF],
    ],
    "readers nested in tests, cases nested in readers: 2 + 1 readers, 12 cases (6 + 6)": [
        NESTED * [[1], [1], [0]],
        NESTED * [[0], [0], [1]],
    ],
    "one test: 3 readers x 4 cases (2 + 2)": np.ones((1, 3, 4)),
    "one test: 1 reader x 4 cases (2 + 2)": np.ones((1, 1, 4)),
    "one test, cases nested in readers: 3 readers, 12 cases (6 + 6), 4 for each reader": [NESTED],
    "one test, split-plot: 4 readers, 10 cases (5 + 5) in 2 blocks": [blocks((2, 4), (2, 6))],
    "one test, incomplete: 2 readers x 4 cases (2 + 2), 7 of 8 readings": [
        [[1, 1, 1, 1], [1, 1, 1, 0]]
    ],
    "incomplete: 3 readers x 2 tests x 4 cases (2 + 2), 23 of 24 readings": 1
    - np.eye(24)[5].reshape(2, 3, 4),
    # two tests on the same cases, the third on others
    "incomplete: 2 readers x 3 tests x 8 cases (4 + 4), 24 of 48 readings": [
        [HALF] * 2,
        [HALF] * 2,
        [~HALF] * 2,
    ],
    # a reader who read one of two tests
    "incomplete: 2 readers x 2 tests x 4 cases (2 + 2), 12 of 16 readings": np.array(
        [[1, 1], [1, 0]]
    )[:, :, None]
    * np.ones(4),
    # blocks that share a case
    "incomplete: 2 readers x 2 tests x 5 cases (2 + 3), 12 of 20 readings": [
        [[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]
    ]
    * 2,
}


@pytest.mark.parametrize("said", DESIGNS)
def test_design_in_words(said: str) -> None:
    found = of_pattern(DESIGNS[said])
    assert found.design == said
    assert repr(found) == f"<Readings: {said}>"


def test_order_of_readers_does_not_change_the_design() -> None:
    read = np.array([blocks((2, 4), (2, 6))] * 2)
    assert of_pattern(read[:, [2, 0, 3, 1]]).design == of_pattern(read).design


# ------------------------------------------------------------------------------ parts of a study


def test_sample_of_a_reader() -> None:
    readings = make(TABLE.assign(patient=TABLE["id"] % 4), clusters="patient")
    own = TABLE[(TABLE["who"] == "B") & (TABLE["modality"] == "MR")]
    found = readings.sample("B", "MR")
    assert found.models == ("B",)
    assert np.array_equal(found.values, own["rating"])
    assert np.array_equal(found.is_positive, own["truth"] == 1)
    assert (found.positive, found.negative, found.frame) == (1, 0, "pandas")
    assert found.clusters is not None
    assert found.clusters.tolist() == [1, 2, 3, 0, 1, 2]
    both = readings.sample("B")
    assert both.models == ("CT", "MR")
    assert np.array_equal(both["MR"].values, found.values)
    words = make(TABLE.assign(truth=np.where(TABLE["truth"], "ill", "well")), positive="ill")
    assert repr(words.sample("A", "CT")) == "<Sample: 6 rows (2 ill, 4 well), 1 model: A>"


def test_samples_of_the_same_cases_are_not_two_test_sets() -> None:
    readings = make()
    with pytest.raises(rb.InputError, match="same rows"):
        rb.compare(readings.sample("A", "CT"), readings.sample("B", "CT"))
    nested = of_pattern([NESTED] * 2)
    assert rb.compare(nested.sample("0", "0"), nested.sample("1", "0")) is not None
    part = nested.take("1")
    with pytest.raises(rb.InputError, match="same rows"):
        rb.compare(nested.sample("1", "0"), part.sample("1", "1"))


def test_sample_of_cases_read_under_each_test() -> None:
    read = np.ones((2, 2, 8))
    read[0, 0, 3] = 0
    found = of_pattern(read).sample("0")
    assert found.n == 7
    assert found.notes == ("Left out 1 of 8 rows (1 of class '1'): missing values.",)
    assert of_pattern(read).sample("0", "1").notes == ()


def test_reader_without_a_class_has_no_sample() -> None:
    read = np.ones((2, 2, 6))
    read[1, 0, 1::2] = 0  # the positives
    readings = of_pattern(read)
    assert refused(lambda: readings.sample("0", "1")) == (
        "Each reader needs cases of both classes under each test; reader '0' read no positive case "
        "under '1'. Leave the reader out, or ask for another test."
    )
    assert readings.sample("0", "0").n == 6
    read[1, 0] = 0
    assert "read no case under '1'" in refused(lambda: of_pattern(read).sample("0", "1"))
    assert of_pattern(read).sample("0").models == ("0",)  # of the tests that he read


def test_take() -> None:
    readings = make(TABLE.assign(patient=TABLE["id"] % 4), clusters="patient")
    found = readings.take(["C", "A"], "MR")
    assert (found.readers, found.tests) == (("C", "A"), ("MR",))
    assert np.array_equal(found.scores, readings.scores[1:, [2, 0]])
    assert found.design == "one test: 2 readers x 6 cases (2 + 4), 4 clusters"
    assert same(readings.take(), readings)
    nested = of_pattern([NESTED] * 2)
    own = nested.take("2")
    assert own.cases == ("8", "9", "10", "11")
    assert own.design == "factorial: 1 reader x 2 tests x 4 cases (2 + 2)"
    assert same(nested.take(np.array([2])), own)
    _, j, k = np.nonzero([NESTED])
    clustered = rb.Readings(k % 2, k, reader=j, case=k, clusters=k // 2).take("2").clusters
    assert clustered is not None
    assert clustered.tolist() == [0, 0, 1, 1]  # numbered anew
    assert refused(lambda: readings.take("D")) == (
        "`readers` must be among 'A', 'B', 'C'; got 'D'. Name one of them."
    )
    assert "each once" in refused(lambda: readings.take(["A", "A"]))
    assert "at least one" in refused(lambda: readings.take([]))
    assert "Did you mean 'CT'?" in refused(lambda: readings.take(tests="CTA"))
    assert "must be among" in refused(lambda: readings.sample("D"))
    one_class = of_pattern([[[1, 1, 1, 1], [1, 0, 1, 0]]])
    assert "both classes; all 2 are negative" in refused(lambda: one_class.take("1"))


def test_frozen_and_pickled() -> None:
    readings = make(TABLE.assign(patient=TABLE["id"] % 4), clusters="patient")
    with pytest.raises(AttributeError, match="frozen"):
        readings.tests = ()  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del readings.tests
    for one in (readings, pickle.loads(pickle.dumps(readings)), copy.deepcopy(readings)):
        assert same(one, readings)
        assert repr(one) == repr(readings)
        for name in ("scores", "is_positive", "clusters", "_places", "_lacking"):
            assert not getattr(one, name).flags.writeable, name
    scores = TABLE["rating"].to_numpy(float)
    made = rb.Readings(
        TABLE["truth"], scores, reader=TABLE["who"], case=TABLE["id"], test=TABLE["modality"]
    )
    scores[:] = 0.0
    assert made.scores.min() > 0.0


def test_html_counts_what_was_read() -> None:
    read = np.ones((2, 2, 8))
    read[0, 0, 3] = 0
    html = of_pattern(read)._repr_html_()
    assert "incomplete: 2 readers x 2 tests x 8 cases (4 + 4), 31 of 32 readings." in html
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert len(cells) == 5 * 4
    assert cells[:5] == ["0", "0", "3", "4", "7"]
    assert "<script>" not in make(TABLE.assign(who="<script>" + TABLE["who"]))._repr_html_()


# ------------------------------------------------------------------------------- missing values


def test_missing_scores_are_counted_by_reader_and_test() -> None:
    table = TABLE.assign(rating=TABLE["rating"].astype(float))
    gone = (table["who"] == "C") & (table["modality"] == "CT") & (table["id"] <= 2)
    gone |= (table["who"] == "A") & (table["modality"] == "MR") & (table["id"] == 3)
    table.loc[gone, "rating"] = np.nan
    assert refused(lambda: make(table)) == (
        "`y_score` must not contain missing values; 3 of 36 readings have none: reader 'C' lacks 2 "
        "of 6 under 'CT' (1 positive), reader 'A' lacks 1 of 6 under 'MR' (0 positive). Leave them "
        "out by missing='drop', if readings are missing at random."
    )
    for frame in (table, pl.from_pandas(table), pa.Table.from_pandas(table)):
        found = make(frame, missing="drop")
        assert np.array_equal(np.argwhere(~found.read), [[0, 2, 0], [0, 2, 1], [1, 0, 2]])
        assert found.notes == (
            "Reader 'C' lacks 2 of 6 cases under 'CT' (1 positive). Readings are taken to be "
            "missing at random.",
            "Reader 'A' lacks 1 of 6 cases under 'MR' (0 positive). Readings are taken to be "
            "missing at random.",
        )
        assert repr(found).endswith("33 of 36 readings; 3 readings left out>")
    assert found.sample("C", "CT").notes == (
        "Left out 2 of 6 rows (1 of class '0', 1 of class '1'): missing values.",
    )
    assert found.take(["A", "B"]).notes == found.notes[1:]
    result = rb.auc_interval(found.sample("C", "CT"))
    assert any("Left out 2 of 6" in note for note in result.notes)
    one = make(table[table["modality"] == "CT"], test=None, missing="drop")
    assert one.notes[0].startswith("Reader 'C' lacks 2 of 6 cases (1 positive).")


def test_many_gaps_are_summed_up() -> None:
    table = make_table(8, 2, 6)
    table["rating"] = table["rating"].astype(float)
    table.loc[table["id"] == 1, "rating"] = np.nan
    table.loc[(table["id"] == 3) & (table["who"] == "H"), "rating"] = np.nan
    notes = make(table, missing="drop").notes
    assert len(notes) == 7
    assert notes[0].startswith("Reader 'H' lacks 2 of 6 cases under 'CT' (1 positive).")
    assert notes[-1] == (
        "10 further combinations of reader and test lack 10 cases (10 positive). Readings are "
        "taken to be missing at random."
    )
    assert "and 10 more combinations" in refused(lambda: make(table))


def test_reader_without_any_reading_is_left_out_with_a_note() -> None:
    table = TABLE.assign(rating=TABLE["rating"].where(TABLE["who"] != "B"))
    found = make(table, missing="drop")
    assert found.readers == ("A", "C")
    assert found.notes == ("Reader 'B' has no readings and is left out.",)
    assert found.design == "factorial: 2 readers x 2 tests x 6 cases (2 + 4)"
    nothing = TABLE.assign(rating=np.nan)
    assert "all of them are missing" in refused(lambda: make(nothing, missing="drop"))
    negatives = TABLE.assign(rating=TABLE["rating"].where(TABLE["truth"] == 0))
    assert "must contain both classes; all 4 are negative" in refused(
        lambda: make(negatives, missing="drop")
    )


@pytest.mark.parametrize(
    ("column", "argument"),
    [("who", "reader"), ("id", "case"), ("modality", "test"), ("truth", "y_true")],
)
def test_missing_names_and_labels(column: str, argument: str) -> None:
    table = TABLE.astype({column: object}).copy()
    table.loc[[3, 5], column] = None
    for frame in (table, {name: table[name].tolist() for name in table}):
        assert refused(lambda frame=frame: make(frame)) == (
            f"`{argument}` must not contain missing values; of 36 rows 2 lack a value: `{argument}` "
            "in 2. Fill them in, or leave such rows out by missing='drop'."
        )
        found = make(frame, missing="drop")
        assert found.n_readings == 34
        assert found.notes == (f"Left out 2 of 36 rows without a value: {argument} in 2.",)
    table[column] = None
    assert "each of the 36 rows lacks one" in refused(lambda: make(table, missing="drop"))


def test_missing_clusters() -> None:
    table = TABLE.assign(patient=(TABLE["id"] % 3).where(TABLE["id"] > 1))
    assert "`clusters` must not contain missing" in refused(lambda: make(table, clusters="patient"))
    found = make(table, clusters="patient", missing="drop")
    assert (found.n_cases, found.n_readings) == (5, 30)


# ------------------------------------------------------------------------------------- refusals


def test_a_reading_twice() -> None:
    table = pd.concat([TABLE, TABLE.iloc[[7, 8, 8]]])
    assert refused(lambda: make(table)) == (
        "Each reader must read each case once under each test; reader 'B' has 2 readings of case 2 "
        "under 'CT' (2 such readings). Average or drop them first; for several lesions of a "
        "patient name lesions in `case` and patients in `clusters`."
    )
    said = refused(lambda: make(test=None))
    assert said.startswith(
        "Each reader must read each case once; reader 'A' has 2 readings of case 1 (18 such "
        "readings). If they are of different tests, name these in `test`. Average"
    )
    named = table.assign(id="x" + table["id"].astype(str))
    assert "has 2 readings of case 'x2' under 'CT'" in refused(lambda: make(named))


def test_two_labels_of_a_case() -> None:
    table = TABLE.copy()
    table.loc[[0, 6], "truth"] = 0
    assert refused(lambda: make(table.assign(id="c" + table["id"].astype(str)))) == (
        "A case must have one label; case 'c1' is 0 in 2 rows and 1 in 4. Correct the labels; or, if "
        "these are different cases, such as lesions of a patient, give each a name of its own in "
        "`case`."
    )
    words = table.assign(truth=np.where(table["truth"], "ill", "well"))
    assert "is 'ill' in 4 rows and 'well' in 2." in refused(lambda: make(words, positive="ill"))


def test_cases_numbered_anew_by_each_reader() -> None:
    table = TABLE.copy()
    shifted = (table["id"] + (table["who"] == "B")) % 3 == 1
    said = refused(lambda: make(table.assign(truth=shifted.astype(int))))
    assert said == (
        "A case must have one label; case 1 is 0 in 2 rows and 1 in 4 (4 such cases). `case` must "
        "identify a case in the whole study, and every reader has cases numbered from 1: if these "
        "are different cases, name them by reader and case together, such as 'A-1'. Otherwise "
        "correct the labels."
    )
    joined = table.assign(
        truth=shifted.astype(int), id=table["who"] + "-" + table["id"].astype(str)
    )
    assert make(joined).design.startswith("cases nested in readers: 3 readers x 2 tests, 18 cases")
    within = table.assign(truth=(table.index % 5 == 0).astype(int))  # also within a reader
    assert refused(lambda: make(within)).endswith("a name of its own in `case`.")
    gaps = table[table["id"] != 2].assign(truth=shifted.astype(int))  # not 1..n
    assert refused(lambda: make(gaps)).endswith("a name of its own in `case`.")


def test_labels_that_are_not_two() -> None:
    assert refused(lambda: make(TABLE.assign(truth=1))).startswith(
        "`y_true` must contain both classes; every one of its 36 labels is 1."
    )
    three = TABLE.assign(truth=TABLE["id"] % 3)
    assert refused(lambda: make(three, positive=1)) == (
        "`y_true` must contain two labels; it has 3: 1, 2, 0. Join classes first, or leave the "
        "readings of some cases out."
    )
    assert "scores exchanged" in refused(
        lambda: make(label="rating2", table=TABLE.assign(rating2=np.arange(36) / 7))
    )
    assert "not one of" in refused(lambda: make(positive=2))


def test_clusters_that_divide_a_case() -> None:
    table = TABLE.assign(patient=TABLE["id"] % 3)
    table.loc[0, "patient"] = 2
    assert refused(lambda: make(table, clusters="patient")) == (
        "`clusters` must be the same in all readings of a case; case 1 is in 1 and in 2. A cluster, "
        "such as a patient, contains whole cases."
    )


def test_scores_that_are_no_floats() -> None:
    text = TABLE.assign(rating=TABLE["rating"].astype(str))
    assert refused(lambda: make(text)).startswith("`y_score` must be numbers; y_score[0] is the")
    large = TABLE.assign(rating=TABLE["rating"] + 2**53)
    assert refused(lambda: make(large)) == (
        f"`y_score` must be integers of at most 2**53, or floats; one is {2**53 + 6}. Only the "
        "order of scores counts: pass their ranks."
    )
    least = TABLE.assign(rating=-(2**53) - TABLE["rating"])
    assert f"one is {-(2**53) - 6}" in refused(lambda: make(least))
    assert make(TABLE.assign(rating=TABLE["rating"] + 2**53 - 6)).scores.max() == 2.0**53
    assert "real numbers" in refused(lambda: make(TABLE.assign(rating=TABLE["rating"] * 1j)))


def test_columns_that_do_not_fit() -> None:
    assert refused(lambda: rb.Readings([1, 0], [1, 2], reader=["A"], case=[1, 2])) == (
        "The columns must have one value for each reading; they have 2 (y_true), 2 (y_score), 1 "
        "(reader), 2 (case). Check that all come from the same rows."
    )
    assert "`reader` must be a column of values; it is a str" in refused(
        lambda: rb.Readings([1, 0], [1, 2], reader="A", case=[1, 2])  # type: ignore[arg-type]
    )
    for name in ("y_true", "y_score", "reader", "case"):
        columns: dict[str, Any] = {key: [0, 1] for key in ("y_true", "y_score", "reader", "case")}
        columns[name] = None
        assert f"`{name}` must be a column of values; it is a NoneType" in refused(
            lambda columns=columns: rb.Readings(**columns)
        )
    assert "must not be empty" in refused(lambda: rb.Readings([], [], reader=[], case=[]))
    assert "one-dimensional" in refused(
        lambda: rb.Readings([1, 0], np.ones((2, 1)), reader=[1, 1], case=[1, 2])
    )
    moved = TABLE["who"].sample(frac=1.0, random_state=1)
    assert "same order" in refused(
        lambda: rb.Readings(TABLE["truth"], TABLE["rating"], reader=moved, case=TABLE["id"])
    )
    names: list[Any] = [{}, {}]
    assert "must contain names" in refused(
        lambda: rb.Readings([1, 0], [1, 2], reader=names, case=[1, 2])
    )


def test_arguments() -> None:
    assert "Did you mean 'rating'?" in refused(lambda: make(score="ratings"))
    assert "`missing` must be one of raise, drop" in refused(lambda: make(missing="keep"))
    assert "rb.Readings(y_true" in refused(lambda: make([1, 2]))
    with pytest.raises(TypeError, match="needs `reader` and `case`"):
        rb.Readings([1, 0], [1, 2])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="It is called `positive` here"):
        rb.Readings([1, 0], [1, 2], reader=[1, 1], case=[1, 2], pos_label=1)  # type: ignore[call-arg]


def test_wide_tables_that_do_not_fit() -> None:
    table = {"id": [1, 2, 3], "y": [1, 0, 0], "a": [3, 1, 2], "b": [2, 2, None]}

    def wide(columns: Any, table: Any = table, **how: Any) -> Callable[[], rb.Readings]:
        return lambda: rb.Readings.from_wide(table, case="id", label="y", columns=columns, **how)

    assert "must be a mapping from (reader, test)" in refused(wide(["a"]))
    assert "must be a mapping from (reader, test)" in refused(wide({}))
    assert "it has both" in refused(wide({"A": "a", ("B", "CT"): "b"}))
    assert "keys; one is ('A', 'CT', 1)" in refused(wide({("A", "CT", 1): "a"}))
    assert "'a' is named twice" in refused(wide({"A": "a", "B": "a"}))
    assert "differ as text; '1' occurs twice" in refused(wide({1: "a", "1": "b"}))
    assert "There are 'id', 'y', 'a', 'b'" in refused(wide({"A": "zzz"}))
    empty = {**table, "b": [None] * 3}
    assert refused(wide({"A": "a", "B": "b"}, empty)) == (
        "`columns['B']` must contain scores; all its cells are empty. Leave it out."
    )
    assert refused(wide({"A": "a"}, {**table, "id": [1, 1, 2]})).startswith(
        "`case` must be a different one in each row of a wide table; case 1 is in 2 rows."
    )
    words = {**table, "a": ["x", "y", "z"]}
    assert "`columns[('A', 'CT')]` must be numbers" in refused(wide({("A", "CT"): "a"}, words))
    unlabelled = {**table, "y": [1, 0, None]}
    assert "of 3 rows 1 lack a value: `y_true` in 1" in refused(wide({"A": "a"}, unlabelled))
    found = wide({"A": "a"}, unlabelled, missing="drop")()
    assert found.notes == ("Left out 1 of 3 rows without a value: y_true in 1.",)
    assert found.n_cases == 2


def test_more_combinations_than_fit_into_memory() -> None:
    size = 17_000  # readers with one case each
    each = np.arange(size)
    assert refused(lambda: rb.Readings(each % 2, each, reader=each, case=each)) == (
        "Tests, readers and cases must make at most 268,435,456 combinations; 1 x 17,000 x 17,000 "
        "are more. Analyse some of the readers or cases at a time."
    )
