"""Published numbers of reader studies, and those of a separate program: tests/golden/README.md.

Only one of the data sets may be distributed. Of the others the areas and the covariance matrices
are in the golden file, and every number that follows from them is computed here. Where the
environment variable ROCBANDS_DATA names a folder with readers/*.csv, the data are read, too.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from rocbands.readers.contrast import (
    Contrast,
    contrast_algorithm,
    contrast_test,
    contrast_tests,
    find_components,
)
from rocbands.readers.influence import Covariance, Estimates, choose_metric, estimate_cells
from rocbands.readers.method import ReaderMethod
from tests.golden_numbers import GOLDEN
from tests.oracles import reader_study as oracle

NUMBERS = json.loads((GOLDEN / "readers.json").read_text(encoding="utf-8"))
PRINTED, PROTOTYPE = NUMBERS["printed"], NUMBERS["prototype"]
VANDYKE = PRINTED["vandyke, MRMCaov 0.3.0 guide"]
FRANKEN = PRINTED["franken, RJafroc 2.1.2 test values (jackknife)"]
CAD = PRINTED["cad, RJafroc 2.1.2 test values (1T-RRRC, jackknife)"]
IMRMC = next(found for name, found in PRINTED.items() if name.startswith("roemetz_imrmc"))
SENSITIVITY = PROTOTYPE["vandyke, sensitivity at rating >= 3"]
ALONE = PROTOTYPE["cad: readers 2-10 minus reader 1, a stand-alone algorithm"]
# Name in the golden file: file, column of cases.
STUDIES = {
    "vandyke": ("vandyke", "case"),
    "vandyke, cases in readers": ("vandyke", "case2"),
    "vandyke, cases in tests": ("vandyke", "case3"),
    "franken": ("franken", "case"),
    "kundel": ("kundel", "case"),
    "roemetz_imrmc": ("roemetz_imrmc", "case"),
}
COVARIANCES: tuple[Covariance, ...] = ("delong", "unbiased", "jackknife")
DATA = os.environ.get("ROCBANDS_DATA")
needs_data = pytest.mark.skipif(
    DATA is None, reason="ROCBANDS_DATA does not name a folder with readers/*.csv"
)
free = ["roemetz_imrmc", *(pytest.param(one, marks=needs_data) for one in list(STUDIES)[:5])]

RANDOM = {"random": "both", "fixed readers": "cases", "fixed cases": "readers"}
OR = rb.readers.ObuchowskiRockette
AUC = choose_metric("auc", None, None, None, ("1", "2"))


@cache
def read(name: str) -> rb.Readings:
    file, case = STUDIES.get(name, (name, "case"))
    folder = GOLDEN if file == "roemetz_imrmc" else Path(str(DATA)) / "readers"
    with (folder / f"{file}.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    test = "treatment" if "treatment" in rows[0] else None
    rows.sort(key=lambda row: row.get("treatment", ""))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns |= {name: np.array(columns[name], float) for name in ("truth", "rating")}
    return rb.Readings.from_frame(
        columns,
        **{"label": "truth", "score": "rating", "reader": "reader", "case": case, "test": test},
    )


def from_summary(name: str, covariance: str) -> Estimates:
    """Cells without their data: areas and their covariance matrix."""
    study = PROTOTYPE[name]
    area = np.array(study["auc"])
    test, reader = (one.ravel() for one in np.indices(area.shape))
    n_pos, n_neg = study["cases"]
    size = area.size, n_pos + n_neg
    return Estimates(
        AUC,
        test,
        reader,
        area.ravel(),
        np.arange(area.size)[:, None] + np.arange(size[1]),
        np.tile(study["read"], (area.size, 1)),
        np.zeros(size),
        np.ones(size, bool),
        np.repeat([0, 1], [n_pos, n_neg]),
        np.array(study[covariance]["matrix"]),
        AUC.find_scale(n_pos, n_neg),
    )


def show(
    method: ReaderMethod, contrast: Contrast, random: str = "both", **asked: Any
) -> dict[str, Any]:
    said = method(contrast, random=random, **asked)
    error = math.sqrt(said.variance)
    limits = {"low": said.low, "high": said.high, "p": said.pvalue}
    df = None if math.isinf(said.df) else said.df
    numbers = {"estimate": contrast.estimate, "se": error, "df": df}
    return {**numbers, "t": contrast.estimate / error, **limits}


def judge_all(contrast: Contrast) -> dict[str, Any]:
    found = {name: show(OR(), contrast, random) for name, random in RANDOM.items()}
    return {**found, "bounded": show(rb.readers.Bounded(interval="symmetric"), contrast)}


def analyse(cells: Estimates, tests: list[str], default: bool) -> dict[str, Any]:
    """Everything that the separate program computed, by the classes of the package."""
    t, readers = len(tests), sorted(set(cells.reader.tolist()))
    pairs, single = {}, {}
    for i in range(t):
        one = contrast_test(cells, i, readers)
        single[tests[i]] = judge_all(one)
        if default:
            single[tests[i]]["bounded, logit limits"] = show(rb.readers.Bounded(), one)
        for k in range(i + 1, t):
            gap = contrast_tests(cells, (i, k), readers)
            found = judge_all(gap)
            if default:
                found["default limits"] = show(rb.readers.Bounded(), gap)
                found["non-inferiority, margin .05, level .975"] = show(
                    rb.readers.Bounded(), gap, null=-0.05, level=0.975, alternative="greater"
                )
            pairs[f"{tests[i]}-{tests[k]}"] = found
    return {"pairs": pairs, "each test": single, **analyse_components(cells, readers, t)}


def analyse_components(cells: Estimates, readers: list[int], t: int) -> dict[str, Any]:
    found = find_components(cells, readers, t)
    assert found is not None
    record = found.variances
    joint = {random: OR().judge_joint(found, random) for random in ("both", "cases", "readers")}
    both, cases, fixed = joint["both"], joint["cases"], joint["readers"]
    tests = {
        "random": {
            **{"f": both.statistic, "df1": both.df1, "df2": both.df2, "p": both.pvalue},
            "den": OR().find_joint_variance(found),
        },
        "fixed_readers": {
            **{"x2": cases.statistic * cases.df1, "df": cases.df1, "p": cases.pvalue},
            "den": found.fixed,
        },
        "fixed_cases": {
            **{"f": fixed.statistic, "df1": fixed.df1, "df2": fixed.df2, "p": fixed.pvalue}
        },
    }
    return {"components": record, "anova": {**record, **tests}}


def leaves(wanted: Any, found: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """All numbers of `wanted`, with what was found at the same place."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            yield from leaves(value, found[key], f"{path}/{key}")
    elif isinstance(wanted, list):
        assert len(wanted) == len(found), path
        for at, (value, own) in enumerate(zip(wanted, found, strict=True)):
            yield from leaves(value, own, f"{path}[{at}]")
    else:
        yield path, wanted, found


