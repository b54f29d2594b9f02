"""A search for populations in which a statement of the package holds too seldom.

``python -m rocbands_studies.search --minutes N [--seed S] [--workers 1] [--store FILE]`` draws cells
at random: a statement, a population, sizes, a level. A cell is measured on few test sets first and
on 300 and 900 only while it looks more than 3 points low; cells like a low one are drawn more
often. What is still low is measured on 900 new sets, and reported if these are low beyond noise.
The store keeps every cell: the same command goes on where it stopped.

``--again FILE`` measures the cells that were found in FILE with the code at hand; ``--cell SPEC``
measures one cell, given as JSON; ``--report`` prints a store; ``--write`` writes studies/docs/search.md.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import multiprocessing
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

import rocbands as rb
from rocbands_studies.coverage.judge import binomial_interval
from rocbands_studies.search.statements import STATEMENTS, Cell, Statement, draw_cell, vary_cell

LOW = 0.03  # how far below the level is too far
STAGES = (60, 300, 900)
# The first stage of statements that take less than so many seconds a set; of others it is 40.
FIRST = {0.005: 100, 0.02: 60}
ENOUGH = 4  # found cells of a statement, after which only worse ones are looked at closely
AGAIN = 900
SURE = 0.99  # a two-sided interval: each side is wrong in 1 of 200
NEW_SEEDS = 1_000_000  # first test set of a second draw


@dataclass
class Count:
    """How often each outcome of a cell held."""

    sets: int = 0
    held: dict[str, list[int]] = field(default_factory=dict)  # outcome: held, asked
    refused: int = 0
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Count) -> Count:
        names = {**self.held, **other.held}
        held = {
            name: [a + b for a, b in zip(self.held.get(name, [0, 0]), other.held.get(name, [0, 0]), strict=True)]
            for name in names
        }  # fmt: skip
        return Count(
            self.sets + other.sets, held, self.refused + other.refused,
            (self.errors + other.errors)[:3], self.seconds + other.seconds,
        )  # fmt: skip

    def worst(self) -> tuple[str, float]:
        """The outcome that held least often, and how often."""
        often = {
            name: two
            for name, two in self.held.items()
            if 2 * two[1] >= self.sets - self.refused > 0
        }
        shares = {name: held / asked for name, (held, asked) in often.items() if asked}
        name = min(shares, key=lambda one: shares[one], default="")
        return name, shares.get(name, 1.0)

    def is_low(self, name: str, level: float) -> bool:
        """Tell whether an outcome is too low beyond noise."""
        held, asked = self.held.get(name, [0, 0])
        return asked > 0 and binomial_interval(held, asked, SURE)[1] < level - LOW


def measure(cell: Cell, first: int, sets: int) -> Count:
    """Judge test sets number `first` to `first + sets - 1` of a cell."""
    begun = time.perf_counter()
    count = Count(sets)
    try:
        judge = STATEMENTS[cell.statement].prepare(cell)
    except Exception as error:
        return Count(sets, errors=[f"no truth: {error!r}"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(first, first + sets):
            try:
                found = judge(np.random.default_rng([cell.seed, number]))
            except rb.InputError:
                count.refused += 1
            except Exception as error:
                if len(count.errors) < 3:
                    count.errors.append(f"set {number}: {error!r}"[:300])
            else:
                for name, value in found.items():
                    entry = count.held.setdefault(name, [0, 0])
                    entry[0] += bool(value)
                    entry[1] += 1
    count.seconds = time.perf_counter() - begun
    return count


# -------------------------------------------------------------------------------------- store


@dataclass
class Record:
    """A cell and what was measured of it."""

    cell: Cell
    first: Count = field(default_factory=Count)
    again: Count | None = None

    @property
    def name(self) -> str:
        """The outcome that looked lowest when first drawn."""
        return self.first.worst()[0]

    @property
    def confirmed(self) -> bool:
        return self.again is not None and self.again.is_low(self.name, self.cell.level)

    @property
    def coverage(self) -> float:
        """Coverage by the second draw, which nothing was chosen by."""
        held, asked = (self.again or self.first).held.get(self.name, [1, 1])
        return held / max(asked, 1)

    @property
    def shortfall(self) -> float:
        return self.cell.level - self.coverage


def key_of(cell: Cell) -> str:
    return hashlib.sha1(json.dumps(cell.spec(), sort_keys=True).encode()).hexdigest()[:12]


def _open(path: Path, mode: str) -> TextIO:
    """A text file, packed if its name ends in .gz."""
    made = gzip.open if path.suffix == ".gz" else open
    return cast(TextIO, made(path, mode, encoding="utf-8"))


class Store:
    """JSON lines: cells, counts, and runs; a line that was cut off is ignored."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.records: dict[str, Record] = {}
        self.runs: list[dict[str, Any]] = []
        if path is not None and path.exists():
            with _open(path, "rt") as file:
                lines = file.read().splitlines()
            for line in lines:
                try:
                    self._take(json.loads(line))
                except json.JSONDecodeError:
                    continue

    def _take(self, entry: dict[str, Any]) -> None:
        if "run" in entry:
            self.runs.append(entry["run"])
            return
        if "cell" in entry:
            self.records[entry["key"]] = Record(Cell.of(entry["cell"]))
        record = self.records[entry["key"]]
        for name in ("first", "again"):
            if name in entry:
                known = getattr(record, name) or Count()
                setattr(record, name, known.add(Count(**entry[name])))

    def write(self, entry: dict[str, Any]) -> None:
        self._take(json.loads(json.dumps(entry)))
        if self.path is not None:
            with _open(self.path, "at") as file:
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")

    def add(self, cell: Cell, **counts: Count) -> Record:
        key = key_of(cell)
        entry: dict[str, Any] = {"key": key}
        if key not in self.records:
            entry["cell"] = cell.spec()
        for name, count in counts.items():
            entry[name] = {**vars(count), "seconds": round(count.seconds, 2)}
        self.write(entry)
        return self.records[key]

    @property
    def found(self) -> list[Record]:
        """Cells that two draws showed to be too low, worst first."""
        low = [record for record in self.records.values() if record.confirmed]
        return sorted(low, key=lambda record: -record.shortfall)

    @property
    def broken(self) -> list[Record]:
        """Cells with errors that are not refusals."""
        return [record for record in self.records.values() if record.first.errors]


