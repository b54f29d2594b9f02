"""Net benefit with limits, and the difference of two models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.data import read_pair
from rocbands.decision import net_benefit as decision
from rocbands.plot.canvas import BandPatch
from rocbands.resample.gaussian_maximum import CriticalValue

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "net_benefit_dcurves.json").read_text(encoding="utf-8")
)


def golden(model):
    rows = [(t, value) for name, t, value in GOLDEN["rows"] if name == model]
    return (np.array(side) for side in zip(*rows, strict=True))


@pytest.mark.parametrize("model", ["p", "q"])
def test_net_benefit_as_dcurves_has_it(model):
    t, value = golden(model)
    found = rb.net_benefit(GOLDEN["y"], GOLDEN[model], thresholds=t)
    np.testing.assert_allclose(found.net_benefit, value, atol=1e-12)
    np.testing.assert_allclose(found.treat_all, list(golden("all"))[1], atol=1e-12)
    assert (found.treat_none == 0).all()
    assert found.coverage == "simultaneous"


def test_difference_is_the_difference():
    t, _ = golden("p")
    gap = rb.net_benefit_difference(
        rb.Sample(GOLDEN["y"], {"new": GOLDEN["p"], "old": GOLDEN["q"]}), thresholds=t
    )
    one, two = (rb.net_benefit(GOLDEN["y"], GOLDEN[model], thresholds=t) for model in "pq")
    np.testing.assert_allclose(gap.difference, one.net_benefit - two.net_benefit, atol=1e-12)
    back = rb.net_benefit_difference(GOLDEN["y"], GOLDEN["q"], GOLDEN["p"], thresholds=t)
    np.testing.assert_allclose(gap.lower, -back.upper, atol=1e-12)
    assert "Net benefit of new minus that of old" in str(gap)
    same = rb.net_benefit_difference(GOLDEN["y"], GOLDEN["p"], GOLDEN["p"], thresholds=t)
    assert (same.difference == 0).all()
    assert (same.lower < 0).all()


@pytest.mark.simulation
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_limits_hold_about_as_often_as_they_say(prevalence):
    """400 sets of 150 rows: pointwise limits at one threshold, all of them for the simultaneous."""
    rng = np.random.default_rng(2)
    t = np.array([0.1, 0.3, 0.5])
    odds = t / (1 - t)
    share = 0.3 if prevalence is None else prevalence
    cells_pos, cells_neg = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.3, 0.15, 0.05])
    tpr, fpr = (np.cumsum(c[::-1])[::-1][1:] for c in (cells_pos, cells_neg))
    true = share * tpr - (1 - share) * odds * fpr
    levels = np.array([0.05, 0.2, 0.4, 0.6])
    held, together = np.zeros(3), 0
    for _ in range(400):
        y = rng.random(150) < 0.3
        p = np.where(
            y, levels[rng.choice(4, 150, p=cells_pos)], levels[rng.choice(4, 150, p=cells_neg)]
        )
        found = rb.net_benefit(y, p, thresholds=t, prevalence=prevalence, simultaneous=False)
        held += (found.net_benefit_lower <= true) & (true <= found.net_benefit_upper)
        whole = rb.net_benefit(y, p, thresholds=t, prevalence=prevalence)
        together += bool(
            ((whole.net_benefit_lower <= true) & (true <= whole.net_benefit_upper)).all()
        )
        assert (whole.net_benefit_lower <= found.net_benefit_lower + 1e-12).all()
    assert (held / 400 > 0.92).all()
    assert together / 400 > 0.93


@pytest.mark.simulation
def test_net_benefit_difference_holds_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        y = rng.random(150) < 0.3
        base = rng.random(150)
        one, two = (
            np.where(y, base**0.5, base**2),
            np.where(y, np.clip(base + 0.1 * rng.random(150), 0, 1), base),
        )
        found = rb.net_benefit_difference(y, one, two, thresholds=[0.4])
        # Model 1 treats base >= .16 of positives, base >= sqrt(.4) of negatives; model 2 by integration.
        true = 0.3 * (0.84 - (0.6 + 0.05)) - 0.7 * (2 / 3) * ((1 - 0.4**0.5) - 0.6)
        held += bool(found.lower[0] <= true <= found.upper[0])
    assert 0.92 < held / 400 < 0.985


def test_wrong_requests_are_refused():
    with pytest.raises(rb.InputError, match="must lie below 1"):
        rb.net_benefit([1, 0], [0.5, 0.2], thresholds=[1.0])
    with pytest.raises(rb.InputError, match="Pass probabilities"):
        rb.net_benefit([1, 0], [5.0, 0.2], thresholds=[0.5])


@pytest.mark.parametrize(("kind", "prevalence"), [("rows", None), ("given", 0.1)])
def test_default_thresholds_of_the_example_as_dcurves_has_them(kind, prevalence):
    sample = rb.load_example()
    for model in sample.models:
        found = rb.net_benefit(sample[model], prevalence=prevalence)
        values = GOLDEN["example"][kind]
        np.testing.assert_allclose(found.net_benefit, values[model], atol=1e-12)
        np.testing.assert_allclose(found.treat_all, values["all"], atol=1e-12)
        best = np.maximum(values["all"], values["none"])
        np.testing.assert_allclose(found.difference, values[model] - best, atol=1e-12)


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_lead_over_treating_all_is_that_of_swapped_classes(simultaneous, prevalence):
    """Not treating at risk 1 - t is worth odds times as much as treating those without disease."""
    t = np.array([0.043, 0.171, 0.333, 0.617])  # no predicted probability
    odds = t / (1 - t)
    y, p = np.array(GOLDEN["y"]), np.array(GOLDEN["p"])
    tolerance = 0.005 if simultaneous else 1e-12  # the critical values are drawn separately
    found = rb.net_benefit(y, p, thresholds=t, simultaneous=simultaneous, prevalence=prevalence)
    back = rb.net_benefit(
        1 - y, 1 - p, thresholds=1 - t, simultaneous=simultaneous,
        prevalence=None if prevalence is None else 1 - prevalence,
    )  # fmt: skip
    np.testing.assert_allclose(
        found.difference, np.minimum(found.net_benefit, odds * back.net_benefit), atol=1e-12
    )
    for end, own, other in (
        ("difference_lower", found.net_benefit_lower, back.net_benefit_lower),
        ("difference_upper", found.net_benefit_upper, back.net_benefit_upper),
    ):
        known = np.minimum(own, odds * other)
        np.testing.assert_allclose(getattr(found, end), known, atol=tolerance)


def test_at_a_given_prevalence_treating_all_has_no_error():
    found = rb.net_benefit(GOLDEN["y"], GOLDEN["p"], prevalence=0.25)
    np.testing.assert_allclose(
        found.difference_lower, found.net_benefit_lower - found.baseline, atol=1e-12
    )
    np.testing.assert_allclose(
        found.difference_upper, found.net_benefit_upper - found.baseline, atol=1e-12
    )
    # Where it is estimated, errors of the model and of treating all cancel in part.
    free = rb.net_benefit(GOLDEN["y"], GOLDEN["p"], thresholds=[0.1])
    assert (
        free.difference_upper - free.difference_lower
        < free.net_benefit_upper - free.net_benefit_lower
    )


def test_where_it_is_better():
    sample = rb.load_example()
    found = rb.net_benefit(sample["neighbours"])
    (part,) = found.better
    assert part.model == 1
    inside = (found.threshold >= part.low) & (found.threshold <= part.high)
    np.testing.assert_array_equal(inside, found.difference_lower > 0)
    assert found.sentence == (
        "Treating by this model is better than both treating all and treating none at threshold "
        "probabilities from 17% to 61%."
    )
    text, rows = found.describe()
    assert "12 of 99 thresholds" in text
    assert len(rows["threshold"]) == 12
    assert "treat_none" not in rows
    assert len(found.to_csv().splitlines()) == 100
    assert found.to_dict()["better"]


def test_pointwise_limits_of_several_thresholds_claim_nothing():
    sample = rb.load_example()
    found = rb.net_benefit(sample["neighbours"], simultaneous=False)
    assert found.coverage == "pointwise"
    assert found.simulation is None
    assert found.better == ()
    assert found.to_dict()["better"] == []
    assert found.sentence == (
        "Pointwise limits exclude 0 at threshold probabilities from 15% to 65%; with 99 thresholds "
        "some do by chance."
    )
    gap = rb.net_benefit_difference(sample, thresholds=[0.3, 0.4, 0.99], simultaneous=False)
    assert gap.better == ()
    assert gap.sentence == (
        "Pointwise limits exclude 0 at threshold probabilities of 30% and 40%; with 3 thresholds "
        "some do by chance."
    )
    none = rb.net_benefit_difference(sample, thresholds=[0.98, 0.99], simultaneous=False)
    assert none.sentence.endswith("may be chance at every threshold probability.")
    assert "95% pointwise confidence limits" in repr(none)
    same = rb.net_benefit(sample["neighbours"], thresholds=[0.01, 0.02], simultaneous=False)
    assert same.sentence.startswith("At no threshold probability")


def test_sentences_of_few_thresholds():
    sample = rb.load_example()["logistic"]
    assert rb.net_benefit(sample, thresholds=[0.3, 0.1]).sentence.endswith(
        "at threshold probabilities of 10% and 30%."
    )
    assert rb.net_benefit(sample, thresholds=[0.01, 0.1]).sentence.endswith(
        "at a threshold probability of 10%."
    )
    one = rb.net_benefit(sample, thresholds=0.2)
    assert one.sentence == (
        "At a threshold probability of 20% treating by this model is worth 7.5 true positives per "
        "100 cases more than treating all (5.3 to 9.1); it is better than both treating all and "
        "treating none."
    )
    assert rb.net_benefit(sample, thresholds=0.02).sentence.endswith(
        "0.1 true positives per 100 cases more than treating all (0.6 less to 0.1 more); that may "
        "be chance."
    )
    assert "than treating none" in rb.net_benefit(sample, thresholds=0.5).sentence


def test_a_model_that_misleads_is_called_worse():
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    p = np.clip(0.3 - 0.25 * y + 0.2 * rng.random(400), 0, 1)
    found = rb.net_benefit(y, p)
    assert found.sentence.startswith("At no threshold probability is treating by this model shown")
    assert "It is worse than one of them" in found.sentence
    assert {part.model for part in found.better} == {2}
    assert rb.net_benefit(y, p, thresholds=[0.3]).sentence.endswith("it is worse.")


def test_difference_in_words():
    sample = rb.load_example()
    gap = rb.net_benefit_difference(sample)
    assert gap.sentence == (
        "logistic has more net benefit than neighbours at threshold probabilities between 8% and "
        "74%, with gaps."
    )
    back = rb.net_benefit_difference(sample[["neighbours", "logistic"]])
    assert back.sentence == gap.sentence
    one = rb.net_benefit_difference(sample, thresholds=0.3)
    assert one.sentence == (
        "At a threshold probability of 30% logistic is worth 4.7 true positives per 100 cases more "
        "than neighbours (2.1 to 7.4)."
    )
    same = rb.net_benefit_difference(GOLDEN["y"], GOLDEN["p"], GOLDEN["p"], thresholds=[0.1, 0.2])
    assert "may be chance at every threshold" in same.sentence
    ax = gap.plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "logistic has more, by at least this" in texts


def test_picture_draws_what_the_sentence_says():
    """The lower edge of the band is above both lines exactly where the model is called better."""
    found = rb.net_benefit(rb.load_example()["neighbours"])
    ax = found.plot(label="p")
    texts = [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
    assert texts == [
        "Treat all", "Treat none", "p", "Lead of at least this",
        "95% limits of the lead, all thresholds", "Better than both",
    ]  # fmt: skip
    (band,) = (patch for patch in ax.patches if isinstance(patch, BandPatch))
    edge = band.get_xy()[found.threshold.size : 2 * found.threshold.size][::-1, 1]
    above = edge > np.maximum(found.treat_all, 0) + 1e-12
    np.testing.assert_array_equal(above, found.difference_lower > 0)
    (bar,) = (patch for patch in ax.patches if patch.get_label() == "Better than both")
    low = bar.get_xy()[0]
    assert (low, low + bar.get_width()) == pytest.approx(found.better[0][1:])


def test_picture_of_a_few_thresholds_claims_nothing_between_them():
    found = rb.net_benefit(rb.load_example()["neighbours"], thresholds=[0.05, 0.3, 0.5])
    ax = found.plot(label="p")
    assert not [patch for patch in ax.patches if isinstance(patch, BandPatch)]
    bars = [patch for patch in ax.patches if patch.get_label() == "Better than both"]
    middles = [bar.get_xy()[0] + bar.get_width() / 2 for bar in bars]
    assert middles == pytest.approx(found.threshold[found.difference_lower > 0])
    gap = rb.net_benefit_difference(rb.load_example(), thresholds=0.3)
    ax = gap.plot()
    assert ax.collections


def test_a_single_threshold_beside_a_range_is_named_without_two_prepositions() -> None:
    from dataclasses import replace

    found = rb.net_benefit(rb.load_example()["logistic"], thresholds=np.arange(1, 21) / 100)
    low = np.full(20, -0.01)
    low[[2, *range(5, 12)]] = 0.001
    value = np.full(20, 0.002)
    shown = replace(found, difference=value, difference_lower=low, difference_upper=value)
    assert "at threshold probabilities of 3% and of 6% to 12%." in shown.sentence


def test_two_test_sets_with_common_clusters_of_one_row():
    """Rows of the same patients correlate the sets, one row of each patient or two alike."""
    rng = np.random.default_rng(4)
    y, patient = rng.permutation(np.arange(60) % 2), np.arange(60)
    effect = rng.normal(size=60)
    first, second = 1 / (1 + np.exp(-rng.normal(size=(2, 60)) - 3 * effect - 2 * y))

    def compare(code, n=1):
        sets = (y, first, patient), (y[::-1], second[::-1], code[::-1])
        both = (
            rb.Sample(np.repeat(labels, n), np.repeat(scores, n), clusters=np.repeat(clusters, n))
            for labels, scores, clusters in sets
        )
        found = rb.net_benefit_difference(*both, thresholds=[0.2, 0.5], prevalence=0.3)
        return np.array([found.lower, found.upper])

    common, apart = compare(patient), compare(patient + 100)
    assert (np.diff(common, axis=0) < np.diff(apart, axis=0)).all()
    np.testing.assert_allclose(compare(patient, 2), common, atol=0.02)
    np.testing.assert_allclose(compare(patient + 100, 2), apart, atol=0.02)


def test_a_level_near_0_has_limits_near_the_estimate() -> None:
    y, score = [0, 1, 0, 1, 1], [0.1, 0.7, 0.4, 0.9, 0.2]
    sample = rb.Sample(y, score, clusters=[0, 0, 1, 1, 2], strata=[0, 0, 1, 1, 0])
    found = rb.net_benefit(sample, thresholds=[0.05, 0.5], level=1e-9, simultaneous=False)
    width = found.net_benefit_upper - found.net_benefit_lower
    np.testing.assert_allclose(width, 0.0, atol=1e-6)


# ---------------------------------------------------------------------------- simultaneous limits

ROWS = np.arange(60)
LABELS = ROWS % 3 == 0
ONE, TWO = ((7 * ROWS % 60) + 12 * LABELS + 0.5) / 80, ((11 * ROWS % 60) + 8 * LABELS + 0.5) / 80
FOUR = np.array([0.1, 0.3, 0.5, 0.7])
# From a separate prototype of the specification, at the critical value 2.8: the difference of both
# models, by prevalence that is given, and both leads of the first model.
DIFFERENCES = {
    None: {
        "value": (0.0, 0.033333, 0.016667, 0.016667),
        "pseudo row": (0.016667, 0.016667, 0.016667, 0.038889),
        "lower": (-0.096537, -0.146335, -0.268591, -0.352695),
        "upper": (0.096537, 0.215045, 0.300699, 0.385152),
    },
    0.05: {
        "value": (0.0, 0.005, 0.0025, 0.0025),
        "pseudo row": (0.002639, 0.010179, 0.023750, 0.055417),
        "lower": (-0.028786, -0.126807, -0.302136, -0.457786),
        "upper": (0.028786, 0.136569, 0.307046, 0.462745),
    },
}
POINTWISE = {
    "lower": (-0.061445, -0.086077, -0.174261, -0.227513),
    "upper": (0.061445, 0.154345, 0.206904, 0.260388),
}
DIAGONAL = (0.00003487, 0.00327876, 0.00931733, 0.01176554)
NEIGHBOURS = (0.089296, 0.488865, 0.383329)
LEADS = {
    "none": (0.268519, 0.095238, -0.066667, -0.033333),
    "none, lower": (0.095663, -0.098031, -0.299260, -0.356837),
    "none, upper": (0.474242, 0.324341, 0.173051, 0.154929),
    "all": (0.009259, 0.047619, 0.266667, 1.188889),
    "all, lower": (-0.085743, -0.114860, -0.021295, 0.602220),
    "all, upper": (0.025735, 0.152449, 0.515926, 1.684976),
}


@pytest.fixture
def at_28(monkeypatch):
    """The critical value 2.8 in place of a drawn one."""
    given = CriticalValue(2.8, 0.0)
    monkeypatch.setattr(decision, "find_critical_value", lambda *_: given)


@pytest.mark.parametrize("prevalence", DIFFERENCES)
def test_difference_of_a_separate_prototype(at_28, prevalence):
    known = DIFFERENCES[prevalence]
    found = rb.net_benefit_difference(LABELS, ONE, TWO, thresholds=FOUR, prevalence=prevalence)
    np.testing.assert_allclose(found.difference, known["value"], atol=6e-7)
    np.testing.assert_allclose(found.lower, known["lower"], atol=6e-7)
    np.testing.assert_allclose(found.upper, known["upper"], atol=6e-7)
    _, (error,), _ = decision._compare(read_pair(LABELS, ONE, TWO), FOUR, prevalence)
    np.testing.assert_allclose(error.pseudo_row, known["pseudo row"], atol=6e-7)
    if prevalence is None:
        only = error.sums.counts[:, :4]
        expected = [(0, 0, 5, 5), (5, 3, 10, 10), (7, 6, 10, 10), (5, 4, 3, 3)]
        np.testing.assert_array_equal(only, expected)
        np.testing.assert_allclose(np.diag(error.covariance), DIAGONAL, atol=6e-9)
        spread = np.sqrt(np.diag(error.covariance) + error.pseudo_row**2)
        correlation = error.covariance / np.outer(spread, spread)
        np.testing.assert_allclose(np.diag(correlation, 1), NEIGHBOURS, atol=6e-7)


def test_pointwise_limits_of_a_separate_prototype():
    found = rb.net_benefit_difference(LABELS, ONE, TWO, thresholds=FOUR, simultaneous=False)
    np.testing.assert_allclose(found.lower, POINTWISE["lower"], atol=6e-7)
    np.testing.assert_allclose(found.upper, POINTWISE["upper"], atol=6e-7)


def test_leads_of_a_separate_prototype(at_28):
    found = rb.net_benefit(LABELS, ONE, thresholds=FOUR)
    np.testing.assert_allclose(found.net_benefit, LEADS["none"], atol=6e-7)
    np.testing.assert_allclose(found.net_benefit_lower, LEADS["none, lower"], atol=6e-7)
    np.testing.assert_allclose(found.net_benefit_upper, LEADS["none, upper"], atol=6e-7)
    lead = np.minimum(LEADS["none"], LEADS["all"])
    np.testing.assert_allclose(found.difference, lead, atol=6e-7)
    for end in ("lower", "upper"):
        known = np.minimum(LEADS[f"none, {end}"], LEADS[f"all, {end}"])
        np.testing.assert_allclose(getattr(found, f"difference_{end}"), known, atol=6e-7)


def test_lead_over_all_of_a_separate_prototype(monkeypatch):
    """With swapped classes it is the lead over none, in units of one positive: times the odds."""
    monkeypatch.setattr(decision, "find_critical_value", lambda *_: CriticalValue(2.8, 0.0))
    found = rb.net_benefit(~LABELS, np.nextafter(1 - ONE, 0), thresholds=1 - FOUR)
    odds = FOUR / (1 - FOUR)
    np.testing.assert_allclose(odds * found.net_benefit, LEADS["all"], atol=6e-7)
    np.testing.assert_allclose(odds * found.net_benefit_lower, LEADS["all, lower"], atol=6e-7)
    np.testing.assert_allclose(odds * found.net_benefit_upper, LEADS["all, upper"], atol=6e-7)


EXAMPLE = rb.load_example()
GIVEN = {
    "rows": {},
    "clusters": {"clusters": np.arange(EXAMPLE.n) // 3},
    "weights": {"weights": 1.0 + np.arange(EXAMPLE.n) % 3},
    "strata": {"strata": np.arange(EXAMPLE.n) % 4},
}


def read_limits(found):
    names = ("difference_lower", "difference", "difference_upper")
    if isinstance(found, rb.results.NetBenefitDifference):
        names = ("lower", "difference", "upper")
    return np.array([getattr(found, name) for name in names])


def ask_both(sample, **how):
    """Limits of the first model's lead, and of the difference."""
    found = (
        rb.net_benefit(sample[sample.models[0]], **how),
        rb.net_benefit_difference(sample, **how),
    )
    return np.array([read_limits(one) for one in found])


