"""Identities of reader studies, and a separate program, on random studies of every design."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from tests.oracles import reader_study as oracle
from tests.readers.designs import KINDS, Study, draw_study

OR = rb.readers.ObuchowskiRockette
SYMMETRIC = rb.readers.Bounded(interval="symmetric")
KEYS = ("estimate", "se", "df", "low", "high", "p")


def seed(*parts: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def record(one: Any) -> dict[str, float]:
    numbers = (one.estimate, one.standard_error, one.df, one.low, one.high, one.pvalue)
    return dict(zip(KEYS, numbers, strict=True))


def same(found: dict[str, Any], wanted: dict[str, Any], rel: float = 1e-8) -> None:
    for key in KEYS:
        got, want = found[key], wanted[key]
        if got is None:
            continue  # means without a null hypothesis have no p-value
        if key == "df" and want > 1e8:
            assert got > 1e8
            continue
        assert math.isclose(got, want, rel_tol=rel, abs_tol=1e-11), (key, got, want)


# --------------------------------------------------------------------------- a separate program


def targets(study: Study, cells: oracle.Cells) -> dict[str, oracle.Comparison]:
    """The means and differences by name."""
    t = study.x.shape[0]
    machine = 0 if study.machine else None
    people = {i: [j for k, j in cells.where if k == i and j != machine] for i in range(t)}
    found = {f"t{i}": oracle.one_test(cells, i, people[i]) for i in range(t)}
    if machine is not None:
        found["r0 minus readers"] = oracle.algorithm_test(cells, 0, 0, people[0])
        return found
    pairs = [(i, k) for i in range(t) for k in range(i + 1, t)]
    return found | {f"t{i} minus t{k}": oracle.two_tests(cells, i, k) for i, k in pairs}


def check(
    study: Study, method: Any, cells: oracle.Cells, tiny: float, asked: dict[str, Any], width=1.0
) -> int:
    """Compare all inferences with those of the separate program."""
    found = rb.compare_readers(study.readings(), method=method, algorithm=study.machine, **asked)
    wanted = targets(study, cells)
    name = method if isinstance(method, str) else method.name
    symmetric = method == SYMMETRIC
    pooled = None
    t, r = study.x.shape[:2]
    if t > 2 and name == "obuchowski-rockette":
        table = oracle.anova(cells, t, r)
        pooled = table["ms_tr"] * 2 / r, 2 * (table["cov2"] - table["cov3"])
    number = 0
    seen = set()
    for one in found.inferences:
        contrast = wanted[one.target]
        variance, _ = contrast.variance(name, one.random)
        options: dict[str, Any] = {}
        if pooled is not None and contrast.sides is not None and one.random != "cases":
            total = pooled[0] + max(pooled[1], 0.0) * (one.random == "both")
            df = total**2 * (t - 1) * (r - 1) / pooled[0] ** 2 if pooled[0] else math.inf
            options = {"variance": (total, df)}
            variance = total
        seen.add((one.target, one.random))
        sides = contrast.sides or ()
        if min([variance, *(side.variance("bounded", one.random)[0] for side in sides)]) < 1e-12:
            continue  # no spread: tested by itself
        own = oracle.judge(
            contrast, name, one.random, tiny=tiny, symmetric=symmetric, **options
        )  # fmt: skip
        scaled = {
            k: v * width if k in ("estimate", "se", "low", "high") else v for k, v in own.items()
        }
        same(record(one), scaled)
        number += 1
    # What is left out has a variance that is not positive.
    for target, contrast in wanted.items():
        for random in ("both", "cases", "readers"):
            if (target, random) not in seen:
                alone = random != "cases" and min(map(len, contrast.blocks)) < 2
                assert alone or contrast.variance(name, random)[0] <= 0.0
    return number


def tiny_of(y: np.ndarray) -> float:
    return 0.5 / (np.count_nonzero(y) * np.count_nonzero(~y))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("repeat", range(3))
def test_areas_agree_with_a_separate_program(kind: str, repeat: int) -> None:
    rng = seed("areas", kind, repeat)
    study = draw_study(rng, kind)
    tiny, number = tiny_of(study.y), 0
    for estimator in ("delong", "jackknife", "unbiased"):
        cells = oracle.Cells(study.x, study.y, estimator=estimator)
        method = OR(covariance=estimator)
        number += check_or_refuse(study, method, cells, tiny)
        if estimator == "delong":
            number += check(study, "bounded", cells, tiny, {})
            number += check(study, SYMMETRIC, cells, tiny, {})
        if estimator == "unbiased":
            number += check_or_refuse(study, "one-shot", cells, tiny)
    assert number >= 6


def check_or_refuse(study: Study, method: Any, cells: oracle.Cells, tiny: float) -> int:
    """As `check`; an unbiased variance that is negative must be refused."""
    try:
        return check(study, method, cells, tiny, {})
    except rb.InputError:
        name = method if isinstance(method, str) else method.name
        lowest = min(one.variance(name, "both")[0] for one in targets(study, cells).values())
        assert lowest <= 0.0
        return 0


METRICS: dict[str, tuple[dict[str, Any], Any, str, bool | None, float]] = {
    "sensitivity": (
        {"metric": "sensitivity", "threshold": 0.5},
        oracle.rate(0.5, True),
        "auc",
        True,
        1.0,
    ),
    "specificity": (
        {"metric": "specificity", "threshold": 0.25},
        oracle.rate(0.25, False),
        "auc",
        False,
        1.0,
    ),
    "fpr": (
        {"metric": "partial_auc", "fpr": (0.1, 0.45)},
        oracle.partial(0.1, 0.45, "fpr"),
        "part",
        None,
        0.35,
    ),
    "tpr": (
        {"metric": "partial_auc", "tpr": (0.3, 0.9)},
        oracle.partial(0.3, 0.9, "tpr"),
        "part",
        None,
        0.6,
    ),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_other_metrics_agree_with_a_separate_program(kind: str, metric: str) -> None:
    study = draw_study(seed("metrics", kind, metric), kind)
    asked, function, family, rate, width = METRICS[metric]
    one_class = np.count_nonzero(study.y == rate) if rate is not None else 0
    tiny = 0.5 / one_class if one_class else tiny_of(study.y)

    def relative(scores: np.ndarray, y: np.ndarray) -> float:
        return float(function(scores, y)) / width

    cells = oracle.Cells(study.x, study.y, relative, family, rate=rate)
    number = 0
    for method in ("bounded", SYMMETRIC, OR()):
        number += check(study, method, cells, tiny, asked, width)
    found = rb.compare_readers(study.readings(), algorithm=study.machine, **asked)
    for i, j in cells.where:
        if f"r{j}" in found.readers:
            value = cells.value[i, j] * width
            assert found.areas[i, found.readers.index(f"r{j}")] == pytest.approx(value, abs=1e-12)


def test_thresholds_may_differ_between_tests() -> None:
    study = draw_study(seed("thresholds"), "factorial", "plain")
    cuts = [0.0, 0.8]
    functions = [oracle.rate(cut, True) for cut in cuts]
    cells = oracle.Cells(study.x, study.y, functions, rate=True)
    tiny = 0.5 / np.count_nonzero(study.y)
    assert check(study, "bounded", cells, tiny, {"metric": "sensitivity", "threshold": cuts}) > 5


@pytest.mark.parametrize("kind", KINDS)
def test_several_cases_of_a_patient_agree_with_a_separate_program(kind: str) -> None:
    study = draw_study(seed("clusters", kind), kind, clusters=True)
    tiny = tiny_of(study.y)
    cells = oracle.Cells(study.x, study.y, clusters=study.clusters)
    for method in ("bounded", SYMMETRIC, OR()):
        assert check(study, method, cells, tiny, {}) > 0
    with pytest.raises(rb.InputError, match="clusters"):
        rb.compare_readers(study.readings(), method="one-shot", algorithm=study.machine)


@pytest.mark.parametrize("alternative", ["less", "greater", "margin", "large margin"])
@pytest.mark.parametrize("kind", ["factorial", "readers in tests", "algorithm", "missing"])
def test_one_sided_answers_agree_with_a_separate_program(kind: str, alternative: str) -> None:
    study = draw_study(seed("sides", kind, alternative), kind, "ratings")
    cells = oracle.Cells(study.x, study.y)
    margin = {"margin": 0.02, "large margin": 0.6}.get(alternative)
    asked: dict[str, Any] = {"margin": margin} if margin else {"alternative": alternative}
    side = "greater" if margin else alternative
    for random in ("both", "cases", "readers"):
        for name in ("bounded", "obuchowski-rockette"):
            found = rb.compare_readers(
                study.readings(),
                method=name,
                random=random,
                algorithm=study.machine,
                level=0.9,
                **asked,
            ).differences[0]
            contrast = next(one for one in targets(study, cells).values() if one.sides)
            null = -(margin or 0.0)
            own = oracle.judge(contrast, name, random, 0.9, side, null, tiny_of(study.y))
            assert (found.low, found.high) == pytest.approx((own["low"], own["high"]), abs=1e-10)
            assert found.pvalue == pytest.approx(own["p"], abs=1e-9)
            assert (found.pvalue < 0.1) == (
                found.low > null if side == "greater" else found.high < null
            )


@pytest.mark.parametrize("repeat", range(4))
def test_a_joint_test_of_three_tests_agrees_with_a_separate_program(repeat: int) -> None:
    study = draw_study(seed("joint", repeat), "three tests")
    t, r = study.x.shape[:2]
    table = oracle.anova(oracle.Cells(study.x, study.y), t, r)
    fixed = table["var"] - table["cov1"] + (r - 1) * (table["cov2"] - table["cov3"])
    both = table["ms_tr"] + r * max(table["cov2"] - table["cov3"], 0.0)
    size = (t - 1) * (r - 1)
    for name, below in {"obuchowski-rockette": both, "bounded": max(both, fixed)}.items():
        for random, den in {"both": below, "cases": fixed, "readers": table["ms_tr"]}.items():
            found = rb.compare_readers(study.readings(), method=name, random=random).joint
            assert found is not None
            df2 = {"both": den**2 * size / table["ms_tr"] ** 2, "cases": 1e12}.get(random, size)
            f = table["ms_t"] / den
            assert (found.statistic, found.df1) == pytest.approx((f, t - 1))
            assert found.pvalue == pytest.approx(stats.f.sf(f, t - 1, df2), rel=1e-6)


def test_the_separate_program_tells_methods_apart() -> None:
    """A negative control: with another method's variance the comparison fails."""
    study = draw_study(seed("control", 2), "factorial", "plain")
    cells = oracle.Cells(study.x, study.y, estimator="unbiased")
    with pytest.raises(AssertionError):
        check(study, "bounded", cells, tiny_of(study.y), {})


