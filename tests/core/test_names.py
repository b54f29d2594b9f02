"""Names of other libraries, tried by new users, are answered by what to write here."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.core import arguments
from rocbands.core.result import Result

SAMPLE = rb.load_example()["logistic"]
Y, SCORE = SAMPLE.is_positive, SAMPLE.values
AUC, BAND, ROC = rb.auc_interval(SAMPLE), rb.roc_band(SAMPLE), rb.roc_curve(SAMPLE)
DIFFERENCE = rb.difference_band(rb.load_example())
Display = rb.RocBandDisplay


def show(**how: Any) -> Any:
    return Display.from_predictions(Y, SCORE, ax=Figure().subplots(), **how)


ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "not a tuple; .* such as .fpr, .tpr, .thresholds": lambda m: list(m.roc_curve(Y, SCORE)),
    "RocCurve is one object, not a tuple": lambda m: m.roc_curve(Y, SCORE)[0],
    "Interval is one object, .* .estimate, .low, .high": lambda m: list(m.auc_interval(SAMPLE)),
    r"FixedWidth\(\) has no argument 'foo'. It has n_resam": lambda m: m.bands.FixedWidth(foo=3),
    "It is called `n_resamples` here": lambda m: m.bands.FixedWidth(n_boot=3),
    r"FixedWidth\(\) takes 4 arguments .* got 5. Leave": lambda m: m.bands.FixedWidth(*range(5)),
    r"to_latex\(\) has no argument 'foo'. It has caption": lambda m: m.auc_interval(
        SAMPLE
    ).to_latex(foo=1),
    "Name it, for example caption='x'": lambda m: m.auc_interval(SAMPLE).to_latex("x"),
    "Did you mean `path`": lambda m: m.auc_interval(SAMPLE).to_csv(paht="x"),
    "It is called `sensitivity` here": lambda m: m.operating_points(Y, SCORE, sens=0.9),
    "It is called `criterion` here": lambda m: m.best_threshold(Y, SCORE, method="youden"),
    "It is called `capacity` here": lambda m: m.report(Y, SCORE, rate=0.1),
    r"`n_resamples` here, for methods that resample: rb.methods\(\) lists": lambda m: (
        m.auc_interval(Y, SCORE, n_bootstraps=2000)
    ),
    "not for a sensitivity or specificity. .* 139 positives": lambda m: m.sample_size(
        sensitivity=0.9
    ),
    "For labels and scores: rb.RocBandDisplay.from_predictions": lambda m: (
        m.RocBandDisplay.from_estimator(Y, SCORE)
    ),
    r"from_predictions\(\) has no argument 'figsize'. Make the axes": lambda m: show(
        figsize=(3, 3)
    ),
    r"display.ax_.set_title\('x'\)": lambda m: show(title="x"),
    "It is called `random_state` here": lambda m: show(rng=1),
    r"display.ax_.figure.savefig\(path\)": lambda m: show().plot(filename="x.png"),
    r"To write the picture to a file: result.plot\(\).figure.savefig": lambda m: m.roc_band(
        SAMPLE
    ).plot(filename="x.png"),
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_a_call_that_does_not_fit_is_explained(text: str) -> None:
    with pytest.raises(TypeError, match=text) as problem:
        ARGUMENTS[text](rb)
    assert isinstance(problem.value, rb.InputError)
    assert "\n" not in str(problem.value)


def test_a_path_is_not_the_axes_and_a_frame_is_not_a_path() -> None:
    pd = pytest.importorskip("pandas")
    plot: Callable[[Any], Any] = BAND.plot
    with pytest.raises(rb.InputError, match=r"got str. To write .*figure_.savefig\(path\)"):
        plot("x.png")
    frame: Any = pd.DataFrame({"label": Y, "score": SCORE})
    with pytest.raises(rb.InputError, match=r"got DataFrame. Pass a frame by rb.Sample.from_frame"):
        rb.Sample.from_file(frame)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("roc_auc_score", "rb.auc_interval"),
        ("ci_auc", "rb.auc_interval"),
        ("plot_roc", "rb.roc_band(y_true, y_score).plot()"),
        ("delong", "rb.auc_interval(y_true, y_score) for one model or rb.compare"),
        ("band", "rb.roc_band"),
        ("auc_intervall", "rb.auc_interval."),
        ("subgroop", "rb.subgroups"),
        ("roc_bands", "rb.class_bands"),
        ("RocBands", "rb.class_bands"),
        ("RocBandsDisplay", "rb.ClassBandsDisplay."),
    ],
)
def test_a_function_of_another_library(name: str, here: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'\. Use {re.escape(here)}"):
        getattr(rb, name)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("from_csv", "Use rb.Sample.from_file(path)."),
        ("from_pandas", "Use rb.Sample.from_frame(df, label=..., score=...)."),
        ("from_fiel", "Use Sample.from_file."),
        ("nothing_alike", "See dir(Sample)."),
    ],
)
def test_another_way_to_make_a_sample(name: str, here: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"'Sample' has no attribute '{name}'\. {re.escape(here)}"
    ):
        getattr(rb.Sample, name)
    assert not hasattr(rb.Sample, "_nothing")


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("logistic", "Use sample['logistic']."),
        ("y_true", "Use sample.is_positive."),
        ("auc", "Use sample.roc.auc."),
        ("modles", "Use sample.models."),
    ],
)
def test_an_attribute_that_a_sample_has_elsewhere(name: str, here: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'\. {re.escape(here)}"):
        getattr(SAMPLE, name)
    assert copy.copy(SAMPLE).models == pickle.loads(pickle.dumps(SAMPLE)).models == ("logistic",)


@pytest.mark.parametrize(
    ("result", "name", "here"),
    [
        (AUC, "ci", ".low and .high"),
        (AUC, "lower", ".low and .high"),
        (AUC, "conf_int", ".low and .high"),
        (AUC, "auc", ".estimate"),
        (BAND, "at", ".lower_at(fpr) and .upper_at(fpr)"),
        (BAND, "interval", ".lower_at(fpr) and .upper_at(fpr)"),
        (BAND, "save", ".to_csv(path), .to_json() or .plot().figure.savefig(path)"),
        (BAND, "tpr", ".roc.tpr"),
        (ROC, "at", ".tpr_at(fpr)"),
    ],
)
def test_an_attribute_of_another_library(result: Result, name: str, here: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'\. Use {re.escape(here)}\."):
        getattr(result, name)
    assert not hasattr(result, name)


def test_what_is_suggested_exists() -> None:
    for text in arguments._HERE:
        for attribute in re.findall(r"^sample\.(\w+)", text):
            assert hasattr(SAMPLE, attribute)
        for function in re.findall(r"rb\.(\w+)", text):
            assert function in rb.__all__
        for attribute in re.findall(r"^\.(\w+)", text):
            assert any(hasattr(one, attribute) for one in (AUC, BAND, ROC, DIFFERENCE)), text


def test_copies_are_made_as_before() -> None:
    for result in (AUC, BAND, ROC):
        assert copy.deepcopy(result).to_json() == result.to_json()
        assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()
    method = rb.bands.FixedWidth(n_resamples=200)
    assert copy.copy(method) == pickle.loads(pickle.dumps(method)) == method
    assert np.asarray(ROC, dtype=object).shape == ()


def test_an_error_inside_a_property_is_not_hidden() -> None:
    @dataclass(frozen=True)
    class Broken(Result):
        schema = "rocbands.broken/1"

        @property
        def facts_of_mine(self) -> int:
            return self.missing_part  # type: ignore[attr-defined, no-any-return]

        def describe(self) -> Any:
            return "", {}

        def columns(self) -> Any:
            return {}

    with pytest.raises(AttributeError, match="missing_part"):
        _ = Broken().facts_of_mine
