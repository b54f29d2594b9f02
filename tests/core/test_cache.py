"""Numbers on disk: kept whole or not at all, and made again where anything is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from rocbands.likelihood import cache

DRAWS = np.array([0.0, 1e-300, 0.5, 0.5, 1.25])
SIZE = DRAWS.size


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.SETTING, str(tmp_path / "kept"))
    return tmp_path / "kept"


def _refuse() -> np.ndarray:
    raise AssertionError("it is on disk and must not be made again")


def test_what_is_kept_comes_back_bit_for_bit(folder: Path) -> None:
    assert np.array_equal(cache.keep("a-1", SIZE, lambda: DRAWS), DRAWS)
    assert np.array_equal(cache.keep("a-1", SIZE, _refuse), DRAWS)
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
    cache.keep("a", SIZE, lambda: DRAWS)
    path = folder / "a.draws"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS + 1.0), DRAWS + 1.0)
    assert np.array_equal(cache.keep("a", SIZE, _refuse), DRAWS + 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        DRAWS[:-1],
        DRAWS[::-1],
        np.zeros(SIZE),
        -DRAWS[::-1],
        np.append(DRAWS[:-1], np.inf),
        np.append(DRAWS[:-1], np.nan),
        np.append(DRAWS, DRAWS),
    ],
)
def test_a_whole_file_of_other_numbers_is_replaced(folder: Path, wrong: np.ndarray) -> None:
    cache._write(folder / "a.draws", wrong)  # with a right checksum
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS), DRAWS)
    assert np.array_equal(cache.keep("a", SIZE, _refuse), DRAWS)


@pytest.mark.parametrize("length", [0, 3, 8 * SIZE - 1])
def test_a_checksum_of_other_bytes_is_not_enough(folder: Path, length: int) -> None:
    folder.mkdir()
    body = DRAWS.tobytes()[:length]
    (folder / "a.draws").write_bytes(cache._seal(body) + body)
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS), DRAWS)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("kind", ["pipe", "link without end", "link to itself", "folder", "link"])
def test_only_a_regular_file_is_read(folder: Path, kind: str) -> None:
    folder.mkdir()
    path = folder / "a.draws"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        ends = {"link without end": "/dev/zero", "link to itself": str(path)}
        path.symlink_to(ends.get(kind, str(folder / "b.draws")))
        cache._write(folder / "b.draws", DRAWS + 1.0)
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS), DRAWS)
    if kind != "folder":
        assert np.array_equal(cache.keep("a", SIZE, _refuse), DRAWS)
        assert path.is_file()
        assert not path.is_symlink()


def test_a_user_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv(cache.SETTING, "~/kept")
    assert cache.find_folder() == tmp_path / "kept"
    monkeypatch.setenv(cache.SETTING, "~nobody-of-this-name/kept")
    assert cache.find_folder() is None


def test_a_write_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS), DRAWS)
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_made_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv(cache.SETTING, str(tmp_path / "file" / "kept"))
    assert np.array_equal(cache.keep("a", SIZE, lambda: DRAWS), DRAWS)


def test_the_oldest_files_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 2)
    for age, name in enumerate("abc"):
        cache.keep(name, SIZE, lambda: DRAWS)
        os.utime(folder / f"{name}.draws", (age, age))
    cache.keep("d", SIZE, lambda: DRAWS)
    assert sorted(path.stem for path in folder.iterdir()) == ["c", "d"]


@pytest.mark.parametrize("word", ["0", "no", "False", "OFF"])
def test_it_can_be_switched_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.SETTING, word)
    assert cache.find_folder() is None
    assert cache.keep("a", SIZE, lambda: DRAWS) is DRAWS


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
