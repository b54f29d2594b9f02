"""What the commands print when all is well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb

Run = Callable[..., Result]


def words(result: Result) -> list[list[str]]:
    """Return stdout as rows of words, after checking that all went well and fits a terminal."""
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 100
    return [line.split() for line in result.stdout.splitlines()]


def test_auc_of_the_example(run: Run) -> None:
    y_true, models = rb.load_example()
    head, *rows = words(run("auc", "--example"))
    assert head == ["model", "n_pos", "n_neg", "auc", "distinct_scores"]
    assert [row[0] for row in rows] == list(models)
    for name, n_pos, n_neg, auc, distinct in rows:
        roc = rb.roc_curve(y_true, models[name], positive="malignant")
        assert (int(n_pos), int(n_neg)) == (roc.n_pos, roc.n_neg)
        assert float(auc) == pytest.approx(roc.auc, abs=5e-5)
        assert int(distinct) == roc.thresholds.size


def test_auc_as_json(run: Run) -> None:
    result = run("auc", "good.csv", "--json")
    assert json.loads(result.stdout) == {
        "schema": "rocbands.aucs/1",
        "models": {"score": {"n_pos": 2, "n_neg": 2, "auc": 0.75, "distinct_scores": 4}},
    }


@pytest.mark.parametrize("method", ["delong", "bootstrap", "bootstrap-t", "permutation"])
def test_compare_prints_what_the_library_shows(run: Run, method: str) -> None:
    y_true, models = rb.load_example()
    result = run("compare", "--example", "--method", method, "--seed", "7", "--level", "0.9")
    words(result)
    names = tuple(models)
    found = rb.compare(
        y_true, *models.values(), method, level=0.9, names=names, positive="malignant", rng=7
    )
    assert result.stdout == f"{found!r}\n"
    document = json.loads(run("compare", "--example", "--margin", "0.05", "--json").stdout)
    assert document["margin"] == 0.05
    assert document["names"] == ["logistic", "neighbours"]


def test_compare_many(run: Run) -> None:
    result = run("compare", "three_models.csv", "--plot", "pairs.svg")
    words(result)
    assert Path("pairs.svg").stat().st_size > 1000
    document = json.loads(run("compare", "three_models.csv", "--json").stdout)
    assert document["schema"] == "rocbands.comparisons/1"
    assert document["columns"]["model_2"] == ["score_b", "score_c", "score_c"]


def test_band_prints_what_the_library_shows(run: Run) -> None:
    y_true, models = rb.load_example()
    asked = ("--score", "logistic", "--level", "0.9", "--seed", "7")
    result = run("band", "--example", *asked)
    band = rb.roc_band(y_true, models["logistic"], positive="malignant", level=0.9, rng=7)
    words(result)
    assert result.stdout == f"Model logistic\n{band!r}\n"
    assert result.stderr == ""


def test_band_as_one_json_document(run: Run) -> None:
    y_true, models = rb.load_example()
    result = run("band", "--example", "--json", "--method", "joint-region", "--seed", "7")
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    assert document["schema"] == "rocbands.bands/1"
    assert list(document["models"]) == ["logistic", "neighbours"]
    for name, scores in models.items():
        band = rb.roc_band(y_true, scores, "joint-region", positive="malignant")
        assert document["models"][name] == json.loads(band.to_json())


def test_the_seed_and_future_sizes_reach_the_method(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocbands import bands

    made = rb.roc_band([1, 0], [2, 1])
    asked = []
    monkeypatch.setattr(bands, "roc_band", lambda *_, **how: (asked.append(how), made)[1])
    assert run("band", "good.csv", "--seed", "7", "--future", "5, 9").exit_code == 0
    assert asked == [{"level": 0.95, "future": (5, 9), "rng": 7}]


def test_models_in_the_order_asked_for(run: Run) -> None:
    result = run("auc", "text.csv", "--label", "who", "--positive", "ill")
    assert [row[0] for row in words(result)[1:]] == ["score_a", "score_b"]
    result = run(
        *("auc", "text.csv", "--label", "who", "--positive", "ill"),
        *("--score", "score_b", "--score", "score_a"),
    )
    assert [row[0] for row in words(result)[1:]] == ["score_b", "score_a"]


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
    assert words(run("auc", file, *asked))[1][3] == auc


@pytest.mark.parametrize(
    "data",
    [
        b"label,score\n1,0.9\n0,0.4\n",
        b"label\tscore\n1\t0.9\n0\t0.4\n",
        b'{"label": 1, "score": 0.9}\n{"label": 0, "score": 0.4}\n',
    ],
)
def test_stdin_in_any_format(run: Run, data: bytes) -> None:
    assert words(run("auc", "-", stdin=data))[1] == ["score", "1", "1", "1.0000", "2"]


def test_methods(run: Run) -> None:
    facts = rb.methods().to_dict()["columns"]
    text = " ".join(word for line in words(run("methods")) for word in line)
    for said in (*facts["method"], *facts["guarantee"], *facts["idea"]):
        assert said in text
    assert json.loads(run("methods", "--json").stdout)["columns"] == facts


@pytest.mark.usefixtures("_no_figure_left")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_all_models_in_one_picture(run: Run, suffix: str) -> None:
    result = run("band", "--example", "--plot", f"roc.{suffix}", "--json")
    assert result.exit_code == 0
    assert result.stderr == f"Wrote roc.{suffix}\n"
    assert Path(f"roc.{suffix}").stat().st_size > 1000
    json.loads(result.stdout)


@pytest.mark.usefixtures("_no_figure_left")
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
    ],
)
def test_completion(run: Run, monkeypatch: pytest.MonkeyPatch, line: str, found: str) -> None:
    monkeypatch.setenv("_ROCBANDS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    result = run()
    assert result.exit_code == 0
    assert f"plain,{found}" in result.stdout.splitlines()


@pytest.mark.parametrize("command", [(), ("band",), ("auc",), ("methods",), ("completion",)])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_ends_with_examples(run: Run, command: tuple[str, ...], option: str) -> None:
    result = run(*command, option)
    assert result.exit_code == 0
    _, _, examples = result.stdout.partition("Examples:\n")
    lines = examples.strip().splitlines()
    assert 2 <= len(lines) <= 3
    assert all("rocbands" in line for line in lines)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_no_command_shows_the_help(run: Run) -> None:
    assert run().stdout == run("--help").stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"rocbands {rb.__version__}\n"
