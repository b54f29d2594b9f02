"""The answer has the quantity of the question, in text, frames and JSON, and says it in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binom

import rocbands as rb
from rocbands._math.binomial import wilson_limits
from rocbands.core.thresholds import write_threshold
from rocbands.points.measures import Limited, compute_measures
from tests.points.test_measures import share, take
from tests.strategies import labelled_scores

SAMPLE = rb.load_example()
LOGISTIC = SAMPLE["logistic"]
IS_ILL, SCORES = SAMPLE.is_positive, LOGISTIC.values


@pytest.mark.parametrize(
    ("asked", "first", "among"),
    [
        ({"fpr": 0.1}, "fpr", {"tpr", "tpr_lower", "tpr_upper"}),
        ({"specificity": 0.9}, "specificity", {"sensitivity", "sensitivity_lower"}),
        ({"tpr": 0.8}, "tpr", {"fpr_lower"}),
        ({"sensitivity": 0.8}, "sensitivity", {"specificity_lower"}),
        ({"threshold": 0.5}, "threshold", {"fpr", "tpr_upper"}),
        ({"rate": 0.1}, "threshold", {"rate", "rate_lower", "precision", "precision_upper"}),
        ({"precision": 0.5}, "threshold", {"precision", "precision_lower", "recall"}),
        ({"best": "eer"}, "eer", {"eer_lower", "eer_upper", "threshold"}),
    ],
)
def test_the_answer_has_the_quantity_of_the_question(asked, first: str, among: set[str]) -> None:
    at = rb.operating_points(LOGISTIC, **asked)
    ((name, value),) = asked.items()
    assert at.asked == (f"best {value}" if name == "best" else name)
    for columns in (at.describe()[1], at.columns(), at.to_dict()["columns"]):
        assert next(iter(columns)) == first
        assert among <= set(columns)
    record = at.to_dict()
    assert record["asked"] == at.asked
    listed = [tuple(column) for column in record["columns"].values()]
    rates = ("fpr", "tpr") if first in ("eer", "specificity") else ()
    assert not set(rates) & set(record["columns"])
    assert len(listed) == len(record["columns"])


def test_notes_speak_in_the_words_of_the_question() -> None:
    at = SAMPLE.each(rb.operating_points, specificity=0.9)
    note = "At specificity 0.9 both classes share a score: no threshold has this point."
    assert at["neighbours"].notes == (note,)
    assert note in at["neighbours"].to_dict()["notes"]
    assert f"neighbours: {note}" in " ".join(str(at).split())
    assert "fpr" not in str(at)
    above = rb.operating_points(LOGISTIC, threshold=5, words="learning")
    assert any("precision, lr_pos" in note for note in above.notes)


def test_a_threshold_outside_the_scores_is_said_to_be_so() -> None:
    at = rb.operating_points(LOGISTIC, threshold=[5, -1, 0.5])
    assert "Threshold 5 is above all scores (highest 0.9999)." in at.notes
    assert any(note.startswith("Threshold -1 is below all scores (lowest ") for note in at.notes)
    assert at.sentence.startswith("At threshold 5, above all scores, nothing is called positive.")
    inside = rb.operating_points(LOGISTIC, threshold=[SCORES.min(), SCORES.max()])
    assert not any("all scores" in note for note in inside.notes)


def test_sentences() -> None:
    def say(**asked: object) -> str:
        return rb.operating_points(LOGISTIC, **asked).sentence  # type: ignore[arg-type]

    assert say(specificity=0.9) == (
        "At threshold 0.52 (specificity 0.9) it finds 69 of 100 positives (60 to 77 at exactly this "
        "specificity) and alarms on 10 of 100 negatives."
    )
    assert say(tpr=[0.8, 0.9]) == (
        "At tpr 0.8 it finds 80 of 100 positives and alarms on 17 of 100 negatives (12 to 27), between "
        "two thresholds; at threshold 0.3919 it finds 81 of 100 and alarms on 17 of 100. The table "
        "has 2 points."
    )
    assert say(threshold=0.5) == (
        "At threshold 0.5 it finds 69 of 100 positives (63 to 75) and alarms on 11 of 100 negatives "
        "(8 to 14)."
    )
    assert say(rate=0.1) == (
        "At threshold 0.935 it alarms on 10 of 100 cases (8 to 13) and finds 26 of 100 positives "
        "(21 to 32); 98 of 100 alarms (91 to 99.7) are right."
    )
    assert say(precision=0.9).endswith(" of 100 alarms (83 to 95) are right.")
    assert say(best="eer") == (
        "At the equal error rate, near threshold 0.356, it gets 19 of 100 (15 to 23) wrong, of the "
        "positives as of the negatives."
    )
    # Where both classes share scores, the curve has points that no threshold has.
    tied = rb.operating_points(SAMPLE["neighbours"], fpr=0.1).sentence
    assert tied.endswith(
        "between two thresholds; at threshold 0.66 it finds 41 of 100 and alarms on 8 of 100."
    )
    assert say(rate=0.0) == "Above all scores, nothing is called positive."


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_rate_of_a_threshold_is_the_share_of_rows_above_it(method: str) -> None:
    at = rb.operating_points(LOGISTIC, threshold=0.5, method=method, level=0.9)
    called = int((SCORES >= 0.5).sum())
    assert take(at, "rate") == pytest.approx(share(called, SCORES.size, method))


def test_rate_at_a_given_prevalence_is_a_mover_of_both_rates() -> None:
    p = 0.02
    at = rb.operating_points(LOGISTIC, threshold=0.5, prevalence=p)
    (v, v_low, v_high), (u, u_low, u_high) = take(at, "tpr"), take(at, "fpr")
    value = p * v + (1 - p) * u
    # Zou and Donner (2008), equation for a sum.
    low = value - np.hypot(p * (v - v_low), (1 - p) * (u - u_low))
    high = value + np.hypot(p * (v_high - v), (1 - p) * (u_high - u))
    assert take(at, "rate") == pytest.approx([value, low, high])
    fixed = rb.operating_points(LOGISTIC, fpr=0.1, prevalence=p)  # one rate varies: exact
    wanted = [p * v + (1 - p) * 0.1 for v in take(fixed, "tpr")]
    assert take(fixed, "rate") == pytest.approx(wanted)
    equal = rb.operating_points(LOGISTIC, best="eer", prevalence=p)
    wanted = [p * (1 - e) + (1 - p) * e for e in take(equal, "fpr")]
    assert take(equal, "rate") == pytest.approx(wanted)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.8])
def test_rate_at_a_given_prevalence_has_its_level(p: float) -> None:
    """Exact coverage, over all counts of two binomials; ignoring one rate is the control."""
    n_pos, n_neg, v, u = 30, 60, 0.7, 0.2
    tp, fp = (part.ravel() for part in np.mgrid[: n_pos + 1, : n_neg + 1])
    tpr = Limited(tp / n_pos, *wilson_limits(tp / n_pos, n_pos, 0.95))
    fpr = Limited(fp / n_neg, *wilson_limits(fp / n_neg, n_neg, 0.95))
    weight = binom.pmf(tp, n_pos, v) * binom.pmf(fp, n_neg, u)
    truth, known = p * v + (1 - p) * u, Limited(*(np.array(p),) * 3)

    def cover(one: Limited, two: Limited) -> float:
        found = compute_measures(one, two, known)
        inside = (found["rate_lower"] <= truth) & (truth <= found["rate_upper"])
        return float(weight[inside].sum())

    assert 0.93 < cover(fpr, tpr) < 0.985
    only = Limited(tpr.value, tpr.value, tpr.value) if p > 0.5 else tpr
    other = fpr if p > 0.5 else Limited(fpr.value, fpr.value, fpr.value)
    assert cover(other, only) < 0.93


@given(labelled_scores())
def test_a_threshold_in_words_calls_the_same_rows(data: tuple[np.ndarray, np.ndarray]) -> None:
    roc = rb.roc_curve(*data)
    scores = np.round(np.asarray(data[1], dtype=float), 5)
    rounded = rb.roc_curve(data[0], scores)
    for cut in rounded.thresholds[np.isfinite(rounded.thresholds)].tolist():
        text = write_threshold(rounded, cut)
        assert ((scores >= float(text)) == (scores >= cut)).all()
        assert "e" not in text or not 1e-5 <= abs(cut) < 1e16
    assert write_threshold(roc, 0.0) in ("0", "0.0", "-0")
