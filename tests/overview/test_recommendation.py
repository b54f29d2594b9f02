"""The sentence that says which model to use: its numbers are those of the functions."""

import re

import numpy as np
import pytest

import rocbands as rb
from rocbands._math.chosen import limit_chosen
from rocbands.core.phrases import name_cases
from rocbands.overview.recommendation import recommend


@pytest.fixture(scope="module")
def sample():
    return rb.load_example()


def scores_of(sample):
    return {name: sample[name].values for name in sample}


def with_models(sample, **more):
    return rb.Sample(sample.is_positive, scores_of(sample) | more)


def draw_models(shifts, n=300, seed=11, share=0.35):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return rb.Sample(y, {name: rng.normal(shift * y) for name, shift in shifts.items()})


def cross(n=3000, seed=0):
    """A finds more at few false alarms, B ranks better over all thresholds."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    shared = 0.5 * rng.normal(size=n)
    a = shared + 0.87 * rng.normal(size=n) + np.where(y, np.where(rng.random(n) < 0.6, 2.6, 0), 0)
    return rb.Sample(y, {"A": a, "B": shared + 0.87 * rng.normal(size=n) + 1.35 * y})


def test_sentence_of_two_models(sample):
    found = recommend(sample)
    assert found.sentence == (
        "Use logistic, which ranks cases better than neighbours (AUC 0.900; neighbours 0.800; "
        "difference 0.065 to 0.134). At threshold 0.52 logistic finds 69 of 100 malignant cases "
        "(61 to 75) and alarms on 10 of 100 benign ones (7 to 14). neighbours at 0.66 finds 41 and "
        "alarms on 8. The thresholds are for at most 10 false alarms in 100 benign ones, a "
        "convention: other rates are in the table; costs or a capacity can be given."
    )
    assert (found.verdict, found.rival, found.alike) == ("use", "neighbours", ())
    gap = rb.compare_many(sample)
    assert f"{gap.lower[0]:.3f} to {gap.upper[0]:.3f}" in found.sentence
    assert [(rule.name, rule.at) for rule in found.rules] == [
        ("fpr", 0.01),
        ("fpr", 0.1),
        ("fpr", 0.3),
    ]
    assert [point.text for point in found.points if point.model == "logistic"] == [
        "0.9025",
        "0.52",
        "0.24",
    ]


def test_one_model_has_its_point_and_no_advice(sample):
    found = recommend(sample["logistic"])
    assert found.verdict == "one model"
    assert found.sentence.startswith("At threshold 0.52 logistic finds 69 of 100 malignant cases (")
    assert "Use" not in found.sentence
    assert (found.rival, found.difference) == (None, None)


def test_a_rule_is_a_reason_to_use_what_is_shown_to_find_more(sample):
    found = recommend(sample, fpr=0.05)
    assert found.sentence.startswith("Use logistic. At threshold 0.7 logistic finds 53 of 100 ")
    assert found.sentence.endswith(
        "The thresholds are for at most 5 false alarms in 100 benign ones."
    )
    assert (found.given, found.point.rule) == (True, ("fpr", 0.05))
    assert rb.compare_tpr(sample, fpr=0.05).low > 0.0


def test_the_difference_is_that_at_equal_false_alarms(sample):
    """One level for each place: 3 usual rates without a rule, and each of k - 1 others."""
    rng = np.random.default_rng(1)
    near = with_models(sample, near=sample["logistic"].values + 0.05 * rng.normal(size=sample.n))
    for data, rule, share in (
        (near[["logistic", "near"]], {}, 3),
        (near[["logistic", "near"]], {"fpr": 0.1}, 1),
        (near, {"fpr": 0.1}, 2),
    ):
        found = recommend(data, **rule)
        pair = data[[found.model, found.rival]]
        gap = rb.compare_tpr(pair, fpr=0.1, level=1 - 0.05 / share)
        own = (found.difference, found.difference_low, found.difference_high)
        assert own == pytest.approx((gap.difference, gap.low, gap.high))
        assert "at equal false alarms" in found.sentence


def test_thresholds_of_ties_far_from_the_rate_have_no_difference(sample):
    """The false positive rate of neighbours jumps from 8% to 14%: nothing stands at 10%."""
    found = recommend(sample)
    fpr = sample["neighbours"].roc.fpr
    assert not ((fpr > 0.1 - 1.1 / 357) & (fpr < 0.1 + 1.1 / 357)).any()
    assert found.difference is None
    assert "at equal false alarms" not in found.sentence


def test_no_advice_where_curves_cross():
    data = cross()
    found = recommend(data)
    area, gap = rb.compare_many(data), rb.compare_tpr(data, fpr=0.1, level=1 - 0.05 / 3)
    assert area.upper[0] < 0.0 < gap.low  # B ranks better, A finds more
    assert found.verdict == "crossing"
    low, high = 100 * gap.low, 100 * gap.high
    assert found.sentence.startswith(
        "No model is best everywhere. Over all thresholds B ranks cases best (AUC higher than that "
        f"of A by {-area.differences[0]:.3f}, {-area.upper[0]:.3f} to {-area.lower[0]:.3f}); with "
        f"at most 10 false alarms in 100 negatives A finds {100 * gap.difference:.0f} more of 100 "
        f"positives ({low:.0f} to {high:.0f}). How many false alarms can you afford? At threshold "
    )
    assert "Use" not in found.sentence
    ruled = recommend(data, fpr=0.1)
    assert ruled.sentence.startswith("Use A. At threshold ")
    assert "Over all thresholds B ranks cases better (AUC higher by " in ruled.sentence
    assert ruled.sentence.endswith("; at this rate that does not count.")


def test_costs_are_judged_on_rows_that_did_not_choose(sample):
    found = recommend(sample, costs=(5, 1), rng=3)
    assert found.sentence.endswith(
        "chosen on one half of the rows for costs 5 : 1, and costs judged on the other."
    )
    assert found.cost_low < found.cost < found.cost_high
    # by hand: split the rows, choose at the prevalence of all rows, judge
    from rocbands.cost.thresholds import choose_half

    first = choose_half(sample, 3)
    chosen, judged = sample.take(first)[found.model], sample.take(~first)[found.model]
    share = sample.n_pos / sample.n
    cut = rb.cost_thresholds(chosen, w=rb.operating_condition(5, 1, share)).thresholds[0]
    assert found.point.threshold == cut
    called, y = judged.values >= cut, judged.is_positive
    missed, alarms = (~called)[y].mean(), called[~y].mean()
    assert found.cost == pytest.approx(1000 * (5 * share * missed + (1 - share) * alarms))
    everyone = sample[found.model].values >= cut  # its point counts all rows
    assert found.point.tp == everyone[sample.is_positive].sum()


def test_counts_choose_costs_on_the_same_rows_and_say_so(sample):
    counts = rb.ScoreCounts.from_arrays(sample.is_positive, scores_of(sample))
    found = recommend(counts, costs=(5, 1))
    assert found.sentence.endswith("chosen on these rows, so the numbers are optimistic.")
    assert "Use" not in found.sentence
    assert "not tested" in found.notes[0]


def test_capacity(sample):
    found = recommend(sample, rate=0.1)
    gap = rb.rate_difference(sample, rate=0.1)
    assert (found.difference, found.difference_low) == (gap.difference[0], gap.lower[0])
    assert found.sentence.startswith("Use logistic. At threshold 0.935 logistic finds 26 of 100 ")
    assert "; acting on as many logistic finds 6 more (3 to 9)." in found.sentence
    assert found.point.tp + found.point.fp <= 0.1 * sample.n


def test_of_several_rules_that_with_the_fewest_alarms_rules(sample):
    found = recommend(sample, costs=(20, 1), rate=0.05)
    assert found.sentence.startswith("The capacity rules: at these costs 69 of 100 cases would be ")
    assert found.point.rule == ("rate", 0.05)
    wide = recommend(sample, costs=(1, 20), rate=0.5)
    assert wide.sentence.startswith("The costs rule: with the capacity 50 of 100 cases could be ")
    assert wide.point.rule == ("costs", (1, 20))
    for one in (found, wide):
        own = [point for point in one.points if point.model == one.model]
        assert one.point.tp + one.point.fp == min(point.tp + point.fp for point in own)


def test_prevalence_adds_the_share_of_alarms_that_are_right(sample):
    found = recommend(sample["logistic"], prevalence=0.02).point
    at = rb.operating_points(
        sample["logistic"], threshold=found.threshold, prevalence=0.02, method="clopper-pearson"
    )
    own = (found.ppv, found.ppv_low, found.ppv_high)
    assert own == pytest.approx((at.ppv[0], at.ppv_lower[0], at.ppv_upper[0]))
    sentence = recommend(sample["logistic"], prevalence=0.02).sentence
    assert "; at a prevalence of 2% 13 of 100 alarms (10 to 18) are right" in sentence


def test_designs_without_comparison_give_no_advice(sample):
    scores = scores_of(sample)
    reason = "counts do not say which scores belong to the same row"
    counts = rb.ScoreCounts.from_arrays(sample.is_positive, scores)
    for data in (counts, {m: sample[m].roc for m in sample}):
        found = recommend(data)
        assert found.verdict == "not compared"
        assert f"the models were not compared: {reason}." in found.sentence
        assert "may be chance" not in found.sentence  # nothing was tested
        assert "Use" not in found.sentence
        assert found.difference is None
        assert "not tested" in found.notes[0]


def test_designs_with_comparison(sample):
    scores = scores_of(sample)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, sample.n)
    weighted = recommend(rb.Sample(sample.is_positive, scores, weights=weights))
    clustered = recommend(rb.Sample(sample.is_positive, scores, clusters=np.arange(sample.n) // 3))
    for found in (weighted, clustered):
        assert found.sentence.startswith("Use logistic, which ranks cases better than neighbours")


def test_learners_are_compared_over_folds(sample):
    folded = sample.replace(folds=sample.kept["fold"])
    found = recommend(folded)
    gap = rb.compare(folded)
    assert gap.low > 0.0
    assert found.sentence.startswith(
        "Use logistic, which ranks cases better than neighbours (mean AUC 0.900; "
    )
    assert "no threshold is given" in found.sentence
    assert found.notes == (gap.notes[0],)
    # Few rows: DeLong's test of the pooled scores calls the models different, the folds do not.
    few = sample.take(np.arange(sample.n) % 4 == 0)
    folded = few.replace(folds=np.argsort(np.argsort(few.is_positive, kind="stable")) % 5)
    assert rb.compare(few, method="delong").pvalue < 0.05 < rb.compare(folded).pvalue
    found = recommend(folded)
    assert found.verdict == "not told apart"
    assert "Use" not in found.sentence


def test_few_clusters_are_said_first(sample):
    scores = scores_of(sample)
    few = recommend(rb.Sample(sample.is_positive, scores, clusters=np.arange(sample.n) % 9))
    assert few.sentence.startswith("The rows come from only 9 clusters, so that ")
    ten = recommend(rb.Sample(sample.is_positive, scores, clusters=np.arange(sample.n) % 10))
    assert "clusters" not in ten.sentence


def test_folds_have_no_threshold(sample):
    found = recommend(
        rb.Sample(sample.is_positive, sample["logistic"].values, folds=sample.kept["fold"])
    )
    auc = rb.fold_auc_interval(
        rb.Sample(sample.is_positive, sample["logistic"].values, folds=sample.kept["fold"])
    )
    assert (found.auc, found.auc_low, found.auc_high) == (auc.estimate, auc.low, auc.high)
    assert (found.point, found.points) == (None, ())
    assert "no threshold is given" in found.sentence


# ------------------------------------------------------------------ what must be settled first


def test_reversed_scores_are_said_first(sample):
    data = with_models(sample, turned=-sample["neighbours"].values)
    found = recommend(data)
    area = rb.auc_interval(data["turned"])
    assert found.sentence == (
        f"turned (AUC {area.estimate:.3f}) ranks positives below negatives: do larger scores mean "
        "more positive? No model is recommended until this is settled."
    )
    assert (found.point, found.points, found.difference) == (None, (), None)
    both = recommend(rb.Sample(~sample.is_positive, scores_of(sample)))
    assert both.sentence.startswith("logistic (AUC 0.100) and neighbours (AUC 0.200) rank ")


def test_hard_predictions_among_scores_are_said_first(sample):
    calls = (sample["neighbours"].values > 0.5).astype(int)
    found = recommend(with_models(sample, calls=calls))
    assert found.sentence == (
        "calls has only two different scores: pass probabilities instead of predictions. No model "
        "is recommended until then."
    )
    both = rb.Sample(
        sample.is_positive, {"a": calls, "b": (sample["logistic"].values > 0.5).astype(int)}
    )
    assert recommend(both).verdict != "two values"  # all of them: nothing better can be had


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "begins"),
    [
        (7, 13, "7 positives are too few to choose a threshold. test has an AUC of 0."),
        (1, 30, "1 positive is too few to choose a threshold. "),
        (9, 1, "9 positives and 1 negative are too few to choose a threshold. "),
    ],
)
def test_too_few_cases(n_pos, n_neg, begins):
    y = np.arange(n_pos + n_neg) < n_pos
    scores = np.random.default_rng(2).normal(size=y.size) + y
    found = recommend(rb.Sample(y, {"test": scores}))
    assert found.sentence.startswith(begins)
    assert found.points == ()
    two = recommend(rb.Sample(y, {"test": scores, "other": scores**3}))
    assert "to choose a model or a threshold. test has the highest AUC, " in two.sentence


def test_ten_of_either_class_are_enough_to_choose_a_threshold() -> None:
    y = np.repeat([1, 0], [10, 60])
    scores = np.random.default_rng(1).normal(size=70) + 1.5 * y
    said = [rb.summary(rb.Sample(y[k:], scores[k:])).sentence for k in (0, 1)]
    assert said[0].startswith("At threshold ")
    assert said[1].startswith("9 positives are too few to choose a threshold.")


def test_guessing_is_said():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    one = recommend(rb.Sample(y, {"a": rng.random(300)}))
    assert one.sentence.startswith("a is not shown to be better than guessing: the AUC is 0.")
    assert one.sentence.endswith("No threshold is given.")
    two = recommend(rb.Sample(y, {"a": rng.random(300), "b": rng.random(300)}))
    assert two.sentence.startswith("Neither a nor b is shown to be better than guessing: the high")
    five = recommend(rb.Sample(y, {f"m{i}": rng.random(300) for i in range(5)}))
    assert five.sentence.startswith("None of 5 models is shown to be better than guessing: the ")
    flat = recommend(rb.Sample(y, [1] * 300))
    assert flat.verdict == "guessing"


def test_one_point_may_show_that_a_model_knows_something():
    """A few high scores are sure; the rest is noise, so that the AUC is near one half."""
    rng = np.random.default_rng(4)
    y = np.arange(400) < 200
    scores = np.where(y & (rng.random(400) < 0.12), 9.0, 0.0) + rng.normal(size=400) - 0.3 * y
    found = recommend(rb.Sample(y, {"a": scores}))
    assert rb.auc_interval(y, scores).low < 0.5
    assert found.verdict == "one model"
    assert any(point.tpr_low > point.fpr_high for point in found.points)


# ------------------------------------------------------------------------------- other cases


def test_identical_models(sample):
    one = sample["logistic"].values
    found = recommend(rb.Sample(sample.is_positive, {"a": one, "b": 2 * one + 1}))
    assert found.sentence.startswith(
        "a and b rank all cases identically. At threshold 0.52 a finds"
    )


def test_models_that_cannot_be_told_apart_name_those_that_can():
    data = draw_models({f"m{i:02d}": 1.2 for i in range(6)} | {"weak": 0.2, "poor": 0.1})
    found = recommend(data)
    many = rb.compare_many(data)
    assert found.verdict == "not told apart"
    top = max(many.names, key=dict(zip(many.names, many.estimates, strict=True)).get)
    assert found.model == top
    clause = re.search(
        r"has the highest, (0\.\d{3}), shown to be higher than that of (.*?)\. At ", found.sentence
    )
    lower = {
        (two if one == top else one)
        for (one, two), p in zip(
            [(many.names[i], many.names[j]) for i, j in many.pairs], many.pvalues, strict=True
        )
        if p < 0.05 and top in (one, two)
    }
    assert clause is not None
    assert set(re.split(", | and ", clause[2])) == lower
    assert not lower & set(found.alike)
    assert "and 3 others cannot be told apart" in found.sentence or len(found.alike) < 4


def test_a_model_without_a_threshold_for_the_rule(sample):
    calls = (sample["logistic"].values > 0.5).astype(int)
    found = recommend(rb.Sample(sample.is_positive, {"a": calls}))
    assert found.sentence.startswith(
        "a has no threshold that finds any with at most 10 false alarms in 100 negatives; the "
        "highest that finds any, 1, finds 69 of 100 positives (63 to 75) and alarms on 11 of 100 "
    )
    assert found.point.threshold is None


def test_separated_classes_have_the_highest_threshold_that_finds_all():
    found = recommend(rb.Sample([1] * 50 + [0] * 80, [*range(200, 150, -1), *range(80)]))
    assert (found.point.threshold, found.point.tpr, found.point.fpr) == (151, 1.0, 0.0)
    assert "finds 100 of 100 positives (93 to 100) and alarms on 0 of 100" in found.sentence
    assert found.point.text == "150"  # no score lies between 79 and 151


def test_rare_positives_have_lower_rates():
    rng = np.random.default_rng(0)
    y = np.arange(20_000) < 40
    found = recommend(rb.Sample(y, y * 2.5 + rng.normal(size=y.size)))
    assert [rule.at for rule in found.rules] == [0.0002, 0.002, 0.02]
    assert "at most 2 false alarms in 1000 negatives, a convention" in found.sentence


def test_names_that_are_numbers():
    data = draw_models({"1": 1.4, "2": 0.3})
    assert recommend(data).sentence.startswith(
        'Use model "1", which ranks cases better than model "2" (AUC 0.'
    )


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
    "wrong", [{"fpr": 1.5}, {"rate": 0.0}, {"costs": (1, -1)}, {"rate": 0.1, "prevalence": 0.2}]
)
def test_wrong_rules_are_refused(sample, wrong):
    with pytest.raises(rb.InputError):
        recommend(sample, **wrong)
    with pytest.raises(rb.InputError):
        rb.summary(sample, **wrong)


def test_limits_of_the_area_allow_for_the_choice(sample):
    found = recommend(sample)

    def limits(level):
        area = rb.auc_interval(sample["logistic"], level=level)
        return area.low, area.high

    assert (found.auc_low, found.auc_high) == limit_chosen(limits, 0.95, 2)


def _equal_models(rng, models, n=150):
    """Equal models with shared noise; each set has its own common part."""
    y = np.arange(n) < n // 3
    shared = np.sqrt(0.5) * rng.normal(size=n)
    noise = {f"m{i}": np.sqrt(0.5) * rng.normal(size=n) for i in range(models)}
    return y, {name: shared + own + 1.5 * y for name, own in noise.items()}


@pytest.mark.simulation
@pytest.mark.parametrize("models", [2, 5])
def test_use_is_rarely_said_of_equal_models(models):
    """At most .05 and two standard errors; control: a better model is named."""
    rng = np.random.default_rng([5, models])
    sets = 400
    used = better = 0
    for _ in range(sets):
        y, scores = _equal_models(rng, models)
        used += recommend(rb.Sample(y, scores)).verdict == "use"
        scores["m0"] = scores["m0"] + 1.5 * y
        found = recommend(rb.Sample(y, scores))
        better += found.verdict == "use" and found.model == "m0"
    assert used / sets <= 0.05 + 2.0 * np.sqrt(0.05 * 0.95 / sets)
    assert better / sets > 0.5
