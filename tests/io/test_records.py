"""Results as dictionaries, JSON, frames and tables."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.io import records
from rocbands.io.layout import fit_table
from rocbands.io.tables import html_table

ROC = rb.roc_curve([1, 0, 1, 0], [np.inf, 1.0, 1.0, -np.inf])


def test_json_is_strict_and_says_its_schema() -> None:
    record = json.loads(ROC.to_json(), parse_constant=pytest.fail)
    assert record["schema"] == "rocbands.roc-curve/1"
    assert record["columns"]["threshold"] == ["inf", 1.0, "-inf"]
    assert record["columns"]["tp"] == [1, 2, 2]
    assert record["auc"] == 0.875


def test_a_dictionary_holds_plain_values_only() -> None:
    def plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(plain(part) for part in value.values())
        if isinstance(value, list):
            return all(plain(part) for part in value)
        return value is None or type(value) in (str, int, float, bool)

    assert plain(rb.roc_band([1, 0, 1], [3, 2, 1]).to_dict())
    assert plain(rb.methods().to_dict())


@pytest.mark.parametrize(
    ("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_frames_of_each_kind(kind: str, frame: type) -> None:
    found = ROC.to_frame(kind)
    assert isinstance(found, frame)
    assert found["tp"].to_numpy().tolist() == [1, 2, 2]


def test_a_frame_does_not_share_memory_with_the_result() -> None:
    frame = ROC.to_frame("pandas")
    frame.loc[0, "tp"] = 99
    assert ROC.tp[0] == 1


def test_an_unknown_kind_of_frame_is_refused() -> None:
    with pytest.raises(
        rb.InputError, match="`kind` must be one of pandas, polars, pyarrow; got 'R'"
    ):
        ROC.to_frame("R")


def test_without_any_frame_library_the_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(rb.InputError, match="none is installed"):
        records.frame_of({"a": [1]}, None)
    with pytest.raises(rb.InputError, match="polars is not installed"):
        records.frame_of({"a": [1]}, "polars")


def test_text_is_aligned() -> None:
    table = fit_table({"model": ["a", "longer"], "auc": np.array([0.5, 12345.678]), "n": [1, 20]})
    assert table.splitlines() == [
        "model       auc   n",
        "a           0.5   1",
        "longer  12345.7  20",
    ]


def test_html_is_escaped() -> None:
    page = html_table("a < b\nsecond line", {"x & y": ["<script>"]}, "c < d\ne")
    assert "<strong>a &lt; b<br>second line</strong>" in page
    assert ">second line</p>" in html_table("a\nsecond line", {"x": [1]})  # a note
    assert "&lt;script&gt;" in page
    assert "<details><summary>Method and notes</summary>c &lt; d<br>e</details></div>" in page
    assert "<script>" not in page