@pytest.mark.parametrize("design", GIVEN)
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_simultaneous_limits_contain_pointwise_ones(design, prevalence):
    sample = EXAMPLE.replace(**GIVEN[design])
    together = ask_both(sample, prevalence=prevalence)
    each = ask_both(sample, prevalence=prevalence, simultaneous=False)
    np.testing.assert_array_equal(together[:, 1], each[:, 1])
    assert (together[:, 0] <= each[:, 0]).all()
    assert (each[:, 2] <= together[:, 2]).all()


@pytest.mark.parametrize("design", GIVEN)
def test_one_threshold_has_pointwise_limits(design):
    sample = EXAMPLE.replace(**GIVEN[design])
    together, each = (ask_both(sample, thresholds=0.3, simultaneous=one) for one in (True, False))
    np.testing.assert_array_equal(together, each)
    assert rb.net_benefit_difference(sample, thresholds=0.3).coverage == "pointwise"
    assert rb.net_benefit_difference(sample, thresholds=0.3).better


@pytest.mark.parametrize("design", GIVEN)
def test_order_names_and_scale_change_nothing(design):
    given = GIVEN[design]
    sample = EXAMPLE.replace(**given)
    known = ask_both(sample)
    order = np.random.default_rng(1).permutation(EXAMPLE.n)
    np.testing.assert_allclose(ask_both(sample.take(order)), known, atol=1e-9)
    if "weights" in given:
        scaled = EXAMPLE.replace(weights=7.0 * given["weights"])
        np.testing.assert_allclose(ask_both(scaled), known, atol=1e-9)
    if "clusters" in given:
        renamed = EXAMPLE.replace(clusters=1000 - given["clusters"])
        np.testing.assert_allclose(ask_both(renamed), known, atol=1e-9)
    one, two = sample.models
    gap = read_limits(rb.net_benefit_difference(sample[[two, one]]))
    np.testing.assert_allclose(-gap[::-1], known[1], atol=1e-9)
    turned = rb.net_benefit_difference(sample, thresholds=np.arange(99, 0, -1) / 100)
    np.testing.assert_allclose(read_limits(turned)[:, ::-1], known[1], rtol=0.05, atol=0.002)


