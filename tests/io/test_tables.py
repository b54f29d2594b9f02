"""Tables of every result, read back by readers that share nothing with the writers."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable
from html.parser import HTMLParser

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.core.result import Result
from rocbands.io.latex import latex_head, latex_table
from rocbands.io.records import frame_of, json_of
from rocbands.io.sketch import sketch_svg
from rocbands.io.tables import (
    MOST_COLUMNS,
    csv_table,
    format_column,
    format_value,
    html_table,
    join_limits,
    markdown_table,
)
from tests.readers.designs import draw_example

SAMPLE = rb.load_example()
Y = SAMPLE.is_positive
ONE, TWO = [SAMPLE[name].values for name in SAMPLE.models]
FOLDS = np.arange(len(Y)) % 5
WICKED = "50% of A_1 & {B} <i>~^|#$ \\x *y* `z`"

PILOT = {
    "var_tr": 2.0e-4, "var": 8.0e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4,
    "n_pos": 45, "n_neg": 69, "n_readers": 5,
}  # fmt: skip

EVERY: dict[str, Callable[[], Result]] = {
    "RocCurve": lambda: rb.roc_curve(Y, ONE),
    "Band": lambda: rb.roc_band(Y, ONE, method="joint-region"),
    "Interval": lambda: rb.auc_interval(Y, ONE),
    "FoldInterval": lambda: rb.fold_auc_interval(rb.Sample(Y, ONE, folds=FOLDS)),
    "OperatingPoints": lambda: rb.operating_points(Y, ONE, fpr=[0.1, 0.2]),
    "Comparison": lambda: rb.compare(Y, ONE, TWO),
    "Comparisons": lambda: rb.compare_many(rb.Sample(Y, {"[a]": ONE, WICKED: TWO, "c": ONE + TWO})),
    "DifferenceBand": lambda: rb.difference_band(Y, ONE, TWO, rng=1),
    "SmoothCurve": lambda: rb.smooth_curve(Y, ONE),
    "BestThreshold": lambda: rb.best_threshold(Y, ONE, n_resamples=200),
    "AverageCurve": lambda: rb.average_curve(rb.Sample(Y, ONE, folds=FOLDS), at=[0.1, 0.5]),
    "TwoSidedCurve": lambda: rb.two_sided_curve(Y, ONE, n_resamples=200),
    "RateRange": lambda: rb.rate_bounds(Y, ONE).between(0.1, 0.2),
    "RateBounds": lambda: rb.rate_bounds(rb.Sample(Y, ONE, folds=FOLDS)),
    "RateDifference": lambda: rb.rate_difference(Y, ONE, TWO, rate=0.3),
    "CostCurve": lambda: rb.cost_curve(Y, ONE),
    "CostThresholds": lambda: rb.cost_thresholds(Y, ONE, w=[0.2, 0.5]),
    "CensoringWeights": lambda: rb.ipcw(np.exp(TWO), Y, at=1.0),
    "CostIntervals": lambda: rb.cost_interval(Y, ONE, thresholds=0.5, w=[0.2, 0.5]),
    "CostDifference": lambda: rb.cost_difference(Y, ONE, TWO, thresholds=(0.5, 0.5), w=[0.2, 0.5]),
    "ScoreCounts": lambda: rb.ScoreCounts.from_arrays(Y, {"[a]": ONE, WICKED: TWO}),
    "SampleSize": lambda: rb.sample_size(auc=0.8, width=0.1),
    "ReaderStudySize": lambda: rb.reader_study_size(PILOT, difference=0.05),
    "Methods": rb.methods,
    "View": lambda: rb.pr_band(Y, ONE),
    "DecisionRange": lambda: rb.roc_band(Y, ONE).better_between(),
    "NetBenefit": lambda: rb.net_benefit(Y, ONE, thresholds=[0.2, 0.4]),
    "ClassBands": lambda: rb.class_bands(
        np.where(Y, "a", np.where(TWO > 0.2, "b", "c")), {"a": ONE, "b": TWO, "c": -TWO}, rng=1
    ),
    "Subgroups": lambda: rb.subgroups(Y, ONE, by=FOLDS > 1, rng=1),
    "Summary": lambda: rb.summary(Y, {"one": ONE, "two": TWO}),
    "GroupGaps": lambda: rb.subgroups(Y, ONE, by=FOLDS > 1, rng=1).gaps,
    "NetBenefitDifference": lambda: rb.net_benefit_difference(Y, ONE, TWO, thresholds=[0.2, 0.4]),
    "Report": lambda: rb.report(rb.Sample(Y[::8], {"[a]": ONE[::8]}), path=None),
    "ReaderStudy": lambda: rb.compare_readers(draw_example(("[a]", WICKED))),
    "Table": lambda: rb.Table({"[a]": rb.auc_interval(Y, ONE), WICKED: rb.auc_interval(Y, TWO)}),
}


@pytest.fixture(scope="module", params=EVERY)
def result(request: pytest.FixtureRequest) -> Result:
    return EVERY[request.param]()


def test_no_kind_of_result_is_forgotten() -> None:
    named = [getattr(rb, name) for name in rb.__all__]
    named += [getattr(rb.results, name) for name in rb.results.__all__]
    public = {one for one in named if isinstance(one, type)}
    assert {kind.__name__ for kind in public if issubclass(kind, Result)} == EVERY.keys()


def latex_rows(text: str) -> tuple[str, list[list[str]]]:
    """Read a tabular, strictly: only what is known, everything closed, every row complete."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert not re.search(r"(?<!\\)[%#~^<>|]", re.sub(r"(?<!\\)\$[^$]*\$", "", code))
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", code):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    bare = re.sub(r"\\[{}]", "", code)
    depth = np.cumsum([(mark == "{") - (mark == "}") for mark in bare])
    assert depth.min() >= 0
    assert depth[-1] == 0
    found = re.search(r"\\begin\{tabular\}\{([lr]+)\}(.*)\\end\{tabular\}", code, re.DOTALL)
    assert found
    places, body = found[1], found[2]
    head, rest = body.split("\\midrule")
    assert head.strip().startswith("\\toprule")
    assert rest.strip().endswith("\\bottomrule")
    lines = [head.strip().removeprefix("\\toprule").strip()]
    lines += [line.strip() for line in rest.strip().removesuffix("\\bottomrule").splitlines()]
    rows = []
    for line in filter(None, lines):
        assert line.endswith(" \\\\")
        assert not line.startswith(("[", "(", "*"))  # would be an argument of the row before
        row = re.split(r"(?<!\\)&", line.removesuffix("\\\\"))
        assert len(row) == len(places)
        rows.append([cell.strip() for cell in row])
    return places, rows


def test_latex_is_well_formed_and_has_the_rows_of_the_summary(result: Result) -> None:
    rows = {k: v for k, v in result.describe()[1].items() if k != "standard_error"}
    places, read = latex_rows(result.to_latex(style="columns"))
    assert len(read) == 1 + len(next(iter(rows.values())))
    for at, (place, column) in enumerate(zip(places, rows.values(), strict=True)):
        if place == "r":
            assert [number(row[at]) for row in read[1:]] == [
                None if value is None else pytest.approx(float(format_value(value)))
                for value in column
            ]


def number(cell: str) -> float | None:
    """Read a number as LaTeX sets it."""
    if not cell:
        return None
    cell = cell.strip("$").replace("\\infty", "inf")
    return float(re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", cell))


def test_a_float_carries_caption_and_label() -> None:
    text = rb.auc_interval(Y, ONE).to_latex(caption="AUC, 95% & more", label="tab:auc")
    latex_rows(text)
    assert "\\caption{AUC, 95\\% \\& more}" in text
    assert "\\label{tab:auc}" in text
    note = text.splitlines()[-2]
    assert note.startswith("  \\par\\smallskip{\\footnotesize 95\\% confidence interval (score-de")
    assert text.startswith("% AUC 0.900 (95% interval 0.872")
    bare = rb.auc_interval(Y, ONE).to_latex()
    assert bare.splitlines()[-1] == note.strip()  # level and method are visible without caption
    assert "\\begin{table}" not in bare


@pytest.mark.parametrize("kind", EVERY)
def test_latex_has_at_most_eight_columns_and_every_number(kind: str) -> None:
    result = EVERY[kind]()
    rows = {k: v for k, v in result.describe()[1].items() if k != "standard_error"}
    places, read = latex_rows(result.to_latex())
    size, joined = len(next(iter(rows.values()))), join_limits(rows)
    assert len(places) <= MOST_COLUMNS
    if len(rows) > MOST_COLUMNS and (len(joined) <= MOST_COLUMNS or size < MOST_COLUMNS):
        cells = {cell for row in read for cell in row}
        for name, column in joined.items():
            assert latex_head(name) in cells
            for text, value in zip(format_column(name, column), column, strict=True):
                assert isinstance(value, str) or text.lstrip("-") in " ".join(cells)


def test_latex_shows_the_columns_that_are_chosen() -> None:
    at = rb.operating_points(Y, ONE, specificity=0.9)
    _, rows = latex_rows(at.to_latex())
    assert rows[0] == ["specificity", "0.9000"]
    assert [row[0] for row in rows[5:]] == ["PPV", "NPV", "LR$+$", "LR$-$"]
    _, rows = latex_rows(at.to_latex(columns=["sensitivity", "threshold"], digits=2))
    assert rows == [["sensitivity", "threshold"], ["0.69", "0.52"]]
    with pytest.raises(rb.InputError, match=r"`columns` must be among .*; got 'tpr'"):
        at.to_latex(columns=["tpr"])


def test_latex_says_which_columns_are_left_out() -> None:
    columns = {f"x{at}": list(range(9)) for at in range(10)}
    text = latex_table(columns, note="Nine rows.")
    places, rows = latex_rows(text)
    assert (len(places), len(rows)) == (8, 10)
    assert "Nine rows. Not shown: x8, x9." in text
    assert len(latex_rows(latex_table(columns, shown=list(columns)))[0]) == 10


def test_latex_has_names_of_models_as_given() -> None:
    found = rb.compare(rb.Sample(Y, {"old_1": ONE, "new": TWO}))
    _, rows = latex_rows(found.to_latex())
    assert rows[0][:2] == ["AUC old\\_1", "AUC new"]
    table = rb.Table({"old_1": rb.auc_interval(Y, ONE), "new": rb.auc_interval(Y, TWO)})
    _, rows = latex_rows(table.to_latex())
    assert [row[0] for row in rows[1:]] == ["old\\_1", "new"]


def test_latex_escapes_and_sets_numbers() -> None:
    text = latex_table(
        {"a_b": [WICKED, "x\ny"], "pvalue": [0.5, 1.23e-7], "big": [math.inf, -math.inf]}
    )
    _, rows = latex_rows(text)
    assert latex_table({"model": [" [a]"]}).count("{} [a]") == 1  # LaTeX looks past spaces
    assert rows[0] == ["a b", "$p$-value", "big"]
    assert rows[1][1:] == ["0.5000", "$\\infty$"]
    assert rows[2] == ["x y", "$1.2 \\times 10^{-7}$", "$-\\infty$"]
    assert rows[1][0] == (
        "50\\% of A\\_1 \\& \\{B\\} \\textless{}i\\textgreater{}\\textasciitilde{}"
        "\\textasciicircum{}\\textbar{}\\#\\$ \\textbackslash{}x *y* `z`"
    )


def test_latex_with_fewer_digits_and_limits_behind_the_estimate() -> None:
    found = rb.compare(rb.Sample(Y, {"old": ONE, "new": TWO}))
    _, rows = latex_rows(found.to_latex(digits=2, style="estimate (low, high)"))
    assert rows[0] == ["AUC old", "AUC new", "difference", "statistic", "$p$-value"]
    low, gap, high = (f"{x:.2f}" for x in (found.low, found.difference, found.high))
    assert rows[1][2] == f"{gap} ({low}, {high})"
    assert rows[1][0] == f"{found.estimates[0]:.2f}"
    assert float(rows[1][4].strip("$").split()[0]) > 0  # a p-value is never written as 0
    for wrong in ({"digits": -1}, {"digits": 1.5}, {"style": "bold"}):
        with pytest.raises(rb.InputError):
            found.to_latex(**wrong)


def test_a_column_has_the_same_decimals() -> None:
    assert format_column("x", [0.1, -0.00012, 2.8e-18]) == ["0.10000", "-0.00012", "0.00000"]
    assert format_column("x", [-2.8e-18, 0.25]) == ["0.0000", "0.2500"]
    assert format_column("x", [1e-9, 0.5]) == ["0.0000", "0.5000"]
    assert format_column("fpr", [0.0001, 0.01]) == ["0.0001", "0.0100"]
    assert format_column("x", [1e-9, 3e-8]) == ["1e-09", "3e-08"]
    assert format_column("threshold", [1e-9, 0.5]) == ["1.0e-09", "0.5000"]
    assert format_column("pvalue", [1e-9, 0.5]) == ["1.0e-09", "0.5000"]
    assert format_column("c", [375.01834, 20.5]) == ["375.018", "20.500"]
    assert format_column("c", [20000.0, 1000.0]) == ["20000", "1000"]
    assert format_column("t", [0.5, math.inf, None, "all"]) == ["0.5000", "inf", "", "all"]
    assert format_column("t", [0.5, -0.04], 1) == ["0.5", "0.0"]


def test_bands_come_with_a_small_picture() -> None:
    band = rb.roc_band(Y, ONE)
    page = Page()
    page.feed(band._repr_html_())
    assert page.tags.count("svg") == page.tags.count("polygon") == 1
    points = re.search(r'<polygon points="([^"]*)"', band._repr_html_())
    assert points is not None
    assert len(points[1].split()) == 2 * len(band.columns()["fpr"])
    assert "svg" not in rb.auc_interval(Y, ONE)._repr_html_()
    assert sketch_svg("flat", {"": [[0.0] * 9] * 4}, ("x", "y")) == ""


def test_a_table_of_bands_comes_with_a_picture_of_all() -> None:
    bands = {name: rb.roc_band(Y, scores) for name, scores in (("old", ONE), (WICKED, TWO))}
    page = Page()
    page.feed(rb.Table(bands)._repr_html_())
    assert (page.tags.count("svg"), page.tags.count("polygon")) == (1, 2)
    assert "old" in page.words
    assert f"{WICKED[:23]}…" in page.words  # a long name is cut in the picture, not in the table
    assert WICKED in page.words
    many = rb.Table({str(at): bands["old"] for at in range(8)})._repr_html_()
    assert (many.count("<polygon"), many.count('stroke-width="1.8"')) == (0, 6)
    assert "svg" not in EVERY["Table"]()._repr_html_()


def test_markdown_has_complete_rows(result: Result) -> None:
    _, rows, below = result.arrange()
    parts = result.to_markdown().split("\n\n")
    first = [part for part in parts if part.startswith("| ")]
    every = result.list_parts()
    assert len(first) == len(every)
    parts = [part for part in parts if not part.startswith("| ")]
    table = first[-1]
    notes = [note for _, _, note in every[:-1]]
    lines = "\n".join([result.sentence, *notes, below]).split("\n")
    lines = [line for line in lines if line]
    assert sum(len(part.splitlines()) for part in parts) == len(lines)
    assert table == result.to_markdown(sentence=False)
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()]
    assert {len(line) for line in lines} == {len(rows)}
    assert len(lines) == 2 + len(next(iter(rows.values())))


def test_markdown_is_escaped_in_heads_and_cells() -> None:
    table = markdown_table({"a|b": [WICKED], "standard_error": ["two\nlines"]})
    assert table.splitlines()[0] == "| a\\|b | standard_error |"
    assert table.splitlines()[2] == (
        "| 50% of A_1 & {B} \\<i>~^\\|#$ \\\\x \\*y\\* \\`z\\` | two lines |"
    )


def test_csv_gives_every_number_back(result: Result, tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old", encoding="utf-8")
    assert result.to_csv(path) is None
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes().decode() == result.to_csv()
    head, *rows = csv.reader(io.StringIO(result.to_csv(), newline=""))
    columns = result.columns()
    assert head == list(columns)
    for name, column, cells in zip(head, columns.values(), zip(*rows, strict=True), strict=True):
        for value, cell in zip(column, cells, strict=True):
            if value is None or (isinstance(value, float) and np.isnan(value)):
                assert cell == "", name
            elif isinstance(value, (float, np.floating)):
                # In the precision of the value, so that float32 thresholds count too.
                assert type(value)(cell) == value, name
            else:
                assert cell == str(value), name


def test_csv_is_what_pandas_reads() -> None:
    columns = {"model": ['say "a, b"', "line\nbreak"], "x": [0.1 + 0.2, math.inf], "y": [1.5, None]}
    read = pd.read_csv(io.StringIO(csv_table(columns)))
    assert read["model"].tolist() == columns["model"]
    assert read["x"].tolist() == columns["x"]
    assert read["y"].isna().tolist() == [False, True]


def test_csv_keeps_every_break_of_lines_and_every_row() -> None:
    names = ["a\rb", "a\r\nb", "a\nb", None, 'say "no"', ",", " x "]
    read = list(csv.reader(io.StringIO(csv_table({"the\rmodel": names}), newline="")))
    assert read == [["the\rmodel"], *([name or ""] for name in names)]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_have_columns_of_one_type_where_values_are_missing(kind: str) -> None:
    columns = {
        "real": [0.5, None, 2],
        "whole": [1, None, np.int64(3)],
        "text": [None, "a", "b"],
        "either": ["a", 1, None],
        "truth": [True, None, np.False_],
        "nothing": [None, None, None],
    }
    frame = nw.from_native(frame_of(columns, kind), eager_only=True)
    assert not any(frame[name].dtype == nw.Object for name in ("real", "whole"))
    assert frame["real"].drop_nulls().to_list() == [0.5, 2.0]
    assert frame["whole"].drop_nulls().to_list() == [1, 3]
    assert frame["either"].drop_nulls().to_list() == ["a", "1"]
    assert [frame[name].null_count() for name in columns] == [1, 1, 1, 1, 1, 3]
    if kind == "polars":
        assert nw.Object not in frame.schema.values()


def test_a_number_that_is_not_known_is_null_in_json() -> None:
    assert json_of({"a": math.nan, "b": [1.5, math.nan, -math.inf]}) == (
        '{"a": null, "b": [1.5, null, "-inf"]}'
    )


def test_a_name_of_a_table_is_never_lost() -> None:
    one = rb.auc_interval(Y, ONE)
    with pytest.raises(rb.InputError, match="different names also as text; they are 1, '1'"):
        rb.Table({1: one, "1": one})  # type: ignore[dict-item]
    table = rb.Table({"a": one})
    with pytest.raises(rb.InputError, match="not other tables"):
        rb.Table({"x": table, "y": table})


def test_tables_are_drawn_or_say_why_not(result: Result) -> None:
    if isinstance(result, (rb.Table, rb.results.SampleSize, rb.results.Methods)):
        return
    table = rb.Table({"first": result, "second": result})
    without = (
        rb.ScoreCounts,
        rb.results.DecisionRange,
        rb.results.CostThresholds,
        rb.results.CensoringWeights,
        rb.results.Report,
    )
    if isinstance(result, without):
        with pytest.raises(rb.InputError, match=f"not of {type(result).__name__}"):
            table.plot(ax=Figure().subplots())
        return
    alone = (
        rb.results.Comparisons,
        rb.results.DifferenceBand,
        rb.results.RateDifference,
        rb.results.CostDifference,
    )
    alone += (
        rb.results.ClassBands,
        rb.results.Subgroups,
        rb.results.GroupGaps,
        rb.results.NetBenefitDifference,
        rb.results.Summary,
    )
    alone += (rb.results.ReaderStudySize,)
    alone += (rb.results.ReaderStudy,)
    if isinstance(result, alone):
        with pytest.raises(rb.InputError, match=r"for example table\['first'\]\.plot\(\)"):
            table.plot(ax=Figure().subplots())
        return
    axes = table.plot(ax=Figure().subplots())
    legend = axes.get_legend()
    words = axes.get_yticklabels() if legend is None else legend.get_texts()
    said = " ".join(word.get_text() for word in words)
    assert "first" in said
    assert "second" in said


def test_csv_in_a_folder_that_is_not_there_is_refused(tmp_path) -> None:
    with pytest.raises(rb.InputError, match="cannot be written: No such file"):
        rb.methods().to_csv(tmp_path / "no" / "table.csv")
    with pytest.raises(rb.InputError, match="cannot be written: Is a directory"):
        rb.methods().to_csv("")


class Page(HTMLParser):
    """Counts tags, and refuses what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in ("br", "path"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "path":
            assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.opened and self.opened[-1] != "style":
            self.words.append(data)


def test_notebooks_get_a_heading_and_all_cells(result: Result) -> None:
    said, rows = result.describe()
    page = Page()
    page.feed(result._repr_html_())
    assert page.opened == []
    assert page.tags[0] == "div"
    assert page.words[0] == (result.sentence or said).splitlines()[0]
    assert all(line in page.words for line in said.splitlines())
    shown = rows if len(rows) <= MOST_COLUMNS else join_limits(rows)
    size = len(next(iter(rows.values())))
    lead = result._lead()[0]  # of groups of people, their differences
    cells = len(lead) * len(next(iter(lead.values()))) if lead else 0
    assert page.tags.count("td") == size * len(shown) + cells
    assert page.tags.count("th") == len(shown) + len(lead)
    assert WICKED in "".join(page.words) or WICKED not in repr(result)


def test_notebooks_keep_their_own_colours() -> None:
    page = html_table("a", {"x": [1]})
    style = page[page.index("<style>") : page.index("</style>")]
    assert not re.search(r"#[0-9a-f]{3}|\bwhite\b(?!-space)|\bblack\b|rgb", style)
    for rule in style.removeprefix("<style>").split("}")[:-1]:
        names = rule.split("{")[0].split(",")
        assert all(name.startswith(".rocbands-result ") for name in names)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0000"),
        (-1e-9, "-1.0e-09"),
        (0.0004321, "0.00043"),
        (0.0005, "0.0005"),
        (1e4, "10000"),
    ],
)
def test_small_numbers_keep_their_digits(value: float, text: str) -> None:
    assert format_value(value) == text


def test_metrics_are_finite_numbers_under_legal_names(result: Result) -> None:
    found = result.to_metrics("test/")
    for name, value in found.items():
        assert re.fullmatch(r"test/[\w .\-/]+", name)  # MLflow's rule
        assert not re.search(r"//|/\.|/$", name)
        assert type(value) is float
        assert math.isfinite(value)
    facts = {name for name, value in result.facts().items() if type(value) in (int, float)}
    assert {f"test/{name}" for name in facts} <= found.keys()


def test_metrics_of_tables_are_by_model() -> None:
    found = EVERY["Table"]().to_metrics()
    assert found["_a_/estimate"] == rb.auc_interval(Y, ONE).estimate
    assert len({name.split("/")[0] for name in found}) == 2


def test_names_that_trackers_cannot_tell_apart_are_refused() -> None:
    one = rb.auc_interval(Y, ONE)
    with pytest.raises(rb.InputError, match="must also differ without special characters"):
        rb.Table({"a&b": one, "a|b": one}).to_metrics()


def test_a_prefix_that_trackers_refuse_is_refused() -> None:
    for prefix in (
        "a:b",
        "/a",
        "a//b",
        "../a",
        "a/../",
        "./",
        "a/./b/",
        "..a",
        "a\n",
        "n" * 60 + "!",
    ):
        with pytest.raises(rb.InputError, match="`prefix` must contain letters"):
            rb.auc_interval(Y, ONE).to_metrics(prefix)
    assert "a..b/.c/estimate" in rb.auc_interval(Y, ONE).to_metrics("a..b/.c/")


def test_several_models_in_one_table() -> None:
    table = rb.Table({"one": rb.auc_interval(Y, ONE), "two": rb.auc_interval(Y, TWO)})
    assert len(table) == 2
    assert table["two"].estimate == rb.auc_interval(Y, TWO).estimate
    frame = table.to_frame("pandas")
    assert frame["model"].tolist() == ["one", "two"]
    assert frame["estimate"].tolist() == [table[name].estimate for name in table]
    assert str(table).startswith("AUC 0.900 (0.872 to 0.922) for one and 0.800 (0.761 to 0.834) ")
    assert "\n\n95% confidence intervals (score-delong), for the true AUC; 212 " in str(table)
    many = rb.Table({name: table["two" if name == "c" else "one"] for name in "abcd"})
    assert many.sentence == (
        "AUC from 0.800 (0.761 to 0.834) for c to 0.900 (0.872 to 0.922) for d, with 95% limits."
    )
    ax = table.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]


def test_points_and_bands_of_several_models() -> None:
    points = {
        name: rb.operating_points(Y, SAMPLE[name].values, fpr=[0.1, 0.2]) for name in SAMPLE.models
    }
    table = rb.Table(points)
    columns = table.columns()
    assert columns["model"] == [name for name in SAMPLE.models for _ in range(2)]
    assert columns["fpr"].tolist() == [0.1, 0.2, 0.1, 0.2]
    assert table.to_dict()["models"] == {name: one.to_dict() for name, one in points.items()}
    ax = rb.Table(
        {n: rb.roc_band(Y, SAMPLE[n].values, method="joint-region") for n in SAMPLE.models}
    ).plot()
    assert len(ax.patches) == 2


def test_tables_mix_nothing() -> None:
    with pytest.raises(rb.InputError, match="of one kind; got Interval, RocCurve"):
        rb.Table({"a": rb.auc_interval(Y, ONE), "b": rb.roc_curve(Y, ONE)})
    with pytest.raises(rb.InputError, match="at least one model's name to its result; got none"):
        rb.Table({})
    with pytest.raises(rb.InputError, match="got list"):
        rb.Table([rb.auc_interval(Y, ONE)])
    with pytest.raises(rb.InputError, match="of one kind; got float"):
        rb.Table({"a": 0.5})