def agree(wanted: Any, found: Any, rel: float = 1e-9, small: float = 1e-13) -> int:
    """Compare numbers, and count them."""
    number = 0
    for path, want, got in leaves(wanted, found):
        number += 1
        assert (got is None) == (want is None), path
        assert want is None or math.isclose(got, want, rel_tol=rel, abs_tol=small), (
            path,
            got,
            want,
        )
    return number


def agree_as_printed(wanted: Any, found: Any) -> int:
    """Compare numbers to their last printed digit; trailing zeros up to six digits are digits."""
    number = 0
    for path, want, got in leaves(wanted, found):
        number += 1
        if want is None or not want:
            assert got == want, path
            continue
        mantissa, _, exponent = f"{float(want):.15g}".lower().partition("e")
        decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
        at_least = 5 - math.floor(math.log10(abs(want)))
        unit = 10.0 ** -max(decimals, at_least)
        assert abs(got - want) <= 0.5 * unit * (1 + 1e-6) + 1e-14, (path, got, want)
    return number


# ------------------------------------------------------------- from areas and covariance matrices


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("name", STUDIES)
def test_all_numbers_of_the_separate_program_follow_from_areas_and_covariances(
    name: str, covariance: str
) -> None:
    study = PROTOTYPE[name]
    wanted = {key: part for key, part in study[covariance].items() if key != "matrix"}
    default = "default limits" in next(iter(wanted["pairs"].values()))
    found = analyse(from_summary(name, covariance), study["tests"], default)
    assert agree(wanted, found) > 40


