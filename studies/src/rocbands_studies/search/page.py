"""The page studies/docs/search.md, from the stores of the search before and after repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rocbands_studies.checkout import DOCS, STORES
from rocbands_studies.search.run import (
    Record,
    Store,
    key_of,
    sizes_of,
    table_of,
    words_of,
    worst_of,
)
from rocbands_studies.search.statements import STATEMENTS, Cell

EACH = 4  # cells of a statement that the page shows


@dataclass(frozen=True)
class Admitted:
    """A kind of cell of which the documentation says that limits are too narrow."""

    says: str
    applies: Callable[[Cell], bool]


def mean_group(cell: Cell) -> float:
    return {"1 to 6": 3.5, "uneven": 3.2}.get(cell.design["size"]) or float(cell.design["size"])


def few_groups(cell: Cell) -> bool:
    """Fewer than ten groups with rows of a class, where results have a note about it."""
    noted = cell.statement.startswith(("roc_band", "operating_points"))
    return noted and cell.design["kind"] == "groups" and min(cell.sizes[:2]) / mean_group(cell) < 10


AT_THRESHOLD = ("operating_points, at a threshold", "operating_points, chosen", "cost_interval")  # fmt: skip


def few_errors(cell: Cell) -> bool:
    """Less than one case is expected on one side of a threshold."""
    if not cell.statement.startswith(AT_THRESHOLD) or "at" not in cell.options:
        return False
    for pair in cell.pairs:
        fpr, tpr = map(float, pair.rates(pair.quantile(cell.options["at"])))
        m, n = cell.sizes[:2]
        if min(m * tpr, m * (1 - tpr), n * fpr, n * (1 - fpr)) < 1:
            return True
    return False


def few_for_bumps(cell: Cell) -> bool:
    """So few cases that a difference band has a note."""
    if cell.statement == "difference_band, two sets":
        return min(cell.sizes) < 50
    if cell.statement != "difference_band":
        return False
    n_pos, n_neg = cell.sizes
    return min(n_pos, n_neg) < 30 or (n_neg < 100 and n_pos >= 4 * n_neg)


def few_out_of_order(cell: Cell) -> bool:
    """So few cases out of order that an AUC or a difference of AUCs has a note."""
    if not cell.statement.startswith(("auc_interval", "compare,")) and cell.statement != "compare":
        return False
    return min(cell.sizes) * (1.0 - max(pair.auc for pair in cell.pairs)) < 5.0


def few_beyond_rate(cell: Cell) -> bool:
    """Fewer than two cases beyond a fixed rate, or fewer than ten of the other class."""
    if not cell.statement.startswith("operating_points, at a rate"):
        return False
    n_pos, n_neg = cell.sizes[:2]
    own, other = (n_neg, n_pos) if cell.options["fixed"] == "fpr" else (n_pos, n_neg)
    rate = cell.options["rate"]
    return own * min(rate, 1.0 - rate) < 2.0 or other < 10


# Statements whose results have a note if a class, or positives alone, have fewer cases.
FEWEST = {
    "roc_band": 10, "views": 10, "net_benefit": 10, "partial_auc_interval": 15, "rate_bounds": 20,
    "average_precision_interval": 20, "subgroups": 30, "average_precision_difference": 40,
}  # fmt: skip


def few_of_a_class(cell: Cell) -> bool:
    name = next((one for one in FEWEST if cell.statement.startswith(one)), "")
    return bool(name and cell.sizes) and min(cell.sizes) < FEWEST[name]


ADMITTED = (
    Admitted(
        "Less than one case expected on one side of a threshold, where Wilson's limits hold less often ([Operating points](../../docs/points.md)).",
        few_errors,
    ),
    Admitted(
        "Fewer than ten groups with rows of a class: results have a note ([Designs](../../docs/designs.md)).",
        few_groups,
    ),
    Admitted(
        "Limits of single thresholds of weighted rows: results have a note ([Weights and groups](coverage-weights.md)).",
        lambda cell: cell.statement in ("operating_points, at a threshold, weights", "operating_points, at a threshold, strata"),
    ),
    Admitted(
        "Bands and AUC intervals of groups of very unequal size ([Designs](../../docs/designs.md)).",
        lambda cell: cell.design.get("size") == "uneven" and cell.statement.startswith(("roc_band", "auc_interval")),
    ),
    Admitted(
        "Smooth curves of scores without smooth densities: results have a note ([Smooth curves](../../docs/other-curves.md)).",
        lambda cell: cell.statement == "smooth_curve",
    ),
    Admitted(
        "Comparisons with fewer than 15 cases of a class: results have a note ([Comparisons](../../docs/compare.md)).",
        lambda cell: cell.statement == "compare" and min(cell.sizes) < 15,
    ),
    Admitted(
        "Difference bands with few cases: results have a note ([Comparisons](../../docs/compare.md)).",
        few_for_bumps,
    ),
    Admitted(
        "Cross-validated AUC by a method that is not the default: near AUC 1, and with few rows a fold ([AUC](../../docs/auc.md)).",
        lambda cell: cell.options.get("method") in ("nadeau-bengio", "influence", "fold-delong"),
    ),
    Admitted(
        "`rate_difference` where the share of positives changes abruptly at a threshold: results have a note ([Rates](../../docs/rates.md)).",
        lambda cell: cell.statement == "rate_difference" and cell.scores[0]["kind"] in ("batches", "sites", "staircase"),
    ),
    Admitted("Few cases out of order, of AUCs and their differences: results have a note ([How far to trust it](../../docs/trust.md)).", few_out_of_order),
    Admitted("Few cases of a class: results have a note ([How far to trust it](../../docs/trust.md)).", few_of_a_class),
    Admitted(
        "Points at a rate with few cases beyond it, or of the other class, or weighted: results have a note ([Operating points](../../docs/points.md)).",
        lambda cell: few_beyond_rate(cell) or cell.statement == "operating_points, at a rate, weights",
    ),
    Admitted(
        "Bands of weighted rows: results have a note ([Weights and groups](coverage-weights.md)).",
        lambda cell: cell.statement.startswith("roc_band,") and cell.design["kind"] in ("weights", "strata", "survival"),
    ),
    Admitted(
        "`compare_tpr` with fewer than five negatives beyond the rate: results have a note ([Comparisons](../../docs/compare.md)).",
        lambda cell: cell.statement.startswith("compare_tpr") and min(cell.sizes[1::2]) * min(cell.options["fpr"], 1 - cell.options["fpr"]) < 5,
    ),
    Admitted(
        "Average precision where about five negatives decide, as at a corner: results have a note ([Precision-recall](../../docs/precision-recall.md)).",
        lambda cell: cell.statement.startswith("average_precision_interval") and cell.scores[0]["kind"].startswith("corner"),
    ),
)  # fmt: skip


def reason(cell: Cell) -> str:
    """What the documentation says about such cells, or nothing."""
    return next((one.says for one in ADMITTED if one.applies(cell)), "")


def rows_of(header: str, rows: Iterable[Iterable[Any]]) -> list[str]:
    """A Markdown table."""
    names = header.split(" | ")
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""]


def show(record: Record | None) -> str:
    """Coverage by the second draw; nothing if the code could not be asked."""
    asked = record is not None and record.again is not None and record.again.held
    return f"{record.coverage:.3f}" if record is not None and asked else ""


def list_cells(found: Store, head: str, other: Store | None = None, beside: str = "") -> list[str]:
    """The lowest cells of each statement, and their coverage by other code."""
    rows = []
    for record in worst_of(found, EACH):
        cell = record.cell
        others = () if other is None else (show(other.records.get(key_of(cell))),)
        mark = " \\*" if reason(cell) else ""
        rows.append((
            f"{cell.statement}: {record.name}", sizes_of(cell), words_of(cell) + mark, f"{cell.level:g}",
            show(record), *others, f"`{key_of(cell)}`",
        ))  # fmt: skip
    heads = f"{head} | {beside}" if other is not None else head
    return rows_of(f"statement | sizes | population and options | level | {heads} | key", rows)


def describe_runs(name: str, store: Store) -> tuple[Any, ...]:
    runs = [run for run in store.runs if "minutes" in run]
    records = store.records.values()
    sets = sum(r.first.sets + (r.again.sets if r.again else 0) for r in records)
    return (
        name,
        ", ".join(sorted({run["code"] for run in runs})),
        f"{sum(run['minutes'] * run['workers'] for run in runs):g}",
        f"{len(store.records):,}",
        f"{sets:,}",
        sum(r.again is not None for r in records),
        len(store.found),
    )


def mended(before: Store, again: Store) -> list[str]:
    """For each statement, cells found before and what became of them."""
    rows = []
    for name in STATEMENTS:
        mine = [one for one in before.found if one.cell.statement == name]
        pairs = [(one, again.records[key_of(one.cell)]) for one in mine if key_of(one.cell) in again.records]  # fmt: skip
        if pairs:
            old, new = ([one.shortfall for one in side] for side in zip(*pairs, strict=True))
            low = sum(one.confirmed for _, one in pairs)
            means = (f"{sum(side) / len(side):.3f}" for side in (old, new))
            rows.append((name, len(mine), len(pairs), low, f"{max(old):.3f}", f"{max(new):.3f}", *means))  # fmt: skip
    return rows_of(
        "statement | found before | measured again | too low now | largest shortfall before | now | mean shortfall before | now",
        rows,
    )


WORDS = """# Search for statements that fail

