"""`rocbands study`: coverage of bands in simulations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import load, options
from rocbands.cli.messages import command
from rocbands.cli.output import Output, Page
from rocbands.cli.progress import Bar
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands_studies.results import StudyResult
    from rocbands_studies.spec import Study

_USUAL = ("likelihood", "fixed-width", "joint-region")


def _runs(plot: str | None = None) -> options.Decorator:
    """Add the options of a run."""
    return options.combine(
        options.whole("--workers", "Number of processes; by default one per core.", 1),
        options.output_file("--store", "Keep finished work here; a stopped run resumes from it."),
        options.text(
            "--dask", "Address of the scheduler of a Dask cluster that does the work.", "ADDRESS"
        ),
        options.whole("--seed", "Seed of random numbers.", 0, default=1),
        options.output(plot),
    )


_reads_data = options.combine(
    options.text(
        "--data",
        "Folder with Parquet files of the data sets; by default that in ROCBANDS_DATA.",
        "FOLDER",
        name="folder",
        type=click.Path(file_okay=False),
    ),
    options.flag("--fetch", "Download data sets that are not in the folder."),
)


@click.group(
    "study",
    invoke_without_command=True,
    short_help="Coverage of bands on data like yours, or in papers' studies.",
    epilog="""\b
Examples:
  rocbands study own --example --method likelihood --method fixed-width
  rocbands study list
  rocbands study run macskassy-2005-table3 --quick
""",
)
@click.pass_context
def study(ctx: click.Context) -> None:
    """Measure how often bands contain the truth: on data like yours, or in the papers' studies."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


_command = partial(command, group=study)


@_command("list", "Tables and figures of the papers.")
@options.output()
def list_studies(out: Output) -> None:
    """List the papers' tables and figures that can be reproduced."""
    from rocbands.io.records import json_of
    from rocbands_studies.catalog import PAPERS, list_figures
    from rocbands_studies.catalog import list_studies as find_studies

    studies, figures = find_studies(), list_figures()
    rows = [
        {name: getattr(s, name) for name in ("name", "title", "paper")}
        | {"needs": list(s.needs), "seconds": dict(s.seconds)}
        for s in studies
    ]
    drawn = [{"name": f.name, "title": f.title, "needs": list(f.needs)} for f in figures]
    said = (
        "Tables and figures of papers: 'rocbands study run NAME' measures, 'rocbands study figure "
        f"{next(iter(PAPERS))}-figure1 -o FILE' draws a figure. Times are processor time on one "
        "core, of --quick and of --full; a busy machine takes longer."
    )
    lines = [line for paper in PAPERS for line in _list_paper(paper, studies, figures)]
    names = ("name", "shows", "figures", "data; time")
    columns = dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))
    out.show(
        [Page("", said, columns, lambda: columns)],
        lambda: json_of({"schema": "rocbands.studies/2", "studies": rows, "figures": drawn}),
    )


def _list_paper(paper: str, studies: list[Any], figures: list[Any]) -> Iterator[tuple[str, ...]]:
    """List a paper's studies with the figures drawn from each, then its other figures in a line."""

    def say_figures(drawn: Iterable[Any]) -> str:
        return ", ".join(one.name.removeprefix(f"{paper}-") for one in drawn)

    left = [one for one in figures if one.name.startswith(paper)]
    for study in studies:
        if not study.name.startswith(paper):
            continue
        drawn = [one for one in left if one.study == study.name]
        left = [one for one in left if one not in drawn]
        times = ", ".join(_say_time(study.seconds.get(scale)) for scale in ("quick", "full"))
        needs = f"{_say_needs(study.needs)}; {times}"
        yield study.name, study.title, say_figures(drawn), needs
    if left:
        yield "", f"{paper}: figures that need no study", say_figures(left), "simulated"


def _say_needs(needs: Sequence[str]) -> str:
    """Name the data sets, or their number if there are many."""
    if len(needs) > 2:
        return f"{len(needs)} data sets"
    return ", ".join(needs) or "simulated"


def _say_time(seconds: float | None) -> str:
    """Write a time with its unit, such as '12 s' or '2 min'."""
    if seconds is None:
        return "?"
    if seconds < 100.0:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


