"""Calls that are no question about data: constructors, planning, views of bands, reports."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import rocbands as rb
from tests.pins.calls import RESAMPLES, SEED, Call, list_calls, write_options
from tests.pins.data import (
    COUNTED,
    DESIGNED,
    DESIGNS,
    SETS,
    STUDIES,
    make_classes,
    make_counts,
    make_data,
    make_rows,
    make_sample,
    make_study,
)

VIEWS = ("roc", "pr", "gains", "lift", "det", "cost", "net-benefit")
PLANS: tuple[dict[str, Any], ...] = (
    {"auc": 0.8, "width": 0.1},
    {"auc": 0.8, "width": 0.1, "prevalence": 0.1, "level": 0.9},
    {"auc": 0.7, "against": 0.5, "power": 0.9},
    {"auc": 0.7, "against": 0.5, "alternative": "greater", "ratio": 3},
    {"auc": 0.8, "other": 0.7, "correlation": 0.3},
    {"auc": 0.8, "other": 0.7, "variance": "obuchowski"},
    {"auc": 0.8, "band_width": 0.3},
    {"auc": 0.8, "width": 0.1, "against": 0.5},
    {"auc": 1.2, "width": 0.1},
)
SIZES: tuple[dict[str, Any], ...] = ({"readers": [4, 8]}, {"cases": [50, 200]}, {"readers": 5})


def list_all() -> Iterator[tuple[str, Call]]:
    """List every call with its key."""
    yield from list_calls()
    for parts, call in list_others():
        yield " | ".join((*parts, *[""] * (5 - len(parts)))), call


def list_others() -> Iterator[tuple[tuple[str, ...], Call]]:
    """List function, method, design, data and options of the other calls."""
    for (name, make), data in product(OF_ROWS.items(), SETS):
        yield (name, "", "rows", data), partial(make, data)
    for (name, read), study in product(OF_STUDIES.items(), STUDIES):
        yield (name, "", "", study), partial(read, study)
    for design, data in product((*DESIGNS, *COUNTED), DESIGNED):
        make = make_counts if design in COUNTED else make_sample
        yield ("Sample", "", design, data), partial(make, data, design, "ab")
        if design in ("counts", "exact counts"):
            parts = partial(lambda *of: [make_counts(*of, "ab", i) for i in (0, 1)], data, design)
            yield ("merge", "", design, data), lambda p=parts: rb.ScoreCounts.merge(p())
    for exact, by, data in product((False, True), (None, "sex"), DESIGNED):
        call = partial(count_rows, data, exact=exact, by=by)
        yield ("count_scores", "", "rows", data, f"exact={exact} by={by}"), call
    for data, view, share in product((*DESIGNED, "float32", "rare"), VIEWS, (None, 0.1)):
        call = partial(view_band, data, view, share)
        yield ("view", "", "rows", data, f"view={view} prevalence={share}"), call
    for data, at, function in product(DESIGNED[:3], (0.4, 0.6, 5.0), SURVIVAL):
        call = partial(ask_survival, function, data, at)
        yield (function.__name__, "", "survival", data, f"at={at}"), call
    yield from list_plans()
    for design in ("rows", "clusters", "weights", "folds", "counts"):
        make = make_counts if design in COUNTED else make_sample
        yield ("report", "", design, "votes"), partial(report, make, "votes", design, "ab")
    yield ("report", "", "rows", "ratings"), partial(report, make_study, "ratings")
    yield ("report", "", "rows", "classes"), partial(report, make_classes, "classes", "rows")


def list_plans() -> Iterator[tuple[tuple[str, ...], Call]]:
    """List plans, registries, examples and conversions."""
    for plan in PLANS:
        call = partial(rb.sample_size, **plan, rng=SEED)
        yield ("sample_size", "", "", "", write_options(plan)), call
    for study, size in product(STUDIES, SIZES):
        call = partial(plan_study, study, size)
        yield ("reader_study_size", "", "", study, write_options(size)), call
    for question in (None, *dict.fromkeys(rb.methods().columns()["question"])):
        yield ("methods", "", "", "", f"{question}"), partial(rb.methods, question)
    for name in ("models", "readers"):
        yield ("load_example", "", "", name), partial(rb.load_example, name)
    for shares in (0.1, [0.1, 0.5], 0.0):
        call = partial(rb.operating_condition, 5, 1, shares)
        yield ("operating_condition", "", "", "", f"{shares}"), call
    cut = [(None, np.arange(k, 20, 4)) for k in range(4)]
    yield ("fold_numbers",), partial(rb.fold_numbers, cut, np.zeros((20, 1)))
    yield ("cost.costs_at",), partial(rb.cost.costs_at, [0.1, 0.5], 0.2)
    yield ("cost.calibrated_thresholds",), partial(rb.cost.calibrated_thresholds, [0.1, 0.5], 0.2)
    yield ("Sample.of_classes", "", "weights"), partial(make_classes, "classes", "weights")


def report(make: Any, *of: str) -> Any:
    return rb.report(make(*of), path=None, rng=SEED)


def view_band(data: str, view: str, share: float | None) -> Any:
    rows = make_data("one", data, "rows")
    band = rb.roc_band(*rows, method="fixed-width", n_resamples=RESAMPLES, rng=SEED)
    return band.view(view, prevalence=share, rng=SEED)


def find_better(data: str) -> Any:
    return rb.roc_band(*make_data("one", data, "rows"), rng=SEED).better_between(prevalence=0.1)


def plan_study(study: str, size: dict[str, Any]) -> Any:
    return rb.reader_study_size(rb.compare_readers(make_study(study)), difference=0.05, **size)


def average_readers(study: str) -> Any:
    found = rb.compare_readers(make_study(study))
    return found.average_curve(found.tests[0], n_resamples=RESAMPLES, rng=SEED)


def ipcw(*given: Any, at: float) -> Any:
    return rb.ipcw(*given, at=at)


SURVIVAL = (ipcw, rb.auc_interval, rb.roc_band, rb.average_precision_interval, rb.summary)


def ask_survival(function: Any, data: str, at: float) -> Any:
    """Return weights of censored rows, whose times are the scores of another model, or ask."""
    rows = make_rows(data)
    found = rb.ipcw(rows["b"], rows["y"] == 1, at=at)
    if function is ipcw:
        return found
    y, weights, _ = found
    given = {"rng": SEED} if "rng" in inspect.signature(function).parameters else {}
    return function(rb.Sample(y, {"a": rows["a"]}, weights=weights), **given)


def make_table(data: str) -> dict[str, Any]:
    rows = make_rows(data)
    return {name: rows[name] for name in ("y", "a", "b", "sex")}


def count_rows(data: str, **given: Any) -> Any:
    return rb.count_scores(pd.DataFrame(make_table(data)), label="y", score=["a", "b"], **given)


def save_counts(counts: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        counts.save(Path(folder, "counts.parquet"))
        return rb.ScoreCounts.load(Path(folder, "counts.parquet"))


def read_frame(data: str) -> Any:
    return rb.Sample.from_frame(make_table(data), label="y", score=["a", "b"], keep="sex")


def write_csv(table: dict[str, Any], read: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        lines = zip(*(np.asarray(column).tolist() for column in table.values()), strict=True)
        text = [",".join(table), *(",".join(map(str, line)) for line in lines)]
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        return read(path)


def read_file(data: str) -> Any:
    given: dict[str, Any] = {"label": "y", "score": ["a", "b"], "keep": "sex"}
    return write_csv(make_table(data), lambda path: rb.Sample.from_file(path, **given))


COLUMNS = {"label": "y", "score": "s", "reader": "reader", "case": "case", "test": "test"}


def read_study(study: str) -> dict[str, Any]:
    """Return the readings of a study as a table with one row for each."""
    made = make_study(study)
    test, reader, case = np.nonzero(made.read)
    named = {"reader": reader, "case": case, "test": np.array(made.tests)[test]}
    return {"y": made.is_positive[case].astype(int), "s": made.scores[made.read], **named}


def read_wide(study: str) -> Any:
    made = make_study(study)
    cells = {(r, t): f"{r}{t}" for r in made.readers for t in made.tests}
    scores = {
        cells[r, t]: made.scores[i, j]
        for i, t in enumerate(made.tests)
        for j, r in enumerate(made.readers)
    }
    table = {"case": np.arange(made.n_cases), "y": made.is_positive.astype(int), **scores}
    return rb.Readings.from_wide(table, case="case", label="y", columns=cells)


class Ranker:
    """A fitted classifier whose scores are its only feature."""

    classes_ = np.array([0, 1])

    def decision_function(self, x: Any) -> Any:
        return x[:, 0]


def cross_validate(data: str) -> Any:
    rows = make_rows(data)
    tests = [np.flatnonzero(rows["folds"] == fold) for fold in range(4)]
    found = {"estimator": [Ranker()] * 4, "indices": {"train": tests[::-1], "test": tests}}
    return rb.Sample.from_cv_results(found, rows["a"][:, None], rows["y"])


def score_rows(data: str) -> Any:
    rows = make_rows(data)
    return rb.Sample.from_estimator({"m": Ranker()}, rows["a"][:, None], rows["y"])


OF_ROWS: dict[str, Any] = {
    "Sample.from_frame": read_frame,
    "Sample.from_file": read_file,
    "Sample.from_estimator": score_rows,
    "Sample.from_cv_results": cross_validate,
    "Sample.split": lambda data: read_frame(data).split("sex"),
    "Sample.take": lambda data: read_frame(data).take(np.arange(0, 40, 2)),
    "Sample.reverse": lambda data: read_frame(data).reverse("b"),
    "Sample.each": lambda data: read_frame(data).each(rb.auc_interval),
    "better_between": find_better,
    "ScoreCounts.load": lambda data: save_counts(count_rows(data)),
    "ScoreCounts.from_table": lambda data: rb.ScoreCounts.from_table(
        pa.table(dict(count_rows(data, exact=True).columns()))
    ),
    "subgroups of counts": lambda data: rb.subgroups(
        count_rows(data, exact=True, by="sex")["a"], n_resamples=RESAMPLES, rng=SEED
    ),
}
OF_STUDIES: dict[str, Any] = {
    "Readings": make_study,
    "Readings.from_frame": lambda study: rb.Readings.from_frame(read_study(study), **COLUMNS),
    "Readings.from_file": lambda study: write_csv(
        read_study(study), lambda path: rb.Readings.from_file(path, **COLUMNS)
    ),
    "Readings.from_wide": read_wide,
    "Readings.sample": lambda study: make_study(study).sample("1", "A"),
    "Readings.take": lambda study: make_study(study).take(["1", "0"]),
    "ReaderStudy.average_curve": average_readers,
}