# ------------------------------------------------------------------------------------ identities


@pytest.mark.parametrize("kind", KINDS)
def test_one_shot_is_unbiased_obuchowski_rockette_without_truncation(kind: str) -> None:
    study = draw_study(seed("one-shot", kind), kind)
    readings = study.readings()
    shot = rb.compare_readers(
        readings, method="one-shot", algorithm=study.machine, random="readers"
    )
    plain = rb.compare_readers(
        readings, method=OR(covariance="unbiased"), algorithm=study.machine, random="readers"
    )
    by_random = {(one.target, one.random): one.standard_error for one in plain.inferences}
    cells = oracle.Cells(study.x, study.y, estimator="unbiased")
    tried = 0
    for one in shot.inferences:
        if one.random != "both":
            continue
        contrast = targets(study, cells)[one.target]
        variance = sum(contrast.s) + contrast.c
        assert one.standard_error**2 == pytest.approx(variance, rel=1e-9)
        pooled = study.kind == "three tests" and contrast.sides
        if contrast.c >= 0 and variance > 1e-12 and not pooled:
            assert one.standard_error == pytest.approx(by_random[one.target, "both"])
        tried += 1
    assert tried or all(sum(c.s) + c.c <= 0 for c in targets(study, cells).values())


@pytest.mark.parametrize("repeat", range(6))
def test_one_shot_is_the_squared_estimate_minus_the_eighth_moment(repeat: int) -> None:
    study = draw_study(seed("moments", repeat), "factorial")
    found = rb.compare_readers(study.readings(), method="one-shot", random="readers")
    wins = [np.array([oracle.win(one, study.y) for one in of_test]) for of_test in study.x]
    tables = {"t0": wins[0], "t1": wins[1], "t0 minus t1": wins[0] - wins[1]}
    shown = {one.target: one for one in found.inferences if one.random == "both"}
    for target, table in tables.items():
        moments, coefficients = oracle.moments(table)
        variance = table.mean() ** 2 - moments[7]
        assert coefficients @ moments == pytest.approx(variance, abs=1e-14)
        if target in shown:
            assert shown[target].standard_error ** 2 == pytest.approx(variance, rel=1e-9)
        else:
            assert variance <= 0.0


