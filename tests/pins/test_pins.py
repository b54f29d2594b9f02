"""A share of the pins is compared in every run of the tests; the comparison can fail."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

import rocbands as rb
from tests.pins import names
from tests.pins.__main__ import compare_all, read_store
from tests.pins.data import COUNTED, DESIGNS, TWO_SETS, find_needs
from tests.pins.others import list_all
from tests.pins.records import compare, record_call

SHARE = 16  # one of so many entries is compared
TOLERANCE = 1e-6  # holds on every processor: difference bands vary by 6e-8
LEFT_OUT: dict[str, str] = {}  # public functions that are not pinned, and why
# Options that show that a method handles them, as keys have them.
OPTIONS = {
    "future": "future=",
    "one-sided": "alternative=",
    "full sampling": "sampling=full",
    "share law": "sampling=ShareLaw",
    "simultaneous": "simultaneous=True",
}
PAIR = {"number": {"low": 0.25, "columns": {"x": [1.0, None]}}, "text": "a", "notes": ["b"]}


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    return read_store()


def is_chosen(key: str) -> bool:
    """Choose a share, without reports, which are slow, and without what rounding errors decide.

    These are ranks among few resamples, and notes and signs of spreads that are 0.
    """
    function, _, design, data, _ = key.split(" | ")
    rounded = function == "compare_many" or (data == "separated" and design != "rows")
    return zlib.crc32(key.encode()) % SHARE == 0 and function != "report" and not rounded


@pytest.mark.parametrize("place", range(4))
def test_a_share_of_the_results_is_as_stored(stored: dict[str, Any], place: int) -> None:
    chosen = [(key, call) for key, call in list_all() if key in stored and is_chosen(key)]
    present = {key: record_call(call) for key, call in chosen[place::4]}
    assert len(present) > 50
    assert not compare_all({key: stored[key] for key in present}, present, TOLERANCE)


def test_every_key_is_used_once(stored: dict[str, Any]) -> None:
    keys = [key for key, _ in list_all()]
    assert len(keys) == len(set(keys))
    assert set(stored) <= set(keys)


def test_every_public_function_is_pinned(stored: dict[str, Any]) -> None:
    pinned = {key.split(" | ")[0] for key in stored}
    assert {*names.list_functions()} - pinned == set(LEFT_OUT)


def test_every_method_gives_a_result_in_every_design_that_it_handles(
    stored: dict[str, Any],
) -> None:
    answered = [key.split(" | ") for key, record in stored.items() if "refusal" not in record]
    designs = [*DESIGNS, *COUNTED, *(f"two sets, {kind}".rstrip(", ") for kind in TWO_SETS)]
    shows = {word: {d for d in designs if word in find_needs(d)} for word in ("", *ALL_WORDS)}
    shows["class weights"] |= {"class weights"}
    missing = []
    for function, rows in names.list_methods().items():
        if function in names.BORROWED or function == "report":
            continue
        for word, _, handles in rows:
            asked = {function, *(one for one, by in names.BORROWED.items() if by == function)}
            mine = [key for key in answered if key[0] in asked and key[1] == word]
            missing += [
                (function, word, handled)
                for handled in handles - {"-", "paired"}
                if not any(
                    OPTIONS[handled] in key[4] if handled in OPTIONS else key[2] in shows[handled]
                    for key in mine
                )
            ]
    assert missing == [("rate_difference", "", "full sampling")]  # its default


ALL_WORDS = {h for rows in names.list_methods().values() for _, _, handles in rows for h in handles}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"number": {"low": 0.25 + 1e-5, "columns": {"x": [1.0, None]}}}, "number"),
        ({"number": {"low": 0.25, "columns": {"x": [1.0, 2.0]}}}, "text"),
        ({"number": {"low": 0.25, "columns": {"x": [1.0]}}}, "text"),
        ({"number": {"low": float("nan"), "columns": {"x": [1.0, None]}}}, "number"),
        ({"number": {"high": 0.25, "columns": {"x": [1.0, None]}}}, "text"),
        ({"text": "c"}, "text"),
        ({"notes": []}, "notes"),
        ({"notes": ["b", "c"]}, "notes"),
        ({"warning": ["RocBandsWarning: c"]}, "warning"),
        ({"refusal": "InputError: c"}, "refusal"),
    ],
)
def test_a_change_is_found(change: dict[str, Any], kind: str) -> None:
    assert {found.kind for found in compare(PAIR, PAIR | change, TOLERANCE)} == {kind}
    assert {found.kind for found in compare(PAIR | change, PAIR, TOLERANCE)} == {kind}


def test_rounding_nan_and_infinities_are_no_change() -> None:
    one = {"number": [1.0, float("nan"), float("inf"), 1e300]}
    assert not compare(one, {"number": [1.0 + 1e-13, float("nan"), float("inf"), 1e300]}, 1e-12)
    assert compare(one, {"number": [1.0 + 1e-11, float("nan"), float("inf"), 1e300]}, 1e-12)
    assert compare(one, {"number": [1.0, float("nan"), float("-inf"), 1e300]}, 1e-12)


def test_an_entry_that_is_gone_is_found() -> None:
    assert compare_all({"a": PAIR}, {}, TOLERANCE)["a"][0].kind == "gone"


def test_refusals_and_warnings_are_recorded() -> None:
    refused = record_call(lambda: rb.auc_interval([1, 0], [1.0, 2.0], level=2))
    assert refused["refusal"].startswith("InputError: `level`")
    other = record_call(lambda: rb.auc_interval([1, 0], [1.0, 2.0], level=3))
    assert [found.kind for found in compare(refused, other, TOLERANCE)] == ["refusal"]
