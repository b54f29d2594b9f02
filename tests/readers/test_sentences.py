"""What a reader study says about itself: counts of readers, methods, tables, and notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rocbands as rb

EXAMPLE = rb.load_example("readers")


def study(*left_out: Any, readings: rb.Readings = EXAMPLE, **asked: Any) -> rb.results.ReaderStudy:
    """Compare the example without some readings, given as indices of tests, readers and cases."""
    scores = readings.scores.copy()
    for part in left_out:
        scores[part] = np.nan
    test, reader, case = np.nonzero(~np.isnan(scores))
    return rb.compare_readers(
        rb.Readings(
            readings.is_positive[case],
            scores[test, reader, case],
            reader=np.array(readings.readers)[reader],
            case=case,
            test=np.array(readings.tests)[test],
        ),
        **asked,
    )


def test_the_sentence_counts_the_readers_of_its_means() -> None:
    part = study((1, 0))  # A did not read the second test
    assert "on average over 5 readers" in part.sentence
    assert part.differences[0].estimates[0] == pytest.approx(part.areas[0, 1:].mean())
    assert "1 of 6 readers did not read 'unaided' and is left out" in part.notes[0]
    both = study((1, slice(2)))
    assert "2 of 6 readers did not read 'unaided' and are left out" in both.notes[0]
    nested = study((0, slice(2)), (1, slice(2, 6)))
    assert "on average over 4 and 2 different readers" in nested.sentence
    alone = study((0, slice(3)), algorithm="F")  # the algorithm is no reader
    assert "on average over 2 readers" in alone.sentence
    assert "on average over 6 readers" in study().sentence


def test_single_readers_name_the_method_that_judged_them() -> None:
    found = study(method=rb.readers.ObuchowskiRockette(covariance="jackknife"), algorithm="F")
    own: list[Any] = [
        *found.by_reader,
        *(area for area in found.algorithm_areas if area is not None),
    ]
    assert len(own) == 7
    for one in own:
        assert (one.method, dict(one.parameters)) == ("bounded", {"interval": "logit"})
    assert {one.interval_method for one in found.by_reader} == {"bounded"}
    assert {one.interval_method for one in found.differences} == {"obuchowski-rockette"}


@pytest.mark.parametrize("own_test", [False, True])
def test_the_table_of_readers_has_the_algorithm(own_test: bool) -> None:
    scores = np.full((3, 6, EXAMPLE.n_cases), np.nan)
    scores[:2, :5] = EXAMPLE.scores[:, :5]
    scores[2 if own_test else 0, 5] = EXAMPLE.scores[0, 5]
    test, reader, case = np.nonzero(~np.isnan(scores))
    readings = rb.Readings(
        EXAMPLE.is_positive[case],
        scores[test, reader, case],
        reader=np.array([*"ABCDE", "AI"])[reader],
        case=case,
        test=np.array([*EXAMPLE.tests, "alone"])[test],
    )
    found = rb.compare_readers(readings, algorithm="AI")
    cells = found.table("readers").columns()
    assert cells["reader"][-1] == "AI"
    assert cells["reader"].count("AI") == 1
    assert cells["test"][-1] == ("alone" if own_test else "aided")
    expected = rb.auc_interval(EXAMPLE.sample("F", "aided")).estimate
    assert cells["estimate"][-1] == pytest.approx(expected)
    assert cells["cases"][-1] == 100
    assert "; AI is counted among the readers." in str(found).replace("\n", " ")


def test_a_table_without_components_says_why() -> None:
    assert "Components need two readers" in " ".join(str(study((1, 0)).table("components")).split())
    assert "Components need two readers" not in str(study().table("components"))


def test_components_have_four_digits() -> None:
    found = study()
    text = str(found.table("components"))
    for name in ("var_r", "var_tr", "var", "cov1", "ms_t"):
        assert f"{found.components[name]:.4g}" in text
    assert " 100 " in text


def test_sides_of_limits_with_a_margin() -> None:
    text = " ".join(str(study(margin=0.05)).split())
    assert "(bounded, those of differences one-sided (greater))" in text
    assert "one-sided" not in str(study())


def test_a_tested_mean_is_in_the_sentence() -> None:
    found = study(readings=EXAMPLE.take(tests="aided"), null=0.8)
    assert "0.930), shown to differ from 0.8, on average" in found.sentence
    above = study(readings=EXAMPLE.take(tests="aided"), null=0.95, alternative="greater")
    assert "not shown to exceed 0.95" in above.sentence
    assert "P-values of means are for the test of AUC = 0.8." in str(found)


def test_notes_on_reversed_scores_and_few_readers() -> None:
    turned = rb.compare_readers(EXAMPLE.take(tests="aided"))
    assert not any("worse than guessing" in note for note in turned.notes)
    test, reader, case = np.indices(EXAMPLE.scores.shape).reshape(3, -1)
    flipped = rb.Readings(
        EXAMPLE.is_positive[case], -EXAMPLE.scores.ravel(), reader=reader, case=case, test=test
    )
    assert any("worse than guessing" in note for note in rb.compare_readers(flipped).notes)
    few = EXAMPLE.take(["A", "B", "C"])
    told = [
        " ".join(rb.compare_readers(few, method=name).notes) for name in ("bounded", "one-shot")
    ]
    assert all("3 readers say little about other readers" in notes for notes in told)
    assert ["simulated studies" in notes for notes in told] == [True, False]


def test_a_reader_written_in_two_ways() -> None:
    reader = np.array(["Dr. Lee"] * 20 + ["Dr. Wu"] * 20)
    reader[3] = "dr lee"
    case = np.tile(np.arange(20), 2)
    scores = np.random.default_rng(1).normal(size=40) + (case < 10)
    readings = rb.Readings(case < 10, scores, reader=reader, case=case)
    with pytest.raises(rb.InputError, match=r"'dr lee' read .* Or is it 'Dr\. Lee', written"):
        rb.compare_readers(readings)
    alone = rb.Readings(
        case < 10, scores, reader=np.where(reader == "dr lee", "X", reader), case=case
    )
    with pytest.raises(rb.InputError) as problem:
        rb.compare_readers(alone)
    assert "Or is it" not in str(problem.value)


def test_names_that_are_nearly_equal_are_noted() -> None:
    def notes(first: str, second: str) -> tuple[str, ...]:
        case = np.tile(np.arange(20), 2)
        scores = np.random.default_rng(1).normal(size=40) + (case < 10)
        reader = np.repeat([first, second], 20)
        return rb.Readings(case < 10, scores, reader=reader, case=case).notes

    assert notes("Dr. Lee", "dr lee") == (
        "'Dr. Lee' and 'dr lee' are taken for two readers: they differ in capitals, blanks, points "
        "or dashes only.",
    )
    for pair in (("1.1", "11"), ("A", "B"), ("CT", "CT+")):
        assert notes(*pair) == ()


def test_notes_have_the_numbers_of_the_method() -> None:
    def told(**asked: Any) -> str:
        shift = np.where(EXAMPLE.is_positive, 60.0, 0.0)
        test, reader, case = np.indices(EXAMPLE.scores.shape).reshape(3, -1)
        kept = np.isin(case, [*range(20), *range(80, 100)])
        readings = rb.Readings(
            EXAMPLE.is_positive[case][kept],
            (EXAMPLE.scores + shift).ravel()[kept],
            reader=reader[kept],
            case=case[kept],
            test=test[kept],
        )
        return " ".join(rb.compare_readers(readings, **asked).notes)

    assert "hold .90 to .97 of the time" in told()
    assert "up to .044 instead of .025" in told()
    for other in ("obuchowski-rockette", rb.readers.Bounded(interval="symmetric")):
        notes = told(method=other)
        assert "symmetric .95 limits of the mean of one test hold as little as .81" in notes
        assert "up to .112 instead of .025" in notes
        assert ".97" not in notes
    few = EXAMPLE.take(["A", "B", "C"])
    assert not any("simulated" in n for n in rb.compare_readers(few, random="readers").notes)


def test_a_threshold_beyond_the_scores_is_noted() -> None:
    found = study(metric="sensitivity", threshold=(50, 101))
    assert found.notes[0].startswith("No reading under 'unaided' is at or above 101; scores are")
    assert not any("'aided' is at" in note for note in found.notes)
    low = study(metric="specificity", threshold=-1)
    assert sum(note.startswith("Every reading under") for note in low.notes) == 2
    assert not any(
        "at or above" in note for note in study(metric="sensitivity", threshold=50).notes
    )


def test_the_better_test_comes_first_whatever_the_order() -> None:
    one, two = (study(readings=EXAMPLE.take(tests=order)) for order in (
        ["aided", "unaided"], ["unaided", "aided"]
    ))  # fmt: skip
    gap = one.differences[0]
    assert one.sentence == two.sentence
    assert one.sentence.startswith(
        f"aided has a higher AUC than unaided by {gap.difference:.3f} ({gap.low:.3f} to "
        f"{gap.high:.3f}): {gap.estimates[0]:.3f} (aided) and {gap.estimates[1]:.3f} (unaided) on "
    )
    assert one.verdict == two.verdict == "aided has a higher AUC than unaided."


def test_limits_on_both_sides_of_0_have_a_direction_each() -> None:
    few = study(readings=EXAMPLE.take(["A", "B"], tests=["unaided", "aided"]), level=0.99)
    gap = few.differences[0]
    assert gap.low < 0.0 < gap.high
    high, low = abs(gap.low), abs(gap.high)  # of aided minus unaided
    assert few.sentence.startswith(
        f"aided and unaided are not shown to differ in AUC: {-gap.difference:.3f} higher for aided "
        f"({low:.3f} lower to {high:.3f} higher); "
    )


@pytest.mark.parametrize("order", [["aided", "unaided"], ["unaided", "aided"]])
def test_non_inferiority_keeps_the_direction_and_has_one_limit(order: list[str]) -> None:
    found = study(readings=EXAMPLE.take(tests=order), margin=0.05)
    gap = found.differences[0]
    assert gap.names == tuple(order)
    assert f"{order[0]} {'is not' if order[0] == 'aided' else 'may be'} worse than {order[1]}" in (
        found.sentence
    )
    assert f"(difference {gap.difference:.3f}, at least {gap.low:.3f})" in found.sentence
    assert "1.000" not in found.sentence
    side = study(readings=EXAMPLE.take(tests=order), alternative="greater")
    words = "The AUC of aided is higher than that of unaided"
    if order[0] == "unaided":
        words = "unaided is not shown to have a higher AUC than aided"
    assert side.sentence.startswith(words)
    assert "at least" in side.sentence
    assert "1.000" not in side.sentence
    mean = study(readings=EXAMPLE.take(tests="aided"), alternative="greater", null=0.5)
    assert "(95% interval at least 0." in mean.sentence
    assert "1.000" not in mean.sentence


def test_a_single_pair_that_differs_is_named() -> None:
    rng = np.random.default_rng(2)
    test, reader, case = (part.ravel() for part in np.indices((3, 5, 120)))
    ill = case < 50
    score = rng.normal(size=ill.size) + rng.normal(size=120)[case]
    score += ill * np.array([0.6, 1.0, 1.5])[test]
    readings = rb.Readings(
        ill, score, reader=reader, case=case, test=np.array(["CT", "MR", "PET"])[test]
    )
    found = rb.compare_readers(readings)
    said = (
        "The largest difference, with limits for this pair alone: PET has a higher AUC than CT by"
    )
    assert said in found.sentence
    pairs = [gap.names for gap in found.differences]
    for holm, words in (
        ((0.5, 0.01, 0.2), f"{pairs[1][0]} and {pairs[1][1]} are shown to differ in AUC."),
        ((0.01, 0.01, 0.2), "2 of 3 pairs of tests are shown to differ in AUC."),
        ((0.5, 0.6, 0.2), "No two tests are shown to differ in AUC."),
    ):
        assert replace(found, joint=None, holm=holm).verdict == words
