"""`rocbands net-benefit`: decision curves of probabilities."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import Output, for_each


@messages.command("net-benefit", "Net benefit of treating by a probability: decision curves.")
@load.reads_rows
@options.numbers(
    "--threshold",
    "Threshold probability; by default 0.01, 0.02, ..., 0.99. Can be repeated.",
    "T",
    name="thresholds",
    also="--thresholds",
)
@options.flag("--simultaneous", "Limits simultaneous over all thresholds; not for differences.")
@options.number("--prevalence", "Prevalence; by default estimated from the rows.", "P")
@options.level
@options.output("Plot of all models and the difference of two in a PNG, PDF or SVG file.")
def net_benefit(
    *,
    source: load.Source,
    thresholds: tuple[float, ...],
    simultaneous: bool,
    out: Output,
    **how: Any,
) -> None:
    """Net benefit of treating the cases whose probability is at least a threshold.

    Scores must be probabilities. Each model is compared with treating all and treating none: the
    first sentence says where it is better than both. With two models also the difference, first
    minus second. The table shows a few of the thresholds; --format csv and --json have all.
    """
    import rocbands as rb

    how["thresholds"] = list(thresholds) or None
    data = source.read_rows()
    found = for_each(
        {name: data[name] for name in data},
        "Net benefit",
        lambda _, part: rb.net_benefit(part, simultaneous=simultaneous, **how),
    )
    gap = load.find_difference(data, rb.net_benefit_difference, **how)
    if out.plot is not None:
        from rocbands.plot.decisions import draw_models_by_net_benefit

        out.save(draw_models_by_net_benefit(found, gap))
    out.show_models(found, "rocbands.net-benefits/1", difference=gap)
