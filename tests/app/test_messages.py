"""What the page is told: errors with their field and row, sheets, suggestions, names as text."""

from __future__ import annotations

import io
import json
from typing import Any

import openpyxl
import pytest

from rocbands.app.words import describe, say
from rocbands.errors import InputError, Message, arg, call, in_python
from tests.app.client import Server

ROWS = [f"{'yes' if k % 3 == 0 else 'no'},{k * 7 % 11}.5,{k * 5 % 13},p{k // 2}" for k in range(24)]
HEAD = "outcome,score_new,score_old,patient"
ASKED: dict[str, Any] = {
    **{"label": "outcome", "positive": "yes", "scores": ["score_new", "score_old"]}
}


def table(changes: dict[int, str] | None = None) -> bytes:
    """A file of 24 rows; `changes` by the number of the line."""
    lines = [HEAD, *ROWS]
    for line, text in (changes or {}).items():
        lines[line - 1] = text
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("yes,much,3,p1", "scores", "column 'score_new' must be a number; found 'much'"),
        ("yes,1.5,,p1", "scores", "column 'score_old' must be a number; the cell is empty"),
        ("yes,1.5,3", None, "line 7"),
        (",1.5,3,p1", "label", "column 'outcome' must contain a label in every row"),
        ("yes,1.5,3,", "clusters", "column 'patient' must contain a label in every row"),
    ],
)
def test_a_mistake_in_row_7(server: Server, line: str, field: str | None, said: str) -> None:
    upload = server.upload(table({7: line}), "my study.csv")
    error = server.error("analyse", upload=upload, **ASKED, clusters="patient")
    assert error["message"].startswith("my study.csv, line 7: ")
    assert said in error["message"]
    assert (error["field"], error["row"]) == (field, 7)


def test_missing_values_can_be_left_out(server: Server) -> None:
    upload = server.upload(table({7: "yes,,3,p1"}))
    error = server.error("analyse", upload=upload, **ASKED)
    assert error["message"].endswith(
        "Correct or remove such rows, or choose “Leave out rows with missing values”."
    )
    found = server.result("analyse", upload=upload, **ASKED, drop_missing=True)
    assert found["n"] == 23
    assert any("1 row" in note or "1 of 24" in note for note in found["notes"])
    assert "--drop-missing" in found["repeat"]["command"]
    assert "missing='drop'" in found["repeat"]["python"]


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"positive": None}, "positive", "“Positive label”"),
        ({"positive": "maybe"}, "positive", "“Positive label”"),
        ({"label": None}, "label", "“Outcome” must be chosen"),
        ({"label": "nothing"}, "label", "has no column 'nothing'"),
        ({"scores": []}, "scores", "at least one column of scores"),
        ({"scores": ["score_new", "patient"]}, "scores", "column 'patient' must be a number"),
        ({"scores": "score_new"}, "scores", "must be a list of columns"),
        ({"scores": [1]}, "scores", "must be a list of columns"),
        ({"weights": "patient"}, "weights", "column 'patient' must be a number"),
        ({"encoding": "x"}, "encoding", "“Encoding” must be the name of an encoding; got 'x'"),
        ({"decimal": ";"}, "decimal", "“Decimal sign” must be the decimal sign"),
        ({"decimal": ","}, "decimal", "must have the decimal sign ','; found '"),
        ({"level": 95}, "level", "“Confidence level” must"),
        ({"level": "high"}, "level", "“Confidence level” must"),
        ({"costs": [1]}, "costs", "“Costs” must"),
        ({"costs": "many"}, "costs", "“Costs” must"),
        ({"prevalence": 2}, "prevalence", "“Prevalence” must"),
        ({"capacity": 0}, "capacity", "“Capacity” must"),
        ({"sheet": "first"}, "sheet", "“Sheet” is for Excel workbooks"),
    ],
)
def test_the_field_of_a_mistake(
    server: Server, changes: dict[str, Any], field: str, said: str
) -> None:
    error = server.error("analyse", upload=server.upload(table()), **{**ASKED, **changes})
    assert said in error["message"]
    assert error["field"] == field
    assert "--" not in error["message"]
    assert "`" not in error["message"]
    assert str(server.base) not in error["message"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "auc"),
        ({"auc": 0.8}, "width"),
        ({"auc": 1.2, "width": 0.1}, "auc"),
        ({"auc": 0.8, "width": 0.1, "power": 0.8}, "power"),
        ({"auc": 0.8, "width": "small"}, "width"),
    ],
)
def test_the_field_of_a_mistake_in_a_plan(
    server: Server, asked: dict[str, Any], field: str
) -> None:
    assert server.error("plan", **asked)["field"] == field