def pick(found: dict[str, Any], keys: str = "estimate se df low high") -> list[Any]:
    return [found[key] for key in keys.split()]


def read_components(name: str, covariance: str) -> dict[str, Any]:
    study = PROTOTYPE[name]
    found = analyse(from_summary(name, covariance), study["tests"], False)
    anova = found["anova"]
    random, pairs = anova["random"], next(iter(found["pairs"].values()))
    tests = list(found["each test"].values())
    cells = from_summary(name, covariance)
    readers = range(len(study["readers"]))
    own = [contrast_test(cells, i, readers) for i in (0, 1)]
    more = [
        {"ms_r": one.values.var(ddof=1), "cov2": one.case_covariance, **of["random"]}
        for one, of in zip(own, tests, strict=True)
    ]
    return {
        **{"auc": study["auc"], "error": anova["var"], "denominator": random["den"]},
        **anova,
        **random,
        **{"t": pairs["random"]["t"], "difference": pick(pairs["random"])},
        **{"test 1": more[0], "test 2": more[1], "pairs": pairs, "tests": tests},
    }


def test_the_numbers_of_the_guide_of_mrmcaov() -> None:
    number = 0
    for covariance in COVARIANCES:
        found = read_components("vandyke", covariance)
        number += agree_as_printed(VANDYKE[covariance], found)
    keys = ("auc", "ms_t", "ms_tr")
    number += agree_as_printed({key: VANDYKE[key] for key in keys}, found)
    fixed, mean = VANDYKE["fixed readers, jackknife"], "estimate se low high"
    own = {
        **found["fixed_readers"],
        **{"denominator": found["fixed_readers"]["den"], "z": found["pairs"]["fixed readers"]["t"]},
        "difference": pick(found["pairs"]["fixed readers"]),
        **{f"test {i + 1}": pick(found["tests"][i]["fixed readers"], mean) for i in (0, 1)},
    }
    cells = from_summary("vandyke", "jackknife")
    each = [show(OR(), contrast_tests(cells, (0, 1), [j]), "cases") for j in range(5)]
    own["readers"] = [pick(one, "estimate se low high p") for one in each]
    own["se of each"] = np.sqrt(cells.covariance.diagonal()).reshape(2, 5).tolist()
    number += agree_as_printed(fixed, own)
    own = {
        **found["fixed_cases"],
        "difference": pick(found["pairs"]["fixed cases"]),
        **{f"test {i + 1}": pick(found["tests"][i]["fixed cases"]) for i in (0, 1)},
    }
    number += agree_as_printed(VANDYKE["fixed cases"], own)
    for kind in ("readers", "tests"):
        own = read_components(f"vandyke, cases in {kind}", "jackknife")
        number += agree_as_printed(VANDYKE[f"cases in {kind}, jackknife"], own)
    assert number == 181


def test_the_stored_values_of_rjafroc() -> None:
    found = read_components("franken", "jackknife")
    random = {
        **{key: found[key] for key in ("f", "df2", "p", "difference")},
        **{f"test {i + 1}": pick(found["tests"][i]["random"]) for i in (0, 1)},
    }
    own = {**found, "random": random, "fixed cases": found["fixed_cases"]}
    wanted = {key: part for key, part in FRANKEN.items() if not key.startswith("fixed readers")}
    assert agree_as_printed(wanted, own) == 36
    # RJafroc truncates Cov2 - Cov3 at 0 also for these readers; the variance here is a square.
    their = found["var"] - found["cov1"] + 3 * max(found["cov2"] - found["cov3"], 0.0)
    x2 = found["ms_t"] / their
    numbers = {"denominator": their, "x2": x2, "p": stats.chi2.sf(x2, 1)}
    agree_as_printed(FRANKEN["fixed readers, with max(cov2 - cov3, 0)"], numbers)
    assert found["fixed_readers"]["x2"] == pytest.approx(0.364, abs=5e-4)


