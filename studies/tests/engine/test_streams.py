"""Random streams know the seed, the data, the replicate and the role, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies import Binormal, Finite, FixedClasses, RandomClasses, Streams, TrueCurve
from rocbands_studies.streams import describe, digest


def stream(**change: object) -> float:
    given = {"seed": 1, "data": "0f", "cell": "a1", "replicate": 3} | change
    return float(Streams(**given).own_rng("method").random())


def test_each_part_of_a_key_makes_another_stream() -> None:
    changes = [{}, {"seed": 2}, {"cell": "a2"}, {"replicate": 4}]
    assert len({stream(**change) for change in changes}) == len(changes)
    assert stream(data="0e") == stream()  # a cell's own stream does not depend on the data's name


def test_cells_on_the_same_data_see_the_same_draw() -> None:
    memory: dict[str, object] = {}

    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.random(3)

    one = Streams(1, "0f", "a1", 0, memory).draw_shared("data", draw)
    two = Streams(1, "0f", "a2", 0, memory).draw_shared("data", draw)
    alone = Streams(1, "0f", "a2", 0).draw_shared("data", draw)
    assert one is two
    np.testing.assert_array_equal(one, alone)


def test_two_ways_to_draw_do_not_get_in_each_others_way() -> None:
    memory: dict[str, object] = {}

    def numbers(rng: np.random.Generator) -> np.ndarray:
        return rng.random(3)

    def words(rng: np.random.Generator) -> str:
        return "words"

    streams = Streams(1, "0f", "a1", 0, memory)
    assert streams.draw_shared("data", words) == "words"
    assert streams.draw_shared("data", numbers).shape == (3,)


def test_a_description_is_the_whole_specification() -> None:
    cell = TrueCurve(Binormal(1.0), RandomClasses(25), rb.bands.FixedWidth(n_resamples=99))
    assert describe(cell)["method"]["n_resamples"] == 99
    others = [
        TrueCurve(Binormal(1.5), RandomClasses(25), rb.bands.FixedWidth(n_resamples=99)),
        TrueCurve(Binormal(1.0), RandomClasses(26), rb.bands.FixedWidth(n_resamples=99)),
        TrueCurve(Binormal(1.0), FixedClasses(12, 13), rb.bands.FixedWidth(n_resamples=99)),
        TrueCurve(Binormal(1.0), RandomClasses(25), rb.bands.FixedWidth(n_resamples=199)),
        TrueCurve(Binormal(1.0), RandomClasses(25), rb.bands.FixedWidth(n_resamples=99), 0.95),
    ]
    assert len({cell.key, *(other.key for other in others)}) == 6
    assert cell.source_key == others[3].source_key == others[4].source_key


def test_keys_do_not_change_between_versions() -> None:
    """A store made today must be readable tomorrow: this text is part of its format."""
    cell = TrueCurve(Binormal(1.0), RandomClasses(25), rb.bands.JointRegion())
    assert digest(describe(cell)) == cell.key
    assert TrueCurve(Binormal(1.0), RandomClasses(25), rb.bands.JointRegion()).key == cell.key
    assert float(Streams(1, "0f", "a1", 3).own_rng("method").random()) == pytest.approx(
        0.984287, abs=1e-6
    )


def test_scores_of_a_file_stand_in_a_key_by_their_digest() -> None:
    file = Finite(np.array([3.0, 2.0]), np.array([1.0]), "mine")
    assert describe(file) == {
        "kind": "Finite",
        "name": "mine",
        "replace": True,
        "digest": file.digest,
    }
    assert file.digest != Finite(np.array([3.0]), np.array([2.0, 1.0]), "mine").digest


def test_what_has_no_fixed_text_is_refused() -> None:
    with pytest.raises(TypeError, match="function has no fixed text"):
        describe({"population": lambda fpr: fpr})
