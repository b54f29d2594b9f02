"""Write the stub of the package for type checkers: `python -m tools.make_stub`.

The public names are listed once, in `rocbands.__init__`; the stub says the same as imports.
"""

from __future__ import annotations

from pathlib import Path

import rocbands

STUB = Path(__file__).parents[1] / "src" / "rocbands" / "__init__.pyi"


def stub() -> str:
    """Return the text of the stub."""
    lines = ["# Written by `python -m tools.make_stub` from the table in __init__.py.", ""]
    lines += [f"from rocbands import {name} as {name}" for name in rocbands._PACKAGES]
    names = [(f"rocbands.{module}", name) for name, module in rocbands._MODULES.items()]
    names.append(("rocbands._version", "__version__"))
    lines += [_import_line(module, name) for module, name in sorted(names)]
    return "\n".join([*lines, "", "__all__: list[str]", ""])


def _import_line(module: str, name: str) -> str:
    """Return an import, on three lines where one would be too long for the formatter."""
    line = f"from {module} import {name} as {name}"
    return line if len(line) <= 100 else f"from {module} import (\n    {name} as {name},\n)"


def main() -> None:
    """Write the file."""
    STUB.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
