"""Readings from files: every format, columns by their usual names, and files of iMRMC."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocbands as rb
from tests.readers.test_readings import make_table, refused, same

TABLE = make_table().rename(
    columns={"who": "Reader_ID", "id": "case", "modality": "Modality", "truth": "label"}
)
USES = {"reader": "Reader_ID", "case": "case", "test": "Modality", "label": "label"}
KNOWN = rb.Readings.from_frame(TABLE, score="rating", **USES)
ABOVE = "A study of three readers\nN0: 4\nN1: 2\nNR: 3\nNM: 2\n\nBEGIN DATA:\n"


def write_imrmc(truth: str = "-1", test: str = "0", sep: str = ",") -> str:
    """Write the table in the manner of iMRMC, labels first."""
    labels = TABLE.drop_duplicates("case")
    rows = [
        (truth, case, test, label)
        for case, label in zip(labels["case"], labels["label"], strict=True)
    ]
    rows += TABLE[["Reader_ID", "case", "Modality", "rating"]].itertuples(index=False)
    return "".join(f"{sep.join(map(str, row))}\n" for row in rows)


def save(folder: Path, text: str, name: str = "study.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_format_is_the_frame(tmp_path: Path) -> None:
    text = TABLE.to_csv(index=False)
    paths = [save(tmp_path, text), save(tmp_path, TABLE.to_csv(index=False, sep="\t"), "a.tsv")]
    paths.append(save(tmp_path, TABLE.to_json(orient="records", lines=True), "a.jsonl"))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    pq.write_table(pa.Table.from_pandas(TABLE), tmp_path / "a.parquet")
    TABLE.to_excel(tmp_path / "a.xlsx", sheet_name="study", index=False)
    paths += [tmp_path / name for name in ("a.csv.gz", "a.parquet", "a.xlsx")]
    for path in paths:
        found = rb.Readings.from_file(path)
        assert same(found, KNOWN), path
        assert found.frame is None
    done: list[float] = []
    found = rb.Readings.from_file(
        tmp_path / "a.xlsx", sheet="study", progress=lambda *each: done.append(each[0])
    )
    assert same(found, KNOWN)
    assert done


def test_columns_that_are_named(tmp_path: Path) -> None:
    table = TABLE.set_axis(["a", "b", "c", "d", "e"], axis=1).assign(f=TABLE["case"] % 4)
    path = save(tmp_path, table.to_csv(index=False))
    found = rb.Readings.from_file(
        path, test="a", reader="b", case="c", label="d", score="e", clusters="f"
    )
    known = rb.Readings.from_frame(
        table, test="a", reader="b", case="c", label="d", score="e", clusters="f"
    )
    assert same(found, known)
    assert found.clusters is not None
    one = rb.Readings.from_file(
        save(tmp_path, table[table["a"] == "CT"].to_csv(index=False)),
        reader="b",
        case="c",
        label="d",
        score="e",
    )
    assert one.tests == ("test",)


def test_names_stay_as_they_are_written(tmp_path: Path) -> None:
    text = "reader,case,truth,score\n01,1.1,1,3\n01,1.10,0,2\n1,1.1,1,2\n1,1.10,0,2\n"
    found = rb.Readings.from_file(save(tmp_path, text))
    assert (found.readers, found.cases) == (("01", "1"), ("1.1", "1.10"))


def test_missing_cells(tmp_path: Path) -> None:
    table = TABLE.assign(rating=TABLE["rating"].astype(float))
    table.loc[3, "rating"] = np.nan
    path = save(tmp_path, table.to_csv(index=False))
    assert "1 of 36 readings have none: reader 'A' lacks 1 of 6 under 'CT' (1 positive)" in refused(
        lambda: rb.Readings.from_file(path)
    )
    found = rb.Readings.from_file(path, missing="drop")
    assert found.notes[0].startswith("Reader 'A' lacks 1 of 6 cases under 'CT' (1 positive).")
    assert same(found, rb.Readings.from_frame(table, score="rating", missing="drop", **USES))
    table.loc[5, ["Reader_ID", "label"]] = np.nan
    path = save(tmp_path, table.to_csv(index=False))
    assert "of 36 rows 1 lack a value: `y_true` in 1, `reader` in 1" in refused(
        lambda: rb.Readings.from_file(path)
    )
    assert rb.Readings.from_file(path, missing="drop").n_readings == 34


@pytest.mark.parametrize(
    "text",
    [
        ABOVE + write_imrmc(),
        ABOVE.replace("\n", "\r\n") + write_imrmc(sep=", ").replace("\n", "\r\n"),
        ABOVE.replace("BEGIN DATA:", "begin data,,,") + write_imrmc("truth", "truth"),
        "\ufeff" + ABOVE + write_imrmc("TRUTH", "x"),
        "readerID,caseID,modalityID,score\n" + write_imrmc("truth", "truth"),
        '"readerID","caseID","modalityID","score"\n' + write_imrmc("truth", "truth"),
        "BEGIN DATA:\n" + "".join(reversed(write_imrmc().splitlines(keepends=True))),
    ],
)
def test_files_of_imrmc(tmp_path: Path, text: str) -> None:
    found = rb.Readings.from_file(save(tmp_path, text, "study.imrmc"))
    if text.startswith("BEGIN DATA"):  # rows in reverse
        assert found.readers == ("C", "B", "A")
        found = found.take(["A", "B", "C"], ["CT", "MR"])
        assert np.array_equal(found.scores, KNOWN.scores[:, :, ::-1])
    else:
        assert same(found, KNOWN)


def test_lines_of_files_of_imrmc_are_counted_from_the_top(tmp_path: Path) -> None:
    text = ABOVE + write_imrmc()
    path = save(tmp_path, text + "A,99,CT,high\n")
    line = text.count("\n") + 1
    assert f"study.csv, line {line}: column 'score' must be a number; found 'high'" in refused(
        lambda: rb.Readings.from_file(path)
    )


def test_files_of_imrmc_that_do_not_fit(tmp_path: Path) -> None:
    def said(rows: str) -> str:
        return refused(lambda: rb.Readings.from_file(save(tmp_path, "BEGIN DATA:\n" + rows)))

    assert "the score of the reader 'truth' must be 0 or 1; for case '1' it is 2" in said(
        write_imrmc() + "-1,1,0,2\n"
    )
    assert "case '1' is 0 and 1" in said(write_imrmc() + "-1,1,0,0\n")
    assert "in a row of the reader 'truth'; case '99x' has none" in said(
        write_imrmc() + "A,99x,CT,3\n"
    )
    assert "'truth'; case '2' has none. Add such rows" in said("-1,1,0,0\nA,1,CT,3\nA,2,CT,4\n")
    assert "case '2' has none (2 such cases)" in said("-1,1,0,0\nA,1,C,3\nA,2,C,4\nA,3,C,4\n")
    assert "all rows are of the reader 'truth'" in said("-1,1,0,0\n-1,2,0,1\n")
    assert "no reader is called 'truth'. Pass label='NAME'" in said("A,1,CT,3\n")


def test_columns_that_cannot_be_found(tmp_path: Path) -> None:
    def said(columns: dict[str, str], **how: Any) -> str:
        path = save(tmp_path, TABLE.rename(columns=columns).to_csv(index=False))
        return refused(lambda: rb.Readings.from_file(path, **how))

    assert said({"Reader_ID": "doctor"}).endswith(
        "it must be clear which column contains the readers; none is called reader, rater or "
        "observer. Pass reader='NAME'; the columns are 'Modality', 'doctor', 'case', 'label', "
        "'rating'."
    )
    assert "Pass reader='NAME' score='NAME' label='NAME'; the columns" in said(
        {"Reader_ID": "doctor", "rating": "x", "label": "ill"}
    )
    assert "by rb.Readings.from_wide." in said({"Reader_ID": "doctor", "rating": "x"})
    assert "the scores; 'rating' was named by `label`. Pass score=" in said({}, label="rating")
    assert "the labels; 'label' was named by `score`. Pass label=" in said({}, score="label")
    assert "Pass case='NAME'" in said({"case": "no"})
    assert "Pass score='NAME'" in said({"rating": "x"})
    assert "Pass label='NAME'" in said({"label": "x"})
    assert "it could be 'test' or 'modality'. Pass test='NAME'" in said(
        {"Modality": "test", "label": "modality"}
    )
    assert "it could be 'y' or 'label'. Pass label='NAME'" in said({"Modality": "y"})
    assert "has no column 'Case'" in said({}, case="Case")
    assert "Did you mean 'case'?" in said({}, case="Case")
    assert "'case' was named for both" in said({}, case="case", clusters="case")
    assert "'rating' occurs 2 times" in said({"Modality": "rating"}, score="rating")
    assert "`path` must be the path of a file" in refused(lambda: rb.Readings.from_file(TABLE))
    assert "rb.Readings.from_frame(df" in refused(lambda: rb.Readings.from_file(TABLE))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO((ABOVE + write_imrmc()).encode())

    monkeypatch.setattr("sys.stdin", Input())
    assert same(rb.Readings.from_file("-"), KNOWN)


def test_the_same_file_is_the_same_study(tmp_path: Path) -> None:
    path = save(tmp_path, TABLE.to_csv(index=False))
    one, two = rb.Readings.from_file(path), rb.Readings.from_file(path)
    with pytest.raises(rb.InputError, match="same rows"):
        rb.compare(one.sample("A", "CT"), two.sample("A", "MR"))


def test_a_sample_of_a_file_of_imrmc_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, ABOVE + write_imrmc())
    with pytest.raises(rb.InputError, match=r"contains the labels.* These are readings: rb\.comp"):
        rb.Sample.from_file(path)


def test_readings_are_no_sample() -> None:
    with pytest.raises(rb.InputError, match=r"readings\.sample\(reader\) is a Sample"):
        rb.auc_interval(rb.load_example("readers"))  # type: ignore[call-overload]


def test_clusters_in_numbers_and_text(tmp_path: Path) -> None:
    for patient in (TABLE["case"] % 4, "p" + (TABLE["case"] % 4).astype(str)):
        table = pd.DataFrame(TABLE).assign(patient_no=patient)
        found = rb.Readings.from_file(
            save(tmp_path, table.to_csv(index=False)), clusters="patient_no"
        )
        assert found.clusters is not None
        assert found.clusters.tolist() == [1, 2, 3, 0, 1, 2]
