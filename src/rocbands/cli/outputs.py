"""What commands that answer for each model have in common: text, JSON and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rocbands.core.result import Result
    from rocbands.scale.counts import ScoreCounts

__all__ = ["draw_models", "json_models", "text_models", "wrote_counts"]


def draw_models(found: Mapping[str, Result], path: str, **style: Any) -> None:
    """Draw all models in one picture, and say on stderr where it is."""
    from rocbands.plot import draw, save

    ax = None
    for name, result in found.items():
        ax = draw(result, ax, label=name, **style)
    assert ax is not None, "there is at least one model"
    save(ax, path)
    click.echo(f"Wrote {path}", err=True)


def json_models(found: Mapping[str, Result], schema: str, **more: Result) -> str:
    """Return all models, and what was found besides them, as one JSON object."""
    from rocbands.io.records import json_of

    models = {name: result.to_dict() for name, result in found.items()}
    whole: dict[str, Any] = {"schema": schema, "models": models}
    return json_of(whole | {name: result.to_dict() for name, result in more.items()})


def text_models(found: Mapping[str, Result]) -> str:
    """Return what each model's result says of itself, under the model's name."""
    return "\n\n".join(f"Model {name}\n{result!r}" for name, result in found.items())


def wrote_counts(counts: ScoreCounts, path: str, as_json: bool) -> None:
    """Write counts to a file, say on stderr where it is, and print what they are."""
    from rocbands.io.records import json_of

    counts.save(path)
    click.echo(f"Wrote {path}", err=True)
    if as_json:
        facts = counts.to_dict()
        facts["schema"] = "rocbands.counted/1"
        facts.pop("columns")
        sizes = (("positives", counts.positives), ("negatives", counts.negatives))
        rows = {name: int(column[counts.model == 0].sum()) for name, column in sizes}
        click.echo(json_of(facts | rows))
    else:
        click.echo(repr(counts))
