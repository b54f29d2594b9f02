"""Statements of the package about random samples do not contradict each other.

Each check has a control: a statement of an earlier version, or a changed result, that it must
object to.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.points.choose import Point, Rule, choose_point
from tests.properties import group_checks as groups
from tests.properties import model_checks as models
from tests.properties import number_checks as numbers
from tests.properties import point_checks as points
from tests.properties.statement_samples import Case, cross, draw_case
from tests.properties.statements import Answers, Check, Rows, Statement, ask, run_checks

CHECKS: dict[str, Check] = {
    "S1": points.check_thresholds,
    "S2": points.check_promises,
    "S3": models.check_first_sentence,
    "S4": points.check_points,
    "S5": points.check_differences,
    "S6": models.check_use,
    "S7": models.check_elsewhere,
    "S8": models.check_fit_to_use,
    "S9": models.check_settled,
    "S10": models.check_alike,
    "S11": numbers.check_facts,
    "S12": groups.check_groups,
    "S13": numbers.check_words,
    "S14": numbers.check_limits,
}
PARTS, SAMPLES, MANY = 6, 4, 2000


def check_samples(seeds: Iterable[int]) -> Counter[str]:
    """Run all checks on samples, with a report of some of them; return what was read."""
    read: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    for seed in seeds:
        answers = Answers(draw_case(seed), with_report=seed % 6 == 0, thorough=seed % 4 == 0)
        run_checks(CHECKS, answers, read, found)
    assert not found, "\n".join(
        f"{name}: {one}" for name, all_ in found.items() for one in all_[:3]
    )
    return read


@pytest.mark.parametrize("part", range(PARTS))
def test_statements_of_random_samples_agree(part: int) -> None:
    read = check_samples(range(part * SAMPLES, (part + 1) * SAMPLES))
    assert {"S1", "S2", "S4", "S11", "S13", "S14"} <= {*read}


@pytest.mark.simulation
@pytest.mark.parametrize("part", range(20))
def test_statements_of_many_random_samples_agree(part: int) -> None:
    size = MANY // 20
    read = check_samples(range(PARTS * SAMPLES + part * size, PARTS * SAMPLES + (part + 1) * size))
    assert {*read} >= {*CHECKS} - {"S7"}  # few curves cross: there is a test of its own


@pytest.mark.parametrize("rule", [{}, {"fpr": 0.1}, {"rate": 0.1}, {"costs": (1, 4)}], ids=str)
def test_statements_about_crossing_curves_agree(rule: dict[str, Any]) -> None:
    read: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    run_checks(CHECKS, Answers(Case(-1, cross(), rule)), read, found)
    assert not found, found
    assert read["S7"] or rule


def test_statements_agree_where_costs_rule_for_one_model_only() -> None:
    """The other model has the threshold of the rate: no difference of costs is said of it."""
    rule = {"costs": (1, 2), "fpr": 0.05}
    answers = Answers(Case(-7, draw_case(20088).sample, rule), with_report=False)
    advice = answers.advice
    assert (advice.point.rule.name, advice.point_of(advice.rival).rule.name) == ("costs", "fpr")
    read: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    run_checks(CHECKS, answers, read, found)
    assert not found, found
    assert advice.difference is None


def test_a_limit_between_two_numbers_is_rounded_once() -> None:
    """A report has 0.17535 for 0.1753497 in its JSON, and 0.1753 in its sentence."""
    read: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    run_checks(CHECKS, Answers(draw_case(1980)), read, found)
    assert not found, found


# ------------------------------------------------------------------------------- controls


@pytest.fixture(scope="module")
def answers() -> Answers:
    """All answers about the example."""
    return Answers(Case(-2, rb.load_example()))


@pytest.fixture(scope="module")
def rows(answers: Answers) -> Rows:
    return answers.rows


@pytest.fixture
def payload(answers: Answers) -> Any:
    """The payload of the example, to be changed."""
    return copy.deepcopy(dict(answers.report.payload))


def objections(found: Iterator[str]) -> list[str]:
    """List the contradictions of a check."""
    return [one for one in found if one]


def say(text: str) -> Statement:
    return Statement("summary", text)


def test_statements_about_the_example_agree(answers: Answers) -> None:
    read: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    run_checks(CHECKS, answers, read, found)
    assert not found, found
    assert {"S1", "S2", "S3", "S4", "S6", "S8", "S11", "S13", "S14"} <= {*read}


ROUNDED = (
    "Use logistic. At threshold 0.51 logistic finds 69 of 100 malignant cases (59 to 77) and alarms "
    "on 10 of 100 benign ones (7 to 14). neighbours at 0.6667 finds 41 and alarms on 8. The "
    "thresholds are for at most 10 false alarms in 100 benign ones."
)


def test_s1_objects_to_rounded_thresholds(answers: Answers, rows: Rows, payload: Any) -> None:
    wrong = objections(points.type_back(say(ROUNDED), rows, answers.advice.points))
    assert len(wrong) == 2  # 37 false alarms, not 34; finds 31, not 41
    row = {"": "neighbours", "Threshold": "0.6667", "Positives found": "87 41 of 100"}
    row |= {"Positives missed": "125 59 of 100", "False alarms": "30 8 of 100"}
    assert objections(points.type_back_tables([row], rows))
    payload["models"][1]["points"][2]["threshold_text"] = "0.8001"
    payload["models"][0]["roc"]["threshold_at_text"][0] = "0.1"
    assert len(objections(points.type_back_payload(payload, rows))) == 2
    cost = "At costs 5 : 1 (missed positive : false alarm) threshold 0.3 costs 388 per 1,000 cases"
    assert objections(points.type_back(Statement("cost_interval", cost, "logistic"), rows))


def test_s2_objects_to_broken_promises(rows: Rows) -> None:
    assert objections(points.keep_promise(say(ROUNDED), rows)) == [
        "summary: 0.51 of logistic breaks 'at most 10 false alarms in 100 benign ones': 0.10364"
    ]
    table = (
        "| at most | model | threshold | finds of 100 | alarms on of 100 |\n|---|---|--:|---|---|\n"
        "| 1 to 10 in 100 | logistic | 0.52 | 69 (61 to 75) | 10 (7 to 14) |"
    )
    assert objections(points.keep_promise(say(table), rows))
    acted = ROUNDED.replace(
        "at most 10 false alarms in 100 benign ones", "acting on at most 20 of 100 cases"
    )
    assert len(objections(points.keep_promise(say(acted), rows))) == 1
    none = (
        "logistic has no threshold that finds any with at most 10 false alarms in 100 negatives; the "
        "highest that finds any, 0.52, finds 69 of 100 positives (61 to 75) and alarms on 10 of 100 "
        "negatives (7 to 14). The threshold is for at most 10 false alarms in 100 negatives."
    )
    assert objections(points.keep_promise(say(none), rows))


def test_s3_objects_to_another_first_sentence(answers: Answers) -> None:
    said = {"report": answers.summary.sentence, "page": "Findings Use neighbours."}
    assert len(objections(models.match_sentences(answers.summary.sentence, said))) == 1
    assert models.ask_app(answers.case.sample, {"rate": 0.1}) != answers.summary.sentence


def test_s4_objects_to_another_point(answers: Answers, rows: Rows, payload: Any) -> None:
    assert objections(points.match_points(say(ROUNDED), rows, answers.advice.points))
    old_limits = ROUNDED.replace("0.51 ", "0.52 ").replace("0.6667", "0.66")
    assert len(objections(points.match_points(say(old_limits), rows, answers.advice.points))) == 1
    advice = answers.advice
    ruling = {name: advice.point_of(name) for name in advice.models}
    matrix = payload["confusion"][0]["models"][0]
    matrix |= {"threshold_text": "0.2438", "tp": 188, "fp": 107}
    payload["recommendation"]["points"][1]["tpr_low"] = 0.59
    assert len(objections(points.match_payload(payload, ruling, advice.points))) == 2
    payload["models"][1]["points"][3]["threshold_text"] = "0.6667"
    marker = payload["places"].index(0.1)
    payload["models"][0]["roc"]["threshold_at_text"][marker] = "0.5238"
    assert len(objections(points.match_markers(payload, advice.points))) == 2
    moved = dataclasses.replace(advice.point, threshold=0.53, tp=144, tpr=144 / 212)
    roc = answers.case.sample["logistic"].roc
    assert objections(points.match_choice(roc, moved))
    old_text = dataclasses.replace(advice.point, text="0.51")
    assert objections(points.match_functions(answers.case.sample, [old_text]))


def test_s5_objects_to_differences_that_cannot_occur(answers: Answers, rows: Rows) -> None:
    bare = "Use logistic. At threshold 0.51 logistic finds 69 of 100; neighbours finds 23 fewer (11 to 36)."
    assert "does not say" in objections(points.read_differences(say(bare), rows))[0]
    large = (
        "logistic has no threshold that finds any with at most 1 false alarm in 100 negatives; the "
        "highest that finds any, 5, finds 13 of 100 positives (8 to 19) and alarms on 14 of 100 "
        "negatives (10 to 18). At equal false alarms neighbours finds 20; at equal false alarms "
        "neighbours finds 54 fewer (40 to 61)."
    )
    assert "but 13.0 are found" in objections(points.read_differences(say(large), rows))[0]
    near = near_pair()
    assert points.match_difference(near) == ""
    old = dataclasses.replace(near.advice, difference_low=near.advice.difference_low - 0.03)
    summary = dataclasses.replace(near.summary, recommendation=old)
    near.__dict__["summary"] = summary
    assert "that of its function" in points.match_difference(near)
    costly = Answers(Case(-4, rb.load_example(), {"costs": (5, 1)}), with_report=False)
    assert objections(points.match_cost(costly)) == []
    sentence = costly.advice.sentence.replace(
        "; neighbours at 0.2 costs", "; neighbours at 0.9 costs"
    )
    assert sentence != costly.advice.sentence
    other = dataclasses.replace(costly.advice, sentence=sentence)
    costly.__dict__["summary"] = dataclasses.replace(costly.summary, recommendation=other)
    assert objections(points.match_cost(costly))


def near_pair() -> Answers:
    """Two models whose difference at equal false alarms is printed."""
    sample, rng = rb.load_example(), np.random.default_rng(1)
    values = sample["logistic"].values
    noise = values + 0.05 * rng.normal(size=values.size)
    pair = rb.Sample(sample.is_positive, {"logistic": values, "near": noise})
    return Answers(Case(-3, pair, {"fpr": 0.1}), with_report=False)


def test_s6_objects_to_use_against_what_is_shown() -> None:
    sample = cross()
    compared = rb.compare_many(sample)
    assert objections(models.match_areas("A", compared))
    assert not objections(models.match_areas("B", compared))
    assert objections(models.match_rates(sample, "B", [0.01, 0.1, 0.3]))
    ruled = Answers(Case(-5, sample, {"fpr": 0.1}), with_report=False)
    assert not objections(models.match_use_by_rule(ruled, "A"))
    assert objections(models.match_use_by_rule(ruled, "B"))


def test_s7_objects_to_ranges_that_are_left_out() -> None:
    better = [{"from": 0.33, "to": 0.97, "model": "B"}]
    pairs = [{"first": "A", "second": "B", "better": better}]
    assert objections(models.match_ranges("A", pairs, ["3,000 rows: 1,200 positives."]))
    assert not objections(
        models.match_ranges("A", pairs, ["B finds more at false positive rates ..."])
    )


def test_s8_objects_to_use_among_unfit_models() -> None:
    sample = rb.load_example()
    good, other = (sample[name].values for name in sample.models)
    for scores, why in (
        ({"lr": good, "rf": 1 - other}, "reversed"),
        ({"rf": good, "lr": other > 0.5}, "two"),
    ):
        unfit = rb.Sample(sample.is_positive, scores)
        areas = {name: rb.auc_interval(unfit[name]) for name in unfit.models}
        assert why in objections(models.find_unfit("lr", unfit, areas))[0]
    few = sample.take(~sample.is_positive | (np.cumsum(sample.is_positive) < 8))
    areas = {name: rb.auc_interval(few[name]) for name in few.models}
    assert "fewer than 10" in objections(models.find_unfit("logistic", few, areas))[0]


def test_s9_objects_to_thresholds_before_all_is_settled() -> None:
    old = (
        "a may be no better than guessing. At threshold 0.55 a finds 14 of 100 positives (9 to 21) and "
        "alarms on 10 of 100 negatives (6 to 15); b finds 9 fewer (1 to 17)."
    )
    assert objections(models.find_premature("summary", old))
    assert objections(models.find_premature("summary", "Use a. 7 positives are too few to choose."))
    page = (
        "Limits have a level of 95%; those of the recommended model allow for its choice among two."
    )
    assert objections(models.find_recommended("page", page))


def test_s10_objects_to_the_threshold_of_a_worse_model() -> None:
    rng = np.random.default_rng(0)
    ill = np.arange(900) < 300
    scores = {
        f"m0{k}": rng.normal(size=900) + shift * ill for k, shift in ((1, 1.5), (2, 1.45), (3, 0.9))
    }
    sample = rb.Sample(ill, scores)
    areas = {name: sample[name].roc.auc for name in sample.models}
    old = (
        "m01 and m03 cannot be told apart on these rows by AUC; m01 has the highest, 0.857. At threshold "
        "0.57 m03 finds 38 of 100 positives (30 to 45) and alarms on 10 of 100 negatives (8 to 12)."
    )
    wrong = objections(models.match_alike(old, Rows(sample), areas, rb.compare_many(sample)))
    assert any("has the AUC" in one for one in wrong)
    assert any("told apart by AUC" in one for one in wrong)
    assert any("2 of 3 models" in one for one in wrong)


def test_s11_objects_to_two_numbers_for_one_quantity(payload: Any) -> None:
    one = numbers.Fact("found", "logistic", "threshold 0.51", ("69", "59", "77"), "summary")
    two = one._replace(texts=("69", "62", "75"), where="operating_points")
    assert objections(numbers.match_facts([one, two]))
    exactly = two._replace(scope="exactly 10% false alarms")
    assert not objections(numbers.match_facts([one, exactly]))
    costly = Answers(Case(-6, rb.load_example(), {"costs": (5, 1)}))
    assert list(numbers.match_costs(costly)) == [""]
    old = dataclasses.replace(costly.advice, cost=1.003 * costly.advice.cost)
    costly.__dict__["summary"] = dataclasses.replace(costly.summary, recommendation=old)
    assert objections(numbers.match_costs(costly))


def test_s12_objects_to_the_wrong_pair() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(["f", "m", "x"], [774, 660, 66])
    ill = rng.random(1500) < 0.2
    shift = np.select([group == "f", group == "m"], [0.8, 1.9], 1.6)
    scores = rng.normal(size=1500) + shift * ill
    found = ask(rb.subgroups, ill, scores, by=group, threshold=1.0, n_resamples=200)
    assert not objections(groups.match_groups(found.sentence, found.gaps))
    old = (
        "risk finds 47% of positives among f and 74% among x; the largest of 3 differences, 27 points "
        "(at most 47), may be chance. 1 of 3 pairs differs by more than chance"
    )
    assert objections(groups.match_groups(old, found.gaps))

    class Later:
        sentence, gaps = old.replace("f and", "k and"), found.gaps

    assert objections(groups.match_added(found, Later))


WRONG_WORDS = (
    "the difference is 1 points (1 to 3)",
    "Brier score -0.000 (0.1 to 0.2)",
    "No model is shown to have the highest AUC; 0 of 1 pair of models differ in AUC.",
    "b finds 9 fewer (0 to 18)",
    "precision nan",
    "0 more (-39 to 39), which may be chance",
    "finds 57 of 100 positives (60 to 98)",
    "AUC 0.900 (95% interval 0.901 to 0.922)",
    "among 1 positives",
)


@pytest.mark.parametrize("text", WRONG_WORDS)
def test_s13_objects_to_unsound_words(text: str) -> None:
    assert objections(numbers.find_wrong_words(say(text)))


WRONG_CLAIMS = (
    "The AUC of a is higher than that of b: 0.900 and 0.880, difference 0.020 (95% interval -0.002 to 0.041).",
    "a finds 9 more (0 to 18).",
    "The TPR of a and b differ by 0.050 (0.010 to 0.090), which may be chance.",
    "At threshold 0.5 risk finds 47% among f and 70% among m: 23 points fewer (0 to 35), more than chance.",
)


@pytest.mark.parametrize("text", WRONG_CLAIMS)
def test_s14_objects_to_claims_that_limits_contradict(text: str) -> None:
    assert objections(numbers.match_claims(say(text)))


def test_s14_objects_to_limits_that_are_rounded_away() -> None:
    assert objections(numbers.find_whole(["1.000", "0.998", "1.000"], [0.99987, 0.9981, 1.0], 1.0))
    assert objections(numbers.find_whole(["0.5", "0", "2"], [0.5, 0.02, 2.1], 100.0))
    assert not objections(numbers.find_whole(["0", "0", "2"], [0.0, 0.0, 2.1], 100.0))


def test_s14_reads_numbers_that_are_more_than_another() -> None:
    more = numbers.Fact("AUC", "a", "alone", ("0.9999", "0.984", "more than 0.9999"), "report")
    assert not objections(numbers.find_whole_facts([more, more._replace(where="page")]))
    whole = more._replace(texts=("0.9999", "0.984", "1.000"), where="page")
    assert objections(numbers.find_whole_facts([more, whole]))


def test_points_keep_their_rule() -> None:
    """A point of a smaller rate does not find most of a larger one."""
    roc = rb.load_example()["logistic"].roc
    low: Point = choose_point(roc, Rule("fpr", 0.01))
    assert objections(points.match_choice(roc, dataclasses.replace(low, rule=Rule("fpr", 0.1))))
