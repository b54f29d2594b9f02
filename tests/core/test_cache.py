"""Numbers on disk: kept whole or not at all, and made again where anything is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from rocbands.core import cache

DRAWS = np.array([0.5, 1.25, 1e-300, np.inf])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.SETTING, str(tmp_path / "kept"))
    return tmp_path / "kept"


def _refuse() -> np.ndarray:
    raise AssertionError("it is on disk and must not be made again")


def test_what_is_kept_comes_back_bit_for_bit(folder: Path) -> None:
    assert np.array_equal(cache.keep("a-1", lambda: DRAWS), DRAWS)
    assert np.array_equal(cache.keep("a-1", _refuse), DRAWS)
    assert [path.name for path in folder.iterdir()] == ["a-1.draws"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"rocbands\n" + data.partition(b"\n")[2],
        lambda data: b"\x93NUMPY" + data,
    ],
)
def test_a_damaged_file_is_replaced(folder: Path, damage) -> None:
    cache.keep("a", lambda: DRAWS)
    path = folder / "a.draws"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert np.array_equal(cache.keep("a", lambda: DRAWS + 1.0), DRAWS + 1.0)
    assert np.array_equal(cache.keep("a", _refuse), DRAWS + 1.0)


def test_a_write_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    assert np.array_equal(cache.keep("a", lambda: DRAWS), DRAWS)
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_made_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(cache.SETTING, str(tmp_path / "file" / "kept"))
    assert np.array_equal(cache.keep("a", lambda: DRAWS), DRAWS)


def test_the_oldest_files_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 2)
    for age, name in enumerate("abc"):
        cache.keep(name, lambda: DRAWS)
        os.utime(folder / f"{name}.draws", (age, age))
    cache.keep("d", lambda: DRAWS)
    assert sorted(path.stem for path in folder.iterdir()) == ["c", "d"]


@pytest.mark.parametrize("word", ["0", "no", "False", "OFF"])
def test_it_can_be_switched_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.SETTING, word)
    assert cache.find_folder() is None
    assert cache.keep("a", lambda: DRAWS) is DRAWS


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ".cache/rocbands"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere/rocbands"),
        ("linux", {"XDG_CACHE_HOME": "not/absolute"}, ".cache/rocbands"),
        ("darwin", {}, "Library/Caches/rocbands"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/rocbands"),
        ("win32", {}, "AppData/Local/rocbands"),
    ],
)
def test_the_folder_of_each_platform(
    platform: str, variables: dict, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (cache.SETTING, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache.find_folder() == tmp_path / expected
