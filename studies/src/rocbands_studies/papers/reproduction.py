"""Write the pages of the reproduction from the stored results, or measure those again first.

``python -m rocbands_studies.papers.reproduction`` takes one of these, or nothing::

                                       # pages from studies/results/*.json
    --measure                          # measure everything again: hours
    --measure macskassy-2005-table3    # or some studies
    --draw                             # all figures of the papers
    --time                             # how long studies take

`make reproduction` does it all: it measures, draws and writes.

Pages are studies/docs/reproduction.md and one for each study in studies/docs/reproduction.
Measuring keeps finished work in out/studies, so that a run that was stopped goes on, and writes
studies/results/NAME.json and studies/docs/pictures/studies/NAME.png. Real data come from the folder
in ROCBANDS_DATA.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rocbands.io.tables import markdown_table, markdown_text
from rocbands.plot import draw
from rocbands_studies import run
from rocbands_studies.catalog import find_study, list_studies
from rocbands_studies.checkout import DOCS, RESULTS
from rocbands_studies.engine import measure as run_job
from rocbands_studies.papers.figures import FIGURES, Sources, draw_figure
from rocbands_studies.papers.paper import (
    BEYOND,
    PaperResult,
    read_printed,
    read_stored,
    shorten,
    write_numbers,
)

STORES = Path("out") / "studies"
NUMBERS = RESULTS
PICTURES = DOCS / "pictures"
SEED = 1
TIMED = 8.0  # seconds of jobs from which a study's time is estimated
TIMES = Path("studies/src/rocbands_studies/papers/times.csv")
TIMES_HEAD = (
    "# Processor seconds of studies: of a whole run with --quick and one worker, and of --full,\n"
    "# estimated from some of its jobs. What is missing was not measured.\nstudy,quick,full"
)
ACTIONS = ("--measure", "--draw", "--time")

REPRODUCED, NOT, CONTRADICTED, CANNOT = VERDICTS = (
    *("reproduced", "not reproduced", "contradicted", "cannot be compared"),
)
AGREE = 0.95  # share of a table's printed numbers that must agree for it to be reproduced
OTHER_READING = "another reading"  # how the note of a number begins that is judged elsewhere
SHOWN = 60  # rows of a grid that a page shows; longer ones are in the data file


@dataclass(frozen=True)
class Paper:
    """A paper: how its studies and figures are called, and how it is cited."""

    key: str
    short: str
    citation: str


PAPERS = (
    Paper(
        "macskassy-2004",
        "Macskassy and Provost 2004",
        "S. Macskassy and F. Provost, Confidence bands for ROC curves: methods and an empirical "
        "study, ROCAI 2004.",
    ),
    Paper(
        "macskassy-2005",
        "Macskassy, Provost and Rosset 2005",
        "S. Macskassy, F. Provost and S. Rosset, ROC confidence bands: an empirical evaluation, "
        "ICML 2005.",
    ),
    Paper(
        "millard-2014",
        "Millard, Kull and Flach 2014",
        "L. Millard, M. Kull and P. Flach, Rate-oriented point-wise confidence bounds for ROC "
        "curves, ECML PKDD 2014.",
    ),
    Paper(
        "dugas-2009",
        "Dugas and Gadoury 2009",
        "C. Dugas and D. Gadoury, Pointwise exact bootstrap distributions of cost curves, 2009.",
    ),
    Paper(
        "komarek-2004",
        "Komarek 2004",
        "P. Komarek, Logistic regression for data mining and high-dimensional classification, "
        "thesis, Carnegie Mellon University 2004, section 5.1.4.",
    ),
)

HEAD = """# Reproduction

What the five papers say, measured again with this package. A statement or a table is

* **reproduced**: it came out, or at least 95% of the table's printed numbers agree with ours
  within the noise of both;
* **not reproduced**: it did not come out;
* **contradicted**: the opposite came out, or the paper contradicts itself;
* **cannot be compared**: what it needs cannot be had, such as data sets.

Where a statement did not come out, the cause stands in brackets: *the paper*, if the finding shows
that it errs or contradicts itself, or if all that it is measured with is simulated as the paper
says, so that nothing of ours can make the difference; *our substitute*, if we measured with other
data or learners and these may make the difference; *not known*, if neither can be shown. A guess
at a program that nobody has seen is called a guess.

A printed number is judged once, under the reading that is the paper's by its own words. What we
found beyond the papers stands apart, at the end, and is not counted here.
"""

AGAIN = """## How to make all of this again

