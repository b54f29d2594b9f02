"""Sizes of reader studies: numbers of RJafroc, a separate program, limits, and simulated studies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from rocbands.readers.power import Aim, PilotComponents, exceed
from rocbands.readers.size import MOST_CASES
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import reader_power

KNOWN = json.loads((GOLDEN / "readers_power.json").read_text(encoding="utf-8"))
VANDYKE, FRANKEN = (KNOWN["components"][name] for name in ("vandyke", "franken"))
FEW = {"var_tr": 2e-5, "var": 8e-4, "cov1": 3.5e-4, "cov2": 3.4e-4, "cov3": 2.4e-4, "cases": 100}


def power(
    part: Mapping[str, float], readers: Any, cases: Any, difference: float, **asked: Any
) -> Any:
    names = ("var_tr", "var", "cov1", "cov2", "cov3", "cases")
    aim = {"margin": None, "level": 0.95, "random": "both"} | asked
    known = PilotComponents(*(part[name] for name in names))
    return known.find_power(readers, cases, Aim(difference, **aim))


@cache
def study(**how: Any) -> rb.results.ReaderStudy:
    data = columns("roemetz_imrmc")
    readings = rb.Readings(
        data["truth"], data["rating"], reader=data["reader"], case=data["case"],
        test=data["treatment"],
    )  # fmt: skip
    return rb.compare_readers(readings, **how)


# ------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("row", KNOWN["rjafroc"], ids=lambda row: f"{row['pilot']} {row['random']}")
def test_power_as_in_rjafroc(row: dict[str, Any]) -> None:
    asked = {name: row[name] for name in ("readers", "cases", "difference", "random")}
    plan = rb.reader_study_size(KNOWN["components"][row["pilot"]], **asked)
    assert plan.searched == "power"
    # For these cases RJafroc's noncentral F differs from SciPy's by 3e-10.
    assert plan.power[0] == pytest.approx(row["power"], abs=4e-10)


@pytest.mark.parametrize(
    "row", KNOWN["separate"], ids=lambda row: f"{row['random']} {row['cases']}"
)
def test_power_as_in_a_separate_program(row: dict[str, Any]) -> None:
    asked = {name: row[name] for name in ("readers", "cases", "difference", "random")}
    plan = rb.reader_study_size(VANDYKE, **asked)
    assert plan.power[0] == pytest.approx(row["power"], abs=1e-12)


def test_cases_as_in_rjafroc() -> None:
    assert rb.reader_study_size(FRANKEN, difference=0.05, readers=6).cases == (121,)
    plan = rb.reader_study_size(VANDYKE, difference=0.043800322, readers=6)
    assert (plan.cases, plan.n_pos, plan.n_neg) == ((251,), (99,), (152,))
    assert plan.sentence == (
        "Plan 6 readers and 251 cases (99 positive): power 0.80 (0.48 to 0.90, given the size of the pilot) to find a difference of 0.0438003 "
        "between two tests, for readers and cases like these."
    )


@pytest.mark.parametrize("random", ["both", "cases", "readers"])
@pytest.mark.parametrize("margin", [None, 0.03])
def test_power_equals_that_of_scipy(random: str, margin: float | None) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        var = 10.0 ** rng.uniform(-4, -2)
        cov1, between, cov3 = var * rng.uniform(size=3) * [0.6, 0.4, 0.3]
        part = {"var": var, "cov1": cov1, "cov2": cov3 + between, "cov3": cov3, "cases": 80}
        part["var_tr"] = rng.choice([-var, 0.0, var * rng.uniform(0, 2)])
        asked = {"level": rng.choice([0.8, 0.95, 0.99]), "random": random, "margin": margin}
        sizes = int(rng.integers(2, 20)), int(rng.integers(10, 2000))
        wanted = reader_power.power(part, *sizes, 0.04, **asked)
        assert power(part, *sizes, 0.04, **asked) == pytest.approx(wanted, abs=1e-11)


def test_tails_of_the_noncentral_t() -> None:
    rng = np.random.default_rng(4)
    df, nc = 10.0 ** rng.uniform(0, 4, 400), rng.uniform(-1, 9, 400)
    for level in (0.3, 0.5, 0.9, 0.95, 0.9999):
        quantile = stats.t.ppf(level, df)
        wanted = stats.nct.sf(quantile, df, nc)
        np.testing.assert_allclose(exceed(nc, df, quantile), wanted, rtol=0, atol=1e-12)
    assert exceed(2.0, np.inf, 1.5) == pytest.approx(stats.norm.sf(-0.5), abs=1e-15)
    assert exceed(2.0, 1e11, 1.5) == pytest.approx(stats.norm.sf(-0.5), abs=1e-10)
    assert exceed(0.0, 3.5, stats.t.ppf(0.975, 3.5)) == pytest.approx(0.025, abs=1e-14)


# ---------------------------------------------------------------------------------- properties


def test_power_grows_with_readers_and_differences_and_falls_with_the_variance() -> None:
    for random in ("both", "cases", "readers"):
        readers = power(VANDYKE, np.arange(2, 40), 150, 0.03, random=random)
        assert (np.diff(readers) > 0).all()
        sizes = [power(VANDYKE, 5, 150, gap, random=random) for gap in (0.01, 0.02, 0.05, 0.1)]
        assert (np.diff(sizes) > 0).all()
    spread = [power({**VANDYKE, "var_tr": t}, 5, 150, 0.05) for t in (-1e-4, 0.0, 1e-4, 1e-3)]
    assert spread[0] == spread[1] > spread[2] > spread[3]


def test_power_grows_with_cases_but_for_few_readers() -> None:
    sizes = np.geomspace(20, 1e6, 60)
    for readers in (6, 10):
        assert (np.diff(power(VANDYKE, readers, sizes, 0.04)) > 0).all()
    for random in ("cases", "readers"):
        assert (np.diff(power(VANDYKE, 2, sizes, 0.02, random=random)) >= 0).all()
    # With many cases, two readers leave one degree of freedom.
    falling = power(FEW, 2, sizes, 0.03)
    assert falling.max() > 0.49
    assert falling[-1] == pytest.approx(0.401, abs=0.002)
    plan = rb.reader_study_size(FEW, difference=0.03, readers=2, power=0.45)
    (cases,) = plan.cases
    assert cases is not None
    assert power(FEW, 2, cases, 0.03) >= 0.45 > power(FEW, 2, cases - 1, 0.03)
    assert power(FEW, 2, 100 * cases, 0.03) < 0.45


def test_without_a_difference_the_power_is_the_level_of_the_test() -> None:
    for random in ("both", "cases", "readers"):
        for level in (0.9, 0.99):
            asked = {"level": level, "random": random}
            assert power(VANDYKE, 4, 90, 1e-9, **asked) == pytest.approx(1 - level, abs=1e-9)
            found = power(VANDYKE, 4, 90, 0.0, **asked, margin=1e-9)
            assert found == pytest.approx(1 - level, abs=1e-6)


def test_limits_of_the_three_kinds() -> None:
    endless = 1e14
    both, readers = (power(VANDYKE, 5, endless, 0.04, random=r) for r in ("both", "readers"))
    assert both == pytest.approx(readers, abs=1e-9)
    none = {**VANDYKE, "cov2": 0.0, "cov3": 0.0}  # readers share no cases
    both, readers = (power(none, 5, 100, 0.04, random=r) for r in ("both", "readers"))
    assert both == pytest.approx(readers, abs=1e-15)
    error = np.sqrt(2 * (VANDYKE["var"] - VANDYKE["cov1"]))  # one reader: a paired z test
    wanted = sum(stats.norm.cdf(side * 0.1 / error - stats.norm.ppf(0.975)) for side in (1, -1))
    assert power(VANDYKE, 1, 114, 0.1, random="cases") == pytest.approx(wanted, abs=1e-12)
    # A one-sided test at .025 is the upper half of a two-sided one at .05.
    half = power(VANDYKE, 8, 150, 0.01, margin=0.03, level=0.975)
    assert 0.0 < power(VANDYKE, 8, 150, 0.04) - half < 2e-5  # without the other side


def test_sizes_are_the_smallest_that_are_enough() -> None:
    for asked in ({}, {"margin": 0.02}, {"random": "cases", "readers": [1, 4, 9]}, {"level": 0.9}):
        plan = rb.reader_study_size(VANDYKE, difference=0.045, power=0.9, **asked)
        how = {name: value for name, value in asked.items() if name != "readers"}
        for readers, cases, reached in zip(plan.readers, plan.cases, plan.power, strict=True):
            if cases is None:
                assert power(VANDYKE, readers, MOST_CASES, 0.045, **how) <= reached < 0.9
            else:
                assert power(VANDYKE, readers, cases, 0.045, **how) == pytest.approx(reached)
                assert power(VANDYKE, readers, cases - 1, 0.045, **how) < 0.9 <= reached
    plan = rb.reader_study_size(VANDYKE, difference=0.045, cases=[150, 400])
    for readers, cases, reached in zip(plan.readers, plan.cases, plan.power, strict=True):
        assert power(VANDYKE, (readers or 0) - 1, cases, 0.045) < 0.8 <= reached
    assert plan.searched == "readers"


def test_both_numbers_give_the_power() -> None:
    plan = rb.reader_study_size(VANDYKE, difference=0.05, readers=[8, 6], cases=(251, 100))
    assert (plan.readers, plan.cases) == ((6, 6, 8, 8), (100, 251, 100, 251))
    assert (plan.n_readers, plan.n_cases) == (6, 251)  # fewer readings than 8 x 251
    low = rb.reader_study_size(VANDYKE, difference=0.02, readers=4, cases=[50, 100])
    assert low.sentence.startswith("4 readers and 100 cases (39 positive) have a power of 0.1")


def test_sizes_that_are_never_enough() -> None:
    plan = rb.reader_study_size(VANDYKE, difference=0.02, readers=[3, 4])
    assert plan.cases == (None, None)
    assert (plan.n_readers, plan.n_cases, plan.least_readers) == (None, None, 10)
    limits = [power(VANDYKE, r, np.geomspace(10, MOST_CASES, 2000), 0.02).max() for r in (3, 4)]
    assert plan.power == pytest.approx(limits, abs=1e-4)
    assert "No number of cases up to 10,000,000 is enough for 3 and 4 readers" in plan.sentence
    assert "at most 0.29" in plan.sentence
    assert plan.sentence.endswith("Plan at least 10 readers.")
    for readers, found in ((9, False), (10, True)):
        one = rb.reader_study_size(VANDYKE, difference=0.02, readers=readers)
        assert (one.cases[0] is not None) == found
    plan = rb.reader_study_size(VANDYKE, difference=0.02, cases=60)
    assert (plan.readers, plan.least_cases) == ((None,), 476)
    some = rb.reader_study_size(VANDYKE, difference=0.0438, readers=[3, 6])
    assert "With 3 readers no number of cases is enough" in str(some)
    assert rb.reader_study_size(VANDYKE, difference=0.015).readers == (17, 21, 26, 34, 51)


def test_range_of_power_for_the_uncertainty_of_readers() -> None:
    plan = rb.reader_study_size(VANDYKE, difference=0.05, readers=6, cases=251)
    rest = VANDYKE["var"] - VANDYKE["cov1"] - VANDYKE["cov2"] + VANDYKE["cov3"]
    mean_square = VANDYKE["var_tr"] + rest
    for share, found in ((0.25, plan.power_upper), (0.75, plan.power_lower)):
        var_tr = mean_square * 4 / stats.chi2.ppf(1 - share, 4) - rest
        assert plan.components[f"var_tr_{100 * share:.0f}"] == pytest.approx(var_tr)
        moved = {**VANDYKE, "var_tr": var_tr}
        assert found == pytest.approx([reader_power.power(moved, 6, 251, 0.05)], abs=1e-11)
    assert "A pilot of 5 readers says little" in str(plan)
    unknown = {name: value for name, value in VANDYKE.items() if name != "n_readers"}
    plan = rb.reader_study_size(unknown, difference=0.05, readers=6)
    assert plan.power_lower is plan.power_upper is None
    assert "power_lower" not in str(plan)
    assert rb.reader_study_size(VANDYKE, difference=0.05, random="cases").power_lower is None


def test_notes_on_the_components() -> None:
    said = " ".join(str(rb.reader_study_size(FRANKEN, difference=0.05)).split())
    assert "variance of test x reader is estimated as -0.0007128 and taken as 0" in said
    assert "Cov2 - Cov3 is estimated as -2.887e-05 and taken as 0" in said
    assert "'bounded' has less power with few readers" in said
    assert "'bounded'" not in str(rb.reader_study_size(VANDYKE, difference=0.05, readers=[6, 8]))
    said = str(rb.reader_study_size(VANDYKE, difference=-0.01, margin=0.05, readers=6))
    assert "not worse than another by 0.05 or more, if it is worse by 0.01" in " ".join(
        said.split()
    )
    assert "one-sided at 5%" in said


# ----------------------------------------------------------------------------- from a pilot study


def test_a_study_is_a_pilot() -> None:
    found = study()
    plan = rb.reader_study_size(found, difference=0.2)
    parts = {**found.components, "n_pos": 40, "n_neg": 40}
    same = rb.reader_study_size(parts, difference=0.2)
    assert (plan.readers, plan.cases, plan.n_pos) == (same.readers, same.cases, same.n_pos)
    assert plan.power_lower is not None
    assert plan.power_lower.tolist() == same.power_lower.tolist()  # type: ignore[union-attr]
    assert "a difference of 0.2 in AUC between two tests" in plan.sentence
    assert same.quantity is None


def split_by_hand() -> tuple[dict[str, float], dict[str, float]]:
    """Var, Cov1, Cov2 and Cov3 of positives and of negatives, from placements by double loops."""
    data = columns("roemetz_imrmc")
    cells = [(t, r) for t in ("testA", "testB") for r in sorted(set(data["reader"]))]
    placed: list[tuple[np.ndarray, np.ndarray]] = []
    for test, reader in cells:
        rows = (data["treatment"] == test) & (data["reader"] == reader)
        order = np.argsort(data["case"][rows])
        score, truth = data["rating"][rows][order], data["truth"][rows][order]
        pos, neg = score[truth == 1], score[truth == 0]
        wins = np.array([[(p > q) + (p == q) / 2 for q in neg] for p in pos])
        placed.append((wins.mean(axis=1), wins.mean(axis=0)))
    found = []
    for part in (0, 1):
        cov = np.cov([one[part] for one in placed]) / 40
        sums: dict[str, list[float]] = {"var": [], "cov1": [], "cov2": [], "cov3": []}
        for a, (test, reader) in enumerate(cells):
            for b, (other, another) in enumerate(cells):
                name = ("cov3", "cov2", "cov1", "var")[2 * (reader == another) + (test == other)]
                sums[name].append(cov[a, b])
        found.append({name: float(np.mean(values)) for name, values in sums.items()})
    return found[0], found[1]


def test_another_share_of_positives() -> None:
    found = study()
    usual = rb.reader_study_size(found, difference=0.2, readers=8)
    same = rb.reader_study_size(found, difference=0.2, readers=8, prevalence=0.5)
    assert same.cases == usual.cases
    of_pos, of_neg = split_by_hand()
    for name in of_pos:
        assert of_pos[name] + of_neg[name] == pytest.approx(found.components[name], abs=1e-12)
    rare = rb.reader_study_size(found, difference=0.2, readers=8, prevalence=0.1)
    for name in of_pos:  # a study of 80 cases then has 8 positives and 72 negatives
        wanted = of_pos[name] * 40 / 8 + of_neg[name] * 40 / 72
        assert rare.components[name] == pytest.approx(wanted, abs=1e-12)
    (cases,), (n_pos,) = rare.cases, rare.n_pos or (None,)
    assert cases is not None
    assert n_pos == round(0.1 * cases)
    assert cases > (usual.cases[0] or 0)
    # Its uncertainty is that of the pilot, not of the new share.
    assert rare.components["var_tr_75"] == pytest.approx(usual.components["var_tr_75"])


def test_another_share_for_a_metric_of_one_class() -> None:
    found = study(metric="sensitivity", threshold=0.5)
    plans = [
        rb.reader_study_size(found, difference=0.2, readers=8, prevalence=share)
        for share in (0.5, 0.25)
    ]
    positives = [(plan.n_pos or (None,))[0] for plan in plans]
    assert positives[0] == pytest.approx(positives[1], abs=1)
    assert "in sensitivity" in plans[0].sentence


def test_a_pilot_with_few_gaps_is_taken_with_a_note() -> None:
    data, rows = columns("roemetz_imrmc"), np.arange(800) % 50 != 7
    for keep, fine in ((rows, True), (np.arange(800) % 7 != 1, False)):
        readings = rb.Readings(
            *(data[name][keep] for name in ("truth", "rating")),
            **{name: data[column][keep] for name, column in
               (("reader", "reader"), ("case", "case"), ("test", "treatment"))},
        )  # fmt: skip
        pilot = rb.compare_readers(readings)
        if fine:
            plan = rb.reader_study_size(pilot, difference=0.2)
            assert "The pilot lacks 2% of its readings" in str(plan)
        else:
            with pytest.raises(rb.InputError, match="read all cases under all tests; the design"):
                rb.reader_study_size(pilot, difference=0.2)


# ------------------------------------------------------------------------------------ simulated


def reject(part: Mapping[str, float], readers: int, cases: int, gap: float, n_sets: int) -> float:
    """Share of simulated studies in which Obuchowski and Rockette's test finds a difference.

    Readers' differences are drawn from their distribution; covariances of the error are known.
    """
    rng = np.random.default_rng(11)
    f = part["cases"] / cases
    shared = 2 * f * (part["cov2"] - part["cov3"])
    own = 2 * part["var_tr"] + 2 * f * (part["var"] - part["cov1"]) - shared
    d = gap + np.sqrt(shared) * rng.normal(size=(n_sets, 1))
    d = d + np.sqrt(own) * rng.normal(size=(n_sets, readers))
    s = d.var(axis=1, ddof=1) / readers
    total = s + shared
    df = (readers - 1) * total**2 / s**2
    return float(np.mean(2 * stats.t.sf(abs(d.mean(axis=1)) / np.sqrt(total), df) < 0.05))


@pytest.mark.parametrize(("readers", "cases"), [(3, 200), (5, 150), (8, 188), (20, 90)])
def test_simulated_studies_have_the_power(readers: int, cases: int) -> None:
    wanted = float(power(VANDYKE, readers, cases, 0.0438))
    found = reject(VANDYKE, readers, cases, 0.0438, 20_000)
    # With 3 readers the test rejects more often than its level, and than the formula says.
    assert found == pytest.approx(wanted, abs=0.05 if readers == 3 else 0.02)
    # Negative control: the formula without what readers share.
    other = float(power(VANDYKE, readers, cases, 0.0438, random="readers"))
    assert abs(found - other) > 0.05


# ------------------------------------------------------------------------------------- refusals

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"difference": 0}, "`difference` must not be 0 without a margin; got 0. For a study"),
    ({"difference": 1.5}, "strictly between -1 and 1; got 1.5"),
    ({"difference": "x"}, "strictly between -1 and 1; got 'x'"),
    ({"margin": 0}, "`margin` must be a number strictly between 0 and 1; got 0"),
    ({"margin": -0.05}, "`margin` must be a number strictly between 0 and 1; got -0.05"),
    ({"difference": -0.05, "margin": 0.05}, "above minus the margin; got -0.05 and margin=0.05"),
    ({"readers": 1}, "`readers` must be from 2 to 1,000; got 1. One reader cannot stand for"),
    ({"readers": 1, "random": "readers"}, "pass random='cases'"),
    ({"readers": 2.5}, "`readers` must be a whole number, or up to 100 of them; got 2.5"),
    ({"readers": []}, "must be a whole number"),
    ({"readers": [[3, 4]]}, "must be a whole number"),
    ({"readers": "6"}, "must be a whole number"),
    ({"readers": [3, np.nan]}, "must be a whole number"),
    ({"cases": 100.5}, "`cases` must be a whole number"),
    ({"cases": 3}, "`cases` must be from 4 to 10,000,000; got 3"),
    ({"power": 80}, "For 80% pass power=0.8"),
    ({"level": 95}, "For 95% pass level=0.95"),
    ({"random": "reader"}, "`random` must be one of both, cases, readers; got 'reader'. Did you"),
    ({"prevalence": 0.3}, "`prevalence` must be that of the pilot, unless"),
    ({"prevalence": 0}, "`prevalence` must be a number strictly between 0 and 1"),
    ({"alpha": 0.05}, "Pass level=0.95"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "said"), REFUSED, ids=str)
def test_arguments_that_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(rb.InputError, match=re.escape(said)):
        rb.reader_study_size(VANDYKE, **{"difference": 0.05, **asked})


PILOTS: list[tuple[dict[str, Any], str]] = [
    ({"var_tr": None, "cov3": None}, "var_tr and cov3 are missing"),
    ({"cases": None, "n_pos": None}, "; cases is missing"),
    ({"var": -1e-4}, "must have var of at least 0"),
    ({"cov1": 9e-4}, "var - cov1 of at least 0"),
    ({"cov2": 2e-3}, "of at least cov2 - cov3"),
    ({"cov2": np.nan}, "must have a finite number as cov2; got nan"),
    ({"var": "x"}, "must have a finite number as var; got 'x'"),
    ({"cases": 114.5}, "must have a whole number of at least 1 as cases; got 114.5"),
    ({"cases": 0}, "must have a whole number of at least 1 as cases; got 0"),
    ({"n_tests": 1}, "must have two tests or more; it has one"),
    (dict.fromkeys(("var_tr", "var", "cov1", "cov2", "cov3"), 0.0), "all differences have variance 0"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), PILOTS, ids=str)
def test_pilots_that_are_refused(change: dict[str, Any], said: str) -> None:
    pilot = {name: value for name, value in {**VANDYKE, **change}.items() if value is not None}
    with pytest.raises(rb.InputError, match=re.escape(said)):
        rb.reader_study_size(pilot, difference=0.05)


def test_other_pilots_are_refused() -> None:
    for pilot in (None, 3, [1.0], study().readings):
        with pytest.raises(rb.InputError, match="must be a ReaderStudy"):
            rb.reader_study_size(pilot, difference=0.05)  # type: ignore[arg-type]
    readings = study().readings
    one = rb.compare_readers(readings.take(tests=["testA"]))
    with pytest.raises(rb.InputError, match="must have two tests or more; it has one"):
        rb.reader_study_size(one, difference=0.05)
    part = study(metric="partial_auc", fpr=(0.0, 0.2))
    assert rb.reader_study_size(part, difference=0.05, readers=[20]).quantity is not None
    with pytest.raises(rb.InputError, match="got a study of partial AUCs"):
        rb.reader_study_size(part, difference=0.05, prevalence=0.1)


# -------------------------------------------------------------------------------------- picture


def test_the_picture_has_a_line_for_each_number_of_readers() -> None:
    from matplotlib.figure import Figure

    plan = rb.reader_study_size(VANDYKE, difference=0.0438)
    axes = plan.plot(Figure().subplots())
    legend = axes.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[0] == "3 readers"
    assert texts[3] == "6 readers: 251 cases"
    assert len(texts) == 7
    np.testing.assert_allclose(
        plan.achieved[3], power(VANDYKE, 6, plan.sizes, 0.0438), rtol=0, atol=1e-14
    )
    assert all(before < after for before, after in pairwise(plan.sizes))
    known = [cases for cases in plan.cases if cases is not None]
    assert plan.sizes[0] < min(known) < max(known) < plan.sizes[-1]


def test_power_far_from_a_quantile_near_0() -> None:
    assert exceed(-40.0, 60.0, 1e-300) == pytest.approx(0.0, abs=1e-15)
    assert exceed(40.0, 60.0, 1e-300) == pytest.approx(1.0, abs=1e-15)
