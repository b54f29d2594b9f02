"""The studies use public names of the package, and the others that private-names.txt lists."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import rocbands as rb
import rocbands_studies
from rocbands_studies.checkout import ROOT

LIST = ROOT / "studies" / "private-names.txt"
PUBLIC = {"rocbands": rb.__all__} | {
    f"rocbands.{name}": import_module(f"rocbands.{name}").__all__ for name in rb._PACKAGES
}


def find_private_names() -> set[str]:
    """Names of the package that modules of the studies import and that are not public."""
    known = {name for names in PUBLIC.values() for name in names}
    found = set()
    for path in Path(rocbands_studies.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                if node.module.partition(".")[0] == "rocbands" and node.module not in PUBLIC:
                    found |= {
                        f"{node.module} {one.name}" for one in node.names if one.name not in known
                    }
            elif isinstance(node, ast.Import):
                names = (one.name for one in node.names)
                found |= {
                    name for name in names if name.startswith("rocbands.") and name not in PUBLIC
                }
    return found


def test_private_names_are_those_that_are_listed() -> None:
    assert sorted(find_private_names()) == LIST.read_text(encoding="utf-8").splitlines()
