"""Every result with a picture has a `plot` with the signature of the function that draws it."""

import importlib
import inspect
import pkgutil

import pytest
from matplotlib.figure import Figure

import rocbands
import rocbands as rb
from rocbands.core.result import Result
from rocbands.plot import _DRAW_FUNCTIONS


def subclasses(kind):
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def results():
    for module in pkgutil.walk_packages(rocbands.__path__, "rocbands."):
        if not any(
            part in module.name for part in ("__main__", "dask", "spark", "torch", "triton", ".cli")
        ):
            importlib.import_module(module.name)
    return {
        one.__name__: one for one in subclasses(Result) if one.__module__.startswith("rocbands.")
    }


RESULTS = results()
DRAWN = sorted(set(_DRAW_FUNCTIONS) & set(RESULTS))


@pytest.mark.parametrize("name", DRAWN)
def test_the_signature_is_that_of_the_drawing(name):
    module, function = _DRAW_FUNCTIONS[name]
    drawing = inspect.signature(getattr(importlib.import_module(module), function))
    method = inspect.signature(RESULTS[name].plot)
    assert [(p.name, p.kind, p.default) for p in list(method.parameters.values())[1:]] == [
        (p.name, p.kind, p.default) for p in list(drawing.parameters.values())[1:]
    ]
    text = inspect.getdoc(RESULTS[name].plot)
    for parameter in list(method.parameters)[1:]:
        assert f"{parameter.lstrip('*')} :" in text or f"**{parameter}" in text, parameter


@pytest.mark.parametrize("name", sorted(set(RESULTS) - set(DRAWN)))
def test_there_is_no_plot_without_a_picture(name):
    parents = {kind.__name__ for kind in RESULTS[name].__mro__}
    assert hasattr(RESULTS[name], "plot") == bool(parents & set(DRAWN))


@pytest.mark.parametrize(
    ("goal", "label"),
    [({"width": 0.1}, "Width"), ({"against": 0.7}, "Power"), ({"band_width": 0.3}, "Width")],
)
def test_a_plan_has_a_picture(goal, label):
    plan = rb.sample_size(auc=0.8, **goal, rng=1)
    ax = plan.plot(Figure().subplots())
    assert ax.get_ylabel() == label
    line, mark = ax.lines
    assert list(line.get_xdata()) == plan.sizes.tolist()
    assert mark.get_xydata().tolist() == [
        [plan.n_pos, plan.power if label == "Power" else plan.width]
    ]
    if label == "Power":
        assert (plan.achieved[:-1] < plan.achieved[1:]).all()
    else:
        assert plan.achieved[0] >= plan.achieved[-1]


def test_axes_may_be_specificity_and_sensitivity() -> None:
    sample = rb.load_example()
    ax = sample.each(rb.roc_band).plot(Figure().subplots(), x="specificity")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Specificity", "Sensitivity")
    write = ax.xaxis.get_major_formatter()
    assert [write(fpr, 0) for fpr in (0.0, 0.2, 1.0)] == ["1", "0.8", "0"]
    with pytest.raises(rb.InputError, match="`x` must be one of fpr, specificity"):
        sample["logistic"].roc.plot(Figure().subplots(), x="recall")