@pytest.mark.parametrize("copies", [2, 5])
@pytest.mark.parametrize("method", ["bounded", "obuchowski-rockette", "one-shot"])
def test_a_copied_reader_is_one_reader(method: str, copies: int) -> None:
    study = draw_study(seed("copies", 3), "factorial", "ratings")
    one = study.x[:, :1]
    found = [
        rb.compare_readers(study.readings(x=x), method=method, random="cases")
        for x in (one, np.repeat(one, copies, axis=1))
    ]
    alone, several = (study.differences[0] for study in found)
    for key in ("difference", "low", "high", "standard_error", "pvalue"):
        assert getattr(several, key) == pytest.approx(getattr(alone, key), rel=1e-9)
    assert [one.low for one in found[0].means] == pytest.approx([one.low for one in found[1].means])


@pytest.mark.parametrize("repeat", range(4))
def test_cases_nested_in_readers_give_the_paired_t_test(repeat: int) -> None:
    study = draw_study(seed("nested", repeat), "cases in readers", "plain")
    found = rb.compare_readers(study.readings(), method="obuchowski-rockette")
    gap, test = found.differences[0], stats.ttest_rel(*found.areas)
    limits = test.confidence_interval()
    assert (gap.statistic, gap.pvalue) == pytest.approx((test.statistic, test.pvalue))
    assert gap.df == pytest.approx(test.df)
    ends = max(limits.low, -1.0), min(limits.high, 1.0)
    assert (gap.low, gap.high) == pytest.approx(ends)
    fixed = next(one for one in found.inferences[6:] if one.random == "readers")
    assert fixed.pvalue == pytest.approx(test.pvalue)


