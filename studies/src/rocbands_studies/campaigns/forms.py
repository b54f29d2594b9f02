"""The forms in which a test set is passed: columns, frames, files, samples, curves and counts.

`DATA` has the arguments that take data, by name: what is passed for one follows from the test set
that was drawn and from the form that was chosen for the call.
"""

from __future__ import annotations

import atexit
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import rocbands as rb
from rocbands.core.columns import column_text
from rocbands_studies.campaigns.arguments import OMIT, Case, words_in
from rocbands_studies.campaigns.data import (
    DESIGN,
    MISSING,
    Call,
    Plan,
    Recipe,
    Rows,
    Scorer,
    draw_rows,
    dress,
    frame_of,
)
from tests.readers.designs import KINDS, draw_study

FOLDER = Path(tempfile.mkdtemp(prefix="rocbands-fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)

_numbers = itertools.count()


# By what the type of the first argument mentions: forms of data, as often as they are drawn.
FORMS = (
    ({"Labels", "Any", "Mapping", "Frame", "str", "Column"}, ["rows"] * 3),
    ({"Sample", "Models", "Data"}, ["sample"] * 3),
    ({"RocCurve", "Data"}, ["curve"]),
    ({"Models", "Data"}, ["counts"]),
    ({"ClassBands"}, ["ClassBands", "classes"]),
    ({"Subgroups"}, ["Subgroups"]),
)


def list_forms(case: Case) -> list[str]:
    """Return the forms of data that a function takes."""
    parameters = case.parameters
    first = next(iter(parameters), "")
    if first == "self" or first not in DATA:
        return ["sample"] if first == "self" else []
    if "y_score_1" in parameters:
        paired = ["rows", "rows", "sample", "sample"] if case.can("paired") else []
        unpaired = ["two samples"] if case.can("unpaired") else []
        if unpaired and case.can("bins"):
            unpaired += ["two curves", "two counts"]
        taken = "Data" in words_in(parameters["y_score_1"].annotation)
        return paired + (unpaired if taken else []) or ["rows"]
    mentioned = words_in(parameters[first].annotation)
    if "y_score" in parameters and "ScoreTable" in words_in(parameters["y_score"].annotation):
        return ["rows", "rows", "rows", "classes"]  # of several classes only
    return [form for kinds, forms in FORMS if kinds & mentioned for form in forms] or ["rows"]


# ----------------------------------------------------------------------------------------- columns


def _y_true(case: Case, annotation: Any) -> Any:
    return _pass_data(case, 0) if case.form != "rows" else dress(case.r, case.rows[0].y_true())


def _y_score(case: Case, annotation: Any) -> Any:
    """Scores of one model, or of several where the type takes them."""
    if case.form != "rows":
        return OMIT
    rows, mentioned = case.rows[0], words_in(annotation)
    if len(rows.labels) > 2 or "ScoreTable" in mentioned:
        return _table(case, rows)
    if "Scores" in mentioned and (len(rows.scores) > 1 or case.flip(0.3)):
        return _dressed(case, rows.scores)
    return dress(case.r, next(iter(rows.scores.values())))


def _dressed(case: Case, columns: dict[Any, Any]) -> Any:
    if case.flip(0.5):
        return frame_of(case.r, columns)
    return {name: dress(case.r, column) for name, column in columns.items()}


def _table(case: Case, rows: Rows) -> Any:
    """Scores by class: an array, lists, a frame or a mapping."""
    scores = rows.scores
    if len(rows.labels) == 2:  # the classes' own scores, opposite to each other
        (own,) = list(scores.values())[:1]
        scores = {rows.labels[0]: -own.astype(np.float64), rows.labels[1]: own}
    array = np.column_stack(list(scores.values()))
    ways: tuple[Callable[[], Any], ...] = (
        lambda: array,
        array.tolist,
        lambda: dict(scores),
        lambda: pd.DataFrame(scores),
        lambda: pd.DataFrame(array),
        lambda: frame_of(case.r, {str(name): column for name, column in scores.items()}),
    )
    return case.r.choice(ways)()


def _score_of(place: int) -> Callable[[Case, Any], Any]:
    def draw(case: Case, annotation: Any) -> Any:
        if case.form.startswith("two") and place == 0:
            return _pass_data(case, 1)
        if case.form != "rows":
            return OMIT
        return dress(case.r, list(case.rows[0].scores.values())[place])

    return draw


def _positive(case: Case, annotation: Any) -> Any:
    """The positive label, where labels are passed and it must be said."""
    rows = case.rows[0]
    if case.form != "rows" or not (rows.labels in (("a", "b"), (1, 2)) or case.flip(0.3)):
        return OMIT
    return rows.labels[1]


def _rest(case: Case, annotation: Any) -> Any:
    return True if case.rows[0].rest or ("positive" in case.given and case.flip(0.1)) else OMIT


def _column(name: str) -> Callable[[Case, Any], Any]:
    """A column of the design: itself, or its name in a frame."""

    def draw(case: Case, annotation: Any) -> Any:
        column = getattr(case.rows[0], name)
        if column is None or (len(case.rows[0].labels) > 2 and name == "folds"):
            return OMIT
        passed = words_in(annotation) & {"Labels", "Column"}
        return dress(case.r, column) if passed else case.columns.get(name, name)

    return draw


def _repeats(case: Case, annotation: Any) -> Any:
    again = case.rows[0].repeats
    return again if "folds" in case.given or "cv_results" in case.given else OMIT


def _keep(case: Case, annotation: Any) -> Any:
    kept = case.rows[0].kept
    if not kept:
        return OMIT
    if "Keep" not in words_in(annotation):
        return list(kept) if case.flip(0.7) else next(iter(kept))
    return _dressed(case, kept)


def _by(case: Case, annotation: Any) -> Any:
    """What rows are divided by: a kept column's name with a sample or frame, else a column."""
    kept, optional = case.rows[0].kept, case.name not in ("subgroups", "Sample.split")
    if case.form == "counts" or (optional and case.flip(0.6)):
        return OMIT
    if case.form == "rows" and "Labels" in words_in(annotation):
        return dress(case.r, next(iter(kept.values())))
    return next(iter(kept))


def _missing(case: Case, annotation: Any) -> Any:
    """Rows with missing values are dropped: some values are taken away first."""
    if not case.flip(0.25):
        return OMIT
    columns = [
        name for name in ("y_score", *DESIGN) if isinstance(case.given.get(name), list | np.ndarray)
    ]
    if columns and case.flip(0.7):
        name = case.r.choice(columns)
        values = list(case.given[name])
        if values and np.ndim(values) == 1:
            places = case.r.sample(range(len(values)), case.r.randint(0, len(values) // 5))
            for place in places:
                values[place] = case.r.choice(MISSING[:2])
            case.given[name] = values
    return "drop" if case.flip(0.9) else "raise"


# ------------------------------------------------------------------------ samples, curves, counts


def _pass_data(case: Case, place: int) -> Any:
    """The test set in the form that was chosen."""
    rows = case.rows[place]
    if "sample" in case.form or case.form == "classes":
        return make_sample(case, rows)
    if "curve" in case.form:
        return make_curve(case, rows)
    if "counts" in case.form:
        return make_counts(case, rows)
    sample = make_sample(case, rows)
    if case.form == "ClassBands":
        return Call("class_bands", rb.class_bands, {"y_true": sample})
    name = next(iter(rows.kept))
    return Call("subgroups", rb.subgroups, {"y_true": sample, "by": name, "n_resamples": 99})


def make_sample(case: Case, rows: Rows) -> Call:
    """A sample by one of its constructors, and perhaps something done with it."""
    if len(rows.labels) > 2:
        return _call_constructor(case, "of_classes", rows)
    kinds = ["", "", "from_frame", "from_frame", "from_file", "from_estimator"]
    if rows.folds is not None or rows.rest:
        kinds.remove("from_estimator")
    call = _call_constructor(case, case.r.choice(kinds), rows)
    if case.flip(0.15):
        rows_kept = np.arange(rows.size) if case.flip(0.5) else np.ones(rows.size, bool)
        call = Call("Sample.take", rb.Sample.take, {"self": call, "rows": rows_kept})
    elif case.flip(0.1) and (rows.design or rows.kept):
        call = Call("Sample.replace", rb.Sample.replace, {"self": call, **_changes(case, rows)})
    return call


def _changes(case: Case, rows: Rows) -> dict[str, Any]:
    """Say what another design is: that of the rows, for a column that they have."""
    name = case.r.choice([*rows.design, *(["keep"] if rows.kept else [])] or ["clusters"])
    if name == "keep":
        return {"keep": _dressed(case, rows.kept)}
    found = {name: dress(case.r, rows.design[name]) if name in rows.design else None}
    return found | ({"repeats": rows.repeats} if name == "folds" else {})


def draw_options(case: Case) -> dict[str, Any]:
    """Draw what is passed on by name: to the function that is asked for each, or other columns."""
    if "function" not in case.parameters:
        return _changes(case, case.rows[0])
    function = case.given["function"]
    return {"fpr": 0.1} if function is rb.operating_points else {}


def _call_constructor(case: Case, kind: str, rows: Rows) -> Call:
    name = f"Sample.{kind}" if kind else "Sample"
    function = getattr(rb.Sample, kind) if kind else rb.Sample
    inner = Case(case.r, name, function, form="rows", rows=[rows])
    for parameter in inner.parameters.values():
        if parameter.name in DATA:
            value = DATA[parameter.name](inner, parameter.annotation)
        elif parameter.name == "progress" and inner.flip(0.2):
            from rocbands_studies.campaigns.arguments import draw_value

            value = draw_value(inner, "progress", parameter.annotation)
        else:
            continue
        if value is not OMIT:
            inner.given[parameter.name] = value
    return Call(name, function, inner.given)


def make_curve(case: Case, rows: Rows) -> Call | Recipe:
    """A curve: of a sample, or of counts of one score or of bins, which may be large."""
    r = case.r
    if r.random() < 0.5 or rows.folds is not None:
        sample = make_sample(case, rows)
        return Call("roc_curve", rb.roc_curve, {"y_true": sample})
    steps = r.randint(3, 12)
    most = r.choice((1, 10**9, 10**14)) if case.extreme else r.choice((5, 20, 1000))
    fp, tp = (np.cumsum([r.randint(0, most) for _ in range(steps)]) for _ in range(2))
    bins = case.can("bins") and r.random() < 0.5
    return Recipe(
        f"rb.RocCurve.from_counts(..., {fp + 1}, {tp + 1}, {bins=})",
        lambda: rb.RocCurve.from_counts(np.arange(steps, 0.0, -1), fp + 1, tp + 1, bins=bins),
    )


def make_counts(case: Case, rows: Rows) -> Call:
    """Counted scores, as a method can use them: each score where it cannot use bins."""
    given: dict[str, Any] = {
        "y_true": dress(case.r, rows.y_true()),
        "y_score": _dressed(case, rows.scores),
        "positive": rows.labels[1],
    }
    if rows.rest:
        given["rest"] = True
    if not case.can("bins") or case.flip(0.5):
        given["exact"] = True
    if rows.weights is not None and (rows.weights > 0).all():
        given["weights"] = dress(case.r, rows.weights)
    if rows.kept and ("by" in case.parameters or case.flip(0.2)):
        given["by"] = dress(case.r, next(iter(rows.kept.values())))
    return Call("ScoreCounts.from_arrays", rb.ScoreCounts.from_arrays, given)


def _test(case: Case, annotation: Any) -> Any:
    """Another test set, on which thresholds are tried: of any form."""
    if not case.flip(0.1):
        return OMIT
    first = case.rows[0]
    design = tuple(first.design)
    rows = draw_rows(case.r, Plan(design=(), needed=design), extreme=case.extreme)
    rows = Rows(**{**vars(rows), "labels": first.labels, "rest": first.rest})
    if (
        case.flip(0.3)
        and not (rows.design or rows.rest)
        and rows.labels not in (("a", "b"), (1, 2))
    ):
        return dress(case.r, rows.y_true()), dress(case.r, next(iter(rows.scores.values())))
    return make_sample(case, rows) if case.flip(0.7) else make_curve(case, rows)


# ---------------------------------------------------------------------------------- frames, files


def _columns(case: Case) -> dict[Any, Any]:
    """The columns of a frame under their own names, or under names that are not text."""
    rows = case.rows[0]
    found = {"label": rows.y_true(), **rows.design, **rows.scores, **rows.kept}
    if "ColumnName" in words_in(case.parameters["label"].annotation) and case.flip(0.25):
        odd = [0, 2.5, ("g", 1), "a b", "=x", -1, 7, 10**20, ("label",), "Label"]
        names = [name for name in found if name not in rows.kept]
        case.columns |= dict(zip(names, case.r.sample(odd, len(odd)), strict=False))
    return {case.columns.get(name, name): column for name, column in found.items()}


def _frame(case: Case, annotation: Any) -> Any:
    """A frame with the columns under their names, and with some that are not asked for."""
    columns = _columns(case)
    if case.flip(0.2):
        columns["unused"] = np.arange(case.rows[0].size)
    frame = frame_of(case.r, columns)
    if isinstance(frame, pd.DataFrame) and case.flip(0.2):
        frame[case.r.choice((99, 1.25, None, ("a", 1)))] = 0
    return frame


def _source(case: Case, annotation: Any) -> Any:
    frame = frame_of(case.r, _columns(case))
    return _path(case, annotation) if isinstance(frame, dict) or case.flip(0.5) else frame


def _path(case: Case, annotation: Any) -> Any:
    """A file of the columns; for what writes, a file that is not there yet, or none."""
    if "path" in case.parameters and "label" not in case.parameters:
        if case.name.endswith("load"):
            counts = make_counts(case, case.rows[0])
            path = FOLDER / f"{next(_numbers)}.parquet"
            return Recipe(f"{path.name} of {counts}", lambda: _save(counts.make(), path))
        return FOLDER / f"{next(_numbers)}.html" if case.flip(0.1) else None
    case.columns.clear()  # names in files are text
    rows = case.rows[0]
    frame = pd.DataFrame({"label": rows.y_true(), **rows.design, **rows.scores, **rows.kept})
    kinds = ("csv", "tsv", "parquet", "feather", "jsonl", "csv.gz", "xlsx")
    kind = case.r.choice(kinds if "sheet" in case.parameters else kinds[:-1])
    path = FOLDER / f"{next(_numbers)}.{kind}"
    return Recipe(f"{path.name} with {list(frame)}", lambda: _write(frame, path, kind))


def _save(counts: Any, path: Path) -> Path:
    counts.save(path)
    return path


def _write(frame: pd.DataFrame, path: Path, kind: str) -> Path:
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "feather":
        frame.to_feather(path)
    elif kind == "xlsx":
        frame.to_excel(path, sheet_name="rows", index=False)
    elif kind == "jsonl":
        lines = [json.dumps(row) for row in frame.to_dict("records")]
        path.write_text("\n".join(lines), "utf-8")
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    return path


def _label(case: Case, annotation: Any) -> Any:
    return case.columns.get("label", "label")


def _score(case: Case, annotation: Any) -> Any:
    models = [case.columns.get(model, model) for model in case.rows[0].models]
    return models[0] if len(models) == 1 and case.flip(0.6) else models


def _sheet(case: Case, annotation: Any) -> Any:
    return "rows" if _has_suffix(case, "xlsx") else OMIT


def _encoding(case: Case, annotation: Any) -> Any:
    return "utf-8" if _has_suffix(case, "csv", "tsv", "jsonl", "csv.gz") else OMIT


def _decimal(case: Case, annotation: Any) -> Any:
    return "." if _has_suffix(case, "csv", "tsv", "csv.gz", "xlsx") else OMIT


def _has_suffix(case: Case, *suffixes: str) -> bool:
    file = case.given.get("path", case.given.get("source"))
    return isinstance(file, Recipe) and str(file).partition(" ")[0].endswith(suffixes)


# ------------------------------------------------------------------------------ models, and others


def _X(case: Case, annotation: Any) -> Any:  # noqa: N802
    return np.column_stack([own.astype(np.float64) for own in case.rows[0].scores.values()])


def _estimator(case: Case, annotation: Any) -> Any:
    rows = case.rows[0]
    if len(rows.scores) == 1 and case.flip(0.5):
        return Scorer(rows.labels)
    return {name: Scorer(rows.labels, place) for place, name in enumerate(rows.scores)}


def split_rows(rows: Rows, parts: int, shift: int = 0) -> list[tuple[Any, Any]]:
    """Cut rows into training and test rows, each part with both classes if there are enough."""
    fold = np.empty(rows.size, np.int64)
    for code in (0, 1):
        places = np.flatnonzero(rows.codes == code)
        fold[np.roll(places, shift)] = np.arange(places.size) % parts
    return [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(parts)]


class Splitter:
    """A splitter by scikit-learn's conventions."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        self.pairs = pairs

    def split(self, X: Any, y: Any = None, clusters: Any = None) -> Any:  # noqa: N803
        return iter(self.pairs)


def _cv(case: Case, annotation: Any) -> Any:
    pairs = split_rows(case.rows[0], case.r.choice((2, 3)))
    return pairs if case.flip(0.5) else Splitter(pairs)


def _cv_results(case: Case, annotation: Any) -> Any:
    rows, parts = case.rows[0], case.r.choice((2, 3))
    pairs = [pair for repeat in range(rows.repeats) for pair in split_rows(rows, parts, repeat)]
    train, test = zip(*pairs, strict=True)
    return {
        "estimator": [Scorer(rows.labels) for _ in test],
        "indices": {"train": list(train), "test": list(test)},
    }


def _classes(case: Case, annotation: Any) -> Any:
    rows = case.rows[0]
    scores = case.given.get("y_score")
    if isinstance(scores, np.ndarray | list) and case.flip(0.4):
        return list(rows.labels) if len(rows.labels) > 2 else sorted(rows.labels)
    return OMIT


def _time(case: Case, annotation: Any) -> Any:
    times = [
        case.r.choice((0.5, 1.0, 2.0, case.r.random(), 3 * case.r.random()))
        for _ in range(case.rows[0].size)
    ]
    return dress(case.r, np.asarray(times))


def _event(case: Case, annotation: Any) -> Any:
    return dress(case.r, case.rows[0].codes)


def _function(case: Case, annotation: Any) -> Any:
    """A function that is asked for each model, quick ones."""
    if case.rows[0].folds is not None:
        return case.r.choice((rb.roc_curve, rb.fold_auc_interval, rb.rate_bounds))
    return case.r.choice((rb.roc_curve, rb.auc_interval, rb.operating_points, rb.roc_band))


def _self(case: Case, annotation: Any) -> Any:
    return make_sample(case, case.rows[0])


def _places(case: Case, annotation: Any) -> Any:
    size = case.rows[0].size
    order = case.r.sample(range(size), size)
    return dress(case.r, np.asarray(order[: max(1, 4 * size // 5)]))


def _some_models(case: Case, annotation: Any) -> Any:
    names = [column_text(name) for name in case.rows[0].scores]
    return case.r.choice((names[0], names[:1], names))


def _table_of_counts(case: Case, annotation: Any) -> Any:
    steps = case.r.randint(1, 5)
    some = [[case.r.randint(1, 9) for _ in range(steps)] for _ in range(2)]
    return pa.table({"score": np.arange(steps) / 2, "positives": some[0], "negatives": some[1]})


def _parts(case: Case, annotation: Any) -> Any:
    counts = make_counts(case, case.rows[0])
    return [counts, counts]


def _readings(case: Case, annotation: Any) -> Any:
    """Draw a reader study of any design."""
    seed, kind = case.r.randrange(2**32), case.r.choice(KINDS)
    clusters = case.can("clusters") and case.flip(0.3)
    return Recipe(
        f"draw_study(np.random.default_rng({seed}), {kind!r}, {clusters=}).readings()",
        lambda: draw_study(np.random.default_rng(seed), kind, clusters=clusters).readings(),
    )


DATA: dict[str, Callable[[Case, Any], Any]] = {
    "y_true": _y_true, "y_score": _y_score, "y_score_1": _score_of(0), "y_score_2": _score_of(1),
    "sample": lambda case, _: _pass_data(case, 0), "positive": _positive, "rest": _rest,
    "clusters": _column("clusters"), "weights": _column("weights"), "strata": _column("strata"),
    "folds": _column("folds"), "repeats": _repeats, "keep": _keep, "by": _by, "missing": _missing,
    "data": _frame, "source": _source, "path": _path, "label": _label, "score": _score,
    "sheet": _sheet, "encoding": _encoding, "decimal": _decimal,
    "test": _test, "X": _X, "y": lambda case, _: case.rows[0].y_true(), "estimator": _estimator, "cv": _cv,
    "cv_results": _cv_results, "classes": _classes, "time": _time, "event": _event,
    "function": _function, "self": _self, "rows": _places, "table": _table_of_counts, "parts": _parts,
    "readings": _readings, "models": _some_models,
}  # fmt: skip
