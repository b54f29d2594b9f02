"""Run the README's commands and Python blocks in this environment: ``python -m tools.run_readme``.

`make test` calls it in the environment that `make demo` makes, so that a reader who has run only
that can run everything that the README shows. The two make commands themselves are left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def list_steps(text: str) -> list[tuple[str, str]]:
    """Return the kind and the text of each command, and of all Python blocks as one program."""
    blocks = _BLOCK.findall(text)
    lines = [line for kind, body in blocks if kind == "console" for line in body.splitlines()]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    steps = [("console", line) for line in commands if not line.startswith("make ")]
    return [*steps, ("python", "".join(body for kind, body in blocks if kind == "python"))]


def main() -> None:
    """Run every step in an empty folder; stop at the first that fails."""
    here = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "MPLBACKEND": "Agg",
    }
    environment.pop("PYTHONPATH", None)
    steps = list_steps((ROOT / "README.md").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in steps:
            command = ["bash", "-ec", text] if kind == "console" else [sys.executable, "-c", text]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                sys.exit(f"README: this {kind} step failed:\n{text}\n{done.stderr}")
    print(f"README: {len(steps)} steps ran")


if __name__ == "__main__":
    main()