TWO = [kind for kind in KINDS if kind not in ("one test", "algorithm")]


@pytest.mark.parametrize("method", ["bounded", "obuchowski-rockette", "one-shot"])
@pytest.mark.parametrize("kind", TWO)
def test_swapped_tests_turn_the_sign(kind: str, method: str) -> None:
    study = draw_study(seed("swap", kind), kind, "plain")
    readings = study.readings()
    other = readings.take(tests=readings.tests[::-1])
    try:
        found = rb.compare_readers(readings, method=method).differences[0]
    except rb.InputError:
        with pytest.raises(rb.InputError, match="unbiased variance"):
            rb.compare_readers(other, method=method)
        return
    turned = rb.compare_readers(other, method=method).differences[-1]
    if kind == "three tests":
        assert turned.names == found.names[::-1]
    assert (-turned.high, -turned.low) == pytest.approx((found.low, found.high), abs=1e-12)
    assert turned.difference == pytest.approx(-found.difference)
    assert turned.pvalue == pytest.approx(found.pvalue)
    assert turned.standard_error == pytest.approx(found.standard_error)


@pytest.mark.parametrize("method", ["bounded", "obuchowski-rockette", "one-shot"])
@pytest.mark.parametrize("random", ["both", "cases", "readers"])
def test_equal_tests_have_p_of_1(method: str, random: str) -> None:
    study = draw_study(seed("equal"), "factorial", "ratings")
    x = np.stack([study.x[0], study.x[0]])
    found = rb.compare_readers(study.readings(x=x), method=method, random=random)
    gap = found.differences[0]
    assert (gap.pvalue, gap.difference, gap.low, gap.high) == (1.0, 0.0, 0.0, 0.0)
    assert any("cannot distinguish" in note for note in found.notes)


