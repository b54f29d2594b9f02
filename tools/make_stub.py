"""Write the stub of the package for type checkers: `python -m tools.make_stub`.

The public names are listed once, in `rocbands.__init__`; the stub says the same as imports.
Functions that take their data in several forms are written there as overloads, made from their
signatures: one for each form, so that what is refused at run time is an error for type checkers.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import rocbands

STUB = Path(__file__).parents[1] / "src" / "rocbands" / "__init__.pyi"
WIDTH = 100
# What stands for several public classes in signatures.
MEMBERS = {"Data": ("Sample", "RocCurve", "ScoreCounts"), "Models": ("Sample", "ScoreCounts")}
WITH_LABELS = ("positive", "classes")  # keywords that go with labels and scores only


class Form(NamedTuple):
    """One form of a function's data."""

    positional: tuple[str, ...]  # parameters as they are written
    by_position: bool  # whether they have no names for the caller
    without: tuple[str, ...] = ()  # keywords that do not go with it


def stub() -> str:
    """Return the text of the stub."""
    public = {name: f"rocbands.{module}" for name, module in rocbands._MODULES.items()}
    public["__version__"] = "rocbands._version"
    overloads: list[str] = []
    used = {("typing", "overload")}
    for name in sorted(rocbands._MODULES):
        function = getattr(rocbands, name)
        if inspect.isfunction(function) and (forms := find_forms(function)):
            overloads += [write_overload(function, form) for form in forms]
            used |= find_imports(function, "\n".join(overloads[-len(forms) :]))
            del public[name]
    used -= {(module, name) for name, module in public.items()}
    if len({name for _, name in used if name}) < len([name for _, name in used if name]):
        raise ValueError(f"Two types have the same name: {sorted(used, key=lambda one: one[1])}")
    lines = ["# Written by `python -m tools.make_stub` from the table in __init__.py.", ""]
    lines += _write_imports(used, public)
    return "\n".join([*lines, "", *overloads, "", "__all__: list[str]", ""])


def find_forms(function: Callable[..., Any]) -> list[Form]:
    """Return the forms of data that a function takes; none if there is only one."""
    own = inspect.signature(function).parameters
    first, *others = own.values() if own else (None,)
    if first is None or first.name != "y_true" or "Labels" not in (kinds := _members(first)):
        return []
    data = " | ".join(kind for kind in kinds if kind != "Labels")
    columns = [each for each in others if each.kind is each.POSITIONAL_OR_KEYWORD]
    labels = (
        "y_true: Labels",
        *(f"{each.name}: {' | '.join(_given(_members(each)))}" for each in columns),
    )
    if len(columns) == 1:
        forms = [Form((f"sample: {data}",), True, WITH_LABELS)]
    else:  # two models
        forms = [Form(("sample: Sample",), True, WITH_LABELS)]
        second = " | ".join(kind for kind in _given(_members(columns[0])) if kind != "Column")
        if second:
            labels = (labels[0], *(f"{each.name}: Column" for each in columns))
            forms.append(Form((f"sample_1: {data}", f"sample_2: {second}"), True, WITH_LABELS))
    return [*forms, Form(labels, False)]


def _members(parameter: inspect.Parameter) -> list[str]:
    """Return the parts of a parameter's union, with public classes for what stands for them."""
    parts = _split(ast.parse(str(parameter.annotation), mode="eval").body)
    return [name for part in parts for name in MEMBERS.get(part, (part,))]


def _write_type(parameter: inspect.Parameter, names: Mapping[str, Any]) -> str:
    """Write a parameter's type; choices are written out, for they are what people look for."""
    kinds = _members(parameter)
    choices = [get_args(names[kind]) if _is_choice(names.get(kind)) else None for kind in kinds]
    return " | ".join(
        kind if given is None else f"Literal[{', '.join(map(json.dumps, given))}]"
        for kind, given in zip(kinds, choices, strict=True)
    )


def _is_choice(kind: object) -> bool:
    return get_origin(kind) is Literal


def _split(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_split(node.left), *_split(node.right)]
    return [_write(node)]


def _write(node: ast.expr) -> str:
    """Write a type with double quotes."""
    return ast.unparse(node).replace("'", '"')


def _given(kinds: Iterable[str]) -> list[str]:
    return [kind for kind in kinds if kind != "None"]


def write_overload(function: Callable[..., Any], form: Form) -> str:
    """Write one form of a function."""
    signature, names = inspect.signature(function), inspect.unwrap(function).__globals__
    keywords = [
        f"{each.name}: {_write_type(each, names)}{_write_default(each)}"
        for each in signature.parameters.values()
        if each.kind is each.KEYWORD_ONLY and each.name not in form.without
    ]
    parts = [*form.positional, *["/"] * form.by_position, *(["*", *keywords] if keywords else [])]
    head, tail = f"def {function.__name__}(", f") -> {signature.return_annotation}: ..."
    line = f"{head}{', '.join(parts)}{tail}"
    if len(line) > WIDTH:
        line = "\n".join([head, *(f"    {part}," for part in parts), tail])
    return f"@overload\n{line}"


def _write_default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    value = parameter.default
    return f" = {json.dumps(value) if isinstance(value, str) else repr(value)}"


def find_imports(function: Callable[..., Any], text: str) -> set[tuple[str, str]]:
    """Find where the names in a function's overloads come from: pairs of a module and a name.

    A module that is imported as a whole has no name.
    """
    implementation = inspect.unwrap(function)
    source = inspect.getsource(inspect.getmodule(implementation))  # type: ignore[arg-type]
    known = dict(_list_names(ast.parse(source), implementation.__module__))
    known |= {name: (f"rocbands.{rocbands._MODULES[name]}", name) for name in MEMBERS["Data"]}
    known["Literal"] = ("typing", "Literal")
    names = {
        node.id
        for overload in ast.parse(text).body
        if isinstance(overload, ast.FunctionDef)
        for each in (*overload.args.posonlyargs, *overload.args.args, *overload.args.kwonlyargs)
        for node in ast.walk(each)
        if isinstance(node, ast.Name)
    }
    names.add(str(inspect.signature(function).return_annotation))
    return {known[name] for name in names if name in known}


def _list_names(module: ast.Module, name: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """List the names of a module, with the module that defines each."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((each.asname or each.name, (each.name, "")) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((each.name, (node.module, each.name)) for each in node.names)
        elif isinstance(node, ast.ClassDef):
            yield node.name, (name, node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, (name, node.target.id)


def _write_imports(used: set[tuple[str, str]], public: dict[str, str]) -> list[str]:
    """Write imports in the order of the linter: those that are used, and public names."""
    lines = [f"import {module}" for module, name in sorted(used) if not name]
    modules: dict[str, list[str]] = {}
    for module, name in sorted(used):
        if name:
            modules.setdefault(module, []).append(name)
    outside = [module for module in modules if not module.startswith("rocbands")]
    lines += [_write_import(module, modules.pop(module)) for module in outside]
    packages = (*rocbands._PACKAGES, *rocbands._OPTIONAL)
    lines += ["", *(f"from rocbands import {name} as {name}" for name in packages)]
    for module in sorted({*modules, *public.values()}):
        groups = [[f"{name} as {name}"] for name, place in public.items() if place == module]
        groups += [modules[module]] if module in modules else []
        lines += [_write_import(module, names) for names in sorted(groups)]
    return lines


def _write_import(module: str, names: list[str]) -> str:
    """Return an import, on several lines where one would be too long for the formatter."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def main() -> None:
    """Write the file."""
    STUB.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