@_command("run", "Reproduce a table or figure of a paper.")
@click.argument("name")
@options.text("--quick/--full", "A part in a minute or two, or all.", name="quick", default=True)
@_reads_data
@_runs(options.PLOT)
def run_study(
    *, name: str, quick: bool, folder: str | None, fetch: bool, out: Output, **how: Any
) -> None:
    """Reproduce the table or figure NAME of a paper; print the paper's numbers beside ours.

    With --full finished work is kept in NAME.store unless --store says where.
    """
    from rocbands_studies.catalog import find_study

    study = find_study(name)
    scale: Any = "quick" if quick else "full"
    if not quick and how["store"] is None:
        how["store"] = f"{name}.store"  # long runs must survive an interruption
        click.echo(f"Keeping finished work in {how['store']}", err=True)
    plan = study.plan(scale, how["seed"], study.open_data(folder, fetch))
    result = study.judge(_run(plan, name, **how), scale)
    out.show_result(result)


@_command("figure", "Draw a figure of a paper.")
@click.argument("name")
@options.text(
    "--output",
    "Figure to write: .png, .pdf or .svg.",
    "FILE",
    also="-o",
    type=click.Path(dir_okay=False),
    required=True,
)
@_reads_data
@options.text(
    "--results",
    "Folder with results NAME.json of studies; others are measured with --quick.",
    "FOLDER",
    type=click.Path(file_okay=False),
)
def draw_study_figure(
    *, name: str, output: str, folder: str | None, fetch: bool, results: str | None
) -> None:
    """Draw the figure NAME of a paper, with its axes and its layout."""
    from rocbands_studies.catalog import find_figures

    figures = find_figures(name)
    figures.draw_figure(name, output, figures.Sources(folder, fetch, results))
    click.echo(f"Wrote {output}", err=True)


@_command("own", "Coverage of bands on data like yours.", aliases={"method": "--method"})
@load.reads
@options.input_file("--scores", "The same as SCORES.", name="file")
@options.text(
    "--method",
    "Band method; can be repeated. By default likelihood, fixed-width and joint-region.",
    "NAME",
    name="methods",
    multiple=True,
)
@options.level
@options.flag("--future", "Coverage of curves of future test sets of the same size.")
@options.whole(
    "--replicates",
    "Test sets drawn for each method; four times as many halve the error.",
    20,
    default=100,
)
@_runs()
def study_own_data(
    *,
    source: load.Source,
    file: str | None,
    methods: tuple[str, ...],
    level: float,
    future: bool,
    replicates: int,
    out: Output,
    **how: Any,
) -> None:
    """Measure which bands attain their level on data like yours, at your sample size.

    Test sets as large as SCORES are drawn from a population estimated from it, and the bands of
    each are compared with the population's own curve.
    """
    from rocbands.bands import DEFAULT, METHODS
    from rocbands.core.band import BandMethod
    from rocbands.core.method import resolve_method
    from rocbands_studies.own_data import OwnDataResult, plan_own_data

    asked = [
        resolve_method(name, METHODS, BandMethod, DEFAULT)
        for name in dict.fromkeys(methods or _USUAL)
    ]
    if file is not None:
        if source.path is not None:
            raise click.UsageError("Give the file of scores once: as SCORES or with --scores.")
        source = replace(source, path=file)
    parts = load.split_models(source.read())
    if any(part.roc.binned for part in parts.values()):
        raise InputError(
            "'rocbands study own' draws scores like those of SCORES, and needs each of them; "
            f"{source.path} contains counts in bins. Count with --exact, or name the file that was "
            "counted."
        )
    found = {}
    for name, part in parts.items():
        plan = plan_own_data(
            part.roc, asked, level=level, future=future, replicates=replicates, seed=how["seed"]
        )
        found[name] = OwnDataResult(_run(plan, name, **how))
    out.show_models(found, "rocbands.own-studies/1")


def _run(
    plan: Study, title: str, *, seed: int, workers: Any, store: Any, dask: str | None
) -> StudyResult:
    from rocbands_studies import run
    from rocbands_studies.executors import dask_executor

    cluster: Any = nullcontext() if dask is None else dask_executor(dask)
    with Bar(f"Measuring {title}", logged=True) as bar, cluster as executor:
        return run(plan, workers=workers, store=store, executor=executor, progress=bar)
