"""`rocbands condition`: costs and prevalence as one number, and back."""

from __future__ import annotations

import click

from rocbands.cli import messages, options
from rocbands.cli.messages import usage
from rocbands.cli.output import show_result

__all__ = ["command"]


@messages.command(
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
    import rocbands as rb
    from rocbands.cli.documents import Condition

    if w is not None and c_fn is None and c_fp is None:
        c_fn, c_fp = (float(cost) for cost in rb.costs_at(w, prevalence))
    elif w is None and c_fn is not None and c_fp is not None:
        w = float(rb.operating_condition(c_fn, c_fp, prevalence))
    else:
        raise usage("Give --c-fn and --c-fp, or --w, and --prevalence with either.")
    show_result(form, Condition(w, c_fn, c_fp, prevalence))
