"""`rocbands condition`: costs and prevalence as one number, and back."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import options
from rocbands.cli.outputs import Page, show
from rocbands.cli.words import cli_words

__all__ = ["command"]


@click.command(
    "condition",
    short_help="Costs and prevalence as one number w, and back.",
    epilog="""\b
Examples:
  rocbands condition --c-fn 9 --c-fp 1 --prevalence 0.1
  rocbands condition --w 0.5 --prevalence 0.1
""",
)
@click.option("--c-fn", type=options.NUMBER, metavar="A", help="Cost of a missed positive.")
@click.option("--c-fp", type=options.NUMBER, metavar="B", help="Cost of a false alarm.")
@click.option("--w", type=options.NUMBER, metavar="W", help="Operating condition, from 0 to 1.")
@click.option(
    "--prevalence",
    type=options.NUMBER,
    required=True,
    metavar="P",
    help="Share of positives where decisions will be made.",
)
@options.forms
def command(
    *, c_fn: float | None, c_fp: float | None, w: float | None, prevalence: float, form: str
) -> None:
    """Operating condition w that costs and a prevalence make, or costs that make a given w.

    w is the share of missed positives in the cost of getting every row wrong: what
    'rocbands cost --w' takes. Of all costs that make the same w those are printed that weigh 1
    for getting every row wrong.
    """
    from rocbands.cost.conditions import costs_at, operating_condition
    from rocbands.io.records import json_of

    if (w is None) == (c_fn is None) or (c_fn is None) != (c_fp is None):
        raise options.usage("Give --c-fn and --c-fp, or --w, and --prevalence with either.")
    with cli_words():
        if w is None:
            assert c_fn is not None, "either w or both costs are given"
            assert c_fp is not None, "either w or both costs are given"
            w = float(operating_condition(c_fn, c_fp, prevalence))
        else:
            c_fn, c_fp = (float(cost) for cost in costs_at(w, prevalence))
    found: dict[str, Any] = {"w": w, "c_fn": c_fn, "c_fp": c_fp, "prevalence": prevalence}
    table = {name: [value] for name, value in found.items()}
    said = f"Operating condition w = {w:.6g}: a missed positive costs {_times(c_fn, c_fp)}."
    show(
        form,
        [Page("", said, table, table)],
        lambda: json_of({"schema": "rocbands.condition/1", **found}),
    )


def _times(c_fn: float, c_fp: float) -> str:
    if c_fp == 0:
        return "something, a false alarm nothing"
    return f"{c_fn / c_fp:.6g} times a false alarm"
