"""Options that many commands have, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

__all__ = ["counts_out", "dask", "executor_at", "level", "plot", "seed", "table_or_json"]

Decorator = Callable[[Any], Any]

level: Decorator = click.option(
    "--level",
    type=float,
    metavar="L",
    default=0.95,
    show_default=True,
    help="Confidence level, in (0, 1).",
)
table_or_json: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of a table."
)

counts_out: Decorator = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    required=True,
    help="Parquet file for the counts; it is written whole or not at all.",
)

dask: Decorator = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Let a Dask cluster do the work: the address of its scheduler.",
)


def executor_at(address: str | None) -> AbstractContextManager[Executor | None]:
    """Connect to the cluster that --dask names; without one the work is done here."""
    if address is None:
        return nullcontext()
    from rocbands.scale.clusters import dask_executor

    return dask_executor(address)


def seed(words: str = "Make random methods repeatable.") -> Decorator:
    """--seed; `words` say what it makes repeatable."""
    return click.option("--seed", type=click.IntRange(min=0), metavar="N", help=words)


def plot(words: str = "Draw a PNG, PDF or SVG file.") -> Decorator:
    """--plot; `words` say what is drawn."""
    return click.option("--plot", metavar="FILE", type=click.Path(), help=words)