<!-- Written by `python -m rocbands_studies.search --write`; do not edit. -->

> A program draws populations, sizes, designs and levels at random and looks for statements that hold too seldom. This page has what it tried and what it found.

`python -m rocbands_studies.search --minutes 60 --store studies/stores/search.store.gz` searches, and goes on where it stopped. A cell is a statement, a population, sizes and a level. Populations are normal, heavy-tailed (t with 1, 2 or 4 df)
or skewed scores, mixtures, a yes/no feature beside a score (*corner*), piecewise linear curves (*pieces*), *staircases*, *hooks*, single scores that many rows share (*points*), random scores (*chance*, and of any distribution *useless*), nearly separated classes
(*excellent*), pooled *sites* with offsets, *batches* with an offset and a unit of their own, a vertical or level *step* in the middle of a curve, and ratings, votes or probabilities of few digits in 2 to 80 levels (*ties*), also rounded or mirrored; rows may be weighted by score, label or both, in strata, in groups, in bins or censored.
Class sizes go from 3+3 to 3,000 rows, up to 1:100; levels are .80, .90, .95 and .99. A second model has the same curve, another curve of the same area, or any curve; its rows may come from the same sites or batches as those of the first. The truth is computed from distribution functions, not by the package.

A cell is measured on 40 to 100 test sets, then on 300 and 900 as long as it is more than 3 points below its level; once four cells of a statement are found, only lower ones go on. Cells like a low one are drawn more often. Cells that are still low are measured on 900 new test sets; *found* are
those whose second draw is low beyond noise: the upper end of its 99% interval is more than 3 points below the level. Coverage below is that of the second draw (standard error at most .017, .010 near .90).
Statements that are pointwise are judged at one point, simultaneous ones at all points; tests are judged by how often they do not reject a true hypothesis. Sentences are judged by what they claim: that scores are more than guessing, that one model finds more positives or has more net benefit, that a model is better or worse than
treating all or none, and the model, threshold and numbers of the summary. Cells of the same statement are not independent: shares of found cells
describe the search, not practice.