def test_exchanged_test_sets_change_signs_only():
    half = np.arange(EXAMPLE.n) % 2 == 0
    sets = EXAMPLE["logistic"].take(half), EXAMPLE["neighbours"].take(~half)
    one, two = (read_limits(rb.net_benefit_difference(*pair)) for pair in (sets, sets[::-1]))
    np.testing.assert_allclose(one, -two[::-1], atol=1e-12)


def test_the_draws_are_described_and_repeat():
    found = rb.net_benefit(EXAMPLE["logistic"], n_resamples=500, rng=3)
    assert (found.simulation.n_resamples, found.simulation.seed) == (500, 3)
    assert found.simulation.error > 0
    assert any(note.startswith("500 resamples, seed 3") for note in found.notes)
    again = rb.net_benefit(EXAMPLE["logistic"], n_resamples=500, rng=3)
    np.testing.assert_array_equal(again.difference_lower, found.difference_lower)
    for how in ({"n_resamples": 3}, {"rng": -1}, {"simultaneous": "no"}):
        with pytest.raises(rb.InputError):
            rb.net_benefit(EXAMPLE["logistic"], **how)


def test_models_without_any_difference_have_limits_around_0():
    found = rb.net_benefit_difference(LABELS, ONE, ONE, thresholds=FOUR)
    np.testing.assert_array_equal(found.difference, 0.0)
    assert (found.lower < 0).all()
    assert (found.upper > 0).all()
