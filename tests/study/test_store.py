"""Stores with a right checksum and wrong contents: refused in a sentence, never taken for numbers."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import rocbands as rb
from rocbands.study.store import Store

HEAD = {"format": "rocbands.study/1", "seed": 1}
GOOD: dict[str, Any] = {
    "cell": "a", "start": 0, "stop": 20, "total": {"x": 1.0, "y": [1, 2.5]},
    "squares": {"x": 1.0, "y": [1, 3]}, "seconds": 0.5,
}  # fmt: skip


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{zlib.crc32(text.encode()):08x} {text}\n" for text in texts))
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
    {key: GOOD[key] for key in GOOD if key != "squares"},
]  # fmt: skip


@pytest.mark.parametrize("line", POISON)
def test_a_whole_line_that_is_no_record_is_refused(tmp_path: Path, line: object) -> None:
    with pytest.raises(rb.InputError, match=r"Line 3 of the store .* is no record of a study"):
        Store(write(tmp_path / "s", HEAD, GOOD, line), seed=1)


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    path = write(tmp_path / "s", HEAD, GOOD, {**GOOD, "start": 20, "stop": 40})
    path.write_text(path.read_text()[:-10])
    store = Store(path, seed=1)
    assert (len(store.done), store.torn) == (1, 1)
