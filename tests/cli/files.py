"""Files that the examples in help texts and documentation speak of."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np


def write_files(folder: Path = Path(), rows: int = 240) -> None:
    """Write scores.csv, later.csv (two models, patients, folds), ill.csv.gz, biopsies.csv,
    people.csv (a cluster of each row), iris.csv (three classes), counts."""
    for place, name in enumerate(("scores.csv", "later.csv", "valid.csv")):
        lines = ["outcome,score_new,score_old,patient,fold", *_rows(rows, seed=place)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    ill = ["diagnosis,score", *(f"{'ill' if i % 3 else 'well'},{i % 7 + i % 3}" for i in range(60))]
    (folder / "ill.csv.gz").write_bytes(gzip.compress("\n".join(ill).encode()))
    (folder / "biopsies.csv").write_text(
        "\n".join(
            ["diagnosis,logistic"]
            + [f"{'malignant' if i % 2 else 'benign'},{i % 9 + 2 * (i % 2)}" for i in range(80)]
        ),
        encoding="utf-8",
    )
    columns = {"label": ["outcome"], "positive": ["1"], "scores": ["score"], "others": ["sex"]}
    write_scores(folder / "people.csv", columns)
    names = ["setosa", "versicolor", "virginica"]
    write_scores(folder / "iris.csv", {**columns, "scores": [], "others": [], "classes": names})
    _write_counts(folder)


def _write_counts(folder: Path) -> None:
    """Write data/, Parquet files of rows, and counts.parquet, monday.parquet, tuesday.parquet and
    week.parquet, counts by a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import rocbands as rb

    rng = np.random.default_rng(9)
    y = np.arange(200) % 2
    s = rng.normal(y)
    (folder / "data").mkdir(exist_ok=True)
    for part, rows in enumerate((slice(0, 90), slice(90, 200))):
        pq.write_table(pa.table({"y": y[rows], "s": s[rows]}), folder / f"data/{part}.parquet")
    rb.ScoreCounts.from_arrays(y, {"s": s}).save(folder / "counts.parquet")
    where = np.where(np.arange(200) % 3 == 0, "north", "south")
    days = [
        rb.ScoreCounts.from_arrays(y[rows], {"s": s[rows]}, by=where[rows])
        for rows in (slice(0, 90), slice(90, 200))
    ]
    days[0].save(folder / "monday.parquet")
    days[1].save(folder / "tuesday.parquet")
    (days[0] + days[1]).save(folder / "week.parquet")


def write_scores(file: Path, columns: dict[str, list[str]], seed: int = 0) -> None:
    """Write 240 rows with the named columns: `label`, its `positive` value, `scores`, `others`."""
    rng = np.random.default_rng(seed)
    row = np.arange(240) + seed  # so that no two files have the same labels in the same order
    positive = columns["positive"][0]
    values = (0, 1) if positive == "1" else ("other", positive)
    data: dict[str, list[Any]] = {columns["label"][0]: [values[i % 2] for i in row]}
    for place, name in enumerate(columns["scores"]):
        data[name] = rng.normal((1.5 - 0.5 * place) * (row % 2)).round(4).tolist()
    data |= {name: (row // 4 % 4).tolist() for name in columns["others"]}
    if names := columns.get("classes"):
        data[columns["label"][0]] = [names[i % len(names)] for i in row]
        for place, name in enumerate(names):
            data[name] = rng.normal(row % len(names) == place).round(4).tolist()
    if file.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(data), file)
        return
    lines = [
        ",".join(data),
        *(",".join(map(str, cells)) for cells in zip(*data.values(), strict=True)),
    ]
    text = ("\n".join(lines) + "\n").encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)


def _rows(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    label = (np.arange(count) + seed) % 2
    scores = 1.0 / (1.0 + np.exp(-rng.normal(label[:, None] * [1.5, 1.0], 1.0)))
    return [
        f"{y},{one:.4f},{two:.4f},{i // 4},{i // 4 % 4}"
        for i, (y, (one, two)) in enumerate(zip(label, scores, strict=True))
    ]
