"""The sentence that says which model to use: its numbers are those of the functions."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.auc.chosen import limit_chosen
from rocbands.core.phrases import in_100, name_cases
from rocbands.overview.goals import AtFpr, Candidates
from rocbands.overview.recommendation import recommend


@pytest.fixture(scope="module")
def sample():
    return rb.load_example()


def with_models(sample, **more):
    return rb.Sample(sample.is_positive, {m: sample[m].values for m in sample} | more)


def test_sentence_of_two_models(sample):
    found = recommend(sample)
    assert found.sentence == (
        "Use logistic. At threshold 0.51 it finds 69 of 100 malignant cases (59 to 77) and alarms "
        "on 10 of 100 benign ones; neighbours finds 23 fewer (11 to 36). The threshold is for at "
        "most 10 false alarms in 100 benign ones."
    )
    gap = rb.compare_tpr(sample, fpr=0.1)
    assert (found.difference, found.difference_low) == (gap.difference, gap.low)
    assert found.difference_high == gap.high

    def limits(level):
        at = rb.operating_points(sample["logistic"], fpr=0.1, level=level)
        return at.tpr_lower[0], at.tpr_upper[0]

    assert (found.tpr_low, found.tpr_high) == limit_chosen(limits, 0.95, 2)
    assert found.rival == "neighbours"
    assert found.alike == ()


def test_one_model_has_its_own_limits_and_no_advice(sample):
    found = recommend(sample["logistic"])
    at = rb.operating_points(sample["logistic"], fpr=0.1)
    assert (found.tpr, found.tpr_low, found.tpr_high) == (
        at.tpr[0],
        at.tpr_lower[0],
        at.tpr_upper[0],
    )
    assert (found.threshold, found.fpr) == (at.threshold[0], at.threshold_fpr[0])
    assert "Use" not in found.sentence
    assert found.rival is None
    assert found.difference is None


def test_no_advice_on_a_difference_that_may_be_chance(sample):
    both = with_models(sample, near=sample["logistic"].values + 0.1 * sample["neighbours"].values)
    found = recommend(both[["logistic", "near"]])
    assert found.sentence.startswith(
        "With at most 10 false alarms in 100 negatives, near and logistic cannot be told apart on "
        "these rows."
    )
    assert found.sentence.endswith("fewer, which may be chance.")  # its limits have two directions
    assert found.difference_low <= 0.0 <= found.difference_high


def test_limits_of_differences_are_for_all_pairs(sample):
    rng = np.random.default_rng(1)
    five = with_models(
        sample,
        noise=rng.random(sample.n),
        blurred=sample["logistic"].values + rng.normal(size=sample.n),
        shifted=sample["neighbours"].values + 0.01 * rng.normal(size=sample.n),
    )
    found = recommend(five)
    gap = rb.compare_tpr(five[[found.model, found.rival]], fpr=0.1, level=1 - 0.05 / 10)
    assert (found.difference, found.difference_low, found.difference_high) == (
        gap.difference,
        gap.low,
        gap.high,
    )


def test_costs_are_judged_on_rows_that_did_not_choose(sample):
    found = recommend(sample, costs=(5, 1), rng=3)
    assert "chosen on one half of the rows and judged on the other" in found.sentence
    assert found.cost_low < found.cost < found.cost_high
    assert found.goal == "costs"
    # by hand: split the rows, choose, judge
    from rocbands.cost.thresholds import choose_half

    first = choose_half(sample, 3)
    chosen, judged = sample.take(first)[found.model], sample.take(~first)[found.model]
    w = rb.operating_condition(5, 1, judged.n_pos / judged.n)
    cut = rb.cost_thresholds(chosen, w=w)
    assert found.threshold == cut.thresholds[0]
    called = judged.values >= found.threshold
    missed, alarms = (~called & judged.is_positive).sum(), (called & ~judged.is_positive).sum()
    assert found.cost == pytest.approx(1000 * (5 * missed + alarms) / judged.n)
    assert found.fpr == alarms / judged.n_neg


def test_counts_choose_costs_on_the_same_rows_and_say_so(sample):
    counts = rb.ScoreCounts.from_arrays(sample.is_positive, {m: sample[m].values for m in sample})
    found = recommend(counts, costs=(5, 1))
    assert "optimistic" in found.sentence
    assert "Use" not in found.sentence
    assert "not tested" in found.notes[0]


def test_rate(sample):
    found = recommend(sample, rate=0.1)
    own, gap = (rb.rate_bounds(sample["logistic"], rate=0.1), rb.rate_difference(sample, rate=0.1))
    assert found.tpr == own.tpr[0]
    assert (found.difference, found.difference_low) == (gap.difference[0], gap.lower[0])
    assert found.sentence.startswith("Use logistic. Acting on 10 of 100 cases at threshold 0.935,")


def test_prevalence_adds_the_share_of_alarms_that_are_right(sample):
    found = recommend(sample["logistic"], prevalence=0.02)
    at = rb.operating_points(sample["logistic"], threshold=found.threshold, prevalence=0.02)
    assert (found.ppv, found.ppv_low, found.ppv_high) == (
        at.ppv[0],
        at.ppv_lower[0],
        at.ppv_upper[0],
    )
    assert "at a prevalence of 2% 13 of 100 alarms" in found.sentence


def test_designs_without_comparison_give_no_advice(sample):
    scores = {m: sample[m].values for m in sample}
    for data in (
        rb.Sample(sample.is_positive, scores, folds=sample.kept["fold"]),
        rb.ScoreCounts.from_arrays(sample.is_positive, scores),
        {m: sample[m].roc for m in sample},
    ):
        found = recommend(data)
        assert "may be chance" not in found.sentence  # nothing was tested
        assert "the models were not compared: " in found.sentence
        assert "Use" not in found.sentence
        assert found.difference is None
        assert "not tested" in found.notes[0]


def test_why_models_were_not_compared(sample):
    curves = {m: sample[m].roc for m in sample}
    assert recommend(curves).sentence.startswith(
        "logistic finds most on these rows; the models were not compared: counts do not say which "
        "scores belong to the same row. At threshold"
    )
    scores = {m: sample[m].values for m in sample}
    weights = np.random.default_rng(0).uniform(0.5, 2.0, sample.n)
    weighted = recommend(rb.Sample(sample.is_positive, scores, weights=weights))
    assert weighted.sentence.startswith("Use logistic. At threshold")  # weights are used
    folded = recommend(rb.Sample(sample.is_positive, scores, folds=sample.kept["fold"]))
    assert "not compared: differences of the folds' mean AUC have no limits" in folded.sentence


def draw_models(shifts, n=300, seed=11):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.35
    return rb.Sample(y, {name: rng.normal(shift * y) for name, shift in shifts.items()})


@pytest.mark.parametrize(
    ("goal", "begins"),
    [
        ({}, "With at most 10 false alarms in 100 negatives, "),
        ({"rate": 0.1}, "Acting on 10 of 100 cases, "),
        ({"costs": (5, 1)}, "At these costs, "),
    ],
)
def test_areas_may_tell_apart_what_one_rate_does_not(goal, begins):
    """The first sentence agrees with `compare_many`, and says what its own statement is about."""
    said = []
    for seed in range(8):
        models = draw_models({"a": 1.5, "b": 1.1, "c": 0.9}, seed=seed)
        found = recommend(models, **goal)
        if not found.alike:
            assert "by AUC" not in found.sentence
            continue
        assert found.sentence.startswith(begins)
        many = rb.compare_many(models)
        near = {found.model, *found.alike}
        areas = dict(zip(many.names, many.estimates, strict=True))
        top = max(near, key=areas.get)
        lower = [
            (one if two == top else two)
            for (one, two), p in zip(
                [(many.names[i], many.names[j]) for i, j in many.pairs], many.pvalues, strict=True
            )
            if p < 0.05 and top in (one, two) and {one, two} <= near
        ]
        clause = re.search(r"; by AUC (\w) is higher( than ([\w ]+))?\.", found.sentence)
        assert (clause is not None) == bool(lower)
        if clause is not None:
            assert clause[1] == top
            named = clause[3].split(" and ") if clause[3] else sorted(near - {top})
            assert sorted(named) == sorted(lower)
        said.append(bool(lower))
    assert True in said


def test_clusters_are_compared(sample):
    scores = {m: sample[m].values for m in sample}
    found = recommend(rb.Sample(sample.is_positive, scores, clusters=np.arange(sample.n) // 3))
    assert found.sentence.startswith("Use logistic.")


def test_folds_have_no_threshold(sample):
    scores = sample["logistic"].values
    folded = rb.Sample(sample.is_positive, scores, folds=sample.kept["fold"])
    found = recommend(folded)
    auc = rb.fold_auc_interval(folded)
    assert (found.auc, found.auc_low, found.auc_high) == (auc.estimate, auc.low, auc.high)
    assert found.threshold is None
    assert "no threshold is given" in found.sentence


def test_reversed_scores_are_asked_about(sample):
    turned = rb.Sample(~sample.is_positive, {m: sample[m].values for m in sample})
    found = recommend(turned)
    assert found.reversed
    assert found.sentence == (
        "neighbours ranks positives below negatives: is the right label the positive one?"
    )


def test_separated_classes_have_the_highest_threshold_that_finds_all():
    found = recommend(rb.Sample([1] * 50 + [0] * 80, [*range(200, 150, -1), *range(80)]))
    assert (found.threshold, found.tpr, found.fpr) == (151, 1.0, 0.0)
    assert "finds 100 of 100 positives (93 to 100) and alarms on 0 of 100" in found.sentence


def test_tied_scores_find_nothing():
    found = recommend(rb.Sample([1, 1, 0, 0] * 10, [1] * 40))
    assert found.sentence == (
        "The model may be no better than guessing. It finds no positives with at most 10 false "
        "alarms in 100 negatives."
    )


def test_hard_predictions_have_one_threshold(sample):
    calls = (sample["logistic"].values > 0.5).astype(int)
    found = recommend(rb.Sample(sample.is_positive, calls))
    assert found.sentence == (
        "The model finds no positives with at most 10 false alarms in 100 negatives. At threshold "
        "1 it finds 69 of 100 positives (63 to 75) and alarms on 11 of 100 negatives: no score is "
        "higher."
    )
    two = {"a": calls, "b": (sample["neighbours"].values > 0.5).astype(int)}
    both = recommend(rb.Sample(sample.is_positive, two)).sentence
    assert both.startswith("a finds no positives")
    assert "fewer" not in both


def test_one_positive():
    found = recommend(rb.Sample([1] + [0] * 50, [99, *range(50)]))
    assert "finds 100 of 100 positives (21 to 100)" in found.sentence
    assert "1 positive and 50 negatives are few" in found.notes[0]


def test_guessing_is_said():
    rng = np.random.default_rng(0)
    found = recommend(rb.Sample(rng.random(300) < 0.4, rng.random(300)))
    assert found.sentence.startswith("The model may be no better than guessing.")


def test_rare_positives_have_a_lower_rate():
    rng = np.random.default_rng(0)
    y = np.arange(20_000) < 40
    found = recommend(rb.Sample(y, y * 2.5 + rng.normal(size=y.size)))
    assert found.at == 0.001
    assert "at most 1 false alarm in 1000 negatives" in found.sentence


@pytest.mark.parametrize(
    ("positive", "negative", "names"),
    [
        ("spam", "ham", ("spam cases", "ham ones")),
        ("yes", "no", ("positives", "negatives")),
        (1, 0, ("positives", "negatives")),
        ("ill", None, ("positives", "negatives")),
        ("1", "0", ("positives", "negatives")),
        ("positive", "negative", ("positives", "negatives")),
    ],
)
def test_names_of_cases(positive, negative, names):
    assert name_cases(positive, negative) == names


@pytest.mark.parametrize(
    "wrong",
    [
        {"fpr": 0.1, "rate": 0.2},
        {"fpr": 1.5},
        {"rate": 0.0},
        {"costs": (1, -1)},
        {"rate": 0.1, "prevalence": 0.2},
    ],
)
def test_wrong_goals_are_refused(sample, wrong):
    with pytest.raises(rb.InputError):
        recommend(sample, **wrong)


scores = st.lists(st.integers(0, 12), min_size=24, max_size=24)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(one=scores, two=scores, positives=st.integers(2, 20), scale=st.sampled_from([1.0, 0.037]))
def test_the_sentence_is_true_of_the_rows(one, two, positives, scale):
    """The printed threshold has the printed rates, and the difference is that of compare_tpr."""
    y = np.arange(24) < positives
    data = rb.Sample(y, {"a": np.array(one) * scale, "b": np.array(two) * scale})
    found = recommend(data)
    best = data[found.model]
    assert best.roc.tpr_at(found.at) == max(data[m].roc.tpr_at(found.at) for m in data)
    gap = rb.compare_tpr(data[[found.model, found.rival]], fpr=found.at)
    assert (found.difference, found.difference_low) == (gap.difference, gap.low)
    assert ("Use" in found.sentence) <= (gap.low > 0.0)
    assert found.fpr <= found.at
    called = best.values >= found.threshold
    assert found.tpr == pytest.approx(called[y].mean())
    assert found.fpr == pytest.approx(called[~y].mean())
    said = re.search(r"[Aa]t threshold ([^ ]+) ", found.sentence)
    if said is not None:
        called = best.values >= float(said[1])
        limits = (found.tpr_low, found.tpr_high) if found.tpr > 0.0 else ()
        assert in_100(called[y].mean(), *limits) in found.sentence.replace(" positives", "")
        assert f"alarms on {in_100(called[~y].mean())} negatives" in found.sentence


def _equal_models(rng, models, n=120):
    y = np.arange(n) < n // 2
    return rb.Sample(y, {f"m{i}": y + rng.normal(size=n) for i in range(models)})


@pytest.mark.simulation
def test_use_is_rarely_said_of_equal_models():
    """At most 5% of test sets of five equally good models; without the allowance far more."""
    rng = np.random.default_rng(5)
    used = wrong = 0
    for _ in range(60):
        data = _equal_models(rng, 5)
        found = recommend(data)
        used += found.sentence.startswith("Use")
        others = [m for m in data if m != found.model]
        worst = min(others, key=lambda m: data[m].roc.tpr_at(0.1))
        wrong += rb.compare_tpr(data[[found.model, worst]], fpr=0.1).low > 0.0
    assert used <= 4  # expected at most 3
    assert wrong > 8  # control: the best and the worst at the plain level


@pytest.mark.simulation
def test_limits_of_the_best_of_twenty_cover():
    """True TPR at the rate of equal models; without the allowance the lower limit is too high."""
    rng = np.random.default_rng(6)
    true = float(ndtr(1.0 + ndtri(0.1)))
    above = plain = 0
    for _ in range(120):
        goal = AtFpr(Candidates(_equal_models(rng, 20, 160)), 0.95, 0, 0.1, None)
        best = max(goal.among.names, key=goal.rank)
        above += goal.describe(best).tpr.low > true
        plain += recommend(goal.among.data[best]).tpr_low > true
    assert above <= 8  # expected at most 3
    assert plain > 12  # control


@pytest.mark.simulation
def test_limits_of_a_threshold_between_ties_cover():
    """Five distinct scores: limits are for the rate of the threshold, which negatives choose."""
    rng = np.random.default_rng(7)
    pos, neg = np.array([0.1, 0.15, 0.2, 0.25, 0.3]), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    missed = 0
    for _ in range(200):
        y = np.arange(160) < 60
        scores = np.r_[rng.choice(5, 60, p=pos), rng.choice(5, 100, p=neg)]
        found = recommend(rb.Sample(y, scores))
        if np.isfinite(found.threshold):
            true = pos[int(found.threshold) :].sum()
            missed += not found.tpr_low <= true <= found.tpr_high
    assert missed <= 19  # 5% of 200 is 10


def test_guessing_is_judged_by_the_area_too():
    """Predicted classes may say nothing at a low rate, and still be better than guessing."""
    calls = [1] * 92 + [0] * 8 + [1] * 43 + [0] * 57
    found = recommend(rb.Sample([1] * 100 + [0] * 100, calls))
    assert not found.guessing
    assert "guessing" not in found.sentence
    rng = np.random.default_rng(4)
    y = np.arange(200) < 100
    score = np.where(y, 0.5 + rng.random(200), 1.1 * rng.random(200)) - 0.45 * (
        rng.random(200) < 0.5
    )
    late = np.minimum(score, 0.6) + 1e-3 * rng.random(200)  # high scores tell nothing
    found = recommend(rb.Sample(y, late), fpr=0.05)
    assert rb.auc_interval(y, late).low > 0.5
    assert not found.guessing
    assert found.sentence.startswith("By its AUC the model is better than guessing; with at most 5")
