"""The figures of the AUC study as a page of documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

Record = dict[str, Any]

FORMULAS = (
    "score-delong",
    "newcombe",
    "logit-delong",
    "delong",
    "hanley-mcneil",
    "exact-bootstrap",
)
RESAMPLED = ("bootstrap", "bca")
FOLDS = {"t": "learner", "nadeau-bengio": "learner", "influence": "models", "fold-delong": "models"}
LEVELS = (0.95, 0.9, 0.99)  # in the order of the records
LEAST = (0.93, 0.88, 0.98)  # cells below are counted, and marked

HEAD = """# Measured coverage of AUC intervals

The share of fresh test sets whose interval contains the true AUC, at nominal levels .95, .90 and .99. Formulas: 2,000 test sets a cell with up to 400 rows
(standard error about .005 at .95), 1,000 with more (.007); groups 500 (.010), differences 250 (.014), resampling and folds 500, at .95 only. Class sizes are positives + negatives. Cells below .93, .88
and .98 are marked `!`; of cells that are right at .95, one in 300 (2,000 sets) to one in 9 (250 sets) is, by chance. Made by

```console
$ python -m tests.coverage.auc
```

which is part of `make coverage`, takes about 15 minutes on one core, and keeps finished cells in `docs/coverage-auc.jsonl`. What
follows from the figures is said in [Areas under the curve](auc.md) and [Comparing classifiers](compare.md).
"""


def write_tables(results: Path) -> None:
    """Write docs/coverage-auc.md from the finished cells."""
    records = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    studies: dict[str, list[Record]] = {}
    for record in records:
        studies.setdefault(record["study"], []).append(record)
    known, other = studies["formulas"], studies["other scores"]
    parts = [HEAD, summary(known, other), _lowest([*known, *other])]
    parts.append(f"## score-delong\n\n{_grid(known, 'score-delong')}")
    parts.append(
        "## score-delong, other scores\n\nScores that nobody looked at when its constants were "
        f"chosen.\n\n{_grid(other, 'score-delong')}"
    )
    parts.append(_groups(studies["groups"]))
    parts.append(_differences(studies["differences"]))
    parts += [f"## {name}\n\n{_grid(known, name, short=True)}" for name in FORMULAS[1:]]
    parts += [
        f"## {name}\n\n599 resamples.\n\n{_grid(studies['resampling'], name)}" for name in RESAMPLED
    ]
    parts.append(_folds(studies["folds"]))
    results.with_name("coverage-auc.md").write_text("\n".join(parts), encoding="utf-8")


def summary(known: list[Record], other: list[Record]) -> str:
    """Extremes of all formulas, at all levels."""
    text = "## All cells\n\nWidths are ratios of mean widths to those of 'score-delong' at .95, averaged over cells.\n"
    titles = {"Normal, rounded and exponential scores": known, "Other scores": other}
    for title, chosen in titles.items():
        lines = [
            f"\n{title}, {len(chosen)} cells: lowest and highest share, and the number of cells below .93, .88 and .98:\n",
            "| | .95 | .90 | .99 | width |",
            "|---|---|---|---|---|",
        ]
        for method in FORMULAS:
            held = np.array([r[method] for r in chosen])
            ratio = [r[f"{method} width"][0] / r["score-delong width"][0] for r in chosen]
            cells = " | ".join(
                f"{held[:, k].min():.3f} to {held[:, k].max():.3f}; {np.count_nonzero(held[:, k] < LEAST[k])}"
                for k in range(3)
            )
            lines.append(f"| {method} | {cells} | {np.mean(ratio):.2f} |")
        text += "\n".join(lines) + "\n"
    return text


def _lowest(records: list[Record]) -> str:
    """Name the cells of 'score-delong' that are below .93 at .95."""
    low = sorted(
        (r for r in records if r["score-delong"][0] < LEAST[0]), key=lambda r: r["score-delong"][0]
    )
    if not low:
        return "`score-delong` is below .93 at .95 in no cell.\n"
    named = "; ".join(
        f"{r['world']}, AUC {r['auc']:g}, {r['size']}: {r['score-delong'][0]:.3f}" for r in low
    )
    return f"`score-delong` is below .93 at .95 in {len(low)} of {len(records)} cells: {named}.\n"


def _text(held: float | list[float], *, short: bool = False) -> str:
    """All levels of a cell, or the first one."""
    values = [held] if isinstance(held, float) else held[:1] if short else held
    return ", ".join(
        f"{value:.3f}" + (" !" if value < least else "")
        for value, least in zip(values, LEAST, strict=False)
    )


def _grid(records: list[Record], method: str, *, short: bool = False) -> str:
    sizes = list(dict.fromkeys(r["size"] for r in records))
    worlds = list(dict.fromkeys(r["world"] for r in records))
    aucs = sorted({r["auc"] for r in records})
    found = {
        (r["world"], r["auc"], r["size"]): _text(r[method], short=short or len(sizes) > 9)
        for r in records
    }
    lines = ["| scores | AUC | " + " | ".join(sizes) + " |", "|---|---|" + "---|" * len(sizes)]
    for world in worlds:
        for auc in aucs:
            row = [found.get((world, auc, size), "") for size in sizes]
            lines.append(f"| {world} | {auc:g} | " + " | ".join(row) + " |")
    text = "\n".join(lines) + "\n"
    if method == "score-delong" and len(sizes) > 9:
        for k in (1, 2):
            low = [r for r in records if r[method][k] < LEAST[k]]
            named = "; ".join(
                f"{r['world']}, AUC {r['auc']:g}, {r['size']}: {r[method][k]:.3f}" for r in low
            )
            held = [r[method][k] for r in records]
            text += (
                f"\nAt {LEVELS[k]:.2f}: {min(held):.3f} to {max(held):.3f}; below {LEAST[k]:.2f}: "
                f"{named or 'none'}.\n"
            )
    return text


def _groups(records: list[Record]) -> str:
    text = (
        "## Groups\n\nGroups of 1 to 5 rows that share a normal effect with half of the variance, unless the table says otherwise. Coverage of "
        "`score-delong` at .95, .90, .99; in brackets `logit-delong` at .95.\n\n"
    )
    sizes = list(dict.fromkeys(r["size"] for r in records))
    lines = ["| groups | AUC | " + " | ".join(sizes) + " |", "|---|---|" + "---|" * len(sizes)]
    for world in dict.fromkeys(r["world"] for r in records):
        for auc in sorted({r["auc"] for r in records}):
            row = [
                f"{_text(r['score-delong'])} ({r['logit-delong'][0]:.3f})"
                for size in sizes
                for r in records
                if (r["world"], r["auc"], r["size"]) == (world, auc, size)
            ]
            lines.append(f"| {world} | {auc:g} | " + " | ".join(row) + " |")
    return text + "\n".join(lines) + "\n"


def _differences(records: list[Record]) -> str:
    text = (
        '## Differences of two AUCs\n\n`rb.compare`: coverage of the interval at .95, .90, .99; in brackets DeLong\'s (`interval="wald"`) at .95, '
        "then the share of test sets in which DeLong's test rejects equal AUCs at .05. The correlation is that of normal scores behind the models' scores.\n\n"
    )
    sizes = list(dict.fromkeys(r["size"].split(", ")[0] for r in records))
    lines = [
        "| scores and AUCs | rows | " + " | ".join(sizes) + " |",
        "|---|---|" + "---|" * len(sizes),
    ]
    for world in dict.fromkeys(r["world"] for r in records):
        for kind in dict.fromkeys(r["size"].split(", ")[1] for r in records):
            row = [
                f"{_text(r['score'])} ({r['wald'][0]:.3f}; {r['rejected']:.3f})"
                for size in sizes
                for r in records
                if (r["world"], r["size"]) == (world, f"{size}, {kind}")
            ]
            lines.append(f"| {world} | {kind} | " + " | ".join(row) + " |")
    return text + "\n".join(lines) + "\n"


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
