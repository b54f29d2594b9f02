"""The same analysis as lines of the command line and of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rocbands.app.data import FORM, Asked

Written = dict[str, str]  # 'command' and 'python'
_TO_FILE = {"output": "report.html"}


def write_analysis(asked: Asked, positive: object, how: Mapping[str, Any]) -> Written:
    """Write how to make a report; `positive` is the label as Python has it."""
    columns = _name_arguments(asked, positive)
    counted = "label" not in columns
    read = f"rb.ScoreCounts.load({asked.name!r})" if counted else _read("Sample", asked, columns)
    if small := _list_reversed(asked):
        read += f".reverse({list(small)!r})"
    if counted and asked.texts("scores"):
        read += f"[{list(asked.texts('scores'))!r}]"
    lines = (f"data = {read}", f"rb.report(data{_follow(how)})")
    command = _write_command(asked, "report", {**_name_columns(asked), **how, **_TO_FILE})
    return {"command": command, "python": _write_python(*lines)}


def write_comparison(
    asked: Asked, positive: object, how: Mapping[str, Any], models: int
) -> Written:
    """Write how to compare models."""
    function = "compare" if models == 2 else "compare_many"
    read = _read("Sample", asked, _name_arguments(asked, positive))
    if small := _list_reversed(asked):
        read += f".reverse({list(small)!r})"
    lines = (f"data = {read}", f"print(rb.{function}(data{_follow(how)}))")
    command = _write_command(asked, "compare", {**_name_columns(asked), **how})
    return {"command": command, "python": _write_python(*lines)}


def write_study(asked: Asked, uses: Mapping[str, str], how: Mapping[str, Any]) -> Written:
    """Write how to make the report on a reader study; `uses`: its columns."""
    more = {name: asked.text(name) for name in ("positive", *FORM)}
    named = {**uses, **{name: value for name, value in more.items() if value is not None}}
    drop = asked.flag("drop_missing")
    options = named | ({"drop_missing": True} if drop else {})
    lines = (
        f"data = {_read('Readings', asked, named | ({'missing': 'drop'} if drop else {}))}",
        f"rb.report(rb.compare_readers(data{_follow(how)}){_follow(asked.settings('title'))})",
    )
    given = {**options, **how, **asked.settings("title"), **_TO_FILE}
    return {"command": _write_command(asked, "report", given), "python": _write_python(*lines)}


def write_plan(asked: Asked, how: Mapping[str, Any]) -> Written:
    """Write how to plan a study."""
    lines = (f"print(rb.sample_size({_write_arguments(**how)}))",)
    return {"command": _write_command(asked, "plan", how), "python": _write_python(*lines)}


def _name_columns(asked: Asked) -> dict[str, Any]:
    """Return the columns of rows as options of the command line."""
    shared = {name: asked.text(name) for name in ("label", "positive", *FORM)}
    found: dict[str, Any] = {name: value for name, value in shared.items() if value is not None}
    found |= {"score": asked.texts("scores"), **asked.design}
    found |= {"reverse": small} if (small := _list_reversed(asked)) else {}
    return found | ({"drop_missing": True} if asked.flag("drop_missing") else {})


def _list_reversed(asked: Asked) -> tuple[str, ...]:
    return tuple(name for name in asked.texts("reversed") if name in asked.texts("scores"))


def _name_arguments(asked: Asked, positive: object) -> dict[str, Any]:
    """Return the columns of rows as arguments of Python."""
    found = _name_columns(asked)
    found.pop("reverse", None)
    if found.pop("drop_missing", False):
        found["missing"] = "drop"
    return found | ({"positive": positive} if "positive" in found else {})


def _write_command(asked: Asked, command: str, options: Mapping[str, Any]) -> str:
    """Write a command; options by the names of the library's arguments."""
    parts = ["rocbands", command]
    if asked.path:
        parts.append(f"./{asked.name}" if asked.name.startswith("-") else asked.name)
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            parts += [option] * value
        elif name in ("score", "reverse") and isinstance(value, tuple):
            parts += [part for one in value for part in (option, one)]
        else:
            parts += [option, *map(_write_word, value if isinstance(value, tuple) else (value,))]
    if not asked.example:
        return shlex.join(parts)
    kind = " --readers" if asked.example == "readers" else ""
    return f"rocbands example{kind} -o {asked.name}\n{shlex.join(parts)}"


def _write_python(*lines: str) -> str:
    return "\n".join(["import rocbands as rb", "", *lines])


def _read(kind: str, asked: Asked, columns: Mapping[str, Any]) -> str:
    return f"rb.{kind}.from_file({asked.name!r}{_follow(columns)})"


def _follow(how: Mapping[str, Any]) -> str:
    return f", {_write_arguments(**how)}" if how else ""


def _write_arguments(**named: Any) -> str:
    """Write the arguments of a call.

    Examples
    --------
    >>> _write_arguments(level=0.9, positive=1.0, score=("a", "b"))
    "level=0.9, positive=1, score=['a', 'b']"
    """
    return ", ".join(f"{name}={_write_value(value)}" for name, value in named.items())


def _write_value(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return repr(int(value) if whole else list(value) if isinstance(value, tuple) else value)


def _write_word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