def test_one_model_cannot_be_compared(server: Server) -> None:
    error = server.error(
        "compare", upload=server.example(), label="diagnosis", positive="malignant"
    )
    assert error["field"] == "scores"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "must contain column names and rows; it is empty"),
        (b"a,b\n", "must contain rows below the column names"),
        (b"\x80\x04pickled", "it is a pickle, which can run any code"),
        (b"\xd0\xcf\x11\xe0old", "an Excel workbook of before 2007"),
        (b"PK\x03\x04broken", "must be a whole Excel workbook"),
        (b"<!doctype html><p>", "it is HTML"),
        (b"%PDF-1.4 ...", "it is a PDF. Ask for the table itself"),
        (b"a,b\n1,\x81\n", "must be text in UTF-8"),
    ],
)
def test_files_that_cannot_be_read(server: Server, data: bytes, said: str) -> None:
    error = server.error("preview", upload=server.upload(data, "scores.csv"))
    assert error["message"].startswith("scores.csv")
    assert said in error["message"]


CODES = [f"{9 if k == 7 else k % 2},{k * 5 % 13},{-999 if k % 8 == 0 else k}" for k in range(60)]


def test_more_than_two_labels_are_answered_by_what_the_page_can_do(server: Server) -> None:
    upload = server.upload("\n".join(["label,score,code", *CODES]).encode())
    error = server.error("analyse", upload=upload, label="label", positive="1", scores=["score"])
    assert error["field"] == "label"
    assert error["message"] == (
        "“Outcome” must contain two labels; it has 3: 0, 1, 9; 9 is in 1 of 60 rows. Does 9 mean "
        "missing or unknown? If so, leave those cells empty, and choose “Leave out rows with "
        "missing values”. Here two are needed: choose another column, or keep only the rows of two "
        "labels. On the command line, 'rocbands classes' shows several classes, and --rest "
        "compares one with all others."
    )


def test_notes_are_in_the_words_of_the_page_everywhere(server: Server) -> None:
    rows = [row for row in CODES if not row.startswith("9")]
    text = "\n".join(["label,größe,code", *rows])
    asked = {"label": "label", "positive": "1", "scores": ["größe", "code"]}
    for task in ("analyse", "compare"):
        upload = server.upload(text.encode("cp1252"))
        key = server.start(task, upload=upload, **asked)
        found = json.dumps(server.wait(key)["result"] | {"repeat": None}, ensure_ascii=False)
        assert "“Encoding” cp1250" in found
        assert "“Leave out rows with missing values”" in found
        assert "encoding='" not in found
        assert "missing='" not in found


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("capacity", 2.0, "got 200%. Write a percentage; for a number of rows, their share of all"),
        ("capacity", 200.0, "got 20000%. Write a percentage"),
        ("prevalence", 1.5, "got 150%. Write a percentage"),
        ("level", 9.5, "got 950%. Write, for example, 95."),
    ],
)
def test_a_number_that_is_no_percentage(server: Server, name: str, value: float, said: str) -> None:
    asked = {**ASKED, name: value}
    assert said in server.error("analyse", upload=server.upload(table()), **asked)["message"]


