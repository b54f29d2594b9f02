"""What commands that answer for each model have in common: text, JSON and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rocbands.core.result import Result

__all__ = ["draw_models", "json_models", "text_models"]


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
