"""The sentences of a report claim no more than its numbers do."""

from __future__ import annotations

import re

import numpy as np

import rocbands as rb
from rocbands.reporting.sentences import describe_pair
from tests.reporting.conftest import payload_of

RNG = np.random.default_rng(4)
Y = RNG.random(300) < 0.3
GOOD = RNG.normal(size=300) + Y


def test_models_that_rank_the_wrong_way_round_are_asked_about() -> None:
    said = payload_of(Y, {"back": -GOOD, "good": GOOD})["headline"]
    assert re.match(r"back \(AUC 0\.2\d\d\) ranks positives below negatives: ", said[0])
    assert not any("good ranks" in line for line in said)


def test_no_better_than_guessing_is_said() -> None:
    noise = payload_of(Y, {"noise": RNG.normal(size=300)})["headline"]
    assert noise[0].startswith("noise is not shown to be better than guessing: the AUC is ")
    assert "guessing" not in " ".join(payload_of(Y, {"good": GOOD})["headline"])


def test_models_that_order_rows_alike_share_the_first_place() -> None:
    said = payload_of(Y, {"a": GOOD, "b": 2 * GOOD, "c": GOOD**3})["statistics"]
    assert said[1].startswith("a, b and c have the largest AUC, ")
    assert said[2] == "a and b rank all rows identically, so these rows cannot distinguish them."


def test_models_that_were_not_compared() -> None:
    """Counts do not say which scores belong to the same row."""
    two, one = (
        rb.report(rb.ScoreCounts.from_arrays(Y, models)).to_dict()["statistics"]
        for models in ({"a": GOOD, "b": -GOOD}, {"a": GOOD})
    )
    assert any("were not compared" in line for line in two)
    assert not any("compared" in line for line in one)


def test_the_interval_decides_what_is_said_of_a_pair() -> None:
    numbers = {"difference": -0.06, "low": -0.13, "high": 0.01, "adjusted_pvalue": 0.07}
    said = describe_pair("a", "b", numbers, [], 0.95, 3)
    assert said.startswith("The AUCs of a and b do not differ significantly")
    clear = describe_pair("a", "b", numbers | {"high": -0.01}, [], 0.95, 3)
    assert clear.endswith("by 0.0600 (95% interval 0.0100 to 0.1300, adjusted p = 0.07).")