def test_limits_of_the_default_as_specified() -> None:
    found = analyse(from_summary("vandyke", "delong"), ["1", "2"], True)
    gap, means = found["pairs"]["1-2"], found["each test"]
    wanted = {
        "default limits": {"low": -0.1155051, "high": 0.0002665519},
        "non-inferiority, margin .05, level .975": {"low": -0.1155051, "p": 0.3911191},
    }
    agree_as_printed(wanted, gap)
    agree_as_printed({"low": 0.8003573, "high": 0.9498329}, means["1"]["bounded, logit limits"])
    agree_as_printed({"low": 0.8731274, "high": 0.9735080}, means["2"]["bounded, logit limits"])
    found = analyse(from_summary("franken", "delong"), ["1", "2"], True)["pairs"]["1-2"]
    wanted = {"se": 0.01789174, "df": 487.909, "p": 0.5443361}
    agree_as_printed(wanted, found["bounded"])
    agree_as_printed({"low": -0.02429956, "high": 0.04883775}, found["default limits"])


# ------------------------------------------------------------------------------- from the data


def to_report(name: str, covariance: Covariance) -> float:
    """The separate program's jackknife counts all cases of the study, also of nested designs."""
    study = PROTOTYPE[name]
    if covariance != "jackknife":
        return 1.0
    total, own = sum(study["cases"]), sum(study["read"])
    return ((total - 1) / total) / ((own - 1) / own)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("name", free)
def test_areas_and_covariances_of_the_data(name: str, covariance: Covariance) -> None:
    study, readings = PROTOTYPE[name], read(name)
    assert readings.tests == tuple(study["tests"])
    cells = estimate_cells(readings, AUC, covariance)
    assert agree(study["auc"], cells.values.reshape(np.shape(study["auc"])).tolist(), 1e-12)
    matrix = cells.covariance * to_report(name, covariance)
    np.testing.assert_allclose(matrix, study[covariance]["matrix"], rtol=1e-11, atol=1e-16)


@pytest.mark.parametrize("name", free)
def test_the_public_function_gives_these_numbers(name: str) -> None:
    study, readings = PROTOTYPE[name], read(name)
    every: tuple[Covariance, ...] = COVARIANCES if "cases in" not in name else COVARIANCES[:2]
    number = 0
    for covariance in every if name != "kundel" else ("delong",):
        wanted = study[covariance]
        for pair in wanted["pairs"]:
            some = readings.take(tests=pair.split("-"))
            found = rb.compare_readers(some, method=OR(covariance=covariance))
            number += agree_with(wanted, found)
            if name == "kundel":
                continue
            keys = ("var", "cov1", "cov2", "cov3", "ms_t", "ms_r", "ms_tr", "var_r", "var_tr")
            number += agree({key: wanted["anova"][key] for key in keys}, found.components)
    for pair, wanted in study["delong"]["pairs"].items():
        some = readings.take(tests=pair.split("-"))
        found = rb.compare_readers(some, method=rb.readers.Bounded(interval="symmetric"))
        number += agree(wanted["bounded"], record(found.inferences, pair, "both"))
        if "default limits" in wanted:
            found = rb.compare_readers(some)
            number += agree(wanted["default limits"], record(found.inferences, pair, "both"))
            limit = wanted["non-inferiority, margin .05, level .975"]
            gap = rb.compare_readers(some, margin=0.05, level=0.975).differences[0]
            assert gap.statistic is not None
            assert gap.standard_error is not None
            assert gap.statistic * gap.standard_error - 0.05 == pytest.approx(limit["estimate"])
            number += agree(
                {"low": limit["low"], "p": limit["p"]}, {"low": gap.low, "p": gap.pvalue}
            )
            for test, mean in zip(found.tests, found.means, strict=True):
                of = study["delong"]["each test"][test]
                own = {"low": mean.low, "high": mean.high, "estimate": mean.estimate}
                logit = {key: of["bounded, logit limits"][key] for key in own}
                number += agree(logit, own)
    assert number >= 70


