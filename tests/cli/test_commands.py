"""What the commands print when all is well."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli import main

Run = Callable[..., Result]


def words(result: Result) -> list[list[str]]:
    """Return stdout as rows of words, after checking that all went well and fits a terminal."""
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    return [line.split() for line in result.stdout.splitlines()]


def table(result: Result) -> list[list[str]]:
    """Return the rows of the table, which stands below what is said about it."""
    lines = words(result)
    return lines[lines.index([]) + 1 :]


def test_auc_of_the_example(run: Run) -> None:
    sample = rb.load_example()
    result = run("auc", "--example")
    said, shown, statistics = result.stdout.split("\n\n")
    head, *rows = (line.split() for line in shown.splitlines())
    assert head == ["model", "estimate", "low", "high", "standard_error"]
    assert [row[0] for row in rows] == list(sample)
    for name, *numbers in rows:
        auc = rb.auc_interval(sample[name])
        known = [auc.estimate, auc.low, auc.high, auc.standard_error]
        assert [float(x) for x in numbers] == pytest.approx(known, abs=5e-5)
    assert said.startswith("AUC 0.900 (0.872 to 0.922) for logistic and 0.800 (")
    statistics = " ".join(statistics.split())
    assert statistics.startswith("95% confidence intervals (score-delong), for the true AUC;")
    assert statistics.endswith("212 positives, 357 negatives.")


def test_auc_by_every_method(run: Run) -> None:
    from rocbands.auc import METHODS

    sample = rb.load_example()["logistic"]
    for method in METHODS:
        asked = ("--method", method, "--level", "0.9", "--alternative", "greater", "--seed", "7")
        result = run("auc", "--example", "--score", "logistic", "--json", *asked)
        how = {"level": 0.9, "alternative": "greater", "rng": 7}
        auc = rb.auc_interval(sample, method=method, **how)
        assert json.loads(result.stdout)["models"]["logistic"] == json.loads(auc.to_json())


GROUPED = {
    "csv": b"y,s,p,f\n1,3,a,1\n0,2,a,1\n1,5,b,2\n0,1,b,2\n0,4,c,2\n1,6,c,1\n",
    "jsonl": b"".join(
        b'{"y": %d, "s": %d, "p": "%s", "f": %d}\n' % row
        for row in (
            *((1, 3, b"a", 1), (0, 2, b"a", 1), (1, 5, b"b", 2)),
            *((0, 1, b"b", 2), (0, 4, b"c", 2), (1, 6, b"c", 1)),
        )
    ),
}


@pytest.mark.parametrize("kind", [*GROUPED, "parquet"])
def test_auc_of_clusters_weights_and_folds(run: Run, kind: str) -> None:
    y, s = [1, 0, 1, 0, 0, 1], [3, 2, 5, 1, 4, 6]
    patient, fold = list("aabbcc"), [1, 1, 2, 2, 2, 1]
    if kind == "parquet":
        import pandas as pd

        pd.DataFrame({"y": y, "s": s, "p": patient, "f": fold}).to_parquet("rows.parquet")
    else:
        Path(f"rows.{kind}").write_bytes(GROUPED[kind])
    for column, expected in (
        (("--clusters", "p"), rb.auc_interval(rb.Sample(y, s, clusters=patient))),
        (("--weights", "f"), rb.auc_interval(rb.Sample(y, s, weights=fold))),
        (
            ("--weights", "f", "--clusters", "p"),
            rb.auc_interval(rb.Sample(y, s, weights=fold, clusters=patient)),
        ),
        (("--folds", "f"), rb.fold_auc_interval(rb.Sample(y, s, folds=fold))),
    ):
        result = run("auc", f"rows.{kind}", "--score", "s", "--json", *column)
        assert json.loads(result.stdout)["models"]["s"] == json.loads(expected.to_json())


def test_a_forest_plot(run: Run) -> None:
    result = run("auc", "--example", "--plot", "forest.png")
    assert (result.exit_code, result.stderr) == (0, "Wrote forest.png\n")
    assert Path("forest.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("band --method fixed-width --seed 1", "Use the likelihood band, or --set smooth=yes."),
        (
            "rate --rate 0.2 --method exact",
            "--method parametric allows for variation that these rows do not show.",
        ),
        ("points --fpr 0.25 --method bootstrap --seed 1", "too narrow; use --method likelihood."),
    ],
)
def test_notes_name_options(run: Run, command: str, shown: str, tmp_path: Path) -> None:
    file = tmp_path / "separated.csv"
    file.write_text("y,score\n1,.9\n1,.8\n1,.7\n1,.65\n0,.4\n0,.3\n0,.2\n0,.1\n", encoding="utf-8")
    name, *others = command.split()
    said = run(name, str(file), *others)
    assert shown in " ".join(said.stdout.split())


def test_notes_are_said_below_the_table(run: Run) -> None:
    said = " ".join(word for row in words(run("auc", "text.csv", *ILL)) for word in row)
    assert "limits equal the estimate" not in said
    said = " ".join(
        word for row in words(run("auc", "signs.csv", "--method", "hanley-mcneil")) for word in row
    )
    assert "limits equal the estimate" in said


ILL = ("--label", "who", "--positive", "ill")


def test_auc_as_json(run: Run) -> None:
    result = run("auc", "good.csv", "--json")
    auc = rb.auc_interval([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1])
    assert json.loads(result.stdout) == {
        "schema": "rocbands.aucs/1",
        "models": {"score": json.loads(auc.to_json())},
    }


@pytest.mark.parametrize("method", ["delong", "bootstrap", "bootstrap-t", "venkatraman"])
def test_compare_prints_what_the_library_shows(run: Run, method: str) -> None:
    result = run("compare", "--example", "--method", method, "--seed", "7", "--level", "0.9")
    words(result)
    found = rb.compare(rb.load_example(), method=method, level=0.9, rng=7)
    assert result.stdout.split() == str(found).split()
    document = json.loads(run("compare", "--example", "--margin", "0.05", "--json").stdout)
    assert document["margin"] == 0.05
    assert document["names"] == ["logistic", "neighbours"]


def test_compare_many(run: Run) -> None:
    result = run("compare", "three_models.csv", "--plot", "pairs.svg")
    words(result)
    assert Path("pairs.svg").stat().st_size > 1000
    document = json.loads(run("compare", "three_models.csv", "--json").stdout)
    assert document["schema"] == "rocbands.comparisons/3"
    assert document["columns"]["model_2"] == ["score_b", "score_c", "score_c"]


def test_band_prints_what_the_library_shows(run: Run) -> None:
    asked = ("--score", "logistic", "--level", "0.9", "--seed", "7")
    result = run("band", "--example", *asked)
    band = rb.roc_band(rb.load_example()["logistic"], level=0.9, rng=7)
    words(result)
    assert result.stdout.split() == f"Model logistic {band}".split()
    assert result.stderr == ""


def test_band_as_one_json_document(run: Run) -> None:
    sample = rb.load_example()
    result = run("band", "--example", "--json", "--method", "joint-region", "--seed", "7")
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    assert document["schema"] == "rocbands.bands/1"
    assert list(document["models"]) == ["logistic", "neighbours"]
    for name in sample:
        band = rb.roc_band(sample[name], method="joint-region")
        assert document["models"][name] == json.loads(band.to_json())


def test_the_seed_and_future_sizes_reach_the_method(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rb.roc_band([1, 0], [2, 1])
    asked = []
    monkeypatch.setattr(rb, "roc_band", lambda *_, **how: (asked.append(how), made)[1])
    assert run("band", "good.csv", "--seed", "7", "--future", "5, 9").exit_code == 0
    assert asked == [{"method": None, "level": 0.95, "future": (5, 9), "rng": 7}]
    assert run("band", "good.csv").exit_code == 0
    assert asked[1]["rng"] == 0


def test_labels_are_checked_once_for_any_number_of_models(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocbands.core import sample_columns
    from rocbands.io import files
    from rocbands.scale import saved

    calls: list[str] = []
    for module, name in (
        (sample_columns, "two_classes"),
        (files, "read_scores"),
        (saved, "is_counts"),
    ):
        real = getattr(module, name)

        def counted(*args, real=real, name=name, **how):
            calls.append(name)
            return real(*args, **how)

        monkeypatch.setattr(module, name, counted)
    for command in ("band", "auc", "roc", "points --fpr 0.1", "rate", "cost --threshold 2 --w 0.5"):
        calls.clear()
        assert run(*command.split(), "three_models.csv").exit_code == 0
        assert sorted(calls) == ["is_counts", "read_scores", "two_classes"]


def test_labels_are_shown_as_they_are(run: Run) -> None:
    Path("odd.csv").write_text("label,score\nw=1,2\nw=2,1\n", encoding="utf-8")
    result = run("auc", "odd.csv")
    assert result.exit_code == 2
    assert "it has 'w=1', 'w=2'. Pass --positive w=1 or --positive w=2." in result.stderr


def test_out_of_memory_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rocbands.io.files.read_scores", full)
    result = run("auc", "good.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("rocbands: out of memory. ")
    assert result.stderr.count("\n") == 1


def test_models_in_the_order_asked_for(run: Run) -> None:
    result = run("auc", "text.csv", "--label", "who", "--positive", "ill")
    assert [row[0] for row in table(result)[1:3]] == ["score_a", "score_b"]
    result = run(
        *("auc", "text.csv", "--label", "who", "--positive", "ill"),
        *("--score", "score_b", "--score", "score_a"),
    )
    assert [row[0] for row in table(result)[1:3]] == ["score_b", "score_a"]


@pytest.mark.parametrize(
    ("file", "positive", "auc"),
    [
        ("good.csv", "1", "0.7500"),
        ("good.csv", "1.0", "0.7500"),
        ("good.csv", "0", "0.2500"),
        ("signs.csv", "-1", "0.0000"),
        ("truth.csv", "true", "1.0000"),
        ("truth.csv", "TRUE", "1.0000"),
        ("truth.csv", "False", "0.0000"),
        ("truth.csv", None, "1.0000"),
    ],
)
def test_the_positive_label_is_found_among_numbers_and_truth_values(
    run: Run, file: str, positive: str | None, auc: str
) -> None:
    asked = () if positive is None else ("--positive", positive)
    assert table(run("auc", file, *asked))[1][1] == auc


@pytest.mark.parametrize(
    "data",
    [
        b"label,score\n1,0.9\n0,0.4\n",
        b"label\tscore\n1\t0.9\n0\t0.4\n",
        b'{"label": 1, "score": 0.9}\n{"label": 0, "score": 0.4}\n',
    ],
)
def test_stdin_in_any_format(run: Run, data: bytes) -> None:
    assert table(run("auc", "-", stdin=data))[1][:2] == ["score", "1.0000"]


def test_methods(run: Run) -> None:
    from rocbands._methods import QUESTIONS
    from rocbands.cli.about import _QUESTIONS

    assert _QUESTIONS == QUESTIONS
    for question in ((), ("auc",)):
        facts = rb.methods(*question).to_dict()["columns"]
        assert json.loads(run("methods", *question, "--json").stdout)["columns"] == facts
    text = " ".join(word for line in words(run("methods", "auc")) for word in line)
    for said in (*facts["method"], *facts["guarantee"], *facts["idea"]):
        assert " ".join(said.split()) in text
    short, rows = rb.methods().describe()
    assert len(rows["method"]) == 12  # the recommended ones
    assert {"likelihood", "score-delong", "wilson"} <= set(rows["method"])
    assert "auc (15)" in short
    assert run("methods").stdout.count("auc_interval") == 3
    assert {"newcombe", "nadeau-bengio", "placement"} <= set(facts["method"])
    with pytest.raises(rb.InputError, match=r"`question` must be one of bands, auc, .* 'bands'"):
        rb.methods("band")


def test_a_warning_is_one_plain_line_beside_the_answer(run: Run) -> None:
    rows = [f"0,{i / 400},{i}\n1,{5 * (i % 2) + i / 400},{i + 9}" for i in range(400)]
    table = "\n".join(["label,score a,score b", *rows]).encode()
    result = run("band", "-", "--method", "working-hotelling", "--json", stdin=table)
    assert result.exit_code == 0
    (said,) = result.stderr.splitlines()
    assert said.startswith("rocbands: model score a: The scores do not look binormal")
    assert said.endswith("use --method likelihood.")
    assert list(json.loads(result.stdout)["models"]) == ["score a", "score b"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_all_models_in_one_picture(run: Run, suffix: str) -> None:
    result = run("band", "--example", "--plot", f"roc.{suffix}", "--json")
    assert result.exit_code == 0
    assert result.stderr == f"Wrote roc.{suffix}\n"
    assert Path(f"roc.{suffix}").stat().st_size > 1000
    json.loads(result.stdout)


def test_the_picture_holds_every_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocbands import plot

    saved = []
    monkeypatch.setattr(plot, "save", lambda ax, path: saved.append((ax, path)))
    assert run("band", "--example", "--plot", "roc.png").exit_code == 0
    ((ax, path),) = saved
    legend = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert "logistic" in legend
    assert "neighbours" in legend
    assert path == "roc.png"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_ROCBANDS_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("rocbands b", "band"),
        ("rocbands band --me", "--method"),
        ("rocbands band --method jo", "joint-region"),
        ("rocbands auc --po", "--positive"),
        ("rocbands auc --method ne", "newcombe"),
        ("rocbands auc --folds f --method na", "nadeau-bengio"),
        ("rocbands auc --fpr-range 0,1 --method pl", "placement"),
        ("rocbands auc text.csv --score score_", "score_b"),
        ("rocbands band text.csv --label w", "who"),
        ("rocbands rate good.csv --folds l", "label"),
        ("rocbands compare --example --clusters d", "diagnosis"),
        ("rocbands readers readings.csv --reader w", "who"),
        ("rocbands readers --random c", "cases"),
        ("rocbands readers --method o", "obuchowski-rockette"),
        ("rocbands points --best y", "youden"),
        ("rocbands auc --format m", "markdown"),
        ("rocbands schema rocbands.bands", "rocbands.bands/1"),
    ],
)
def test_completion(run: Run, monkeypatch: pytest.MonkeyPatch, line: str, found: str) -> None:
    monkeypatch.setenv("_ROCBANDS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    result = run()
    assert result.exit_code == 0
    assert f"plain,{found}" in result.stdout.splitlines()


@pytest.mark.parametrize(
    "command", [(), *((name,) for name in main.list_commands(click.Context(main)))]
)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_ends_with_examples(run: Run, command: tuple[str, ...], option: str) -> None:
    result = run(*command, option)
    assert result.exit_code == 0
    _, _, examples = result.stdout.partition("Examples:\n")
    lines = examples.replace("\\\n", " ").strip().splitlines()
    assert 2 <= len(lines) <= 5
    assert all("rocbands" in line for line in lines)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_commands_stand_under_headings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, _, text = run("--help").stdout.partition("Show this message and exit.\n")
    sections = text.partition("\n  Examples:")[0].strip().split("\n\n")
    listed = {
        heading: [line.split()[0] for line in lines]
        for heading, *lines in map(str.splitlines, sections)
    }
    first, *others = listed.items()
    names = "app summary report band compare points subgroups plan"
    assert first == ("Most people need:", names.split())
    assert len(others) >= 3
    assert all(heading.endswith(":") for heading in listed)
    # Each command once, none on two lines, descriptions in one column.
    every = [name for names in listed.values() for name in names]
    assert every == main.list_commands(click.Context(main))
    assert len({*every}) == len(every)
    rows = [line for section in sections for line in section.splitlines()[1:]]
    assert len({len(row) - len(re.sub(r"^  [a-z-]+ +", "", row)) for row in rows}) == 1


def test_no_command_shows_the_help(run: Run) -> None:
    assert run().stdout == run("--help").stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"rocbands {rb.__version__}\n"


def test_bands_of_folds_and_clusters(run, tmp_path) -> None:
    rows = ["y,s,fold,patient"]
    rows += [
        f"{i % 2},{(i * 7) % 23 + 5 * (i % 2)},{i % 3},{i // 6 * 3 + i % 3}" for i in range(90)
    ]
    path = tmp_path / "cv.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    base = ["band", str(path), "--label", "y", "--score", "s", "--seed", "1", "--json"]
    folds = json.loads(run(*base, "--folds", "fold", "--resamples", "200").stdout)
    band = folds["models"]["s"]
    assert band["method"] == {"name": "fold-average", "of": "models", "n_resamples": 200}
    assert band["target"] == "average of 3 models' true curves"
    clusters = json.loads(run(*base, "--clusters", "patient", "--method", "fixed-width").stdout)
    assert "resamples of the clusters" in clusters["models"]["s"]["notes"][0]


def test_resamples_are_for_methods_that_draw(run) -> None:
    found = run("band", "--example", "--method", "joint-region", "--resamples", "100")
    assert found.exit_code == 2
    assert "has no parameter 'n_resamples'. Leave --resamples out" in found.stderr
    found = run("band", "--example", "--method", "fixed-width", "--level", "0.9999")
    assert "by --resamples" in found.stderr


def test_comparisons_of_clusters(run, tmp_path) -> None:
    rows = ["y,score_a,score_b,patient"]
    rows += [f"{i % 2},{(i * 7) % 23 + 5 * (i % 2)},{(i * 5) % 19},{i // 4}" for i in range(80)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    base = ["compare", str(path), "--label", "y", "--json"]
    plain, clustered = (
        json.loads(run(*base, *more).stdout) for more in ([], ["--clusters", "patient"])
    )
    assert plain["difference"] == clustered["difference"]
    assert plain["low"] != clustered["low"]