def workbook() -> bytes:
    """A workbook with notes and two tables."""
    book = openpyxl.Workbook()
    notes = book.active
    assert notes is not None
    notes.title = "Notes"
    notes.append(["Written in May"])
    for title, names in (("First", ["outcome", "score"]), ("Second", ["outcome", "marker"])):
        sheet = book.create_sheet(title)
        sheet.append(names)
        for k in range(30):
            sheet.append(
                ["ill" if k % 3 == 0 else "well", k * 7 % 11 + (title == "Second") * (k % 3)]
            )
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_workbook_with_two_tables(server: Server) -> None:
    upload = server.upload(workbook(), "study.xlsx")
    first = server.result("preview", upload=upload)
    assert (first["sheets"], first["sheet"]) == (["Notes", "First", "Second"], "First")
    assert first["suggestion"]["scores"] == ["score"]
    assert first["suggestion"]["positive"] == "ill"
    second = server.result("preview", upload=upload, sheet="Second")
    assert second["sheet"] == "Second"
    assert second["suggestion"]["scores"] == ["marker"]
    labels = server.result("labels", upload=upload, sheet="Second", label="outcome")
    assert labels["labels"] == [{"value": "ill", "count": 10}, {"value": "well", "count": 20}]
    asked = {"label": "outcome", "positive": "ill", "scores": ["marker"], "sheet": "Second"}
    found = server.result("analyse", upload=upload, **asked)
    assert "--sheet Second" in found["repeat"]["command"]
    assert (found["models"], found["n"]) == (["marker"], 30)
    error = server.error("preview", upload=upload, sheet="Third")
    assert "it has 'Notes', 'First', 'Second'" in error["message"]
    assert error["field"] == "sheet"


HOSTILE = '<img src=x onerror="alert(1)">'
FORMULA = '=HYPERLINK("http://evil.example")'


def test_names_are_text_everywhere(server: Server) -> None:
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (HOSTILE, FORMULA, "@who")]
    lines = [f"{quoted[0]},{quoted[1]},{quoted[2]}"]
    label = '"=cmd|calc!A0"'
    lines += [f"{label if k % 3 else HOSTILE[:4]},{k * 7 % 11},{k * 5 % 13}" for k in range(30)]
    upload = server.upload("\n".join(lines).encode(), f"{HOSTILE}.csv")
    preview = server.result("preview", upload=upload)
    assert [column["name"] for column in preview["columns"]] == [HOSTILE, FORMULA, "@who"]
    asked = {"label": HOSTILE, "positive": "=cmd|calc!A0", "scores": [FORMULA, "@who"]}
    found = server.result("analyse", upload=upload, **asked)
    assert found["models"] == [FORMULA, "@who"]
    page = server.ask("GET", f"/api/jobs/{found['id']}/report")[2].decode()
    assert "<img src=x" not in page
    for name in ("summary.csv", "bands.csv"):
        rows = server.download(found["id"], name).decode().splitlines()
        assert any("'=HYPERLINK" in row for row in rows)
        assert not any(row.startswith(("=", '"=', "@", '"@')) for row in rows)
    book = openpyxl.load_workbook(io.BytesIO(server.download(found["id"], "summary.xlsx")))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {f"'{FORMULA}", "'@who"} <= {cell.value for cell in cells}
    assert not any(cell.data_type == "f" for cell in cells)
    comparison = server.result("compare", upload=upload, **asked)
    assert "'=HYPERLINK" in server.download(comparison["id"], "comparison.csv").decode()
    assert any(cell == f"AUC {FORMULA}" or "AUC" in cell for cell in comparison["table"]["columns"])


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        (
            "y,score_a,score_b,age\n1,2,3,4\n0,1,2,3\n",
            {"label": "y", "scores": ["score_a", "score_b"]},
        ),
        ("id,y,a\n1,1,.5\n2,0,.4\n3,1,.3\n", {"label": "y", "scores": ["a"], "positive": "1"}),
        ("good,a\nx,1\nz,2\nx,3\n", {"label": "good", "positive": None, "scores": ["a"]}),
        ("a,b\n1.5,2\n2.5,3\n3.5,1\n", {"label": None, "positive": None, "scores": []}),
        (
            "y;Age;m1;m2;sex\n1;61;0,5;,2;0\n0;62;0,4;0,3;1\n1;7;1,0;0,1;0\n",
            {"scores": ["m1", "m2"]},
        ),
        ("y,patient_id,s\n1,7,1\n0,7,2\n1,8,3\n", {"clusters": "patient_id", "scores": ["s"]}),
        ("y,patient_id,s\n1,7,1\n0,8,2\n1,9,3\n", {"clusters": None, "scores": ["s"]}),
        ("y,s\n" + "1,1\n0,2\n" * 9 + "1,high\n", {"label": "y", "scores": ["s"]}),
        ("truth,sample_weight,s\nyes,1,1\nno,2,2\nno,1,3\n", {"weights": "sample_weight"}),
    ],
)
def test_suggestions(server: Server, text: str, guess: dict[str, Any]) -> None:
    found = server.result("preview", upload=server.upload(text.encode()))["suggestion"]
    assert {name: found[name] for name in guess} == guess