@pytest.mark.parametrize("kind", KINDS)
def test_monotone_transforms_of_one_readers_scores_change_nothing(kind: str) -> None:
    study = draw_study(seed("monotone", kind), kind)
    changed = study.x.copy()
    changed[0, -1] = np.arctan(changed[0, -1] - 0.3) * 7.0 - 2.0
    if study.x.shape[0] > 1:
        changed[1, 0] = np.cbrt(changed[1, 0])
    for method in ("bounded", OR(covariance="unbiased"), OR(covariance="jackknife")):
        asked = {"method": method, "algorithm": study.machine, "random": "readers"}
        one, two = (rb.compare_readers(study.readings(x=x), **asked) for x in (study.x, changed))
        assert one.inferences == two.inferences
        assert one.holm == two.holm


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clusters", [False, True])
def test_order_of_rows_and_names_change_nothing(kind: str, clusters: bool) -> None:
    rng = seed("order", kind, clusters)
    study = draw_study(rng, kind, clusters=clusters)
    one = rb.compare_readers(study.readings(), algorithm=study.machine)
    size = np.count_nonzero(~np.isnan(study.x))
    readings = study.readings(rng.permutation(size), names=("T", "R", "C"))
    tests = [f"T{i}" for i in range(study.x.shape[0])]
    machine = study.machine and study.machine.upper()
    two = rb.compare_readers(readings.take(tests=tests), algorithm=machine)
    for first, second in zip(one.inferences, two.inferences, strict=True):
        assert second.target.lower() == first.target
        same(record(second), record(first), 1e-7)
    order = [two.readers.index(name.upper()) for name in one.readers]
    np.testing.assert_allclose(two.areas[:, order], one.areas, atol=1e-14)
    assert dict(two.components) == pytest.approx(dict(one.components), abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("repeat", range(3))
def test_the_bounded_error_is_at_least_that_of_these_readers(kind: str, repeat: int) -> None:
    study = draw_study(seed("bounded", kind, repeat), kind)
    found = rb.compare_readers(study.readings(), algorithm=study.machine)
    errors = {(one.target, one.random): one.standard_error for one in found.inferences}
    hillis = rb.compare_readers(study.readings(), algorithm=study.machine, method=OR())
    theirs = {(one.target, one.random): one.standard_error for one in hillis.inferences}
    for target, random in errors:
        if random == "both":
            assert errors[target, "both"] >= errors[target, "cases"] * (1 - 1e-9)
            pooled = study.kind == "three tests" and "minus" in target
            assert pooled or errors[target, "both"] >= theirs[target, "both"] * (1 - 1e-9)


@pytest.mark.parametrize("scores", ["plain", "ratings", "infinite"])
def test_one_reader_equals_compare(scores: str) -> None:
    study = draw_study(seed("one reader", scores), "factorial", scores)
    readings = study.readings().take(readers="r0")
    found = rb.compare_readers(readings, random="cases").differences[0]
    sample = readings.sample("r0")
    plain = rb.compare(sample, method="delong")
    assert found.difference == pytest.approx(plain.difference)
    assert found.standard_error == pytest.approx(plain.standard_error)
    assert found.estimates == pytest.approx(plain.estimates)


@pytest.mark.parametrize("kind", TWO)
def test_each_reader_alone_is_compare(kind: str) -> None:
    study = draw_study(seed("by reader", kind), kind, "plain")
    found = rb.compare_readers(study.readings())
    for name, gap in zip(found.reader_names, found.by_reader, strict=True):
        both = study.readings().take(readers=name, tests=["t0", "t1"])
        if kind in ("cases in tests", "missing"):
            continue  # the tests have other cases
        plain = rb.compare(both.sample(name), method="delong")
        assert gap.difference == pytest.approx(plain.difference)
        if min(gap.estimates) < 1.0:  # of two perfect tests both say that they cannot tell
            assert gap.standard_error == pytest.approx(plain.standard_error)


@pytest.mark.parametrize("kind", KINDS)
def test_means_of_the_differences_are_those_of_the_cells(kind: str) -> None:
    study = draw_study(seed("cells", kind), kind)
    found = rb.compare_readers(study.readings(), algorithm=study.machine)
    for i, mean in enumerate(found.means):
        assert mean.estimate == pytest.approx(np.nanmean(found.areas[i]))
        one = next(one for one in found.inferences if one.target == found.tests[i])
        assert (one.random, one.low, one.high) == ("both", mean.low, mean.high)
    for gap in found.differences:
        assert gap.difference == pytest.approx(gap.estimates[0] - gap.estimates[1], abs=1e-14)
        assert gap.low <= gap.difference <= gap.high
        assert (gap.pvalue < 0.05) == (gap.low > 0.0 or gap.high < 0.0)


@pytest.mark.parametrize("asked", [{}, {"alternative": "greater"}, {"null": 0.6}])
def test_the_interval_of_the_algorithm_is_that_of_one_reader(asked: dict[str, Any]) -> None:
    study = draw_study(seed("algorithm alone"), "algorithm", "plain")
    readings = study.readings()
    found = rb.compare_readers(readings, algorithm="r0", method="one-shot", **asked)
    (one,) = found.algorithm_areas
    (own,) = rb.compare_readers(readings.take("r0"), random="cases", **asked).means
    assert one is not None
    assert (one.low, one.high, one.pvalue) == pytest.approx((own.low, own.high, own.pvalue))
    assert (one.method, one.parameters, one.alternative) == (
        "bounded",
        own.parameters,
        own.alternative,
    )


@pytest.mark.parametrize("method", ["one-shot", OR(covariance="unbiased"), OR()])
def test_each_reader_alone_is_the_same_for_all_methods(method: Any) -> None:
    readings = draw_study(seed("alone"), "factorial", "ratings").readings()
    usual, found = (rb.compare_readers(readings, method=name) for name in ("bounded", method))
    assert found.area_lower == pytest.approx(usual.area_lower)
    for one, own in zip(found.by_reader, usual.by_reader, strict=True):
        assert one.to_dict() == own.to_dict()


def test_a_sample_is_of_one_reader() -> None:
    readings = draw_study(seed("sample"), "factorial", "plain").readings()
    with pytest.raises(rb.InputError, match="must be among"):
        readings.sample(["r0", "r1"])  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [1, 4, 9, 13, 16])
def test_readers_of_equal_areas_have_infinite_df_in_every_order_of_cases(number: int) -> None:
    """Where readers have the same differences, but for rounding, df is that of no reader term."""
    rng = np.random.default_rng(number)
    n_readers, n_pos, n_neg = rng.integers((2, 2, 2), (5, 6, 6))
    size = n_pos + n_neg
    base = rng.integers(0, 3, (2, size)).astype(float)
    places = [
        np.concatenate((rng.permutation(n_pos), n_pos + rng.permutation(n_neg)))
        for _ in range(n_readers)
    ]
    for order in (np.arange(size), *(rng.permutation(size) for _ in range(6))):
        test, reader, case = (
            axis.ravel() for axis in np.meshgrid(range(2), range(n_readers), order, indexing="ij")
        )
        scores = [base[t, places[r][c]] for t, r, c in zip(test, reader, case, strict=True)]
        readings = rb.Readings(case < n_pos, scores, reader=reader, case=case, test=test)
        assert rb.compare_readers(readings).table("differences").columns()["df"][0] == math.inf
