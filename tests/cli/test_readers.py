"""Reader studies on the command line: numbers of the library, every form of file, tables, plots."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]
EXAMPLE = rb.load_example("readers")

# Options, and the arguments that they become.
ASKED: dict[str, dict[str, Any]] = {
    "": {},
    "--random cases --level 0.9": {"random": "cases", "level": 0.9},
    "--random readers --null 0.8": {"random": "readers", "null": 0.8},
    "--margin 0.05 --level 0.975": {"margin": 0.05, "level": 0.975},
    "--alternative less": {"alternative": "less"},
    "--metric sensitivity --threshold 50": {"metric": "sensitivity", "threshold": 50},
    "--metric specificity --threshold 50 --threshold 60": {
        "metric": "specificity",
        "threshold": (50, 60),
    },
    "--fpr-range 0,0.2": {"metric": "partial_auc", "fpr": (0, 0.2)},
    "--metric partial_auc --tpr-range 0.8,1": {"metric": "partial_auc", "tpr": (0.8, 1)},
    "--algorithm F": {"algorithm": "F"},
    "--method one-shot": {"method": "one-shot"},
    "--set interval=symmetric": {"method": rb.readers.Bounded(interval="symmetric")},
    "--method obuchowski-rockette --set covariance=jackknife": {
        "method": rb.readers.ObuchowskiRockette(covariance="jackknife")
    },
}


def answer(run: Run, *words: str) -> Any:
    result = run("readers", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def plain(result: Any) -> Any:
    return json.loads(result.to_json())


def write_study(path: str, *, gap: bool = False) -> dict[str, list[Any]]:
    """Write the example with other names of columns and labels, and patients of two cases."""
    test, reader, case = (part.tolist() for part in np.indices(EXAMPLE.scores.shape).reshape(3, -1))
    columns: dict[str, list[Any]] = {
        "radiologist": [EXAMPLE.readers[j] for j in reader],
        "image": [k + 1 for k in case],
        "modality": [EXAMPLE.tests[i] for i in test],
        "finding": ["ill" if EXAMPLE.is_positive[k] else "well" for k in case],
        "confidence": EXAMPLE.scores.ravel().tolist(),
        "person": [k // 2 for k in case],
    }
    if gap:
        columns["confidence"][7] = ""
    rows = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return columns


NAMED = shlex.split(
    "--reader radiologist --case image --test modality --label finding --score confidence "
    "--positive ill"
)


@pytest.mark.parametrize("line", ASKED)
def test_numbers_are_those_of_the_library(run: Run, line: str) -> None:
    known = rb.compare_readers(EXAMPLE, **ASKED[line])
    assert answer(run, "--example", *line.split()) == plain(known)


def test_columns_are_named_by_options(run: Run) -> None:
    columns = write_study("named.csv")
    named = {"label": "finding", "score": "confidence", "reader": "radiologist", "case": "image"}
    readings = rb.Readings.from_frame(columns, **named, test="modality", positive="ill")
    known = plain(rb.compare_readers(readings))
    assert answer(run, "named.csv", *NAMED) == known
    assert known["areas"] == plain(rb.compare_readers(EXAMPLE))["areas"]
    piped = run("readers", *NAMED, "--json", "-", stdin=Path("named.csv").read_bytes())
    assert json.loads(piped.stdout) == known
    clustered = rb.Readings.from_frame(
        columns, **named, test="modality", positive="ill", clusters="person"
    )
    found = answer(run, "named.csv", *NAMED, "--clusters", "person")
    assert found == plain(rb.compare_readers(clustered))
    assert found["inferences"] != known["inferences"]


def test_the_positive_label_is_read_as_the_labels_are(run: Run) -> None:
    assert run("example", "--readers", "-o", "study.csv").exit_code == 0
    usual = answer(run, "study.csv")
    assert usual == plain(rb.compare_readers(EXAMPLE))
    assert answer(run, "study.csv", "--positive", "1") == usual
    turned = answer(run, "study.csv", "--positive", "0")
    assert np.allclose(np.add(turned["areas"], usual["areas"]), 1.0)


def test_missing_readings_are_reported(run: Run) -> None:
    write_study("gap.csv", gap=True)
    result = run("readers", "gap.csv", *NAMED)
    assert result.exit_code == 2
    assert "--drop-missing" in result.stderr
    said = " ".join(run("readers", "gap.csv", *NAMED, "--drop-missing").stdout.split())
    assert "Reader 'A' lacks 1 of 100 cases under 'aided'" in said


def test_files_of_imrmc_need_no_options(run: Run) -> None:
    rows = ["A simulated study", "BEGIN DATA:"]
    rows += [f"truth,{k},0,{int(own)}" for k, own in enumerate(EXAMPLE.is_positive)]
    rows += [
        f"{EXAMPLE.readers[j]},{k},{EXAMPLE.tests[i]},{EXAMPLE.scores[i, j, k]}"
        for i, j, k in np.ndindex(EXAMPLE.scores.shape)
    ]
    Path("study.imrmc").write_text("\n".join(rows), encoding="utf-8")
    assert answer(run, "study.imrmc")["inferences"] == answer(run, "--example")["inferences"]


@pytest.mark.parametrize("name", ["differences", "tests", "readers", "components", "inferences"])
def test_tables(run: Run, name: str) -> None:
    table = rb.compare_readers(EXAMPLE).table(name)
    assert answer(run, "--example", "--table", name) == plain(table)
    said = run("readers", "--example", "--table", name, "--format", "csv").stdout
    head, *rows = csv.reader(io.StringIO(said))
    columns = table.columns()
    assert head == list(columns)
    known = ["" if value is None else str(value) for value in columns[head[-1]]]
    assert [row[-1] for row in rows] == known
    text = run("readers", "--example", "--table", name).stdout
    assert text.startswith(table.sentence[:40])


def test_plots(run: Run) -> None:
    for line, words in (
        ("--plot forest.svg", "Average, unaided"),
        ("--plot curves.svg --kind curves --table tests", "for these readers"),
    ):
        result = run("readers", "--example", *line.split())
        assert result.exit_code == 0, result.stderr
        file = shlex.split(line)[1]
        assert f"Wrote {file}" in result.stderr
        assert words in Path(file).read_text(encoding="utf-8")


def test_the_answer_comes_first(run: Run) -> None:
    text = run("readers", "--example").stdout
    assert " ".join(text.partition("\n\n")[0].split()) == rb.compare_readers(EXAMPLE).sentence
    assert "Factorial: 6 readers x 2 tests x 100 cases (40 + 60)." in text


def test_slips_are_found_before_the_file_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocbands.io import readings

    monkeypatch.setattr(readings, "read_readings", lambda *_, **__: pytest.fail("it was read"))
    for slip in ("--level 2", "--method x", "--table x", "--plot nowhere/x.png", "--kind curves"):
        assert run("readers", "--example", *slip.split()).exit_code == 2


def test_messages_name_the_columns_that_were_found(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    path.write_text("reader,case,truth,rating\nA,1,y,3\nA,2,n,2\nB,1,y,\n", encoding="utf-8")
    said = run("readers", str(path)).stderr
    assert "Which label of column 'truth' is positive is not clear" in said
    said = run("readers", str(path), "--positive", "y").stderr
    assert "column 'rating' must not contain missing values" in said


@pytest.mark.parametrize("command", ["auc", "summary", "band", "compare", "classes", "report"])
def test_readings_are_no_cases_for_other_commands(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("example", "--readers", "-o", "study.csv").exit_code == 0
    output = ("-o", "page.html") if command == "report" else ()
    refused = run(command, "study.csv", "--score", "rating", *output)
    assert refused.exit_code == 2
    must = "study.csv: each row must be a case of its own; 1,200 rows are of 100 cases (columns"
    assert must in refused.stderr
    # The line that it says runs.
    line = shlex.split(refused.stderr.partition("type: ")[2])
    assert line[:3] == ["rocbands", "report" if output else "readers", "study.csv"]
    done = run(*line[1:])
    assert done.exit_code == 0, done.stderr
    assert "aided has a higher AUC than unaided" in done.stdout
    assert Path("page.html").exists() == bool(output)
    assert run("auc", "study.csv", "--score", "rating", "--clusters", "case").exit_code == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_one_reading_of_each_case_is_a_row(tmp_path: Path, ending: str) -> None:
    pd = pytest.importorskip("pandas")
    table = {"rater": list("ABCD"), "patient_id": ["p1", "p2", None, None], "y": [1, 0, 1, 0]}
    frame = pd.DataFrame({**table, "score": [0.4, 0.3, 0.2, 0.1]})
    path = tmp_path / f"rows.{ending}"
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda: frame.to_parquet(path, index=False),
    }
    write[ending]()
    for sample in (
        rb.Sample.from_file(path),
        rb.Sample.from_file(path, missing="drop"),
        rb.Sample.from_frame(frame, label="y", score="score"),
    ):
        assert (sample.n, sample.dropped) == (4, None)
    again = frame.assign(patient_id=["p1", "p1", None, "p2"])
    with pytest.raises(rb.InputError, match=r"3 rows are of 2 cases .*clusters='patient_id'"):
        rb.Sample.from_frame(again, label="y", score="score")
    with pytest.raises(rb.InputError, match="column 'patient_id' must"):
        rb.Sample.from_file(path, keep="patient_id")  # a column that is used has all its values


def test_tests_in_another_order(run: Run, tmp_path: Path) -> None:
    order = ("--compare", "unaided", "--compare", "aided")
    swapped = EXAMPLE.take(tests=["unaided", "aided"])
    said = answer(run, "--example", *order, "--margin", "0.05")
    assert said == plain(rb.compare_readers(swapped, margin=0.05))
    assert said["verdict"].startswith("Non-inferiority not shown: unaided may be worse")
    one = answer(run, "--example", "--compare", "aided")
    assert one == plain(rb.compare_readers(EXAMPLE.take(tests="aided")))
    wrong = run("readers", "--example", "--compare", "aidd")
    assert wrong.exit_code == 2
    assert "--compare must be among 'aided', 'unaided'; got 'aidd'. Did you mean" in wrong.stderr
    path = tmp_path / "study.csv"
    run("example", "--readers", "-o", str(path))
    told = run("report", str(path), "--reader", "reader", *order, "-o", str(tmp_path / "s.html"))
    assert "unaided minus aided: -0.062" in told.stdout