def test_labels_are_counted_in_all_rows(server: Server) -> None:
    rows = "".join(f"{k % 4 == 0:d},{k}\n" for k in range(3000))
    upload = server.upload(f"y,s\n{rows} 1 ,5\n,6\nNA,7\n".encode())
    found = server.result("preview", upload=upload)
    assert (found["n_rows"], found["sampled"], len(found["rows"])) == (None, True, 8)
    labels = server.result("labels", upload=upload, label="y")
    counted = {each["value"]: each["count"] for each in labels["labels"]}
    assert (counted, labels["n_rows"], labels["missing"]) == ({"1": 751, "0": 2250}, 3003, 2)
    assert labels["positive"] == "1"
    many = server.error("labels", upload=upload, label="s")
    assert "more than 1000 different ones" in many["message"]


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from rocbands.app import data, preview, work

    file = tmp_path / "rows.csv"
    file.write_bytes(table())
    request = {"path": str(file), "name": "my.csv", **ASKED}
    for module in (data, preview):
        monkeypatch.setattr(module, "MOST_ROWS", 20)
    for task in ("labels", "analyse", "compare"):
        error = work.run_task(task, request, tmp_path, lambda *_: None)["error"]
        assert error["message"].startswith("my.csv must have at most 20 rows; it has more. On the")
        assert "'rocbands count'" in error["message"]


def test_messages_in_the_words_of_the_page() -> None:
    problem = InputError(
        Message("{} and {} must be right", arg("score"), arg("level")),
        "they are not",
        Message(
            "Pass {}, {}{} or see {}.",
            arg("label", "NAME"),
            arg("level", 0.9),
            in_python(" in Python"),
            call("methods"),
        ),
    )
    assert describe(problem, {})["message"] == (
        "“Scores” and “Confidence level” must be right; they are not. Choose “Outcome”, "
        "“Confidence level” 90% or see rb.methods()."
    )
    assert describe(problem, {})["field"] == "scores"
    wrong = InputError("must lie between 0 and 1", "got 1.07", argument="power")
    assert describe(wrong, {})["message"] == "“Power” must lie between 0% and 100%; got 107%."
    assert say(Message("Costs: {}", arg("costs", (20, 1)))) == "Costs: “Costs” 20 1"
    assert json.dumps(describe(problem, {"path": "/x", "name": "y"}))


def test_signs_that_no_text_can_have(server: Server) -> None:
    upload = server.upload(b'{"y": 1, "\\ud800": 0.5}\n{"y": 0, "\\ud800": 0.1}\n', "a.jsonl")
    found = server.result("preview", upload=upload)
    assert found["columns"][0]["name"] == "y"
    assert len(found["columns"]) == 2


def test_a_line_break_in_a_name_does_not_change_the_command_of_the_report(server: Server) -> None:
    name = "x\nrm -rf ~ #"
    rows = "".join(f'"{y}",{y + k}\n' for k in range(20) for y in (0, 1))
    upload = server.upload(f'"{name}",s\n{rows}'.encode())
    found = server.result("analyse", upload=upload, label=name, positive="1", scores=["s"])
    payload = json.loads(server.download(found["id"], "report.json"))
    assert payload["made"]["command"].startswith("rocbands report scores.csv --label 'x")


def test_small_values_may_mean_positive(server: Server) -> None:
    rows = "".join(f"{y},{10 - 3 * y + k % 4},{y + k % 3}\n" for k in range(30) for y in (0, 1))
    upload = server.upload(f"ill,hb,crp\n{rows}".encode())
    asked = {"upload": upload, "label": "ill", "positive": "1", "scores": ["hb", "crp"]}
    assert server.result("analyse", **asked)["below_half"] == ["hb"]
    found = server.result("analyse", **asked, reversed=["hb"])
    assert found["below_half"] == []
    assert any("multiplied by -1" in note for note in found["notes"])
    assert "--reverse hb" in found["repeat"]["command"]
    assert ".reverse(['hb'])" in found["repeat"]["python"]
    assert server.result("compare", **asked)["below_half"] == ["hb"]


