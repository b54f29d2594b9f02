"""Counts in place of a sample: models by name, parts by a column, and where rows come from."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocbands as rb
from rocbands.core.data import check_two_sets
from rocbands.core.rows import Origin
from rocbands.scale.counts import ScoreCounts

RNG = np.random.default_rng(11)
N = 600
Y = np.where(RNG.random(N) < 0.4, "ill", "well")
SCORES = {
    "b": RNG.normal(size=N) + (Y == "ill"),
    "a": np.round(RNG.normal(size=N) + 2 * (Y == "ill"), 1),
    "c": RNG.normal(size=N),
}
WHERE = RNG.choice(["north", "south", "west"], N)


def count(**how: Any) -> ScoreCounts:
    return ScoreCounts.from_arrays(Y, SCORES, positive="ill", **how)


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"y": Y, **SCORES, "where": WHERE, "n": np.arange(N) % 2})


def test_models_are_chosen_by_name_as_those_of_a_sample() -> None:
    counts, sample = count(exact=True), rb.Sample(Y, SCORES, positive="ill")
    assert counts.models == ("a", "b", "c")
    assert list(counts) == ["a", "b", "c"]
    assert "b" in counts
    assert "d" not in counts
    for name in counts:
        assert counts[name].models == (name,)
        assert counts[name].roc.auc == sample[name].roc.auc
        assert counts[name].roc.thresholds.tolist() == sample[name].roc.thresholds.tolist()
    assert (counts.n, counts.n_pos, counts.n_neg) == (sample.n, sample.n_pos, sample.n_neg)
    assert (counts.positive, counts.negative) == ("ill", "well")
    assert counts[["a", "b", "c"]] is counts
    assert counts["a"]["a"].roc.auc == counts["a"].roc.auc
    assert counts["a"].roc is not None
    assert (one := counts["a"]).roc is one.roc


def test_the_order_of_chosen_models_is_the_one_asked_for(tmp_path: Path) -> None:
    counts = count(by=WHERE, weights=np.linspace(1, 2, N))
    turned = counts[["c", "a"]]
    assert turned.models == ("c", "a")
    assert list(dict.fromkeys(turned.columns()["model"])) == ["c", "a"]
    assert turned.columns()["model"][0] == "c"
    assert (np.diff(turned.model) >= 0).all()
    for name in ("a", "c"):
        assert turned[name].roc.auc == counts[name].roc.auc
        assert turned.split()["west"][name].roc.auc == counts[name].split()["west"].roc.auc
    assert list(turned.each(rb.auc_interval).results) == ["c", "a"]
    turned.save(tmp_path / "turned.parquet")
    loaded = ScoreCounts.load(tmp_path / "turned.parquet")
    assert loaded.models == ("a", "c")
    assert loaded.to_dict() == counts[["a", "c"]].to_dict()
    assert (turned + turned[["a", "c"]]).models == ("a", "c")
    with pytest.raises(rb.InputError, match="found 'a', 'c' and 'a', 'b', 'c'"):
        turned + counts


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (("a", "b"), r"Write counts\[\['a', 'b'\]\]"),
        ("A", "there are 'a', 'b', 'c'"),
        (["a", "a"], "may be chosen once"),
        ([], "the list is empty"),
    ],
)
def test_names_that_are_no_models_are_refused(name: Any, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        count()[name]


def test_one_model_is_needed_for_one_curve() -> None:
    counts = count()
    for ask in (
        lambda: counts.roc,
        lambda: counts.design,
        lambda: rb.roc_band(counts),
        lambda: rb.auc_interval(counts),
        lambda: rb.compare(counts, counts),
    ):
        with pytest.raises(rb.InputError, match=r"as counts\['a'\].* counts\.each\(function\)"):
            ask()


def test_functions_take_counts_in_place_of_a_sample() -> None:
    counts, sample = count(exact=True), rb.Sample(Y, SCORES, positive="ill")
    areas = counts.each(rb.auc_interval, level=0.9)
    assert areas["b"].low == rb.auc_interval(sample["b"], level=0.9).low
    assert list(areas.results) == ["a", "b", "c"]
    other = count(exact=True)  # of the same rows, but not known to be
    at = rb.operating_points(sample["a"], fpr=0.1, test=(Y, SCORES["a"]))
    found = counts.each(rb.operating_points, fpr=0.1, test=other)["a"]
    assert found.tpr.tolist() == at.tpr.tolist()
    assert rb.roc_band(counts["b"]).area == rb.roc_band(sample["b"].roc).area
    with pytest.raises(rb.InputError, match="says everything about the data"):
        rb.roc_band(counts["b"], positive="ill")
    with pytest.raises(rb.InputError, match="got a ScoreCounts and nothing"):
        rb.compare(counts)


def test_sizes_of_models_that_differ_are_those_of_one_model() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {"model": ["a", "a", "b"], "bin": [1, 2, 1], "positives": [1, 0, 3], "negatives": [0, 2, 4]}
    )
    counts = ScoreCounts.from_table(table)
    assert (counts["b"].n, counts["a"].n_neg) == (7, 2)
    assert repr(counts) == "<ScoreCounts: counts in bins, 2 models: a, b>"
    with pytest.raises(rb.InputError, match="for one model; there are 2"):
        counts.n  # noqa: B018


def test_design_is_that_of_the_curve() -> None:
    assert count(exact=True)["a"].design == ()
    assert count()["a"].design == ("bins",)
    weights = np.linspace(1, 2, N)
    assert count(exact=True, weights=weights)["a"].design == ("weights",)
    with pytest.raises(rb.InputError, match="weights"):
        rb.auc_interval(count(exact=True, weights=weights)["a"], method="hanley-mcneil")


# ------------------------------------------------------------------------------------- parts


def test_parts_are_the_counts_of_their_rows(frame: pd.DataFrame) -> None:
    counts = rb.count_scores(
        frame, label="y", score=["a", "b"], by="where", positive="ill", exact=True
    )
    assert (counts.by, counts.parts) == ("where", ("north", "south", "west"))
    parts = counts.split()
    assert list(parts) == ["north", "south", "west"]
    assert counts.split("where").keys() == parts.keys()
    for name, part in parts.items():
        mine = name == WHERE
        alone = ScoreCounts.from_arrays(
            Y[mine], {m: SCORES[m][mine] for m in "ab"}, positive="ill", exact=True
        )
        assert (part.parts, part.by, part.part_name) == ((name,), "where", f"where {name}")
        assert (part.n_pos, part.n_neg) == (alone.n_pos, alone.n_neg)
        for model in part:
            assert part[model].roc.tp.tolist() == alone[model].roc.tp.tolist()
    assert ScoreCounts.merge(parts.values()).to_dict() == counts.to_dict()
    assert parts["north"].split()["north"].to_dict() == parts["north"].to_dict()


def test_the_column_is_named_where_it_is_known(tmp_path: Path) -> None:
    assert count(by=WHERE).by is None
    assert count(by=pd.Series(WHERE, name="country")).by == "country"
    named = count(by=pl.Series("country", WHERE))
    assert named.by == "country"
    named.save(tmp_path / "counts.parquet")
    assert ScoreCounts.load(tmp_path / "counts.parquet").by == "country"
    unnamed = count(by=WHERE)
    assert unnamed.split("anything")["north"].n == (WHERE == "north").sum()
    assert (unnamed + named).by == (named + unnamed).by == "country"
    with pytest.raises(rb.InputError, match="by the same column; found 'country' and 'sex'"):
        ScoreCounts.merge([unnamed, named, count(by=pd.Series(WHERE, name="sex"))])


def test_counts_are_split_by_what_they_were_counted_by() -> None:
    with pytest.raises(rb.InputError, match="Count them again with `by`"):
        count().split()
    named = count(by=pd.Series(WHERE, name="country"))
    with pytest.raises(rb.InputError, match="that is 'country', got 'sex'"):
        named.split("sex")
    with pytest.raises(rb.InputError, match="must be the column that rows were counted by"):
        named.split(WHERE)  # type: ignore[arg-type]


def test_a_part_of_one_class_has_no_curve() -> None:
    counts = ScoreCounts.from_arrays([1, 0, 1], [1, 2, 3], by=["f", "f", "m"])
    parts = counts.split()
    assert parts["f"].roc.auc == 0.0
    with pytest.raises(rb.InputError, match=r"'part m' must contain both.* 1 positives and 0 neg"):
        parts["m"].roc  # noqa: B018
    assert (parts["m"] + parts["f"]).roc.auc == counts.roc.auc


def test_subgroups_of_counts() -> None:
    counts = count(by=pd.Series(WHERE, name="country"), exact=True)
    sample = rb.Sample(Y, SCORES["b"], positive="ill", keep={"country": WHERE})
    found, known = (rb.subgroups(data, by="country", rng=1) for data in (counts["b"], sample))
    assert found.auc.tolist() == known.auc.tolist()
    with pytest.raises(rb.InputError, match="that is 'country', got 'sex'"):
        rb.subgroups(counts["b"], by="sex")


# ----------------------------------------------------------------------------------- origins


def test_two_models_of_the_same_counts_are_no_two_test_sets() -> None:
    counts = count(exact=True)
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        rb.compare(counts["a"], counts["b"])
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        rb.compare(counts["a"].roc, counts["b"].roc)
    for other in (pickle.loads(pickle.dumps(counts)), copy.deepcopy(counts)):
        with pytest.raises(rb.InputError, match="both come from the same rows"):
            check_two_sets(counts["a"], other["b"])
    check_two_sets(counts["a"], count()["a"])  # counted from arrays anew: nobody can know


def test_two_parts_are_two_test_sets() -> None:
    counts = count(exact=True, by=pd.Series(WHERE, name="country"))
    parts = counts["b"].split()
    found = rb.compare(parts["north"], parts["south"])
    masks = [name == WHERE for name in ("north", "south")]
    known = rb.compare(*(rb.Sample(Y[m], SCORES["b"][m], positive="ill") for m in masks))
    assert found.pvalue == known.pvalue
    assert found.names == ("b (country north)", "b (country south)")
    check_two_sets(parts["north"] + parts["south"], parts["west"])
    for one, two in (
        (parts["north"], counts["b"]),
        (parts["north"], counts["a"].split()["north"]),
        (parts["north"] + parts["south"], parts["south"]),
        (parts["north"] + counts["b"], parts["south"]),
    ):
        with pytest.raises(rb.InputError, match="both come from the same rows"):
            check_two_sets(one, two)


def test_files_are_known_again(tmp_path: Path, frame: pd.DataFrame) -> None:
    place = tmp_path / "rows.csv"
    frame.to_csv(place, index=False)
    frame.to_csv(tmp_path / "later.csv", index=False)
    how: dict[str, Any] = {"label": "y", "positive": "ill"}
    one, two = (rb.count_scores(place, score=name, **how) for name in ("a", "b"))
    sample = rb.Sample.from_file(place, score="c", **how)
    folder = [rb.count_scores(tmp_path, score=name, **how) for name in ("a", "b")]
    one.save(tmp_path / "one.parquet")
    saved = [ScoreCounts.load(tmp_path / "one.parquet") for _ in range(2)]
    for pair in ((one, two), (one, sample), folder, saved):
        with pytest.raises(rb.InputError, match="both come from the same rows"):
            check_two_sets(*pair)
    later = rb.count_scores(tmp_path / "later.csv", score="a", **how)
    check_two_sets(one, later)
    assert (one + later).origin.source not in (one.origin.source, later.origin.source)
    by_where = rb.count_scores(place, score="a", by="where", **how).split()["north"]
    by_n = rb.count_scores(place, score="a", by="n", **how).split()["1"]
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        check_two_sets(by_where, by_n)  # parts by different columns may share rows


def test_parts_of_one_source_overlap_unless_their_values_differ() -> None:
    north, south = (Origin("x", None, ("where", frozenset({name}))) for name in ("n", "s"))
    assert not north.overlaps(south)
    assert north.overlaps(north)
    assert north.overlaps(Origin("x"))
    assert Origin("x").overlaps(north)
    assert north.overlaps(Origin("x", np.array([3])))
    assert not north.overlaps(Origin("y", None, north.parts))


# --------------------------------------------------------------------------------- how it looks


def test_repr_is_one_line_and_computes_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        pytest.fail("repr computed a curve")

    monkeypatch.setattr(ScoreCounts, "_build_roc", fail)
    ill = int((Y == "ill").sum())
    sizes = f"{N} rows ({ill} ill, {N - ill} well)"
    assert repr(count()) == f"<ScoreCounts: {sizes} in bins, 3 models: a, b, c>"
    counts = count(by=pd.Series(WHERE, name="country"), exact=True, weights=np.linspace(1, 2, N))
    assert repr(counts) == (
        f"<ScoreCounts: {sizes} exact, 3 models: a, b, c, in 3 parts by country, weighted>"
    )
    part = repr(counts["a"].split()["west"])
    assert part.endswith("exact, 1 model: a, country west, weighted>")
    assert "(2 of class 1, 1 of class 0)" in repr(ScoreCounts.from_arrays([1, 1, 0], [1, 2, 3]))
    rest = ScoreCounts.from_arrays(["x", "y", "z"], [1, 2, 3], positive="x", rest=True)
    assert "3 rows (1 x, 2 others)" in repr(rest)
    half = ScoreCounts.from_arrays([1, 1], [1, 2])
    assert "2 rows (2 of class 1, 0 negatives)" in repr(half)
    many = ScoreCounts.from_arrays([1, 0], {f"m{i}": [1, 2] for i in range(6)})
    assert repr(many).endswith("6 models: m0, m1, m2, m3, ...>")


def test_html_and_text_have_a_row_for_each_model() -> None:
    counts = count(by=pd.Series(WHERE, name="country"))
    for text in (counts._repr_html_(), str(counts)):
        assert "in 3 parts by country" in text
        assert "Bins change an AUC by at most" in text
    assert counts._repr_html_().count("<tr") == 4


def test_counts_of_one_column_are_of_one_model() -> None:
    alone = ScoreCounts.from_arrays([1, 0, 1], [3, 2, 1])
    assert alone.models == ("score",)
    assert alone.roc.auc == 0.5
    series = ScoreCounts.from_arrays([1, 0, 1], pd.Series([3, 2, 1], name="risk"))
    assert series.models == ("risk",)
    frames = ScoreCounts.from_arrays([1, 0, 1], pl.DataFrame({"x": [3, 2, 1], "y": [1, 2, 3]}))
    assert frames.models == ("x", "y")
    for values, words in (({}, "at least one model"), ({"a": [1, 2]}, "has 3 rows and `y_score`")):
        with pytest.raises(rb.InputError, match=words):
            ScoreCounts.from_arrays([1, 0, 1], values)
    with pytest.raises(rb.InputError, match="has 3 rows and `by` has 2"):
        ScoreCounts.from_arrays([1, 0, 1], [1, 2, 3], by=["a", "b"])


def test_counts_are_frozen() -> None:
    counts = count()
    with pytest.raises(AttributeError):
        counts.models = ()  # type: ignore[misc]
    for name in ("model", "part", "value", "positives", "negatives"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(counts[["b", "a"]], name)[0] = 0


def test_arguments_of_other_names_are_explained(frame: pd.DataFrame) -> None:
    for given, words in (
        ({"scores": "a"}, "It is called `score` here"),
        ({"cluster": "where"}, "Counts do not say which rows are of one cluster"),
        ({"pos_label": "ill"}, "It is called `positive` here"),
        ({"exakt": True}, "Did you mean `exact`"),
    ):
        with pytest.raises(TypeError, match=words):
            rb.count_scores(frame, **given)
    with pytest.raises(TypeError, match="takes one argument by position"):
        rb.count_scores(frame, "y")  # type: ignore[call-arg]


def test_columns_of_a_frame_are_no_notes_of_a_sample(frame: pd.DataFrame) -> None:
    odd = frame.assign(notes="seen", is_positive=1)
    assert rb.count_scores(odd, label="y", score="a", positive="ill").n == N
