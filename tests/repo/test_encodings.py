"""Text is read and written as UTF-8, whatever the locale: every call names its encoding."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "tools", "studies", "benchmarks", "docs", "examples")


def find_calls(text: str) -> Iterator[int]:
    """Yield the lines of calls that read or write text in the encoding of the locale."""
    if not re.search(r"\b(open|read_text|write_text)\(", text):
        return  # most modules: they need not be parsed
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute)
        name = getattr(node.func, "attr" if method else "id", "")
        named = {word.arg: word.value for word in node.keywords}
        mode = named.get("mode", (*node.args, None, None)[0 if method else 1])
        if "encoding" in named:
            continue
        if name == "open" and (mode is None or isinstance(mode, ast.Constant)):
            # `open` of a module such as `tarfile` has a file before its mode.
            stated = "r" if mode is None else str(mode.value)
            if re.fullmatch("[rwaxt+]+", stated):
                yield node.lineno
        elif method and (name, len(node.args)) in (("read_text", 0), ("write_text", 1)):
            yield node.lineno


@pytest.mark.parametrize("folder", FOLDERS)
def test_calls_name_their_encoding(folder: str) -> None:
    files = list((ROOT / folder).rglob("*.py"))
    assert files
    assert not [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        for line in find_calls(file.read_text(encoding="utf-8"))
    ]


def test_calls_without_one_are_found() -> None:
    bad = (
        "p.read_text()",
        "p.write_text(t)",
        "p.open()",
        "p.open('a')",
        "open(f)",
        "open(f, 'w')",
        "open(f, mode='r')",
    )
    good = (
        "p.read_text('utf-8')",
        "p.write_text(t, encoding='ascii')",
        "p.open('rb')",
        "open(f, 'w', encoding='ascii')",
        "tarfile.open(f)",
        "write_text(p, t)",
    )
    assert list(find_calls("\n".join((*bad, *good)))) == [*range(1, len(bad) + 1)]