def test_a_file_with_semicolons_has_decimal_commas(server: Server) -> None:
    rows = "".join(f"{'ja' if y else 'nein'};{1 + y},{k % 7};m\n" for k in range(9) for y in (0, 1))
    upload = server.upload(f"krank;CRP;Geschlecht\nja;2,5;w\n{rows}".encode())
    found = server.result("preview", upload=upload)
    types = {column["name"]: column["type"] for column in found["columns"]}
    assert types == {"krank": "text", "CRP": "number", "Geschlecht": "text"}
    suggested = found["suggestion"]
    assert (suggested["label"], suggested["positive"]) == ("krank", "ja")
    assert suggested["scores"] == ["CRP"]


def test_readings_are_no_cases(server: Server) -> None:
    upload = server.example("readers")
    asked = {"label": "truth", "positive": "1", "scores": ["rating"]}
    error = server.error("analyse", upload=upload, **asked)
    assert error["field"] == "clusters"
    assert error["message"] == (
        "The example: each row must be a case of its own; 1,200 rows are of 100 cases (columns "
        "'reader' and 'case'). To take the rows of a case as dependent, whoever read them, choose "
        "“Clusters” case. For a reader study open the tab Readers."
    )
    assert "error" not in server.result("analyse", upload=upload, **asked, clusters="case")


def test_one_score_is_not_compared(server: Server) -> None:
    error = server.error(
        "compare", upload=server.upload(table()), **(ASKED | {"scores": ["score_new"]})
    )
    assert error["field"] == "scores"
    assert error["message"] == (
        "“Scores” must be of two or more models; only 'score_new' is chosen. Choose another column "
        "of scores."
    )


def test_files_of_german_windows(server: Server) -> None:
    """Letters and thousands that are inferred are noted, and what is not clear can be said."""

    def write(beside: str) -> bytes:
        rows = [f"{'ja' if k % 3 else 'nein'};{beside};{910 + k}" for k in range(20)]
        rows += [f"{'ja' if k % 2 else 'nein'};{beside};1.{708 + k}" for k in range(20)]
        return "\r\n".join(["Krank;Größe;Wert", *rows, ""]).encode("cp1252")

    asked = {"label": "Krank", "positive": "ja", "scores": ["Wert"]}
    upload = server.upload(write("19,30"), "a.csv")
    preview = server.result("preview", upload=upload)
    said = (
        "The file is not in UTF-8, and was read as cp1252 (Windows). If letters are wrong, choose"
    )
    assert preview["notes"] == [f"{said} “Encoding” cp1250 or the like."]
    assert [one["name"] for one in preview["columns"]] == ["Krank", "Größe", "Wert"]
    assert [one["type"] for one in preview["columns"]] == ["text", "number", "number"]
    other = server.result("preview", upload=upload, encoding="cp1250")
    assert (other["notes"], other["columns"][1]["name"]) == ([], "Größe")
    notes = server.result("analyse", upload=upload, **asked)["notes"]
    assert preview["notes"][0] in notes
    assert any("'1.708' is 1708. Choose “Decimal sign” ." in note for note in notes)
    upload = server.upload(write("19"), "b.csv")
    error = server.error("analyse", upload=upload, **asked)
    assert error["field"] == "decimal"
    assert "'1.708' looks like 1708 beside '910'" in error["message"]
    assert "Choose “Decimal sign” , for 1708, or “Decimal sign” . for 1.708." in error["message"]
    found = server.result("analyse", upload=upload, decimal=",", encoding="cp1252", **asked)
    assert "--encoding cp1252 --decimal ," in found["repeat"]["command"]
    assert "encoding='cp1252', decimal=','" in found["repeat"]["python"]
    assert not [note for note in found["notes"] if "cp1252" in note or "thousands" in note]
