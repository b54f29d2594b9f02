"""Print the lowest versions that pyproject.toml allows, as requirements for pip.

``python -m tools.lowest_versions parquet sql`` adds those of the extras. ``make test-lowest``
installs them and runs the main commands and a part of the tests: a bound that is not true fails.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def list_lowest(extras: list[str]) -> list[str]:
    """Return ``name==version`` for each ``name>=version`` of the project and of some extras."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    pairs = (re.fullmatch(r"([\w-]+)>=([\d.]+)", each) for each in wanted)
    return [f"{pair[1]}=={pair[2]}" for pair in pairs if pair]


if __name__ == "__main__":
    print(*list_lowest(sys.argv[1:]), sep="\n")
