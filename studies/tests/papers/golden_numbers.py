"""Numbers of separate programs, in golden/; its README says which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def golden(name: str) -> dict[str, Any]:
    path = Path(__file__).parent / "golden" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
