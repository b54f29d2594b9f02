"""Stores with a right checksum and wrong contents: refused in a sentence, never taken for numbers."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

import rocbands as rb
from rocbands_studies.store import Store

HEAD = {"format": "rocbands.study/1", "seed": 1}
GOOD: dict[str, Any] = {
    "cell": "a", "start": 0, "stop": 20, "total": {"x": 1.0, "y": [1, 2.5]},
    "squares": {"x": 1.0, "y": [1, 3]}, "seconds": 0.5,
}  # fmt: skip


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text(
        "".join(f"{zlib.crc32(text.encode()):08x} {text}\n" for text in texts), encoding="utf-8"
    )
    return path


def test_a_good_record_is_read(tmp_path: Path) -> None:
    store = Store(write(tmp_path / "s", HEAD, GOOD), seed=1)
    assert [(block.start, block.stop) for block in store.done] == [(0, 20)]


@pytest.mark.parametrize(
    "head", [{"format": "rocbands.study/1"}, [], "7", "[" * 50_000, {**HEAD, "seed": "1"}]
)
def test_a_head_without_its_fields_is_refused(tmp_path: Path, head: object) -> None:
    with pytest.raises(rb.InputError, match="is not a store of a study"):
        Store(write(tmp_path / "s", head, GOOD), seed=1)


POISON = [
    [], "7", "null", "[" * 50_000, "{", {}, {**GOOD, "cell": 1}, {**GOOD, "start": "0"}, {**GOOD, "start": -1},
    {**GOOD, "stop": 0}, {**GOOD, "stop": 20.5}, {**GOOD, "start": True}, {**GOOD, "total": None},
    {**GOOD, "total": {}}, {**GOOD, "total": {"x": "1", "y": [1, 2]}}, {**GOOD, "seconds": None},
    {**GOOD, "seconds": 10**400}, {**GOOD, "total": {"x": float("nan"), "y": [1, 2]}}, {**GOOD, "total": {"x": 1, "y": [1, float("inf")]}},
    {**GOOD, "squares": {"x": 1.0}}, {**GOOD, "squares": {"x": 1.0, "y": [1]}},
    {key: GOOD[key] for key in GOOD if key != "squares"}, {**GOOD, "stop": 10**400},
    {**GOOD, "total": {"x": 1e300, "y": [1, 2.5]}}, {**GOOD, "squares": {"x": 1e300, "y": [1, 3]}},
    {**GOOD, "total": {"x": 10**300, "y": [1, 2]}, "squares": {"x": 10**305, "y": [1, 3]}},
    {**GOOD, "squares": {"x": -1.0, "y": [1, 3]}}, {**GOOD, "total": {"x": 5.0, "y": [1, 2.5]}},
]  # fmt: skip


@pytest.mark.parametrize("line", POISON)
def test_a_whole_line_that_is_no_record_is_refused(tmp_path: Path, line: object) -> None:
    with pytest.raises(rb.InputError, match=r"Line 3 of the store .* is no record of a study"):
        Store(write(tmp_path / "s", HEAD, GOOD, line), seed=1)


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    path = write(tmp_path / "s", HEAD, GOOD, {**GOOD, "start": 20, "stop": 40})
    path.write_text(path.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    store = Store(path, seed=1)
    assert (len(store.done), store.torn) == (1, 1)


def count(seed: int = 1) -> Any:
    import rocbands_studies as study

    cell = study.TrueCurve(study.Binormal(2.0), study.RandomClasses(20), rb.bands.JointRegion())
    return study.Study("a look", [cell], replicates=60, seed=seed)


FULL = """
import resource, sys
import rocbands as rb
import rocbands_studies as study
from studies.tests.engine.test_store import count
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))  # as if the disk were full
try:
    study.run(count(), workers=1, store=sys.argv[1])
except rb.InputError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
@pytest.mark.parametrize("room", [0, 20, 150, 400])
def test_a_full_disk_is_said_with_the_file(tmp_path: Path, room: int) -> None:
    import rocbands_studies as study

    path = tmp_path / "a.store"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(room)],
        capture_output=True,
        check=False,
        text=True,
    )
    said = f"The store {path} cannot be written: File too large. Make room there, or choose"
    assert done.stdout.startswith(said), done.stderr
    assert len(path.read_bytes()) <= room
    again = study.run(count(), workers=1, store=path)
    assert again.to_json() == study.run(count(), workers=1).to_json()


def test_a_measured_number_has_a_square() -> None:
    from rocbands_studies.engine import _sum

    assert _sum("x", [1e100, 1.0], 2) == 1e200
    for wrong in (1e101, float("nan"), float("inf")):
        with pytest.raises(rb.InputError, match="must measure finite numbers up to 1e"):
            _sum("x", [wrong], 2)