def worst_of(store: Store, each: int) -> Iterator[Record]:
    """The worst cells that were found, so many of each statement."""
    seen: dict[str, int] = {}
    for record in store.found:
        seen[record.cell.statement] = seen.get(record.cell.statement, 0) + 1
        if seen[record.cell.statement] <= each:
            yield record


def describe_code() -> str:
    """Version and commit of the package that is measured."""
    where = Path(rb.__file__).parent
    asked = subprocess.run(
        ["git", "-C", str(where), "describe", "--always", "--dirty"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return f"{rb.__version__}, {asked.stdout.strip() or 'installed'}"


# ------------------------------------------------------------------------------------- search


@dataclass
class Search:
    """Draws cells until the time is over."""

    store: Store
    statements: Mapping[str, Statement]
    seed: int = 1
    stages: Sequence[int] = STAGES
    again: int = AGAIN
    loud: bool = True

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, len(self.store.records)])
        self.spent = dict.fromkeys(self.statements, 0.0)
        self.pace = dict.fromkeys(self.statements, 0.01)  # seconds a set, of the last cell
        for record in self.store.records.values():
            for count in filter(None, (record.first, record.again)):
                if record.cell.statement in self.spent:
                    self.count(record.cell.statement, count)

    def count(self, name: str, count: Count) -> None:
        self.spent[name] += count.seconds / self.statements[name].weight
        self.pace[name] = count.seconds / max(count.sets, 1)

    def run(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        shown = time.perf_counter()
        while time.perf_counter() < end:
            # Statements get the same time; so cheap ones get more cells.
            asked = self.statements[min(self.spent, key=lambda name: self.spent[name])]
            begun = time.perf_counter()
            cell = self.propose(asked)
            self.spent[asked.name] += (time.perf_counter() - begun) / asked.weight
            record = self.screen(cell)
            if record.confirmed and self.loud:
                print(f"found: {line_of(record)}", flush=True)
            if self.loud and time.perf_counter() - shown > 30:
                shown = time.perf_counter()
                left = max(end - shown, 0) / 60
                print(
                    f"{summary_of(self.store)} {left:.1f} minutes left.",
                    file=sys.stderr,
                    flush=True,
                )

    def propose(self, asked: Statement) -> Cell:
        """A new cell, or in 2 of 5 draws one like a cell that was low."""
        seed = int(self.rng.integers(2**31))
        low = [
            record for record in self.store.records.values()
            if record.cell.statement == asked.name and record.first.sets >= self.stages[1]
        ]  # fmt: skip
        if low and self.rng.random() < 0.4:
            low.sort(key=lambda record: -record.shortfall)
            parent = low[int(self.rng.integers(min(len(low), 5)))]
            return vary_cell(asked, parent.cell, seed)
        return draw_cell(asked, seed)

    def screen(self, cell: Cell) -> Record:
        """Measure a cell, as far as it stays low."""
        record = Record(cell)
        for stage in self.stages:
            wanted = stage
            if not record.first.sets:
                pace = self.pace[cell.statement]
                wanted = next((sets for limit, sets in FIRST.items() if pace < limit), 40)
            count = measure(cell, record.first.sets, wanted - record.first.sets)
            self.count(cell.statement, count)
            record = self.store.add(cell, first=count)
            name, share = record.first.worst()
            if share >= cell.level - LOW or (stage > self.stages[0] and not self.is_news(record)):
                return record
            if stage > self.stages[0] and record.first.is_low(name, cell.level):
                break  # it need not be measured longer before it is drawn again
        count = measure(cell, NEW_SEEDS, self.again)
        self.count(cell.statement, count)
        return self.store.add(cell, again=count)

    def is_news(self, record: Record) -> bool:
        """Tell whether a low cell is among the worst of its statement."""
        mine = [one for one in self.store.found if one.cell.statement == record.cell.statement]
        return len(mine) < ENOUGH or record.shortfall > mine[ENOUGH - 1].shortfall


def measure_again(found: Iterable[Record], store: Store, sets: int = AGAIN) -> list[Record]:
    """Measure cells that were found with other code, on the test sets of their second draw."""
    made = []
    for record in found:
        key = key_of(record.cell)
        if key not in store.records or store.records[key].again is None:
            # The first draw is kept, because it tells which outcome is asked about.
            fresh = store.add(
                record.cell, first=record.first, again=measure(record.cell, NEW_SEEDS, sets)
            )
            print(f"{record.coverage:.3f} -> {fresh.coverage:.3f}: {line_of(fresh)}", flush=True)
        made.append(store.records[key])
    return made


# ------------------------------------------------------------------------------------- report


def sizes_of(cell: Cell) -> str:
    if not cell.sizes:
        return "{folds} folds of {each}+{each}".format(**cell.options)
    sizes = [f"{a}+{b}" for a, b in zip(cell.sizes[::2], cell.sizes[1::2], strict=True)]
    return " and ".join(sizes)


def words_of(cell: Cell) -> str:
    """The population in a few words."""
    kinds = [
        one["kind"] + (f", steps of {one['step']:g}" if one["step"] else "") for one in cell.scores
    ]
    if len(set(kinds)) == 1:
        kinds = kinds[:1]
    kinds = ["; ".join(dict.fromkeys(kinds))] if len(kinds) > 2 else [" / ".join(kinds)]
    facts = [*cell.design.items(), *cell.options.items()]
    if (
        len(cell.scores) == 1
        or cell.statement.endswith("two sets")
        or cell.statement == "subgroups"
    ):
        facts = [(name, value) for name, value in facts if name not in ("rho", "one_site")]
    if cell.design.get("by") != "nothing":
        facts = [(name, value) for name, value in facts if name != "cv"]
    shown = [f"{name} {_write(value)}" for name, value in facts if name != "kind"]
    return "; ".join([*filter(None, kinds), *shown])


def _write(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(map(_write, value)) + ")"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def line_of(record: Record) -> str:
    cell = record.cell
    return (
        f"{record.coverage:.3f} for {cell.level:g}, {cell.statement} [{record.name}], "
        f"{sizes_of(cell)}, {words_of(cell)}"
    )


def command_of(cell: Cell) -> str:
    return f"python -m rocbands_studies.search --cell '{json.dumps(cell.spec(), separators=(',', ':'))}'"


def summary_of(store: Store) -> str:
    records = store.records.values()
    sets = sum(r.first.sets + (r.again.sets if r.again else 0) for r in records)
    asked = {r.cell.statement for r in records}
    redrawn = sum(r.again is not None for r in records)
    refused = sum(2 * r.first.refused > r.first.sets for r in records)
    return (
        f"{len(store.records):,} cells of {len(asked)} statements, {sets:,} test sets; "
        f"{redrawn} cells drawn again, {len(store.found)} found too low, {refused} refused."
    )


def table_of(store: Store) -> list[tuple[Any, ...]]:
    """For each statement: cells, sets, cells drawn again, found, lowest found."""
    rows = []
    for name in STATEMENTS:
        mine = [r for r in store.records.values() if r.cell.statement == name]
        low = [r for r in mine if r.confirmed]
        worst = max(low, key=lambda r: r.shortfall, default=None)
        sets = sum(r.first.sets + (r.again.sets if r.again else 0) for r in mine)
        again = sum(r.again is not None for r in mine)
        text = f"{worst.coverage:.3f} for {worst.cell.level:g}" if worst else ""
        rows.append((name, len(mine), sets, again, len(low), text))
    return rows


def report(store: Store, commands: bool = True) -> str:
    lines = [summary_of(store), ""]
    for record in store.found:
        lines.append(line_of(record))
        if commands:
            lines.append("    " + command_of(record.cell))
    for record in store.broken:
        lines.append(f"error in {record.cell.statement}: {record.first.errors[0]}")
        lines.append("    " + command_of(record.cell))
    lines += ["", f"{'statement':50} {'cells':>6} {'sets':>8} again found lowest"]
    for name, cells, sets, again, found, lowest in table_of(store):
        lines.append(f"{name:50} {cells:6} {sets:8} {again:5} {found:5} {lowest}")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------ command


def _work(seed: int, path: Path | None, seconds: float, names: Sequence[str], loud: bool) -> None:
    statements = {name: STATEMENTS[name] for name in names}
    Search(Store(path), statements, seed, loud=loud).run(seconds)


def main(arguments: list[str]) -> None:
    """Search, measure again, report or write."""
    parser = argparse.ArgumentParser(prog="python -m rocbands_studies.search", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--only", help="statements whose name starts so")
    parser.add_argument("--again", type=Path, help="a store whose found cells are measured")
    parser.add_argument("--each", type=int, default=1000, help="so many of each statement")
    parser.add_argument("--cell", help="a cell as JSON, or the key of one in the store")
    parser.add_argument("--sets", type=int, default=AGAIN)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.write:
        from rocbands_studies.search.page import write_page

        write_page()
        return
    if asked.cell:
        known = Store(asked.store).records.get(asked.cell)
        cell = known.cell if known else Cell.of(json.loads(asked.cell))
        count = measure(cell, NEW_SEEDS, asked.sets)
        shares = {name: round(held / n, 4) for name, (held, n) in count.held.items()}
        print(f"level {cell.level:g}: {shares}, {count.sets} sets, {count.refused} refused", *count.errors)  # fmt: skip
        return
    store = Store(asked.store)
    if asked.again:
        store.write({"run": {"code": describe_code(), "again": asked.again.name}})
        measure_again(worst_of(Store(asked.again), asked.each), store, asked.sets)
        return
    if asked.minutes:
        names = [name for name in STATEMENTS if name.startswith(asked.only or "")]
        run = {"code": describe_code(), "minutes": asked.minutes, "seed": asked.seed, "workers": asked.workers}  # fmt: skip
        store.write({"run": run})
        seconds = 60 * asked.minutes
        others = [
            multiprocessing.Process(target=_work, args=(asked.seed + k, asked.store, seconds, names, False))
            for k in range(1, asked.workers)
        ]  # fmt: skip
        for process in others:
            process.start()
        statements = {name: STATEMENTS[name] for name in names}
        Search(store, statements, asked.seed).run(seconds)
        for process in others:
            process.join()
        store = Store(asked.store) if asked.store else store
    print(report(store))