`python -m rocbands_studies.search --store FILE --cell KEY` measures a cell of this page again, from studies/stores/search-before.store.gz, search-first.store.gz or search.store.gz; `search --again FILE --store NEW` measures all cells that were found in a store.
"""


# About the last run.
REMARKS = """Before the repairs the search had neither sites, batches, steps nor levels among its populations, and no sentences among its statements. The later runs had a part of a busy machine, the last one a fifteenth of a core, so that they have fewer cells a minute. Of the cells of the last run 76 are the first ones of the run before, with the same seed (the same three were found); 149 are new, and one of them was found. *before* and *now* of the other code are of 300 test sets, of at most two cells of a statement (four after the first repairs).

After the first repairs cells were low for these causes; results say so now, unless they are mended:

* *`rate_difference`*: limits ended at the largest difference that the share of positives of the rows allows. The cells with 220+380 and 174+426 rows hold in .93 to .98 of 200 of their test sets since that share may vary (before .47 to .56); the one with 449+151 in .91.
* *`compare_tpr`* near a bump of a curve had limits from slopes; they come from the likelihood of both curves now.
* *Sentences*: none was found wrong too often, of net benefit, differences of curves, useless scores or the summary; the summary takes long and had few cells.
* *Pooled sites, batches and steps on the same rows*: no difference band was found too low but one with 350+50 cases, a skewed and a rounded score and a correlation of .9, which has a note. Limits from both likelihoods would hold there and are 1.1 to 1.25 times as wide for all pairs of such sizes: they are not taken.
* *Parts of a class that are too rare to be seen*: hooks and points with 3 to 34 cases of a class (partial areas, subgroups, rates, AUC, differences of two sets), one corner with five expected negatives beyond it (average precision), a heavy tail with 22+22 cases. Notes name them by what the data show: few cases out of order, few cases beyond a rate, few negatives that decide, few cases of a class.
* *Strata and weights*: rows of one stratum that stand for many others.
"""


def build_page(stores: dict[str, Store]) -> str:
    """The page; of stores that are not there, the sections are left out."""
    before, first, after = stores["before"], stores["first"], stores["after"]
    again, back = stores["again"], stores["back"]
    every = (("before the repairs", before), ("after the first", first), ("after", after))
    lines = [WORDS, "## What was tried", ""]
    runs = [describe_runs(name, store) for name, store in every if store.records]
    lines += rows_of(
        "code | version, commit | minutes | cells | test sets | drawn again | found", runs
    )
    counted = zip(*(table_of(store) for _, store in every), strict=True)
    heads = (f"cells {name} | found | lowest" for name, _ in every)
    lines += rows_of(
        " | ".join(["statement", *heads]),
        [(rows[0][0], *(x for row in rows for x in (row[1], row[4] or "", row[5]))) for rows in counted],
    )  # fmt: skip
    if before.found:
        lines += ["## What was found before the repairs", "", f"The {EACH} lowest cells of each statement, worst first; \\*: of a kind that is admitted. *now*: the same test sets with the repaired code.", ""]  # fmt: skip
        lines += list_cells(before, "before", again, "now")
    if again.records:
        lines += ["## What was mended", "", "Cells that were found before, on the same test sets with the repaired code; a shortfall is the level minus the coverage.", ""]  # fmt: skip
        lines += mended(before, again)
    if first.found:
        lines += ["## What was found after the first repairs", "", f"The {EACH} lowest cells of each statement, worst first; \\*: of a kind that is admitted. *then*: with the first repairs; *before*: the same test sets with the code before all repairs.", ""]  # fmt: skip
        lines += list_cells(first, "then", back, "before")
    if after.records:
        lines += ["## What was found after all repairs", ""]
        lines += list_cells(after, "now") if after.found else ["Nothing.", ""]
        lines += [REMARKS]
    last = [*first.found, *after.found] if first.records or after.records else before.found
    last.sort(key=lambda record: -record.shortfall)
    lines += ["## What is admitted", "", "Cells that were found after the repairs, of kinds of which the documentation says that limits are too narrow, and all others.", ""]  # fmt: skip
    kinds: dict[str, list[Record]] = {}
    for record in last:
        kinds.setdefault(reason(record.cell) or "Others.", []).append(record)
    lines += rows_of("kind | cells found | largest shortfall", [(kind, len(mine), f"{mine[0].shortfall:.3f}") for kind, mine in kinds.items()])  # fmt: skip
    errors = [f"* {record.cell.statement}, `{key_of(record.cell)}`: {record.first.errors[0]}" for record in after.broken]  # fmt: skip
    if errors:
        lines += ["## Errors", "", *errors, ""]
    return "\n".join(lines).rstrip() + "\n"


def write_page() -> None:
    """Write studies/docs/search.md from studies/stores/search*.store.gz."""
    names = {
        "before": "search-before.store.gz",
        "first": "search-first.store.gz",
        "after": "search.store.gz",
        "again": "search-before-again.store.gz",
        "back": "search-back.store.gz",
    }
    stores = {kind: Store(STORES / name) for kind, name in names.items()}
    (DOCS / "search.md").write_text(build_page(stores), encoding="utf-8")