`make reproduction DATA=FOLDER` measures every study in full, draws every figure and writes these
pages; `rocbands study list` says how long each study takes.
`python -m rocbands_studies.papers.reproduction` writes
the pages from the stored results in studies/results, in seconds. `rocbands study run NAME --quick`
measures one study again, mostly in a minute or two;
`python -m rocbands_studies.papers.reproduction --measure NAME`
measures it in full and stores the result. `rocbands study figure NAME -o FILE` draws a figure.
Studies on real data need `--data FOLDER` or `--fetch`; fetched rows stand in another order than
ours, so that their numbers agree within noise, not digit by digit. Results whose command says
`--quick` were measured so.
"""


@dataclass(frozen=True)
class Item:
    """A line of the first page: a claim or a table, with its verdict."""

    place: str
    text: str
    verdict: str
    found: str
    page: str
    cause: str = ""


def load_results() -> dict[str, dict[str, Any]]:
    """Read the stored results, in the order of the studies."""
    names = [study.name for study in list_studies()]
    files = (NUMBERS / f"{name}.json" for name in names)
    return {
        file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()
    }


def own_place(result: dict[str, Any]) -> str:
    """Return the table, figure or section that a study is about."""
    return str(result["paper"]).rpartition(", ")[2]


def list_items(result: dict[str, Any]) -> Iterator[Item]:
    """List the table and the claims of a study that count."""
    page = f"reproduction/{result['name']}.md"
    counts = Counter(result["columns"]["verdict"])
    judged = counts["agrees"] + counts["differs"]
    place = own_place(result)
    if place.startswith("Table"):
        verdict = (
            CANNOT if not judged else REPRODUCED if counts["agrees"] >= AGREE * judged else NOT
        )
        found = (
            f"{counts['agrees']} of {judged} printed numbers agree."
            if judged
            else "no printed number can be compared; why is said on its page."
        )
        cause = getattr(find_study(result["name"]), "cause", "") if verdict == NOT else ""
        yield Item(place, "The printed numbers.", verdict, found, page, cause)
    for claim in result["claims"]:
        if claim["verdict"] in VERDICTS:
            found = claim["short"] or claim["finding"]
            cause = claim.get("cause", "")
            yield Item(claim["item"] or place, claim["text"], claim["verdict"], found, page, cause)


def own_claims(result: dict[str, Any]) -> list[dict[str, str]]:
    """List what we found beyond the paper."""
    return [claim for claim in result["claims"] if claim["verdict"] not in VERDICTS]


def write_first_page(results: dict[str, dict[str, Any]]) -> str:
    """Write counts, a table for each paper, own findings and commands."""
    of_paper = {
        paper: [result for name, result in results.items() if name.startswith(paper.key)]
        for paper in PAPERS
    }
    items = {
        paper: [item for one in many for item in list_items(one)]
        for paper, many in of_paper.items()
    }
    lines = [HEAD, count_verdicts(items)]
    for paper in PAPERS:
        figures = [figure for figure in FIGURES.values() if figure.paper == paper.key]
        lines += [
            f"## {paper.short}",
            paper.citation,
            "### Claims and tables",
            table_of(
                ("where", "the paper says", "verdict", "we find", "details"),
                (
                    (
                        item.place,
                        markdown_text(item.text),
                        f"**{item.verdict}**" + (f" ({item.cause})" if item.cause else ""),
                        markdown_text(first_sentence(item.found)),
                        f"[page]({item.page})",
                    )
                    for item in items[paper]
                ),
            ),
            "### Figures",
            table_of(
                ("figure", "shows", "picture", "compared with the printed one"),
                (
                    (
                        figure.label,
                        markdown_text(figure.title),
                        f"[picture](pictures/papers/{figure.name}.png)",
                        markdown_text(figure.differs or "as printed, with our numbers"),
                    )
                    for figure in figures
                ),
            ),
        ]
    lines += ["## Beyond the papers", "Our own statements, which no paper makes."]
    own = cluster_own(results)
    lines.append(
        table_of(
            ("we say", "", "we find", "details"),
            (
                (
                    markdown_text(text),
                    f"**{verdict}**",
                    markdown_text(found),
                    ", ".join(f"[page](reproduction/{name}.md)" for name in names),
                )
                for text, verdict, found, names in own
            ),
        )
    )
    tree = "```{toctree}\n:hidden:\n:glob:\n\nreproduction/*\n```"
    return "\n\n".join([*lines, AGAIN, tree]) + "\n"


def cluster_own(results: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Put the same statement about several experiments into one line."""
    clusters: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for name, result in results.items():
        for claim in own_claims(result):
            clusters.setdefault(claim["text"].removeprefix(BEYOND), []).append((name, claim))
    for text, cluster in clusters.items():
        claim = cluster[0][1]
        failed = sum(one["verdict"] != "holds" for _, one in cluster)
        found = first_sentence(claim["short"] or claim["finding"])
        if len(cluster) > 1:
            found += f" In {len(cluster) - failed} of {len(cluster)} experiments it holds."
        names = list(dict.fromkeys(name for name, _ in cluster))
        yield text, "does not hold" if failed else "holds", found, names


