"""README's steps are all found, and a step that fails is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import run_readme

TEXT = """
```console
$ make test
$ echo one  # a comment
```
```python
x = 1
```
"""


def test_steps_are_the_commands_and_one_program() -> None:
    assert run_readme.list_steps(TEXT) == [
        ("console", "echo one  # a comment"),
        ("python", "x = 1\n"),
    ]
    steps = run_readme.list_steps((run_readme.ROOT / "README.md").read_text(encoding="utf-8"))
    commands = [text for kind, text in steps if kind == "console"]
    assert [line.split()[1] for line in commands] == ["example", "summary", "band", "report"]
    (program,) = (text for kind, text in steps if kind == "python")
    assert len(program.strip().splitlines()) <= 9


def test_the_readme_is_short() -> None:
    lines = (run_readme.ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80


@pytest.mark.parametrize("change", [("echo one", "false"), ("x = 1", "x = y")])
def test_a_step_that_fails_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str]
) -> None:
    monkeypatch.setattr(run_readme, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text(TEXT, encoding="utf-8")
    run_readme.main()
    (tmp_path / "README.md").write_text(TEXT.replace(*change), encoding="utf-8")
    with pytest.raises(SystemExit, match="step failed"):
        run_readme.main()
