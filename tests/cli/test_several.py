"""`subgroups` and `classes`: the library's numbers, pictures, pages, mistakes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli.documents import all_schemas
from tests.cli.files import write_files

Run = Callable[..., Result]
NAMES = ["setosa", "versicolor", "virginica"]
CLASSES = [word for name in NAMES for word in ("--score", name)]


@pytest.fixture(autouse=True)
def _files(run: Run) -> None:
    write_files()


def read(path: str) -> dict[str, np.ndarray]:
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {
        name: np.array(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def iris() -> rb.results.ClassBands:
    table = read("iris.csv")
    return rb.class_bands(table["outcome"], {name: table[name].astype(float) for name in NAMES})


def people() -> rb.results.Subgroups:
    table = read("people.csv")
    return rb.subgroups(
        table["outcome"].astype(int), table["score"].astype(float), by=table["sex"], rng=1
    )


@pytest.mark.parametrize(
    ("words", "make", "schema"),
    [
        (("classes", "iris.csv", *CLASSES), iris, "rocbands.classes/1"),
        (
            ("subgroups", "people.csv", "--by", "sex", "--seed", "1"),
            people,
            "rocbands.group-bands/1",
        ),
    ],
)
def test_the_numbers_are_the_librarys(run: Run, words, make, schema) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    found = json.loads(run(*words, "--json").stdout)
    assert found["together"] == json.loads(make().to_json())
    assert found["schema"] == schema
    schemas = all_schemas()
    known = referencing.Registry().with_resources(
        (one["$id"], referencing.Resource.from_contents(one)) for one in schemas.values()
    )
    jsonschema.Draft202012Validator(schemas[schema], registry=known).validate(found)
    if words[0] == "classes":  # whose columns are found by the labels, wherever they stand
        assert json.loads(run("classes", "iris.csv", "--json").stdout) == found
        rows = Path("iris.csv").read_text(encoding="utf-8").splitlines()
        cells = [row.split(",") for row in rows]
        head = [name if name == "outcome" else f"score_{name}" for name in cells[0]]
        lines = [",".join([*row, str(k)]) for k, row in enumerate([head, *cells[1:]])]
        Path("named.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert json.loads(run("classes", "named.csv", "--json").stdout) == found
    plain = run(*words, "--plot", "many.png")
    assert plain.exit_code == 0
    assert " ".join(plain.stdout.split()).startswith(" ".join(str(make()).split())[:80])
    assert Path("many.png").stat().st_size > 0


def test_pages_by_class_and_by_group(run: Run) -> None:
    assert run("report", "iris.csv", "--classes", *CLASSES, "-o", "i.html").exit_code == 0
    assert run("report", "people.csv", "--by", "sex", "-o", "p.html", "--seed", "1").exit_code == 0
    for page in map(Path, ("i.html", "p.html")):
        assert 'id="payload"' in page.read_text(encoding="utf-8")
    printed = json.loads(run("report", "people.csv", "--by", "sex", "--seed", "1", "--json").stdout)
    assert printed["kind"] == "group"
    assert printed["data"]["source"] == "people.csv"
    assert printed["made"]["command"].startswith("rocbands")
    assert printed["headline"][0] == people().sentence
    cut = ("--by", "sex", "--threshold", "0.25", "--json")
    assert json.loads(run("report", "people.csv", *cut).stdout)["groups"]["threshold"] == 0.25


def test_one_class_against_the_rest(run: Run) -> None:
    words = ("iris.csv", "--score", "setosa", "--positive", "setosa")
    found = json.loads(run("auc", *words, "--rest", "--json").stdout)
    table = read("iris.csv")
    one = rb.auc_interval(table["outcome"] == "setosa", table["setosa"].astype(float))
    assert found["models"]["setosa"]["low"] == pytest.approx(one.low, abs=1e-12)
    counted = run("count", *words, "--rest", "-o", "i.parquet", "--json")
    assert json.loads(counted.stdout)["negative"] == "the rest"
    refused = run("auc", *words)
    assert refused.exit_code == 2
    assert "with the rest, for example by --positive setosa and --rest" in refused.stderr


def test_rates_at_one_fpr_of_two_files(run: Run) -> None:
    words = ("scores.csv", "--unpaired", "later.csv", "--score", "score_new", "--at-fpr", "0.2")
    found = json.loads(run("compare", *words, "--json").stdout)
    one, two = read("scores.csv"), read("later.csv")
    own = rb.compare_tpr(
        *(rb.Sample(t["outcome"].astype(int), t["score_new"].astype(float)) for t in (one, two)),
        fpr=0.2,
    )
    assert (found["low"], found["high"]) == pytest.approx((own.low, own.high), abs=1e-12)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("report iris.csv --classes --by x", "--by is not for classes"),
        ("report people.csv --by sex --costs 2 1", "--costs is not for groups"),
        ("report people.csv --threshold 1", "--threshold is not for models. Leave it out, or name"),
        ("classes iris.csv --positive setosa", "--positive is not for several classes"),
        ("classes people.csv --score score --folds sex", "--folds is not for several classes"),
        ("classes iris.csv --score setosa --score versicolor", "one column of scores for each"),
        ("classes people.csv", "There must be one column of scores for each class, named after it"),
        (
            "report iris.csv",
            "column 'outcome' has 3 classes, and each has a column of scores: 'setosa', "
            "'versicolor', 'virginica'. All classes: --classes with --label outcome. One of them",
        ),
        ("auc iris.csv --label outcome", "All classes: 'rocbands classes' with --label outcome"),
        (
            "report iris.csv --score setosa",
            "for example by --positive virginica and --rest; or all classes by --classes",
        ),
        ("compare people.csv --by sex --margin 0.1", "--margin is not for groups of people"),
        ("compare people.csv --by sex --fpr 0.1 --threshold 1", "at one threshold; got 2"),
        ("compare scores.csv --against rest", "--against is not for models; it is for groups"),
        ("points people.csv --by sex --rate 0.1", "find the threshold first and pass it by"),
        (
            "points people.csv --by sex --fpr 0.1 --fpr 0.2 --plot a.png",
            "--plot is not for several",
        ),
        ("subgroups scores.csv --by fold", "there are 2: 'score_new', 'score_old'. Name it by"),
        (
            "subgroups people.csv",
            "--by must say which group each row is in; it was not given. Pass",
        ),
        ("subgroups people.csv --by sx", "people.csv has no column 'sx'. Did you mean 'sex'"),
        (
            "subgroups people.csv --by sex --clusters sex",
            "The positives of 0 must come from at least two clusters",
        ),
        ("band iris.csv --score setosa --rest", "Name it by --positive"),
    ],
)
def test_mistakes(run: Run, line: str, said: str) -> None:
    result = run(*line.split())
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert "sample[" not in result.stderr


def test_differences_between_groups(run: Run) -> None:
    table = read("people.csv")
    y, s = table["outcome"].astype(int), table["score"].astype(float)
    own = rb.subgroups(y, s, by=table["sex"], threshold=0.4, rng=1).gaps
    words = ("compare", "people.csv", "--score", "score", "--by", "sex")
    for more, names in (((), ("auc",)), (("--threshold", "0.4"), ("auc", "tpr", "fpr"))):
        found = json.loads(run(*words, *more, "--json").stdout)
        known = json.loads(own.of(*names).to_json())
        assert found == known
        assert bool(more) == (found["threshold"] is not None)
    one = read("people.csv")["sex"][0]
    plain = run(*words, "--threshold", "0.4", "--plot", "gaps.png")
    own = own.of("auc", "tpr", "fpr")
    assert " ".join(plain.stdout.split()).startswith(own.sentence)
    assert one in plain.stdout
    assert Path("gaps.png").stat().st_size > 0
    at_fpr = json.loads(run(*words, "--at-fpr", "0.2", "--json").stdout)
    same = json.loads(run(*words, "--at-specificity", "0.8", "--json").stdout)
    assert at_fpr["columns"] == same["columns"]
    assert at_fpr["threshold"] == float(rb.roc_curve(y, s).threshold_at(0.2))
    rest = json.loads(run(*words, "--against", "rest", "--json").stdout)
    assert set(rest["columns"]["group_2"]) == {"the rest"}
    found = json.loads(run(*words, "--against", one, "--json").stdout)
    assert (found["against"], set(found["columns"]["group_2"])) == (one, {one})
    refused = run(*words, "--against", "q").stderr
    assert "--against must be 'pairs', 'rest' or the name of a group: '" in refused


def test_operating_points_of_groups(run: Run) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    table = read("people.csv")
    y, s = table["outcome"].astype(int), table["score"].astype(float)
    words = ("points", "people.csv", "--by", "sex", "--threshold", "0.4", "--fpr", "0.1")
    found = json.loads(run(*words, "--json").stdout)
    first, second = found["thresholds"]
    own = rb.subgroups(y, s, by=table["sex"], threshold=0.4)
    assert first == json.loads(own.to_json())
    assert (second["at_fpr"], first["at_fpr"]) == (0.1, None)
    schemas = all_schemas()
    known = referencing.Registry().with_resources(
        (one["$id"], referencing.Resource.from_contents(one)) for one in schemas.values()
    )
    schema = schemas["rocbands.group-points/1"]
    jsonschema.Draft202012Validator(schema, registry=known).validate(found)
    text = run(*words).stdout
    assert text.count("\nGroups\n") == 2
    assert text.startswith("Threshold 0.4\nAt threshold 0.4 ")
    rows = run(*words, "--format", "csv").stdout.splitlines()
    assert len(rows) == 1 + 2 * len(own)
    assert rows[0].startswith("threshold,group,n_pos,n_neg,tpr,tpr_lower")
    assert rows[1].startswith(
        f"0.4,{own.group[0]},{own.n_pos[0]},{own.n_neg[0]},{float(own.tpr[0])!r}"
    )


def test_a_note_on_a_group_without_calls_is_printed_once(run: Run) -> None:
    said = run("subgroups", "people.csv", "--by", "sex", "--threshold", "500").stdout
    notes = " ".join(said.split())
    assert notes.count("is called positive: there is no PPV.") == len(
        set(read("people.csv")["sex"])
    )