def count_verdicts(items: dict[Paper, list[Item]]) -> str:
    """Count claims and tables by verdict, for each paper and together."""
    rows = []
    for paper, many in items.items():
        counts = Counter(item.verdict for item in many)
        rows.append((paper.short, len(many), *(counts[verdict] for verdict in VERDICTS)))
    total = ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
    causes = Counter(item.cause for many in items.values() for item in many if item.cause)
    said = ", ".join(f"{cause} {count}" for cause, count in causes.most_common())
    table = table_of(("paper", "claims and tables", *VERDICTS), [*rows, total])
    return f"{table}\n\nCauses of what did not come out: {said}."


def first_sentence(text: str) -> str:
    """Return what stands before the first full stop that ends a sentence."""
    head = text.split(". ", maxsplit=1)[0]
    return head if head.endswith(".") else f"{head}."


def table_of(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Lay out rows of Markdown as they are."""
    head = list(names)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_study(result: dict[str, Any]) -> str:
    """Write the page of one study: claims, own findings, notes, numbers."""
    name = result["name"]
    paper = next(paper for paper in PAPERS if name.startswith(paper.key))
    year = paper.short.rpartition(" ")[2]
    lines = [
        f"# {paper.short.rpartition(' ')[0]} {year}, {own_place(result)}: {result['title']}",
        f"Measured with `{result['command']}`. "
        f"All numbers: [{name}.json](../../results/{name}.json).",
    ]
    pictures = [f"papers/{one.name}.png" for one in FIGURES.values() if one.study == name]
    pictures.append(f"studies/{name}.png")
    lines += [
        f"![{markdown_text(result['title'])}](../pictures/{picture})"
        for picture in pictures
        if (PICTURES / picture).exists()
    ]
    judged = [claim for claim in result["claims"] if claim["verdict"] in VERDICTS]
    if judged:
        lines += ["## What the paper says"]
        lines.append("\n".join(map(write_claim, judged)))
    if own := own_claims(result):
        lines += ["## What we found beyond the paper"]
        lines.append("\n".join(map(write_claim, own)))
    lines += ["## Notes", "\n".join(f"* {markdown_text(note)}" for note in result["notes"])]
    lines += write_tables(result)
    return "\n\n".join(lines) + "\n"


def write_claim(claim: dict[str, str]) -> str:
    """Write a claim as an item of a list."""
    place = f"{claim['item']}: " if claim["item"] else ""
    text, found = (markdown_text(claim[key]) for key in ("text", "finding"))
    return f"* **{claim['verdict']}**: {place}{text.removeprefix(BEYOND)} *{found}*"


def write_tables(result: dict[str, Any]) -> Iterator[str]:
    """Write the numbers that were judged or printed; fold the others away, or name their file."""
    columns = {**result["columns"]}
    verdicts, notes = columns["verdict"], columns.get("note", [""] * len(columns["verdict"]))
    printed = columns.get("printed", [None] * len(verdicts))
    sides: dict[str, list[int]] = {"judged": [], "printed": [], "other": []}
    for place, verdict in enumerate(verdicts):
        other = printed[place] is None or str(notes[place]).startswith(OTHER_READING)
        sides["judged" if verdict != CANNOT else "other" if other else "printed"].append(place)
    numbers = zip(printed, *(columns[name] for name in ("ours", "low", "high")), strict=True)
    written = zip(*(write_numbers(*row) for row in numbers), strict=True)
    for name, texts in zip(("printed", "ours", "low", "high"), written, strict=True):
        if name in columns:
            columns[name] = list(texts)
    for name in columns.keys() - {"printed", "ours", "low", "high"}:
        if any(isinstance(value, float) for value in columns[name]):  # such as theta
            columns[name] = ["" if v is None else str(shorten(v)) for v in columns[name]]
    if "printed" in columns:  # trailing zeros, which numbers have lost
        decimals = [len(text.partition(".")[2]) for text in columns["printed"] if "." in text]
        usual = Counter(decimals).most_common(1)[0][0] if decimals else 0
        columns["printed"] = [
            f"{text:0<{text.index('.') + 1 + usual}}" if "." in text else text
            for text in columns["printed"]
        ]
    if judged := sides["judged"]:
        counts = Counter(verdicts)
        yield "## Printed numbers"
        yield f"{counts['agrees']} of {len(judged)} agree within the noise of both."
        yield markdown_table(pick_rows(columns, judged))
    without = {name: column for name, column in columns.items() if name != "verdict"}
    if beside := sides["printed"]:
        yield "## Printed numbers that cannot be compared"
        reasons = list(dict.fromkeys(str(notes[place]) for place in beside))
        if len(reasons) == 1:
            yield f"Why: {markdown_text(reasons[0])}."
            without = {name: column for name, column in without.items() if name != "note"}
        yield markdown_table(pick_rows(without, beside))
    without = {name: column for name, column in columns.items() if name != "verdict"}
    if others := sides["other"]:
        yield "## Other numbers"
        if len(others) > SHOWN:
            yield (
                f"{len(others)} numbers without a printed one to judge them by, such as grids of "
                f"which a paper says only in words what they show: "
                f"[{result['name']}.json](../../results/{result['name']}.json), under `columns`."
            )
        else:
            yield "Without a printed number to judge them by."
            table = markdown_table(pick_rows(without, others))
            yield f"<details><summary>{len(others)} numbers</summary>\n\n{table}\n\n</details>"


def pick_rows(columns: dict[str, list[Any]], places: list[int]) -> dict[str, list[Any]]:
    """Take some rows, and of these the columns that say something."""
    picked = {name: [column[place] for place in places] for name, column in columns.items()}
    return {
        name: ["" if value is None else value for value in column]
        if any(value is None for value in column)
        else column
        for name, column in picked.items()
        if any(value not in (None, "") for value in column)
    }


def measure(name: str) -> None:
    """Measure one study in full, or what is missing of it, and store its result."""
    study = find_study(name)
    plan = study.plan("full", SEED, study.open_data(None, False))
    begun = said = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > 20 or done == total:
            said = time.monotonic()
            print(
                f"{name}: {done}/{total} blocks, {said - begun:.0f} s", file=sys.stderr, flush=True
            )

    found = run(plan, store=STORES / f"{name}.store", progress=tell)
    result = study.judge(found, "full")
    assert isinstance(result, PaperResult)
    NUMBERS.mkdir(exist_ok=True)
    (NUMBERS / f"{name}.json").write_text(result.to_json(indent=1) + "\n", encoding="utf-8")


def draw_rows(result: dict[str, Any]) -> None:
    """Draw the rows of a stored result, if no figure of a paper shows them."""
    name = result["name"]
    study: Any = find_study(name)
    if study.picture is None or any(figure.study == name for figure in FIGURES.values()):
        return
    drawn = draw(read_stored(result, study.picture))
    picture = drawn.get_figure(root=True)
    assert picture is not None, "axes are on a figure"
    picture.savefig(PICTURES / "studies" / f"{name}.png", dpi=80)


def estimate_time(study: Any) -> float:
    """Return the processor time of --full: of some jobs, taken at random, times their number."""
    begun = time.process_time()
    jobs = study.plan("full", SEED, study.open_data(None, False)).jobs()
    planned = time.process_time() - begun
    random.Random(SEED).shuffle(jobs)
    begun, done = time.process_time(), 0
    for job in jobs:
        run_job(job)
        done += 1
        if done >= 3 and time.process_time() - begun > TIMED:
            break
    return planned + (time.process_time() - begun) / done * len(jobs)


def measure_time(study: Any) -> float:
    """Return the processor time of a whole run of the command with --quick and one worker."""
    command = [sys.executable, "-m", "rocbands", "study", "run", study.name, "--quick"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--workers", "1", "-q"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(asked: list[str]) -> None:
    """Measure, draw or time what is asked for, then write all pages from what is stored."""
    names = [name for name in asked if not name.startswith("-")]
    if extra := {name for name in asked if name.startswith("-")} - {*ACTIONS}:
        sys.exit(f"Unknown argument {min(extra)}. Use {', '.join(ACTIONS)} [NAME ...], or nothing.")
    studies = [study for study in list_studies() if study.name in names or not names]
    if "--measure" in asked:
        for study in studies:
            measure(study.name)
    if "--draw" in asked:
        sources = Sources(results=str(NUMBERS))
        for name in (figure for figure in FIGURES if figure in names or not names):
            draw_figure(name, str(PICTURES / "papers" / f"{name}.png"), sources)
        for name, result in load_results().items():
            if name in names or not names:
                draw_rows(result)
    if "--time" in asked:
        times = read_printed("", TIMES.name)
        for study in studies:
            quick, full = measure_time(study), estimate_time(study)
            times[study.name] = {"quick": round(quick, 1), "full": round(full, 1)}
        lines = (
            f"{name},{own.get('quick', '')},{own.get('full', '')}" for name, own in times.items()
        )
        TIMES.write_text("\n".join([TIMES_HEAD, *lines]) + "\n", encoding="utf-8")
    results = load_results()
    folder = DOCS / "reproduction"
    folder.mkdir(exist_ok=True)
    for name, result in results.items():
        (folder / f"{name}.md").write_text(write_study(result), encoding="utf-8")
    (DOCS / "reproduction.md").write_text(write_first_page(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
