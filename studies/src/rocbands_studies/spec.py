"""A study: cells, how often each is repeated, and a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import check_number
from rocbands.errors import InputError, Message, arg
from rocbands_studies.measurements import Cell, name_cell


class Block(NamedTuple):
    """Some replicates of a cell, which are measured and stored together."""

    cell: str
    start: int
    stop: int


class Job(NamedTuple):
    """Blocks of several cells that share their data."""

    seed: int
    cells: tuple[Cell, ...]
    start: int
    stop: int


@dataclass(frozen=True)
class Study:
    """Cells to be measured.

    Parameters
    ----------
    name : str
        Name of the study.
    cells : iterable of Cell
        What is measured.
    replicates : int or callable, default 1000
        Number of replicates, or a function that gives it for each cell.
    block : int or callable, default 20
        Replicates that are measured and stored together. It changes at most the last digit of
        figures, but a store can be continued only with the same.
    seed : int, default 1
        Seed of all random streams.
    """

    name: str
    cells: tuple[Cell, ...]
    replicates: int | Callable[[Cell], int] = 1000
    block: int | Callable[[Cell], int] = 20
    seed: int = 1

    def __post_init__(self) -> None:
        cells: Iterable[Cell] = self.cells
        object.__setattr__(self, "cells", tuple(cells))
        check_number(self.seed, "seed", above=-1)
        if not self.cells:
            raise InputError(f"The study {self.name!r} has no cells; there is nothing to measure.")
        keys = [cell.key for cell in self.cells]
        if len(set(keys)) < len(keys):
            twice = next(
                cell for cell, key in zip(self.cells, keys, strict=True) if keys.count(key) > 1
            )
            raise InputError(
                f"Each cell may occur once in a study; found twice: {name_cell(twice)}."
            )

    def blocks(self) -> Iterator[tuple[Cell, Block]]:
        """All blocks of all cells, cell by cell."""
        for cell in self.cells:
            total, size = (_value(rule, cell) for rule in (self.replicates, self.block))
            key = cell.key
            for start in range(0, total, size):
                yield cell, Block(key, start, min(start + size, total))

    def jobs(self, done: frozenset[Block] = frozenset()) -> list[Job]:
        """List the remaining jobs; blocks that share their data are measured together."""
        together: dict[tuple[str, int, int], list[Cell]] = {}
        for cell, block in self.blocks():
            if block not in done:
                together.setdefault((cell.source_key, block.start, block.stop), []).append(cell)
        return [
            Job(self.seed, tuple(cells), start, stop)
            for (_, start, stop), cells in together.items()
        ]


def _value(rule: int | Callable[[Cell], int], cell: Cell) -> int:
    value: object = rule(cell) if callable(rule) else rule
    if not isinstance(value, int | np.integer) or value < 1:
        raise InputError(
            Message(
                "{} and {} must be whole numbers, so that a cell is measured at least once; got "
                "{!r} for {}.",
                arg("replicates"),
                arg("block"),
                value,
                name_cell(cell),
            )
        )
    return int(value)
