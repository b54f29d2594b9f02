"""The figures of the AUC study as a page of documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

Record = dict[str, Any]

FORMULAS = ("newcombe", "logit-delong", "delong", "hanley-mcneil", "exact-bootstrap")
RESAMPLED = ("bootstrap", "bca")
FOLDS = {"t": "learner", "nadeau-bengio": "learner", "influence": "models", "fold-delong": "models"}

HEAD = """# Measured coverage of AUC intervals

Nominal level 0.95; the share of fresh test sets whose interval holds the true AUC. 4,000 test sets a cell for formulas (standard
error about 0.003), 500 for resampling and folds (about 0.01); class sizes are positives + negatives. Made by

```console
$ python -m tests.coverage.auc
```

which is part of `make coverage`, takes about five minutes on one core, and keeps finished cells in `docs/coverage-auc.jsonl`. What
follows from the figures is said in [Areas under the curve](auc.md).
"""


def write_tables(results: Path) -> None:
    """Write docs/coverage-auc.md from the finished cells."""
    records = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    studies = {
        name: [record for record in records if record["study"] == name]
        for name in ("formulas", "resampling", "folds")
    }
    parts = [HEAD, summary(studies["formulas"])]
    parts += [f"## {name}\n\n{_grid(studies['formulas'], name)}" for name in FORMULAS]
    parts += [
        f"## {name}\n\n599 resamples.\n\n{_grid(studies['resampling'], name)}" for name in RESAMPLED
    ]
    parts.append(_folds(studies["folds"]))
    results.with_name("coverage-auc.md").write_text("\n".join(parts), encoding="utf-8")


def summary(records: list[Record]) -> str:
    even = [r for r in records if len(set(r["size"].split("+"))) == 1]
    uneven = [r for r in records if r not in even]
    text = "## All cells\n\nWidths are ratios of mean widths to Newcombe's, averaged over cells.\n"
    for title, chosen in (("Classes of equal size", even), ("Classes of unequal size", uneven)):
        lines = [
            f"\n{title}, {len(chosen)} cells:\n",
            "| | lowest | highest | mean distance from .95 | mean shortfall below .95 | cells below .93 | width |",
            "|---|---|---|---|---|---|---|",
        ]
        for method in FORMULAS:
            held = np.array([r[method] for r in chosen])
            width = np.mean([r[f"{method} width"] / r["newcombe width"] for r in chosen])
            lines.append(
                f"| {method} | {held.min():.3f} | {held.max():.3f} | {np.abs(held - 0.95).mean():.3f} "
                f"| {np.maximum(0.95 - held, 0).mean():.3f} | {np.count_nonzero(held < 0.93)} | {width:.2f} |"
            )
        text += "\n".join(lines) + "\n"
    return text


def _grid(records: list[Record], method: str) -> str:
    sizes = list(dict.fromkeys(r["size"] for r in records))
    worlds = list(dict.fromkeys(r["world"] for r in records))
    aucs = sorted({r["auc"] for r in records})
    found = {(r["world"], r["auc"], r["size"]): f"{r[method]:.3f}" for r in records}
    lines = ["| scores | AUC | " + " | ".join(sizes) + " |", "|---|---|" + "---|" * len(sizes)]
    for world in worlds:
        for auc in aucs:
            row = [found.get((world, auc, size), "") for size in sizes]
            lines.append(f"| {world} | {auc:g} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def _folds(records: list[Record]) -> str:
    sizes = list(dict.fromkeys(r["size"] for r in records))
    found = {(r["auc"], r["world"], r["size"]): r for r in records}
    text = (
        "## Folds\n\nA learner that scores along the difference of the class means, five features, classes of equal size, "
        "cross-validated; the AUC that the best direction has is on the left. Share of data sets whose interval holds what the "
        "method is for, and in brackets the other target: *learner* is the expected AUC of such models, *models* the average "
        "AUC of the k fitted ones.\n"
    )
    for method, target in FOLDS.items():
        other = "models" if target == "learner" else "learner"
        lines = [f"\n{method}, for the {target}:\n"]
        lines += ["| AUC | folds | " + " | ".join(sizes) + " |", "|---|---|" + "---|" * len(sizes)]
        for auc in sorted({r["auc"] for r in records}):
            for world in dict.fromkeys(r["world"] for r in records):
                cells = [found[auc, world, size] for size in sizes]
                row = [
                    f"{r[f'{method}, {target}']:.3f} ({r[f'{method}, {other}']:.3f})" for r in cells
                ]
                lines.append(f"| {auc:g} | {world.split()[0]} | " + " | ".join(row) + " |")
        text += "\n".join(lines) + "\n"
    return text