def record(inferences: Any, pair: str, random: str) -> dict[str, Any]:
    name = " minus ".join(pair.split("-"))
    one = next(one for one in inferences if (one.target, one.random) == (name, random))
    t = one.statistic if one.statistic is not None else one.estimate / one.standard_error
    df = None if math.isinf(one.df) else one.df
    numbers = {"estimate": one.estimate, "se": one.standard_error, "df": df, "t": t}
    return {**numbers, "low": one.low, "high": one.high, "p": one.pvalue}


def agree_with(wanted: dict[str, Any], study: rb.results.ReaderStudy) -> int:
    """Compare the inferences of a study of two tests."""
    number = 0
    pair = "-".join(study.tests)
    for kind, random in RANDOM.items():
        number += agree(wanted["pairs"][pair][kind], record(study.inferences, pair, random))
        for test in study.tests:
            one = {k: v for k, v in wanted["each test"][test][kind].items() if k != "p"}
            number += agree(one, record(study.inferences, test, random))
    return number


@pytest.mark.parametrize("name", [free[0], free[1], free[4]])
def test_one_shot_of_the_data(name: str) -> None:
    wanted, readings = PROTOTYPE[name]["one-shot"], read(name)
    if wanted["variance"] <= 0.0:
        words = r"The unbiased variance is -3\.2e-05: no interval. Use method='bounded'\."
        with pytest.raises(rb.InputError, match=words):
            rb.compare_readers(readings, method="one-shot")
        return
    found = rb.compare_readers(readings, method="one-shot")
    agree(wanted["pair"], record(found.inferences, "-".join(readings.tests), "both"))
    gap = found.differences[0]
    assert gap.standard_error == pytest.approx(math.sqrt(wanted["variance"]), rel=1e-10)
    is_positive = readings.is_positive
    wins = [[oracle.win(one, is_positive) for one in of_test] for of_test in readings.scores]
    moments, _ = oracle.moments(np.subtract(*wins))
    assert gap.difference**2 - moments[7] == pytest.approx(wanted["variance"], rel=1e-9)


def test_the_numbers_of_imrmc() -> None:
    readings = read("roemetz_imrmc")
    found = rb.compare_readers(readings, method="one-shot")
    assert agree_as_printed(IMRMC["auc"], found.areas.tolist()) == 10
    first = np.array([oracle.win(one, readings.is_positive) for one in readings.scores[0]])
    m = [0.0, *oracle.moments(first)[0]]
    parts = [m[7] - m[8], m[6] - m[8], m[5] - m[6] - m[7] + m[8], m[4] - m[8]]
    parts += [m[3] - m[4] - m[7] + m[8], m[2] - m[4] - m[6] + m[8]]
    parts += [m[1] - m[2] - m[3] + m[4] - m[5] + m[6] + m[7] - m[8]]
    agree_as_printed(IMRMC["components, test 1 (N D ND R NR DR RND)"], parts)
    cells = estimate_cells(readings, AUC, "unbiased")
    each = cells.covariance.diagonal().reshape(2, 5)
    assert agree_as_printed(IMRMC["variance of each"], each.tolist()) == 10
    gap = contrast_tests(cells, (0, 1), range(5))
    own = gap.covariance.diagonal().tolist()
    assert agree_as_printed(IMRMC["variance of reader differences"], own) == 5
    hillis = rb.compare_readers(readings, method=OR(covariance="unbiased"))
    for i in (0, 1):
        of = {
            "auc": found.means[i].estimate,
            "variance": (found.means[i].standard_error or 0.0) ** 2,
            **{"df_bdg": found.columns()["df"][i], "df_hillis": hillis.columns()["df"][i]},
        }
        agree_as_printed(IMRMC[f"test {i + 1}"], of)
        wins = [oracle.win(one, readings.is_positive) for one in readings.scores[i]]
        moments, coefficients = oracle.moments(np.array(wins))
        agree_as_printed(IMRMC[f"moments of test {i + 1}"], moments.tolist())
        agree_as_printed(IMRMC["coefficients"], coefficients.tolist())
    one = found.differences[0]
    assert one.df is not None
    assert one.standard_error is not None
    # iMRMC rounds degrees of freedom down in p-value and limits.
    law, t = stats.t(math.floor(one.df)), one.difference / one.standard_error
    reach = law.ppf(0.975) * one.standard_error
    of = {
        **{"estimate": one.difference, "variance": one.standard_error**2, "df_bdg": one.df},
        **{"df_hillis": hillis.differences[0].df, "p": 2 * law.sf(abs(t))},
        **{"low": one.difference - reach, "high": one.difference + reach},
    }
    assert agree_as_printed(IMRMC["difference"], of) == 7


