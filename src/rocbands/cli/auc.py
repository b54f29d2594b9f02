"""`rocbands auc`: areas under ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.inputs import read_models, reads_scores

if TYPE_CHECKING:
    from rocbands.core.roc import RocCurve

__all__ = ["command"]


@click.command(
    "auc",
    short_help="Areas under ROC curves.",
    epilog="""\b
Examples:
  rocbands auc --example
  rocbands auc scores.parquet --label outcome --positive dead
  cut -f 2,5 scores.tsv | rocbands auc - --json
""",
)
@reads_scores
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(as_json: bool, **rows: Any) -> None:
    """Area under the ROC curve of each model in SCORES, ties counted one half.

    SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with gzip, or - for stdin:
    one row for each case, one column of labels, one column of scores for each model. A larger
    score means more positive.
    """
    from rocbands.core.roc import RocCurve
    from rocbands.io.records import json_of
    from rocbands.io.tables import text_table

    models = read_models(**rows)
    facts = {name: _facts(RocCurve.from_scores(models[name])) for name in models.names}
    if as_json:
        click.echo(json_of({"schema": "rocbands.aucs/1", "models": facts}))
        return
    columns = {fact: [row[fact] for row in facts.values()] for fact in next(iter(facts.values()))}
    click.echo(text_table({"model": list(facts), **columns}))


def _facts(roc: RocCurve) -> dict[str, float]:
    return {
        "n_pos": roc.n_pos,
        "n_neg": roc.n_neg,
        "auc": roc.auc,
        "distinct_scores": roc.thresholds.size,
    }