@needs_data
def test_sensitivity_of_the_data() -> None:
    readings, asked = read("vandyke"), {"metric": "sensitivity", "threshold": 3}
    found = rb.compare_readers(readings, method="obuchowski-rockette", **asked)
    agree(SENSITIVITY["estimates"], found.areas.tolist())
    wanted = {k: v for k, v in SENSITIVITY["anova"].items() if isinstance(v, float)}
    assert agree(wanted, found.components) == 9
    for kind, random in RANDOM.items():
        agree(SENSITIVITY["pair"][kind], record(found.inferences, "1-2", random))
    printed = VANDYKE["sensitivity at rating >= 3, jackknife"]
    agree_as_printed(printed["difference"], pick(record(found.inferences, "1-2", "both")))
    for i in (0, 1):
        own = pick(record(found.inferences, str(i + 1), "both"))
        agree_as_printed(printed[f"test {i + 1}"], own)
    metric = choose_metric("sensitivity", 3, None, None, readings.tests)
    cells = estimate_cells(readings, metric, "delong")
    anova = analyse_components(cells, list(range(5)), 2)["anova"]
    assert agree(SENSITIVITY["anova"], anova) == 22
    bounded = show(
        rb.readers.Bounded(interval="symmetric"), contrast_tests(cells, (0, 1), range(5))
    )
    agree(SENSITIVITY["pair"]["bounded"], bounded)
    own = {**anova, **anova["random"], "error": anova["var"], "denominator": anova["random"]["den"]}
    rest = {key: part for key, part in printed.items() if not isinstance(part, list)}
    assert agree_as_printed(rest, own) == 10


@needs_data
@pytest.mark.parametrize("covariance", ["jackknife", "delong"])
def test_a_stand_alone_algorithm_of_the_data(covariance: Covariance) -> None:
    readings = read("cad")
    found = rb.compare_readers(readings, method=OR(covariance=covariance), algorithm="1")
    for kind, random in RANDOM.items():
        own = record(found.inferences, "1-readers", random)
        # The separate program computes readers minus algorithm.
        own |= {"estimate": -own["estimate"], "t": -own["t"]}
        own |= {"low": -own["high"], "high": -own["low"]}
        agree(ALONE[covariance][kind], own)
        if covariance == "jackknife":
            keys = ("low", "high", "t", "df", "p")
            printed = CAD if kind == "random" else CAD.get(kind, {})
            agree_as_printed({key: printed[key] for key in keys if key in printed}, own)
    cells = estimate_cells(readings, AUC, covariance)
    alone = contrast_algorithm(cells, (0, 0), 0, range(1, 10))
    own = show(rb.readers.Bounded(interval="symmetric"), alone)
    own |= {"estimate": -own["estimate"], "t": -own["t"], "low": -own["high"], "high": -own["low"]}
    agree(ALONE[covariance]["bounded"], own)
    if covariance == "jackknife":
        agree_as_printed([CAD["difference"]], [-alone.estimate])
        agree_as_printed(CAD["readers"], found.areas[0].tolist())
        interval = found.algorithm_areas[0]
        assert interval is not None
        agree_as_printed([CAD["algorithm"]], [interval.estimate])
        own = {"cov2": alone.case_covariance, "error": alone.covariance.diagonal().mean()}
        agree_as_printed({key: CAD[key] for key in own}, own)


@needs_data
def test_numbers_of_kundels_study() -> None:
    for pair, wanted in {
        "1-2": [0.02509672, 0.04950066, 238.2533, 0.6126253],
        "2-3": [-0.03748694, 0.02173168, 12.22111, 0.1097045],
    }.items():
        found = rb.compare_readers(read("kundel").take(tests=pair.split("-")))
        agree_as_printed(wanted, pick(record(found.inferences, pair, "both"), "estimate se df p"))
